//! What templates show as lists: each type is a row of one.

use serde::Serialize;
use serde_json::Value;

/// A tool in one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ToolLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub line: &'a str,
}

/// A tool with its parameters in a few words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ToolSignature<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its parameters.
    pub parameters: &'a str,
    /// What it does.
    pub line: &'a str,
    /// What each value of an agent takes and is for.
    pub inputs: &'a [TakenValue],
}

/// A value that an agent takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TakenValue {
    /// Its name.
    pub name: String,
    /// What it may be, in words.
    pub takes: String,
    /// What it is for; empty where nobody says.
    pub about: String,
}

/// A top-level specialist, with what stands behind it by groups and not by names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SpecialistLine {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// Its option groups.
    pub groups: Vec<Group>,
}

/// Tools of one intent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What they are for.
    pub label: String,
    /// How many there are.
    pub count: usize,
}

/// A specialist that can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OptionLine<'a> {
    /// Its id.
    pub id: &'a str,
    /// What it is for.
    pub description: &'a str,
    /// The first of its tools.
    pub tools: &'a [String],
    /// Its option groups.
    pub groups: Vec<Group>,
}

/// A value of a saved plan that may be another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ValueLine {
    /// What it goes by in the reply.
    pub name: String,
    /// What it is.
    pub value: String,
    /// A text of the plan that says it.
    pub said_in: String,
    /// What may take its place.
    pub offered: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Turn<'a> {
    /// `User` or `Assistant`.
    pub role: &'a str,
    /// What was said.
    pub text: &'a str,
}

/// A message and the plan that was right for it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExampleLine<'a> {
    /// The message.
    pub message: &'a str,
    /// The plan in the shape that is asked for.
    pub plan: &'a Value,
}

/// What a step gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StepResult<'a> {
    /// The step.
    pub id: &'a str,
    /// What it had to do.
    pub task: &'a str,
    /// How it ended, in a word.
    pub status: &'a str,
    /// The text, cut to what the model's context allows.
    pub text: &'a str,
}

/// A credential of the vault as a planner is told of it: never the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CredentialLine {
    /// What is written where the secret goes.
    pub reference: String,
    /// The hosts and tools that it was given for.
    pub goes_to: String,
}
