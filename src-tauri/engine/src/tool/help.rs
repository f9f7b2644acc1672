//! How a workflow run asks a person: the whole run pauses, and the reply is the call's result.

use assent_core::contract::{Risk, ToolSpec};
use assent_core::run::RequestKind;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::human::{REQUEST_USER_HELP, question, spec};
use super::wanted::Wanted;
use super::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Asks a person for help in a workflow run.
pub struct RequestUserHelp(ToolSpec);

impl Default for RequestUserHelp {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "minLength": 1},
                "options": {"type": "array", "items": {"type": "string"}, "description": "answers to choose from"},
                "type": Wanted::parameter(),
                "reason": {"type": "string", "description": "why the run cannot go on without it"}
            },
            "required": ["question"],
            "additionalProperties": false
        });
        let description = "Ask a person for help when the workflow cannot go on. The whole run waits for the reply.";
        Self(spec(REQUEST_USER_HELP, description, parameters))
    }
}

#[async_trait]
impl Tool for RequestUserHelp {
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
        Ok(question(RequestKind::Help, arguments))
    }
}

#[cfg(test)]
mod tests {
    use assent_core::run::{InputKind, RequestKind};
    use serde_json::json;

    use super::RequestUserHelp;
    use crate::tool::Outcome;
    use crate::tool::testing::Bench;

    #[tokio::test]
    async fn help_is_asked_for_with_the_type_of_the_answer_and_suspends_at_once() {
        let bench = Bench::new();
        let types = [
            (json!({}), InputKind::Text),
            (json!({"options": ["a", "b"]}), InputKind::Select),
            (json!({"options": ["a", "b"], "type": "choices"}), InputKind::Multiselect),
            (json!({"type": "yes_no"}), InputKind::Boolean),
            (json!({"type": "number"}), InputKind::Number),
            (json!({"type": "date"}), InputKind::Date),
            (json!({"type": "file"}), InputKind::File),
        ];
        for (mut arguments, kind) in types {
            arguments["question"] = json!("Which account?");
            let outcome = bench.call(&RequestUserHelp::default(), arguments).await.unwrap();
            let Outcome::Suspended(ask) = outcome else { panic!("{outcome:?}") };
            assert_eq!((ask.kind, ask.input.kind), (RequestKind::Help, kind));
            assert_eq!(ask.prompt, "Which account?");
        }
    }

    #[tokio::test]
    async fn a_question_without_words_or_choices_is_an_error() {
        let bench = Bench::new();
        for arguments in [json!({"question": " "}), json!({"question": "?", "type": "choices"}), json!({"type": 3})] {
            assert!(!bench.refusal(&RequestUserHelp::default(), arguments).await.is_empty());
        }
    }
}
