//! What an endpoint has refused once, and is not sent again.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

/// The names of what was refused.
#[derive(Default)]
pub(super) struct Refused(Mutex<BTreeSet<&'static str>>);

impl Refused {
    /// All of it so far.
    pub(super) fn all(&self) -> BTreeSet<&'static str> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes something.
    pub(super) fn add(&self, what: &'static str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    }
}

/// The one of these parameters that a request has and an endpoint's words blame.
pub(super) fn blamed(optional: &[&'static str], body: &Map<String, Value>, reason: &str) -> Option<&'static str> {
    optional.iter().copied().find(|name| body.contains_key(*name) && names(reason, name))
}

/// Whether an endpoint's words blame a parameter. There is no code for it that all endpoints share.
fn names(reason: &str, parameter: &str) -> bool {
    let reason = reason.to_lowercase();
    let blames = [
        "support",
        "unknown",
        "unrecognized",
        "not permitted",
        "extra",
        "invalid",
        "unexpected",
        "only the default",
        "deprecated",
        "only be set",
    ];
    let quoted = [format!("'{parameter}'"), format!("\"{parameter}\""), format!("`{parameter}`")];
    let named = quoted.iter().any(|quoted| reason.contains(quoted)) || reason.contains(&format!("support {parameter}"));
    named && blames.iter().any(|word| reason.contains(word))
}
