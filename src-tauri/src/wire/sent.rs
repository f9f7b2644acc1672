//! What a model was sent, as the inspector shows it.

use assent_core::contract::ToolSpec;
use assent_core::run::Purpose;
use assent_engine::executor::Sent;
use assent_engine::model::{Message, ToolCall, ToolChoice};
use assent_engine::tool::scope::LeftOut;
use serde::Serialize;
use serde_json::Value;

/// A request, rebuilt byte for byte.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// What for.
    pub purpose: Purpose,
    /// The conversation.
    pub messages: Vec<SentMessage>,
    /// The tools it was shown.
    pub tools: Vec<ToolSpec>,
    /// The tools that it tells of, callable or only by name, each with what that took of the budget.
    pub told: Vec<ToldTool>,
    /// How many tokens the names of the studio's tools took of it.
    pub studio_tokens: u32,
    /// Tools that belong to it and that it does not tell of.
    pub left_out: Vec<UnshownTool>,
    /// The tokens that there were for tools; 0 where it is none that tells of any.
    pub tool_budget: u32,
    /// Where tools were looked for: whether they were compared with the message by meaning, or by words alone.
    pub by_meaning: Option<bool>,
    /// `auto`, `required`, `none`, or the name of the one tool that had to be called.
    pub choice: String,
    /// Tokens of the reply at most.
    pub max_tokens: u32,
    /// 0 for the most likely text.
    pub temperature: f32,
}

/// A tool that a request tells of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToldTool {
    /// Its name.
    pub name: String,
    /// What telling of it took of the budget.
    pub tokens: u32,
}

/// A tool that was not shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UnshownTool {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: UnshownWhy,
}

/// Why a tool was not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum UnshownWhy {
    /// There is none of that name.
    Unknown,
    /// There were as many as a step may have.
    Cap,
    /// The budget was used up.
    Budget,
    /// It is not there in a run of this kind.
    Channel,
    /// The plan, or the model, may not have it.
    Forbidden,
    /// A required tool is not to be had, and nothing is shown without that.
    Required,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum SentMessage {
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
    /// An earlier reply.
    Assistant {
        /// What it wrote.
        text: String,
        /// What it asked for.
        calls: Vec<SentCall>,
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

/// A call in an earlier reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SentCall {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// As the model wrote them.
    pub arguments: Value,
}

impl From<Sent> for SentRequest {
    fn from(Sent { request, told, studio_tokens, left_out, budget, by_meaning }: Sent) -> Self {
        let choice = match request.choice {
            ToolChoice::Auto => "auto".to_owned(),
            ToolChoice::Required => "required".to_owned(),
            ToolChoice::None => "none".to_owned(),
            ToolChoice::Named(tool) | ToolChoice::Script(tool) => tool,
        };
        Self {
            purpose: request.purpose,
            messages: request.messages.into_iter().map(SentMessage::from).collect(),
            tools: request.tools.to_vec(),
            told: told.into_iter().map(|(name, tokens)| ToldTool { name, tokens }).collect(),
            studio_tokens,
            left_out: left_out.into_iter().map(UnshownTool::from).collect(),
            tool_budget: budget,
            by_meaning,
            choice,
            max_tokens: request.max_tokens,
            temperature: request.temperature,
        }
    }
}

impl From<(String, LeftOut)> for UnshownTool {
    fn from((name, why): (String, LeftOut)) -> Self {
        let why = match why {
            LeftOut::Unknown => UnshownWhy::Unknown,
            LeftOut::Cap => UnshownWhy::Cap,
            LeftOut::Budget => UnshownWhy::Budget,
            LeftOut::Channel => UnshownWhy::Channel,
            LeftOut::Forbidden => UnshownWhy::Forbidden,
            LeftOut::Required => UnshownWhy::Required,
        };
        Self { name, why }
    }
}

impl From<Message> for SentMessage {
    fn from(message: Message) -> Self {
        match message {
            Message::System { text } => Self::System { text },
            Message::User { text } => Self::User { text },
            Message::Assistant { text, calls } => {
                Self::Assistant { text, calls: calls.into_iter().map(SentCall::from).collect() }
            }
            Message::Tool { id, name, text } => Self::Tool { id, name, text },
        }
    }
}

impl From<ToolCall> for SentCall {
    fn from(call: ToolCall) -> Self {
        Self { id: call.id, name: call.name, arguments: call.arguments }
    }
}
