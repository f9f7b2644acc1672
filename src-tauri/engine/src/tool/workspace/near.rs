//! Names for somebody who wrote a wrong one.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use assent_core::order::sort_by_key;
use tokio_util::sync::CancellationToken;

use super::Workspace;
use crate::tool::present::one_line;

/// Files that are looked at for a likeness.
const MOST_FILES: usize = 5000;
/// With more files than this only the likest are named.
const FEW: usize = 12;
/// How many are named then.
const NEAREST: usize = 5;

impl Workspace {
    /// What there is instead of a path that does not exist: all files of a small workspace, the likest of a large one.
    pub fn near(&self, path: &str) -> String {
        let Ok(root) = self.existing(".") else {
            return String::new();
        };
        let mut files: Vec<String> = Vec::new();
        self.walk(&root, &CancellationToken::new(), |found| {
            files.push(found.place.shown());
            if files.len() < MOST_FILES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if files.is_empty() {
            return "The workspace is empty.".to_owned();
        }
        if files.len() > FEW {
            let wanted = path.to_lowercase();
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
            let like = |file: &str| likeness(&name(file), &name(&wanted)) + likeness(&file.to_lowercase(), &wanted);
            let mut judged: Vec<(usize, String)> = files.into_iter().map(|file| (like(&file), file)).collect();
            sort_by_key(&mut judged, |(like, _)| Reverse(*like));
            files = judged.into_iter().take(NEAREST).map(|(_, file)| file).collect();
        }
        let names: Vec<String> = files.iter().map(|file| one_line(file)).collect();
        format!("Files here: {}", names.join(", "))
    }
}

/// From 0 to 1000: the share of pairs of neighbouring characters that two names have in common.
fn likeness(one: &str, other: &str) -> usize {
    let pairs = |text: &str| -> BTreeSet<(char, char)> { text.chars().zip(text.chars().skip(1)).collect() };
    let (one, other) = (pairs(one), pairs(other));
    2000 * one.intersection(&other).count() / (one.len() + other.len()).max(1)
}
