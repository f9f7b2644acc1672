//! What the templates are given that stand below the result of a call.

use serde::Serialize;

/// What stands below a result that an earlier call has given before.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct StepNudge<'a> {
    /// The tool.
    pub tool: &'a str,
}

/// What stands below the result of a call that had nothing to do with what its step names.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct StepMissed<'a> {
    /// A file, an address or a text of the step.
    pub named: &'a str,
}

/// What stands below the result of a call that a person has allowed and said something to.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct StepNoted<'a> {
    /// Their words.
    pub note: &'a str,
}
