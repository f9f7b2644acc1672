//! Hiding secrets in a text that comes in pieces.

use std::sync::Arc;

use super::Mask;

/// Hides secrets in a stream, wherever it is cut into pieces: what may be the beginning of one is held back until it is
/// known what follows.
#[derive(Debug, Default)]
pub struct Veil {
    mask: Arc<Mask>,
    held: Vec<u8>,
}

impl Veil {
    /// For a stream that begins now.
    pub fn new(mask: Arc<Mask>) -> Self {
        Self { mask, held: Vec::new() }
    }

    /// What can be given of the next piece, and of what was held back before it.
    pub fn take(&mut self, piece: &[u8]) -> Vec<u8> {
        if self.mask.is_empty() {
            return piece.to_vec();
        }
        self.held.extend_from_slice(piece);
        let rest = self.held.split_off(self.mask.sure(&self.held));
        let sure = std::mem::replace(&mut self.held, rest);
        self.mask.bytes(&sure).into_owned()
    }

    /// What was held back when nothing more comes.
    pub fn rest(self) -> Vec<u8> {
        self.mask.bytes(&self.held).into_owned()
    }
}
