//! What an agent is told: its rules with its context as JSON, and its task with the context by its template.

use assent_core::plan::Step;
use serde_json::Value;

use super::context::{Unmade, View};
use crate::heap::{UserPrompt, left_to_say};
use crate::prompt::{AgentSystem, build_user_prompt};
use crate::tool::present::cut;

impl View<'_> {
    /// The system message: that of every step, then the agent's own prompt, what its output has to fit, and its context.
    pub(super) fn agent_system(&self, step: &Step) -> Result<String, Unmade> {
        let context = &step.input.context;
        let json = serde_json::to_string_pretty(context).unwrap_or_default();
        let json = (!context.is_empty()).then(|| cut(&json, self.most()));
        let output = step.contracts.output.as_ref().map(left_to_say);
        let (prompt, output) = (step.instructions.as_deref(), output.as_ref());
        let own = self.templates.render(&AgentSystem { prompt, output, context: json.as_deref() })?.text;
        Ok(format!("{}\n\n{}", self.system()?.trim_end(), own.trim()).trim_end().to_owned())
    }

    /// The user message, and what the person said of the plan below it.
    pub(super) fn agent_user(&self, at: usize, step: &Step) -> Result<String, Unmade> {
        let prompt = self.state.step(at).prompt();
        let prompt: Option<UserPrompt> = match prompt {
            Some(content) => {
                let value: Value = self.contents.whole(content)?.clone();
                serde_json::from_value(value).ok()
            }
            None => None,
        };
        let template = prompt.as_ref().map(|prompt| prompt.template(step.contracts.input.as_ref()));
        let context = Some(&step.input.context);
        let text = build_user_prompt(self.templates, template.as_ref(), &step.description, context)?;
        let text = if text.len() > self.room() { cut(&text, self.room()) } else { text };
        Ok(match self.told_remarks()? {
            Some(remarks) => format!("{}\n\n{remarks}", text.trim_end()),
            None => text,
        })
    }
}
