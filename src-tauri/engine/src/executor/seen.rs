//! What a step has seen when it calls something, for whoever judges where the values of the call come from.

use std::collections::HashSet;

use assent_core::plan::Origin as PlanOrigin;
use assent_core::run::{Answer, CallState, Content, Exchange, ReplyRecord};

use super::context::{Unmade, View};
use super::error::Stop;
use super::step::{Worker, unmade};
use super::verify;
use super::words;
use crate::model::{Message, PlannerProfile};
use crate::tool::grounding::{Origin, Seen};
use crate::tool::meant::Meant;

impl Worker<'_> {
    /// What the step has seen, by whom it was said: the person and the plan, what the model was shown beside them, and
    /// what was said and done in the step since, earlier calls of the same reply included.
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
        if let Some(base) = &self.base {
            let state = self.carrier.state();
            let view = View::of(self.carrier, &state, base);
            view.remarks().into_iter().for_each(|remark| seen.add(Origin::User, remark.text));
            self.see_opening(&view, &mut seen).map_err(unmade)?;
            for item in &state.step(self.at).exchange {
                match item {
                    Exchange::Reply(reply) => self.see_reply(&view, reply, &mut seen).map_err(unmade)?,
                    // What Assent says of a reply repeats it, and may say what would have been right.
                    Exchange::Enforced { .. } | Exchange::Reprompted(_) => {
                        for message in view.said(self.at, item).map_err(unmade)? {
                            if let Message::User { text } = message {
                                seen.add(Origin::Failure { tool: "an earlier check".to_owned() }, text);
                            }
                        }
                    }
                }
            }
        }
        seen.list(self.listed()?);
        Ok(seen)
    }

    /// What the step was told at its beginning. The results of earlier steps stand in it too, so that nothing of it is
    /// the person's own word. What the template says around them, as the numbers of its rules, has nobody said.
    fn see_opening(&self, view: &View<'_>, seen: &mut Seen) -> Result<(), Unmade> {
        let wording = view.wording(self.at)?;
        let wording: HashSet<&str> = wording.lines().collect();
        let mut add = |message: &Message| {
            if let Message::User { text } = message {
                let said: Vec<&str> = text.lines().filter(|line| !wording.contains(line)).collect();
                seen.add(Origin::Result { tool: "an earlier step".to_owned() }, said.join("\n"));
            }
        };
        let exchange = &view.state.step(self.at).exchange;
        // Where a small model's replies were taken back, the end of their error stands in the opening's place.
        let is_as_told = view.base.shared.profile == PlannerProfile::Full || exchange.len() < 2;
        match self.request.as_ref().filter(|_| is_as_told) {
            Some(request) => {
                let opening = |message: &&Message| !matches!(message, Message::Assistant { .. });
                request.messages.iter().take_while(opening).for_each(add);
            }
            None => view.opening(self.at)?.iter().for_each(&mut add),
        }
        Ok(())
    }

    /// A reply in its order: what the model wrote, each call that is over, and what it gave. A call that is still to be
    /// made is what is judged, and has been seen nowhere.
    fn see_reply(&self, view: &View<'_>, reply: &ReplyRecord, seen: &mut Seen) -> Result<(), Unmade> {
        if let Some(text) = &reply.text {
            seen.add(Origin::Call, words::plain(view.contents.whole(text)?.as_ref()));
        }
        for entry in &reply.calls {
            let over = view.state.outcome(*entry);
            let end = match &over.state {
                CallState::Ended(end) => Some(end),
                CallState::Refused(_) => None,
                CallState::Planned | CallState::Open | CallState::Suspended => continue,
            };
            let arguments = view.contents.whole(&over.arguments)?;
            let written: Vec<String> =
                arguments.as_object().into_iter().flat_map(|all| all.values()).map(words::plain).collect();
            written.iter().for_each(|value| seen.add(Origin::Call, value.clone()));
            let tool = over.tool.clone();
            let worked = verify::worked(over);
            let origin = if worked { Origin::Result { tool } } else { Origin::Failure { tool } };
            seen.add(origin.clone(), view.outcome(self.at, *entry)?);
            if let Some(end) = end {
                seen.add(origin, words::plain(view.contents.whole(&end.output)?.as_ref()));
            }
            if verify::counts(over) && over.has_effects() {
                written.into_iter().for_each(|value| seen.add(Origin::Made, value));
            }
        }
        Ok(())
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
