//! Tools that ask a person. They give at once what they ask and wait for nothing: whoever called them suspends.
//!
//! Three channels, never rewritten into each other: a question of the chat, a decision about an action, and help for a
//! workflow (see [`super::RequestUserHelp`]).

use std::sync::Arc;

use assent_core::contract::{Mode, Risk, Source, ToolSpec};
use assent_core::run::{Input, InputKind, RequestKind};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::wanted::{Wanted, distinct, input};
use super::{Ask, CallContext, Effects, Outcome, RequestUserHelp, Tool, ToolStop};
use crate::texts::literal;

/// A question in the chat.
pub const ASK_USER: &str = "ask_user";
/// A decision before something is done.
pub const DISPLAY_CONFIRMATION: &str = "displayConfirmation";
/// Help for a workflow run.
pub const REQUEST_USER_HELP: &str = "std-request-user-help";

/// The tools by which a person is asked: questions of a chat, decisions, help for a workflow.
pub fn human_tools() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(AskUser::default()), Arc::new(DisplayConfirmation::default()), Arc::new(RequestUserHelp::default())]
}

pub(super) fn spec(name: &str, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec { mode: Mode::Blocking, ..ToolSpec::new(name, description, parameters, Source::Human, Risk::Read) }
}

fn failed(message: &str) -> Outcome {
    Outcome::Error { message: message.to_owned(), output: Value::Null }
}

/// Asks a question; the turn ends with it, and the reply is its result.
pub struct AskUser(ToolSpec);

impl Default for AskUser {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "minLength": 1},
                "options": {"type": "array", "items": {"type": "string"}, "description": "answers to choose from"},
                "type": Wanted::parameter(),
                "reason": {"type": "string", "description": "why it is asked"},
                "stepIndex": {"type": "integer", "minimum": 1, "description": "number of this question in a series"},
                "stepTotal": {"type": "integer", "minimum": 1, "description": "questions in the series"}
            },
            "required": ["question"],
            "additionalProperties": false
        });
        let description = "Ask the user a question, when something that is needed is missing. One question at a time.";
        Self(spec(ASK_USER, description, parameters))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    question: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(rename = "type")]
    wanted: Option<Wanted>,
    reason: Option<String>,
    step_index: Option<u32>,
    step_total: Option<u32>,
}

#[async_trait]
impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["question"]
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(question(RequestKind::Question, arguments))
    }
}

/// What is asked by the arguments of a question.
pub(super) fn question(kind: RequestKind, arguments: Value) -> Outcome {
    let Ok(asked) = serde_json::from_value::<Question>(arguments) else {
        return failed("the question cannot be read: give question as text");
    };
    if asked.question.trim().is_empty() {
        return failed("the question is empty");
    }
    let options = distinct(&asked.options);
    let output = output(&asked, &options);
    let input = match input(asked.wanted, &options) {
        Ok(input) => input,
        Err(reason) => return failed(reason),
    };
    let position = asked.step_index.zip(asked.step_total);
    Outcome::Suspended(Ask { kind, prompt: asked.question, reason: asked.reason, input, position, output })
}

fn output(asked: &Question, options: &[String]) -> Value {
    let mut output = Map::new();
    output.insert("waitingForUser".to_owned(), true.into());
    output.insert("question".to_owned(), asked.question.clone().into());
    let optional = [
        ("options", (!options.is_empty()).then(|| json!(options))),
        ("reason", asked.reason.clone().map(Value::from)),
        ("stepIndex", asked.step_index.map(Value::from)),
        ("stepTotal", asked.step_total.map(Value::from)),
    ];
    output.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Value::Object(output)
}

/// Asks for a decision; the step stops until there is one.
pub struct DisplayConfirmation(ToolSpec);

impl Default for DisplayConfirmation {
    fn default() -> Self {
        let parameters = literal!({
            "type": "object",
            "properties": {
                "action": {"type": "string", "minLength": 1, "description": "what will be done"},
                "details": {"type": "string", "description": "exactly what it touches"}
            },
            "required": ["action"],
            "additionalProperties": false
        });
        let description = "Let the user confirm before something is deleted, overwritten or sent.";
        Self(spec(DISPLAY_CONFIRMATION, description, parameters))
    }
}

#[async_trait]
impl Tool for DisplayConfirmation {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        let Some(action) = arguments["action"].as_str().filter(|action| !action.trim().is_empty()) else {
            return Ok(failed("the action is empty: say what will be done"));
        };
        let prompt = format!("Please confirm: {action}");
        let details = arguments.get("details").cloned().unwrap_or(Value::Null);
        let reason = match &details {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        Ok(Outcome::Suspended(Ask {
            kind: RequestKind::Confirm,
            output: json!({"message": prompt, "details": details}),
            prompt,
            reason,
            input: Input { kind: InputKind::Decision, options: Vec::new(), allow_edit: true, allow_text: true },
            position: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use assent_core::run::{Choice, Input, InputKind, RequestKind};
    use serde_json::json;

    use super::{ASK_USER, AskUser, DISPLAY_CONFIRMATION, DisplayConfirmation, REQUEST_USER_HELP, human_tools};
    use crate::tool::testing::Bench;
    use crate::tool::{Ask, Outcome};

    // covers: H24
    #[tokio::test]
    async fn a_question_carries_its_options_and_ends_at_once_as_suspended() {
        let bench = Bench::new();
        let arguments = json!({"question": "Which?", "options": ["a", " a ", "", "b"], "reason": "two fit",
            "stepIndex": 1, "stepTotal": 2});
        let outcome = bench.call(&AskUser::default(), arguments).await.unwrap();
        let choice = |label: &str| Choice { label: label.to_owned(), consequence: None };
        let expected = Ask {
            kind: RequestKind::Question,
            prompt: "Which?".to_owned(),
            reason: Some("two fit".to_owned()),
            input: Input {
                kind: InputKind::Select,
                options: vec![choice("a"), choice("b")],
                allow_edit: false,
                allow_text: true,
            },
            position: Some((1, 2)),
            output: json!({"waitingForUser": true, "question": "Which?", "options": ["a", "b"], "reason": "two fit",
                "stepIndex": 1, "stepTotal": 2}),
        };
        assert_eq!(outcome, Outcome::Suspended(expected));
    }

    #[tokio::test]
    async fn a_question_without_options_is_answered_in_words() {
        let bench = Bench::new();
        let outcome = bench.call(&AskUser::default(), json!({"question": "Why?"})).await.unwrap();
        let Outcome::Suspended(ask) = outcome else { panic!("{outcome:?}") };
        assert_eq!(ask.output, json!({"waitingForUser": true, "question": "Why?"}));
        assert_eq!((ask.input.kind, ask.position), (InputKind::Text, None));
    }

    #[tokio::test]
    async fn a_question_says_what_its_answer_is() {
        let bench = Bench::new();
        let types = [
            ("yes_no", InputKind::Boolean),
            ("number", InputKind::Number),
            ("date", InputKind::Date),
            ("file", InputKind::File),
            ("text", InputKind::Select),
            ("choice", InputKind::Select),
            ("choices", InputKind::Multiselect),
        ];
        for (wanted, kind) in types {
            let arguments = json!({"question": "Which?", "options": ["a", "b"], "type": wanted});
            let outcome = bench.call(&AskUser::default(), arguments).await.unwrap();
            let Outcome::Suspended(ask) = outcome else { panic!("{outcome:?}") };
            let chooses = matches!(kind, InputKind::Select | InputKind::Multiselect);
            let asked = (ask.input.kind, ask.input.options.len(), ask.input.allow_text);
            assert_eq!(asked, (kind, if chooses { 2 } else { 0 }, kind == InputKind::Select), "{wanted}");
        }
        let nothing = json!({"question": "Which?", "type": "choices"});
        assert!(bench.refusal(&AskUser::default(), nothing).await.contains("give options"));
        assert!(!bench.refusal(&AskUser::default(), json!({"question": "Which?", "type": "colour"})).await.is_empty());
    }

    // covers: T16 T17
    #[tokio::test]
    async fn a_confirmation_gives_the_published_output_at_once() {
        let bench = Bench::new();
        let arguments = json!({"action": "delete old.csv", "details": "12 rows"});
        let outcome = bench.call(&DisplayConfirmation::default(), arguments).await.unwrap();
        let Outcome::Suspended(ask) = outcome else { panic!("{outcome:?}") };
        assert_eq!(ask.output, json!({"message": "Please confirm: delete old.csv", "details": "12 rows"}));
        assert_eq!((ask.kind, ask.prompt.as_str()), (RequestKind::Confirm, "Please confirm: delete old.csv"));
        assert_eq!(ask.reason.as_deref(), Some("12 rows"));
        assert_eq!(ask.input.kind, InputKind::Decision);
    }

    #[tokio::test]
    async fn empty_and_broken_questions_are_errors() {
        let bench = Bench::new();
        for arguments in [json!({"question": " "}), json!({}), json!(null), json!({"question": 3})] {
            assert!(!bench.refusal(&AskUser::default(), arguments).await.is_empty());
        }
        assert!(bench.refusal(&DisplayConfirmation::default(), json!({"action": ""})).await.contains("empty"));
    }

    // covers: H22
    #[test]
    fn the_channels_have_names_of_their_own_and_no_tool_answers_to_two() {
        let names: Vec<String> = human_tools().iter().map(|tool| tool.spec().name.clone()).collect();
        assert_eq!(names, [ASK_USER, DISPLAY_CONFIRMATION, REQUEST_USER_HELP]);
    }
}
