//! What a call that waits would do: the lines of a file that change, or the command line that runs.
//!
//! What was shown of a file is remembered while the process lives, so that a yes below a card counts for what the card
//! has shown.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use assent_core::ids::{Digest, RequestId};
use assent_core::run::{Request, RequestKind, RequestStatus};
use assent_engine::Engine;
use assent_engine::tool::look::Look;
use assent_engine::tool::preview::{Comparison, Fate, NoPreview, Preview};

use crate::terminal::{Style, Terminal, plain};

/// More lines of a change are counted and not shown: the arguments above it have all of it.
const SHOWN_LINES: usize = 80;

/// So many digits of a digest are shown, and at least so many have to be said.
const DIGITS: usize = 12;

/// What was shown last, by the request it was shown with.
static SHOWN: LazyLock<Mutex<HashMap<RequestId, Digest>>> = LazyLock::new(Mutex::default);

/// What was shown with a request in this process; nothing where its call is about no file.
pub fn shown(request: &RequestId) -> Option<Digest> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner).get(request).cloned()
}

/// As much of a digest as names what was seen.
pub fn short(seen: &Digest) -> &str {
    seen.as_str().get(..DIGITS).unwrap_or(seen.as_str())
}

/// Whether a person has named this digest by its beginning; `None` where a few letters name nothing.
pub fn is_named(seen: &Digest, by: &str) -> Option<bool> {
    (by.len() >= DIGITS).then(|| seen.as_str().starts_with(&by.to_lowercase()))
}

/// What waits to be done, as lines below the arguments; nothing for a request that is settled.
pub fn lines(engine: &Engine, terminal: &Terminal, request: &Request) -> Vec<String> {
    let lets_happen = matches!(request.kind, RequestKind::Permit | RequestKind::UnknownOutcome);
    if !lets_happen || !engine.requests().get(request.id.as_str()).is_ok_and(|row| row.status == RequestStatus::Open) {
        return Vec::new();
    }
    let look = match engine.requests().look(&request.id, None) {
        Ok(look) => look,
        Err(error) => return vec![format!("  {}", plain(&format!("what it would do cannot be shown: {error}")))],
    };
    if look.file.is_some() {
        SHOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(request.id.clone(), look.digest.clone());
    }
    told(terminal, &look).into_iter().map(|line| format!("  {line}")).collect()
}

fn told(terminal: &Terminal, look: &Look) -> Vec<String> {
    if let Some(command) = &look.command {
        let named = |(at, line): (usize, &str)| format!("{} {line}", if at == 0 { "$" } else { ">" });
        return plain(command).lines().enumerate().map(named).collect();
    }
    let seen = terminal.paint(Style::Quiet, &format!("   seen {}", short(&look.digest)));
    match &look.found {
        Ok(preview) => changed(terminal, preview, &seen),
        Err(NoPreview::Nothing) if look.file.is_none() => Vec::new(),
        Err(NoPreview::Nothing) => vec![format!("what it would make of the file is not known before{seen}")],
        Err(why) => vec![format!("what it would do to the file cannot be shown: {}{seen}", plain(&why.to_string()))],
    }
}

fn changed(terminal: &Terminal, preview: &Preview, seen: &str) -> Vec<String> {
    let path = terminal.paint(Style::Name, &plain(&preview.path));
    let added = |text: &str| terminal.paint(Style::Good, &format!("+ {}", plain(text)));
    let (heading, lines, left_out) = match preview.compared() {
        None => {
            let lines: Vec<String> = preview.after.lines().map(added).collect();
            (format!("makes {path}"), lines, 0)
        }
        Some(change) if change.added + change.removed == 0 => (format!("leaves {path} as it is"), Vec::new(), 0),
        Some(change) => {
            let heading = format!("changes {path}  +{} \u{2212}{}", change.added, change.removed);
            (heading, compared(terminal, &change), change.left_out)
        }
    };
    let more = lines.len().saturating_sub(SHOWN_LINES) + left_out;
    let rest = (more > 0).then(|| format!("… {more} more lines"));
    std::iter::once(format!("{heading}{seen}")).chain(lines.into_iter().take(SHOWN_LINES)).chain(rest).collect()
}

/// The lines of a comparison; between two places of the file stands a sign that some are left out.
fn compared(terminal: &Terminal, change: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, block) in change.blocks.iter().enumerate() {
        if at > 0 {
            lines.push(terminal.paint(Style::Quiet, "⋮"));
        }
        lines.extend(block.iter().map(|line| {
            let text = format!("{}{}", plain(&line.text), if line.cut { "…" } else { "" });
            match line.fate {
                Fate::Same => terminal.paint(Style::Quiet, &format!("  {text}")),
                Fate::Added => terminal.paint(Style::Good, &format!("+ {text}")),
                Fate::Removed => terminal.paint(Style::Bad, &format!("- {text}")),
            }
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use assent_core::ids::Digest;

    use super::{is_named, short};

    #[test]
    fn a_digest_is_named_by_its_beginning_and_not_by_a_few_letters() {
        let seen = Digest::of_bytes(b"x");
        for whole in [short(&seen), seen.as_str(), &short(&seen).to_uppercase()] {
            assert_eq!(is_named(&seen, whole), Some(true), "{whole}");
        }
        assert_eq!((is_named(&seen, ""), is_named(&seen, &short(&seen)[1..])), (None, None));
        assert_eq!(is_named(&seen, short(&Digest::of_bytes(b"y"))), Some(false));
    }
}
