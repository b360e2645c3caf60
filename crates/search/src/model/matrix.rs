//! The matrix of a model, from safetensors or NumPy bytes.

use serde_json::Value;

/// Numbers in rows.
#[derive(Debug)]
pub(super) struct Matrix {
    columns: usize,
    // INVARIANT: a whole number of rows of `columns` numbers, all finite.
    numbers: Vec<f32>,
}

/// How a number is written.
#[derive(Debug, Clone, Copy)]
enum Width {
    F32,
    F16,
}

impl Matrix {
    /// # Errors
    /// What is wrong with the bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        match bytes.strip_prefix(b"\x93NUMPY") {
            Some(rest) => Self::numpy(rest),
            None => Self::safetensors(bytes),
        }
    }

    fn safetensors(bytes: &[u8]) -> Result<Self, &'static str> {
        let (size, rest) = bytes.split_first_chunk::<8>().ok_or("it is too short")?;
        let size =
            usize::try_from(u64::from_le_bytes(*size)).map_err(|_| "its head is too long")?;
        let (head, data) = rest.split_at_checked(size).ok_or("its head is cut off")?;
        let head: Value = serde_json::from_slice(head).map_err(|_| "its head is no JSON")?;
        let tensor = head
            .get("embeddings")
            .ok_or("it has no tensor `embeddings`")?;
        let width = match tensor.get("dtype").and_then(Value::as_str) {
            Some("F32") => Width::F32,
            Some("F16") => Width::F16,
            Some(_) | None => return Err("`embeddings` has numbers of another kind"),
        };
        let list = |key| tensor.get(key).and_then(Value::as_array).map(Vec::as_slice);
        let (Some([rows, columns]), Some([from, to])) = (list("shape"), list("data_offsets"))
        else {
            return Err("`embeddings` is no matrix");
        };
        let data = data
            .get(number(from)?..number(to)?)
            .ok_or("its data is cut off")?;
        Self::new(number(rows)?, number(columns)?, width, data)
    }

    fn numpy(rest: &[u8]) -> Result<Self, &'static str> {
        let (version, rest) = rest.split_first_chunk::<2>().ok_or("it is too short")?;
        let (size, rest) = if version[0] == 1 {
            let (size, rest) = rest.split_first_chunk::<2>().ok_or("it is too short")?;
            (usize::from(u16::from_le_bytes(*size)), rest)
        } else {
            let (size, rest) = rest.split_first_chunk::<4>().ok_or("it is too short")?;
            let size = u32::from_le_bytes(*size);
            (
                usize::try_from(size).map_err(|_| "its head is too long")?,
                rest,
            )
        };
        let (head, data) = rest.split_at_checked(size).ok_or("its head is cut off")?;
        let head = std::str::from_utf8(head).map_err(|_| "its head is no text")?;
        if !head.contains("'<f4'") || !head.contains("'fortran_order': False") {
            return Err("its numbers are of another kind or order");
        }
        let shape = head
            .split_once("'shape': (")
            .and_then(|(_, rest)| rest.split_once(')'));
        let (shape, _) = shape.ok_or("its head names no shape")?;
        let sizes = shape.split(',').map(|size| size.trim().parse::<usize>());
        let sizes: Result<Vec<usize>, _> = sizes.collect();
        let Ok(&[rows, columns]) = sizes.as_deref() else {
            return Err("it is no matrix");
        };
        Self::new(rows, columns, Width::F32, data)
    }

    fn new(rows: usize, columns: usize, width: Width, data: &[u8]) -> Result<Self, &'static str> {
        let bytes = match width {
            Width::F32 => 4,
            Width::F16 => 2,
        };
        let wanted = rows
            .checked_mul(columns)
            .and_then(|count| count.checked_mul(bytes));
        if wanted != Some(data.len()) || rows == 0 || columns == 0 {
            return Err("its shape does not fit its data");
        }
        let numbers: Vec<f32> = match width {
            Width::F32 => data
                .as_chunks::<4>()
                .0
                .iter()
                .map(|b| f32::from_le_bytes(*b))
                .collect(),
            Width::F16 => data
                .as_chunks::<2>()
                .0
                .iter()
                .map(|b| half(u16::from_le_bytes(*b)))
                .collect(),
        };
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err("a number in it is not finite");
        }
        Ok(Self { columns, numbers })
    }

    pub(super) fn rows(&self) -> usize {
        self.numbers.len() / self.columns
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// A row; empty where there is none.
    pub(super) fn row(&self, row: usize) -> &[f32] {
        let from = row.saturating_mul(self.columns);
        self.numbers
            .get(from..from.saturating_add(self.columns))
            .unwrap_or_default()
    }
}

fn number(value: &Value) -> Result<usize, &'static str> {
    let number = value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    number.ok_or("a size in its head is no number")
}

/// A number of 16 bits.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction > 0.0 => f32::NAN,
        31 => f32::INFINITY,
        exponent => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}
