//! What a person said of a plan beside its message: the words of an approval, and comments.

use serde::{Deserialize, Serialize};

/// Characters of all remarks together, however large a model's context is.
const MOST: usize = 4_000;

/// Characters that one of them keeps, however many there are.
const LEAST: usize = 200;

/// Stands for those that found no room. No number: what was cut once may be cut again.
const LEFT_OUT: &str = "(earlier remarks are left out here)";

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
/// otherwise. That earlier ones found no room stands before the others.
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
    if kept.len() < remarks.len() {
        kept.push(Remark { step: None, text: LEFT_OUT.to_owned() });
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::{LEAST, LEFT_OUT, MOST, Remark, within};

    #[test]
    fn what_was_said_first_is_left_out_first_and_that_is_said() {
        let remark = |text: String| Remark { step: Some("s1".to_owned()), text };
        let cut = |text: &str, room: usize| text.chars().take(room).collect();
        let all: Vec<Remark> = (0..30).map(|at| remark(format!("{at:02}{}", "x".repeat(LEAST - 2)))).collect();
        let kept = within(&all, usize::MAX, cut);
        assert_eq!(kept.len(), 1 + MOST / LEAST);
        assert_eq!((kept[0].text.as_str(), &kept[0].step), (LEFT_OUT, &None));
        assert_eq!(kept[1..], all[10..]);
        assert_eq!(within(&all[..2], usize::MAX, cut), all[..2]);
        assert_eq!(within(&all[..2], 1, cut)[0].text, LEFT_OUT);
    }
}
