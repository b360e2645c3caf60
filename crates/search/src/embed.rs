//! Embeddings, for who has a model: a trait, and the cosine.

use tipstaff_schema::ToolDescriptor;

/// Makes vectors of texts that mean similar things lie close together.
///
/// Called while tools are added and for each query and part of one, never under a lock.
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The vector of a text; one of another length, or with a number that is not finite, counts as none.
    fn embed(&self, text: &str) -> Vec<f32>;
}

const _: Option<&dyn Embedder> = None; // Stops compiling if it can no longer be used as `dyn`.

/// A text's vector, of length 1; `None` where there is none.
pub(crate) fn unit(embedder: &dyn Embedder, text: &str) -> Option<Vec<f32>> {
    to_unit(embedder.embed(text), embedder.dimensions())
}

/// A tool's vector: its own where it brings one that fits, else that of its name and description.
pub(crate) fn of_tool(embedder: &dyn Embedder, tool: &ToolDescriptor) -> Option<Vec<f32>> {
    let own = tool.embedding.clone().unwrap_or_default();
    to_unit(own, embedder.dimensions()).or_else(|| {
        let name = crate::words::words(tool.mcp_tool_name()).join(" ");
        let title = tool.title.as_deref().unwrap_or_default();
        let text = format!("{name} {title} {}", crate::fields::cut(&tool.description));
        unit(embedder, &text)
    })
}

fn to_unit(mut vector: Vec<f32>, dimensions: usize) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if vector.len() != dimensions || !length.is_finite() || length <= 0.0 {
        return None;
    }
    for x in &mut vector {
        *x /= length;
    }
    Some(vector)
}

/// The cosine of two vectors of length 1.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
