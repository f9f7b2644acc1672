//! What short texts mean, as vectors: texts that say alike things in other words have vectors that point alike.
//!
//! The encoder is a BERT of the MiniLM kind ("MiniLM: Deep Self-Attention Distillation", Wang et al. 2020) with the mean
//! of its pieces as the vector of a text ("Sentence-BERT", Reimers and Gurevych 2019). Its weights come from a file, in
//! the form of safetensors with the list of word pieces behind it. What multiplies is kept in eight bits and takes a
//! ninth of the file; the rows of words, half of it, stay in the file and are read when a text has the word.
//!
//! Whoever gives the file may have checked its hash; nothing here relies on that. No file makes this panic, or reserve
//! more than the file itself is long. There are no threads here, no clock, no network and no paths.

#![deny(missing_docs)]

mod file;
mod pieces;

mod matrix;

mod encoder;
mod vector;

use thiserror::Error;

pub use encoder::Encoder;
pub use vector::Vector;

/// Why a file gives no vectors.
#[derive(Debug, Error)]
pub enum Unusable {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is none of a sentence encoder's weights, or damaged.
    #[error("it holds no weights of a sentence encoder: {0}")]
    Damaged(String),
}

fn damaged(reason: impl Into<String>) -> Unusable {
    Unusable::Damaged(reason.into())
}
