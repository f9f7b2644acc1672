//! Who does a step, and how that was found.

use assent_core::heap::{Decision, Settled};

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
