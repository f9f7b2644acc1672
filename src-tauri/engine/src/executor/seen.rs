//! What a step has seen when it calls something, for whoever judges where the values of the call come from.

use assent_core::plan::Origin as PlanOrigin;
use assent_core::run::{Answer, CallState, Content};

use super::error::Stop;
use super::step::Worker;
use super::words;
use crate::model::Message;
use crate::tool::grounding::{Origin, Seen};
use crate::tool::meant::Meant;

impl Worker<'_> {
    /// What the step has seen, by whom it was said: the person and the plan, what the model was shown beside them, and
    /// what earlier calls of the same reply gave.
    pub(super) fn seen(&self) -> Result<Seen, Stop> {
        let mut seen = Seen::default();
        let (plan, step) = (self.carrier.plan(), self.plan_step());
        seen.add(Origin::User, plan.user_message.clone());
        // What an agent is given was written by the model that called it, and may come from anywhere.
        let step = (step.origin != PlanOrigin::AgentCall).then_some(step);
        let written = serde_json::to_string(&(&plan.extracted_context, &plan.instructions, step));
        seen.add(Origin::Plan, written.unwrap_or_default());
        for answer in self.answers() {
            seen.add(Origin::Answer, answer);
        }
        for message in self.request.iter().flat_map(|request| &request.messages) {
            match message {
                // The results of earlier steps stand in here too, so that nothing of it is the person's own word.
                Message::User { text } => seen.add(Origin::Result { tool: "an earlier step".to_owned() }, text.clone()),
                Message::Tool { name, text, .. } => seen.add(Origin::Result { tool: name.clone() }, text.clone()),
                Message::Assistant { calls, .. } => {
                    let written =
                        calls.iter().filter_map(|call| call.arguments.as_object()).flat_map(|all| all.values());
                    written.for_each(|value| seen.add(Origin::Call, words::plain(value)));
                }
                Message::System { .. } => {}
            }
        }
        let outputs: Vec<Content> = {
            let state = self.carrier.state();
            let latest = state.step(self.at).latest_reply().map(|reply| reply.calls.clone()).unwrap_or_default();
            let ended = latest.into_iter().filter_map(|entry| match &state.outcome(entry).state {
                CallState::Ended(end) => Some(end.output.clone()),
                _ => None,
            });
            ended.collect()
        };
        for output in outputs {
            let text = words::plain(self.carrier.value(&output)?.as_ref());
            seen.add(Origin::Result { tool: "an earlier call".to_owned() }, text);
        }
        seen.list(self.listed()?);
        Ok(seen)
    }

    /// The files that calls of this run have listed. Looked up only where a person's words describe files.
    fn listed(&self) -> Result<Vec<String>, Stop> {
        let said = std::iter::once(self.carrier.plan().user_message.clone()).chain(self.answers());
        if Meant::of(said.collect::<Vec<_>>().iter().map(String::as_str)).is_empty() {
            return Ok(Vec::new());
        }
        let ended: Vec<(String, Content)> = {
            let state = self.carrier.state();
            let ended = state.ledger().iter().filter_map(|entry| match &entry.state {
                CallState::Ended(end) if end.satisfied => Some((entry.tool.clone(), end.output.clone())),
                _ => None,
            });
            ended.collect()
        };
        let mut names = Vec::new();
        for (tool, output) in ended {
            if let Some(tool) = self.carrier.parts.catalogue.get(&tool) {
                names.extend(tool.listed(self.carrier.value(&output)?.as_ref()));
            }
        }
        Ok(names)
    }

    /// What the person has answered in this run.
    fn answers(&self) -> Vec<String> {
        let state = self.carrier.state();
        let said = state.requests().iter().filter_map(|request| match request.answer.as_ref()? {
            Answer::Value { value } => Some(words::plain(value)),
            Answer::Approve { arguments, note, .. } => Some(format!("{arguments:?} {note:?}")),
            Answer::Reject { reason } => reason.clone(),
        });
        said.collect()
    }
}
