//! Who does a step, and how that was found.

use assent_core::heap::{Decision, Expanded, Settled};
use assent_core::plan::Step;

use crate::terminal::plain;

/// Who does a step, and why.
pub fn expanded(step: &str, expanded: &Expanded) -> String {
    let ways: Vec<String> = expanded.path.iter().map(way).collect();
    let why = if ways.is_empty() { String::new() } else { format!(" ({})", ways.join("; ")) };
    format!("  {step} is done by {}", plain(&format!("{}{why}", expanded.leaf)))
}

/// To whom a step was handed on.
pub fn delegated(steps: &[Step]) -> String {
    let parts: Vec<String> = steps.iter().map(|step| format!("{} to {}", step.id, step.executor.id)).collect();
    format!("    handed on: {}", plain(&parts.join(", ")))
}

/// How a choice was made, in words.
pub fn way(choice: &Decision) -> String {
    let how = match &choice.by {
        Settled::Chooser => "chosen by the model".to_owned(),
        Settled::OnlyOption => "the only one".to_owned(),
        Settled::RequiredTools => "it has the tools that the step requires".to_owned(),
        Settled::Fallback { reason } => format!("the first, because {reason}"),
        Settled::DepthLimit => "the first at the last level".to_owned(),
    };
    format!("{}: {how}", choice.chosen)
}
