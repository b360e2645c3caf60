//! Finds tools by what they are for. Search only finds: whether a tool may be called is policy's question.
#![doc = include_str!("../README.md")]

mod bag;
mod catalog;
mod embed;
mod fields;
mod index;
#[cfg(feature = "model2vec")]
mod model;
mod parts;
mod rank;
mod related;
mod seen;
mod space;
mod words;

#[cfg(test)]
mod tests;

pub use embed::Embedder;
pub use index::{Found, HybridIndex};
#[cfg(feature = "model2vec")]
pub use model::{ReadModelError, StaticModel};
pub use seen::{MAX_PER_TOOL, MAX_SEEN, MIN_SEEN};
