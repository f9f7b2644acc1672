//! The text of a file for whoever is to change a place in it: what is to be replaced has to be copied letter by letter.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use assent_core::order::sort_by;

use crate::tool::permission::is_secret;
use crate::tool::workspace::Workspace;

/// Characters of a file that is told whole, and of the parts of a longer one.
const WHOLE: usize = 2_000;
/// Lines that are told before and after one that is about the task.
const AROUND: usize = 2;
/// Letters of a word that says something.
const LETTERS: usize = 3;

/// A file as it is now: whole where it is short, else the lines that share the rarest words with the task. `None` for what
/// is not there, is no text, lies outside of the folder or is named as keys and passwords are.
pub fn text_for_change(root: &Path, hidden: &[PathBuf], file: &str, task: &str) -> Option<String> {
    if is_secret(file) {
        return None;
    }
    let workspace = Workspace::at(root, hidden).ok()?;
    let place = workspace.existing(file).ok()?;
    if is_secret(&place.shown()) {
        return None;
    }
    let text = String::from_utf8(workspace.read_whole(&place).ok()?).ok()?;
    if text.trim().is_empty() || text.contains('\0') {
        return None;
    }
    if text.chars().count() <= WHOLE { Some(text.trim_end().to_owned()) } else { about(&text, file, task) }
}

/// The lines of a long text that a task is about, with what stands around them; `…` where something was left out.
fn about(text: &str, file: &str, task: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let lower: Vec<String> = lines.iter().map(|line| line.to_lowercase()).collect();
    let named = task.replace(file, " ").to_lowercase();
    let words: BTreeSet<&str> =
        named.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.chars().count() >= LETTERS).collect();
    let mut scores: HashMap<usize, f64> = HashMap::new();
    for word in words {
        let holding: Vec<usize> = (0..lines.len()).filter(|at| lower[*at].contains(word)).collect();
        for at in &holding {
            *scores.entry(*at).or_default() += 1.0 / holding.len() as f64;
        }
    }
    let mut best: Vec<(usize, f64)> = scores.into_iter().collect();
    sort_by(&mut best, |one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let (mut told, mut left) = (BTreeSet::new(), WHOLE);
    for (at, _) in best {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        let new: Vec<usize> = around.filter(|near| !told.contains(near)).collect();
        let cost: usize = new.iter().map(|near| lines[*near].chars().count() + 1).sum();
        let Some(rest) = left.checked_sub(cost) else { break };
        left = rest;
        told.extend(new);
    }
    let mut shown = String::new();
    let mut next = 0;
    for at in &told {
        if *at > next {
            shown.push_str("…\n");
        }
        shown.push_str(lines[*at]);
        shown.push('\n');
        next = at + 1;
    }
    if next < lines.len() && !shown.is_empty() {
        shown.push('…');
    }
    (!shown.is_empty()).then(|| shown.trim_end().to_owned())
}
