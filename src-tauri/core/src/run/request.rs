//! Something that only a person can settle, and what a person may say.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::contract::Risk;
use crate::ids::{CallId, Digest, RequestId, StepId};

/// A request, complete enough to be shown without its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Names it in every process.
    pub id: RequestId,
    /// What has to be settled.
    pub kind: RequestKind,
    /// The steps from the root down to the one that asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub path: Vec<StepId>,
    /// The call that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The specialist or agent that asks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub asked_by: String,
    /// What is asked, in one or two sentences.
    pub prompt: String,
    /// Why, or what will happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What allowing the call leads to, where a person has to know more than its arguments: the permission counts for this,
    /// word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consequence: Option<String>,
    /// Step i of n, where a series of questions is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_index: Option<u32>,
    /// The n of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_total: Option<u32>,
    /// What an answer looks like.
    pub input: Input,
    /// How a secret could be kept that is asked for: what is answered in words is in the history, and models are told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialAsked>,
    /// The tool of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its full arguments, as they would be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The worst it can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// Of what the tool does, where that is written down beside its description: a permission for longer is one for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "bindings", ts(skip))]
    pub template: Option<Digest>,
    /// How far beyond this call a permission may reach; nothing where such a call is asked for each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub reaches: Vec<Reach>,
}

impl Request {
    /// A request with what every one has. What is known of its place, its call or its series is filled in beside it.
    pub fn new(id: RequestId, kind: RequestKind, prompt: impl Into<String>, input: Input) -> Self {
        Self {
            id,
            kind,
            path: Vec::new(),
            call: None,
            asked_by: String::new(),
            prompt: prompt.into(),
            reason: None,
            consequence: None,
            step_index: None,
            step_total: None,
            input,
            credential: None,
            tool: None,
            arguments: None,
            risk: None,
            template: None,
            reaches: Vec::new(),
        }
    }
}

/// A credential that a question asks for, as far as what was asked says which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
pub struct CredentialAsked {
    /// What it could be called.
    pub name: String,
    /// Where it could go; empty where no host is named.
    pub hosts: Vec<String>,
}

/// How far the permission for a call reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// This call.
    #[default]
    Once,
    /// Calls of its tool in this step.
    Step,
    /// Calls of its tool in this run.
    Run,
    /// Calls of its tool in this workspace, until it is taken back.
    Workspace,
}

impl Reach {
    /// Whether it is about this call alone.
    pub fn is_once(&self) -> bool {
        *self == Self::Once
    }
}

/// What has to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// `ask_user`: a question in the chat; stops the turn.
    Question,
    /// A blocking tool: a decision is its result; stops the step.
    Confirm,
    /// A call that needs permission: approved, it runs once.
    Permit,
    /// A call with effects has a start and no end.
    UnknownOutcome,
    /// A limit or the loop guard was reached.
    Cap,
    /// `std-request-user-help`: stops a workflow run.
    Help,
}

/// What an answer looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The type of the value.
    pub kind: InputKind,
    /// What may be chosen; empty for free input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Whether the arguments of the call may be changed.
    #[serde(default)]
    pub allow_edit: bool,
    /// Whether free text is taken beside the options.
    #[serde(default)]
    pub allow_text: bool,
}

/// The type of an answer's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Approve or reject.
    Decision,
    /// Yes or no.
    Boolean,
    /// Free text.
    Text,
    /// A number.
    Number,
    /// One of the options.
    Select,
    /// Several of the options.
    Multiselect,
    /// A day, `YYYY-MM-DD`.
    Date,
    /// A path inside the workspace.
    File,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// What the button says; also the value.
    pub label: String,
    /// What choosing it leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consequence: Option<String>,
}

/// The option of a request at a limit that lets its step go on.
pub const KEEP_GOING: &str = "keep going";

/// The name of the loop guard among the limits: it is no number of the plan.
pub const LOOP: &str = "loop";

impl Answer {
    /// Whether it lets a step go on that has reached a limit.
    pub fn keeps_going(&self) -> bool {
        match self {
            Self::Approve { .. } => true,
            Self::Value { value } => value == KEEP_GOING,
            Self::Reject { .. } => false,
        }
    }

    /// Whether it says no to a decision, as a rejection or as the value that means one.
    pub fn refuses(&self) -> bool {
        matches!(self, Self::Reject { .. } | Self::Value { value: Value::Bool(false) })
    }
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Answer {
    /// Approve; with changed arguments where they were edited.
    Approve {
        /// The arguments to use instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Value>,
        /// A word to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// How far it reaches; only a request for permission says that it may reach further than this call.
        #[serde(default, skip_serializing_if = "Reach::is_once")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        reach: Reach,
    },
    /// Reject.
    Reject {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A value: text, an option's label, a number, a list of labels.
    Value {
        /// The value.
        value: Value,
    },
}

/// An answer that a person has begun. None of it need fit what was asked yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AnswerDraft {
    /// What is written: an answer in their own words, or a word beside a decision.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub text: String,
    /// The labels of the options that are chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub chosen: Vec<String>,
    /// Whether `text` is to stand in the place of the options.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub other: bool,
    /// How far a permission is to reach.
    #[serde(skip_serializing_if = "Reach::is_once")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub reach: Reach,
    /// The arguments while they are changed: each field as it is written, also where it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Map<String, Value>>,
    /// Why a question is declined, while that is being written; empty as long as nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AnswerDraft {
    /// Whether nothing was begun.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
