//! What the templates of short questions are given: who does a task, what a message is, what may be done next, which values
//! are others.

use serde::Serialize;

use super::remarks::Remark;
use super::rows::{OptionLine, StepResult, ValueLine};

/// The rules of a choice among specialists.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Choose;

/// The rules for a specialist that hands its task on.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Delegate;

/// Specialists and the task.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ChooseUser<'a> {
    /// The specialist that they stand below.
    pub parent: Option<&'a str>,
    /// Who can be chosen.
    pub options: &'a [OptionLine<'a>],
    /// What is to be done.
    pub task: &'a str,
    /// What is to be there afterwards.
    pub expected: Option<&'a str>,
    /// What the plan says to whoever does it.
    pub instructions: Option<&'a str>,
    /// What a person said of it.
    pub remarks: &'a [Remark],
}

/// What is asked about a message that may belong to an earlier plan.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Relation {
    /// Whether that plan waits for an answer.
    pub question: bool,
}

/// The plan and the message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RelationUser<'a> {
    /// What the plan waits to hear, if it waits.
    pub question: Option<&'a str>,
    /// What the plan was made for.
    pub before: &'a str,
    /// The plan as it stands, for a model that can take it.
    pub steps: Option<&'a str>,
    /// The new message.
    pub message: &'a str,
}

/// The rules for reading next steps.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct NextSteps;

/// The part of a text that speaks of next steps.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct NextStepsUser<'a> {
    /// The part.
    pub text: &'a str,
}

/// The rules for the values of a saved plan.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct AdaptValues;

/// Two messages, and the values of the plan that the earlier one has.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AdaptValuesUser<'a> {
    /// What the plan was made for.
    pub before: &'a str,
    /// The new message.
    pub message: &'a str,
    /// The values that are asked about.
    pub values: &'a [ValueLine],
}

/// The answer of a turn.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Synthesis<'a> {
    /// The message.
    pub message: &'a str,
    /// What the steps gave, those that did not complete included.
    pub results: &'a [StepResult<'a>],
    /// Whether one did not complete.
    pub failed: bool,
    /// What the person said of the plan.
    pub remarks: &'a [Remark],
}
