//! Who does a step, and how that was found.

use assent_core::heap::{Decision, Expanded, Settled};
use assent_core::plan::Step;

use crate::terminal::plain;

/// Who does a step, and why.
pub fn expanded(step: &str, expanded: &Expanded) -> String {
    let why = why(expanded);
    let why = if why.is_empty() { why } else { format!(" ({why})") };
    format!("  {step} is done by {}", plain(&format!("{}{why}", expanded.leaf)))
}

/// How a specialist was found, choice by choice, and what that has cost; nothing where nothing was chosen.
pub fn why(expanded: &Expanded) -> String {
    let ways: Vec<String> = expanded.path.iter().map(way).collect();
    let calls = match expanded.calls {
        0 => "no model was asked".to_owned(),
        1 => "1 model call".to_owned(),
        calls => format!("{calls} model calls"),
    };
    if ways.is_empty() { String::new() } else { format!("{} · {calls}", ways.join("; ")) }
}

/// To whom a step was handed on, and how those were found.
pub fn delegated(steps: &[Step], by: Option<&Settled>) -> String {
    let parts: Vec<String> = steps.iter().map(|step| format!("{} to {}", step.id, step.executor.id)).collect();
    let how = by.map(|by| format!(" ({})", settled(by))).unwrap_or_default();
    format!("    handed on: {}", plain(&format!("{}{how}", parts.join(", "))))
}

/// How a choice was made, in words.
fn way(choice: &Decision) -> String {
    format!("{}: {}", choice.chosen, settled(&choice.by))
}

fn settled(by: &Settled) -> String {
    match by {
        Settled::Chooser => "chosen by the model".to_owned(),
        Settled::OnlyOption => "the only one".to_owned(),
        Settled::RequiredTools => "it has the tools that the step requires".to_owned(),
        Settled::Fallback { reason } => format!("the first, because {reason}"),
        Settled::DepthLimit => "the first at the last level".to_owned(),
    }
}
