//! Outputs that differ in every run, made comparable.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Names for what differs from run to run: the same thing has the same name in all outputs of a test.
#[derive(Default)]
pub struct Names {
    /// Texts, such as folders, and what stands for them.
    pub fixed: RefCell<Vec<(String, String)>>,
    ids: RefCell<HashMap<String, String>>,
}

/// Twenty characters that begin with the time, or the first twelve of them.
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b01[0-9a-hjkmnp-tv-z]{10}(?:[0-9a-hjkmnp-tv-z]{8})?\b").unwrap());
static OTHERS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\b(?:sha256:)?[0-9a-f]{64}\b", "<digest>"),
        (r#""(at|\w+At|durationMs|duration_ms)":\d+"#, r#""$1":0"#),
        (r"\b\d+ ms\b|\b\d+\.\d s\b", "0 ms"),
        (r"\b127\.0\.0\.1:\d+", "127.0.0.1:1"),
    ]
    .into_iter()
    .map(|(pattern, instead)| (Regex::new(pattern).unwrap(), instead))
    .collect()
});

impl Names {
    /// The text with names in it.
    pub fn replace(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (found, instead) in self.fixed.borrow().iter() {
            text = text.replace(found, instead);
        }
        let text = ID.replace_all(&text, |found: &Captures<'_>| {
            let mut ids = self.ids.borrow_mut();
            let next = format!("ID{}", ids.len() + 1);
            ids.entry(found[0][..12].to_owned()).or_insert(next).clone()
        });
        OTHERS
            .iter()
            .fold(text.into_owned(), |text, (pattern, instead)| pattern.replace_all(&text, *instead).into_owned())
    }
}
