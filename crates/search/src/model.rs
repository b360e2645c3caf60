//! A static embedding model (model2vec): a vector for each token, and a text's is their mean.
//!
//! Reads bytes and no files: where a model lies is its caller's business. What is read is checked
//! against its own sizes; a file that lies about them is refused, never followed.

mod matrix;
mod word_piece;

use crate::Embedder;
use matrix::Matrix;
use word_piece::WordPiece;

/// The most tokens of a text.
const MAX_TOKENS: usize = 512;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadModelError {
    /// The matrix is neither safetensors nor NumPy of a form that is read here.
    #[error(
        "the matrix cannot be used: {why}; wanted: safetensors with `embeddings` in F32 or F16, or a `.npy` of `<f4` in C order"
    )]
    Matrix {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The tokenizer is no WordPiece one.
    #[error(
        "the tokenizer cannot be used: {why}; wanted: a `tokenizer.json` of the type WordPiece"
    )]
    Tokenizer {
        /// What is wrong with it.
        why: &'static str,
        /// What the JSON reader said, where it said something.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The tokenizer knows a token for which the matrix has no row.
    #[error(
        "the tokenizer numbers tokens up to {highest}, the matrix has {rows} rows: they are of different models"
    )]
    Sizes {
        /// The highest number of a token.
        highest: usize,
        /// How many rows there are.
        rows: usize,
    },
}

/// A model read from its two files, `model.safetensors` (or a `.npy`) and `tokenizer.json`.
#[derive(Debug)]
pub struct StaticModel {
    // INVARIANT: has a row for each token that the tokenizer knows.
    matrix: Matrix,
    tokenizer: WordPiece,
}

impl StaticModel {
    /// Reads the bytes of a matrix and of a tokenizer.
    ///
    /// # Errors
    /// [`ReadModelError`] saying which of the two cannot be used, and why.
    pub fn read(matrix: &[u8], tokenizer: &[u8]) -> Result<Self, ReadModelError> {
        let matrix = Matrix::read(matrix).map_err(|why| ReadModelError::Matrix { why })?;
        let tokenizer = WordPiece::read(tokenizer)?;
        let (highest, rows) = (tokenizer.highest(), matrix.rows());
        if highest >= rows {
            return Err(ReadModelError::Sizes { highest, rows });
        }
        Ok(Self { matrix, tokenizer })
    }
}

impl Embedder for StaticModel {
    fn dimensions(&self) -> usize {
        self.matrix.columns()
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.matrix.columns()];
        for token in self.tokenizer.tokens(text, MAX_TOKENS) {
            for (sum, x) in sum.iter_mut().zip(self.matrix.row(token)) {
                *sum += x;
            }
        }
        sum
    }
}
