//! What a model is asked and what it answers, in the words of no vendor.

use std::sync::Arc;

use assent_core::contract::{Fault, Stage, ToolSpec, one_line};
use assent_core::run::{Purpose, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ReplySchema;

/// What a model is and can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelProfile {
    /// `provider/name`, as the user picks it and as events record it.
    pub id: String,
    /// Tokens of request and reply together.
    pub context_tokens: u32,
    /// Which shape of plan it is asked for.
    pub planner: PlannerProfile,
    /// Requests at the same time.
    pub parallel: u32,
    /// Whether it runs on this machine, so that no text leaves it.
    pub local: bool,
}

impl ModelProfile {
    /// Whether it is a model of this program's own server, which writes nothing but what the shape that is asked for
    /// allows. Of any other the shape is a wish, and what it writes beside it may be as good.
    pub fn is_held_to_shapes(&self) -> bool {
        is_held_to_shapes(&self.id)
    }
}

/// [`ModelProfile::is_held_to_shapes`], by what events record of a model.
pub(crate) fn is_held_to_shapes(id: &str) -> bool {
    id.starts_with("local/")
}

/// Which shape of plan a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannerProfile {
    /// All fields; for capable endpoints.
    Full,
    /// A few short fields, valid by construction; for small local models.
    Compact,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What for.
    pub purpose: Purpose,
    /// The conversation, static text first.
    pub messages: Vec<Message>,
    /// The active tools. Empty: none may be called.
    pub tools: Arc<[ToolSpec]>,
    /// Whether tools may, must or must not be called.
    pub choice: ToolChoice,
    /// The shape of the text part.
    pub output: OutputFormat,
    /// Tokens of the reply at most.
    pub max_tokens: u32,
    /// 0 for the most likely text.
    pub temperature: f32,
    /// For the same reply again, where the endpoint allows it.
    pub seed: Option<u64>,
    /// Words that the reply is kept from, where the endpoint can: the local server leaves their tokens out.
    pub avoid: Vec<String>,
}

/// Who says a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// The rules.
    System {
        /// The text.
        text: String,
    },
    /// The person, or the application on its behalf.
    User {
        /// The text.
        text: String,
    },
    /// An earlier reply of the model.
    Assistant {
        /// What it wrote beside calls.
        text: String,
        /// The calls it asked for.
        calls: Vec<ToolCall>,
    },
    /// What a call gave.
    Tool {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// The result as the model reads it.
        text: String,
    },
}

/// The role names of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Rules.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

impl Message {
    /// Who says it.
    pub fn role(&self) -> Role {
        match self {
            Self::System { .. } => Role::System,
            Self::User { .. } => Role::User,
            Self::Assistant { .. } => Role::Assistant,
            Self::Tool { .. } => Role::Tool,
        }
    }
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// From the endpoint, or made up where it gives none; unique within the conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments; not yet checked. Text that is no JSON object comes as a JSON string with a fault in the reply.
    pub arguments: Value,
}

/// Whether tools may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// Any active tool, or finish with text.
    Auto,
    /// Some active tool: finishing is left out.
    Required,
    /// This tool: the ladder's last rung.
    Named(String),
    /// This tool, which runs commands, with a Python script where the form of call tells scripts from commands; the
    /// same as [`Self::Named`] elsewhere.
    Script(String),
    /// No tool.
    None,
}

/// What the form of a plan is called.
pub const PLAN_FORM: &str = "plan";

/// The shape of the text part of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputFormat {
    /// Any text.
    Text,
    /// JSON that fits a schema: forced where the endpoint can, asked for and checked where not.
    Json {
        /// The schema's name on the wire.
        name: String,
        /// The schema; small, with bounded strings.
        schema: ReplySchema,
    },
}

/// One reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// What it wrote beside calls and thoughts.
    pub text: String,
    /// What it thought aloud.
    pub thoughts: String,
    /// The calls, in order.
    pub calls: Vec<ToolCall>,
    /// What could not be read: a call that was cut off, arguments that are no object.
    pub faults: Vec<Fault>,
    /// Tokens.
    pub usage: Usage,
    /// How many replies came before it that did not have the asked form.
    pub before: u32,
    /// Why it stopped.
    pub finish: Finish,
}

/// Why a reply stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finish {
    /// It was done.
    #[default]
    Stop,
    /// It wants its calls carried out.
    Calls,
    /// `max_tokens` or the context was reached: the text is cut.
    Length,
    /// The endpoint refused the content.
    Refused,
}

impl Reply {
    /// What is told of a text that ends otherwise than its writer meant it to: it was cut off, or the rest was refused.
    pub(crate) fn not_whole(&self) -> Option<&Fault> {
        // It is the last thing that is found wrong.
        matches!(self.finish, Finish::Length | Finish::Refused).then(|| self.faults.last())?
    }
}

/// The warning of an answer that ends like this.
pub(crate) fn not_whole_answer(fault: &Fault) -> String {
    format!("The answer is not whole: {}.", fault.message.trim_end_matches('.'))
}

impl Finish {
    /// What is wrong with a reply that ended like this; the text of an endpoint's refusal is told with it.
    pub(super) fn fault(self, refusal: &str) -> Option<Fault> {
        let (message, hint) = match self {
            Self::Stop | Self::Calls => return None,
            Self::Length => ("the reply was cut off because it was too long".to_owned(), "Write less at once."),
            Self::Refused if refusal.trim().is_empty() => (REFUSED.to_owned(), REFUSED_HINT),
            Self::Refused => (format!("{REFUSED}: {}", one_line(refusal, REFUSAL)), REFUSED_HINT),
        };
        Some(Fault::new(Stage::Parse, message).hint(hint))
    }
}

const REFUSED: &str = "the endpoint refused to write it";
const REFUSED_HINT: &str = "Do what is asked in another way, or say that it cannot be done.";
/// Characters that are told of a refusal.
const REFUSAL: usize = 300;

/// A piece of a reply while it is written. Never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// What kind of text.
    pub kind: DeltaKind,
    /// The piece.
    pub text: String,
}

/// What kind of text a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    /// The text.
    Text,
    /// Thoughts.
    Thought,
    /// Calls or structured output, raw.
    Structure,
    /// The request is made once more: the pieces so far are void. The text says why.
    Again,
}
