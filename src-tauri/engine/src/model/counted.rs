//! What an endpoint's tokenizer has counted, so that nothing is asked twice, and an endpoint that has none is left alone.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assent_core::contract::estimate_tokens;
use assent_core::ids::Digest;
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use super::{Model, ModelError};

/// So long a count is waited for; who is silent longer is not asked again.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many texts are kept.
const MOST: usize = 20_000;
/// Bytes of an answer, which may list every token of a long text.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// Tokens of each of these texts: as the model counts them, else by an estimate that errs high. Without a tokenizer one
/// question tells so.
pub(crate) async fn tokens_of(model: &dyn Model, texts: &[String], cancel: &CancellationToken) -> Vec<u32> {
    let counting = async {
        let Some((first, others)) = texts.split_first() else { return Vec::new() };
        let Some(tokens) = model.count_tokens(first).await else { return Vec::new() };
        let others = join_all(others.iter().map(|text| model.count_tokens(text))).await;
        std::iter::once(Some(tokens)).chain(others).collect()
    };
    let counted: Vec<Option<u32>> = tokio::select! {
        counted = counting => counted,
        () = cancel.cancelled() => Vec::new(),
    };
    let told = |at: usize| counted.get(at).copied().flatten();
    texts.iter().enumerate().map(|(at, text)| told(at).unwrap_or_else(|| estimate_tokens(text))).collect()
}

/// Counts by text.
#[derive(Default)]
pub(super) struct Counted {
    known: Mutex<HashMap<Digest, u32>>,
    has_none: AtomicBool,
}

impl Counted {
    /// The tokens of a text: as counted before, else as `ask` says, which gives `Ok(None)` for an answer without a number.
    /// A text of nothing has none, and nobody is asked; what an endpoint makes of white space alone tells nothing of it.
    pub(super) async fn of(
        &self,
        text: &str,
        ask: impl Future<Output = Result<Option<u32>, ModelError>>,
    ) -> Option<u32> {
        if text.is_empty() {
            return Some(0);
        }
        if self.has_none.load(Ordering::Relaxed) {
            return None;
        }
        let digest = Digest::of_bytes(text.as_bytes());
        if let Some(tokens) = self.known().get(&digest) {
            return Some(*tokens);
        }
        match tokio::time::timeout(PATIENCE, ask).await {
            Ok(Ok(Some(tokens))) => {
                let mut known = self.known();
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(digest, tokens);
                return Some(tokens);
            }
            // Overloaded, or gone for a moment: it may know the next time.
            Ok(Err(error)) if error.is_transient() => {}
            Ok(Err(_) | Ok(None)) | Err(_) if text.trim().is_empty() => {}
            Ok(Err(_) | Ok(None)) | Err(_) => self.has_none.store(true, Ordering::Relaxed),
        }
        None
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Digest, u32>> {
        // Whole between any two statements that change it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
