//! The next steps of a text from whose form they cannot be read: one short call. The reply is hostile text; only short
//! answers are taken from it, and a person chooses among them.

use std::sync::LazyLock;

use assent_core::heap::ChooserFailed;
use assent_core::run::{NextSteps, Purpose};
use serde_json::{Value, json};

use super::choose::{Asking, object};
use super::{ToolsTold, Trace};
use crate::model::{OutputFormat, ReplySchema};
use crate::prompt::{NextSteps as Asked, NextStepsUser};

/// Tokens of the reply: a question and some answers.
const REPLY_TOKENS: u32 = 200;

/// What the reply is.
static REPLY: LazyLock<ReplySchema> = LazyLock::new(|| {
    ReplySchema::from(json!({
        "type": "object",
        "properties": {
            "question": {"type": "string", "maxLength": 200},
            "options": {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 8},
        },
        "required": ["question", "options"],
        "additionalProperties": false,
    }))
});

impl Asking<'_> {
    /// Asks what a text offers to do next. `None` where the reply names fewer than two things.
    pub async fn next_steps(&self, text: &str) -> (Result<Option<NextSteps>, ChooserFailed>, Trace) {
        let output = OutputFormat::Json { name: "nextSteps".to_owned(), schema: REPLY.clone() };
        let system = self.templates.render(&Asked);
        let texts = system.and_then(|system| Ok((system, self.templates.render(&NextStepsUser { text })?)));
        let read = |reply: &str| (read(reply), Vec::new());
        self.asked(Purpose::Prompt, texts, (output, REPLY_TOKENS), ToolsTold::default(), read).await
    }
}

fn read(reply: &str) -> Option<NextSteps> {
    let object = object(reply)?;
    let options = object.get("options")?.as_array()?;
    NextSteps::new(
        object.get("question").and_then(Value::as_str).unwrap_or_default(),
        options.iter().filter_map(Value::as_str),
    )
}

#[cfg(test)]
mod tests {
    use assent_core::run::NEXT_QUESTION;

    use super::read;

    #[test]
    fn of_a_reply_only_short_answers_are_taken() {
        let good = read("Sure: {\"question\":\"\",\"options\":[\"Run it now\",7,\"Change it\"]}").unwrap();
        assert_eq!(
            (good.question.as_str(), good.options),
            (NEXT_QUESTION, vec!["Run it now".to_owned(), "Change it".to_owned()])
        );
        let long = format!("{{\"options\":[\"a\",\"{}\"]}}", "x".repeat(61));
        for odd in ["", "Run it", "{}", "{\"options\":\"a\"}", "{\"options\":[\"a\"]}", long.as_str()] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
