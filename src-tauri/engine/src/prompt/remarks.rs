//! What a person said of a plan beside its message: the words of an approval, and comments.

use serde::{Deserialize, Serialize};

/// Characters of all remarks together, however large a model's context is.
const MOST: usize = 4_000;

/// Characters that one of them keeps, however many there are.
const LEAST: usize = 200;

/// One of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Remark {
    /// The step that it is about; the whole plan when absent.
    pub step: Option<String>,
    /// A person's own words.
    pub text: String,
}

/// All of them, as every template that includes `remarks.md` tells them.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Remarks<'a> {
    /// Oldest first.
    pub remarks: &'a [Remark],
}

/// Remarks in about so many characters, each cut by `cut`. What was said last has the most room: it counts where it says
/// otherwise.
pub(crate) fn within(remarks: &[Remark], room: usize, cut: impl Fn(&str, usize) -> String) -> Vec<Remark> {
    let mut room = room.min(MOST);
    let mut kept = Vec::with_capacity(remarks.len());
    for remark in remarks.iter().rev() {
        let text = cut(remark.text.trim(), room.max(LEAST));
        room = room.saturating_sub(text.chars().count());
        kept.push(Remark { step: remark.step.clone(), text });
        if room == 0 {
            break;
        }
    }
    kept.reverse();
    kept
}
