//! What a step's model is told as the step goes on: its replies, what its calls gave, what was wrong with them.
//!
//! A small model copies what it is shown. So of a call that failed twice in the same way only the end of the error is
//! left, and the next reply is drawn otherwise.

use assent_core::contract::Fault;
use assent_core::run::{Answer, CallState, Exchange, ReplyRecord, RequestKind};
use serde_json::Value;

use super::artifacts::shortened;
use super::context::{Unmade, View};
use super::guard::{Standing, standing};
use super::recipe::Draw;
use super::reprompt::is_of_form;
use super::{verify, words};
use crate::model::{Message, PlannerProfile, ToolCall};
use crate::prompt::{Enforce, FaultLine, Repair, StepAgain, StepCompactNext, StepMissed, StepNoted, StepNudge};
use crate::tool::present::cut;

/// Characters that are left of the error of a repeated failure.
const ERROR_CHARS: usize = 300;

/// The temperature after a repeated failure.
const VARIED: f32 = 0.7;

/// The temperature when that was not enough.
const WILD: f32 = 1.0;

impl View<'_> {
    /// A step's conversation from its beginning to the first `upto` things said in it.
    pub(super) fn conversation(&self, at: usize, upto: usize) -> Result<Vec<Message>, Unmade> {
        let mut messages = self.opening(at)?;
        let exchange = &self.state.step(at).exchange[..upto];
        for (place, item) in exchange.iter().enumerate() {
            match self.standing(at, upto, place) {
                Standing::Whole => messages.append(&mut self.said(at, item)?),
                Standing::Gone => {}
                Standing::Error(entry) => self.add_error(&mut messages, at, entry)?,
            }
        }
        Ok(messages)
    }

    fn standing(&self, at: usize, upto: usize, place: usize) -> Standing {
        match self.base.shared.profile {
            PlannerProfile::Full => Standing::Whole,
            PlannerProfile::Compact => standing(self.state, at, upto, place),
        }
    }

    /// Whether something newly said takes back what was said before it, so that the conversation has to be told anew.
    pub(super) fn takes_back(&self, at: usize, upto: usize, place: usize) -> bool {
        self.standing(at, upto, place) != Standing::Whole
    }

    /// Whether a small model's reply could not be read. Whatever were shown of it would be copied.
    fn is_unreadable(&self, reply: &ReplyRecord) -> bool {
        self.base.shared.profile == PlannerProfile::Compact && reply.calls.is_empty() && !reply.faults.is_empty()
    }

    /// How the next reply is drawn: after a repeated failure otherwise than before, or the same would come again.
    pub(super) fn draw(&self, at: usize, upto: usize) -> Option<Draw> {
        let latest = upto.checked_sub(1)?;
        let unreadable = self.state.step(at).exchange[..upto].iter().rev().find_map(|item| match item {
            Exchange::Reply(reply) => Some(self.is_unreadable(reply)),
            Exchange::Enforced { .. } | Exchange::Reprompted(_) => None,
        });
        (self.takes_back(at, upto, latest) || unreadable == Some(true)).then(|| {
            let replies = u64::from(self.state.step(at).iterations);
            let temperature = if replies > 3 { WILD } else { VARIED };
            Draw { temperature, seed: self.base.shared.seed.map(|seed| seed.wrapping_add(replies)) }
        })
    }

    /// The end of the error of a repeated failure, all that is left of it. It stands at the end of what was said last,
    /// so that nobody speaks twice in a row.
    fn add_error(&self, messages: &mut Vec<Message>, at: usize, entry: usize) -> Result<(), Unmade> {
        let error = self.outcome(at, entry)?;
        let beginning = error.char_indices().rev().nth(ERROR_CHARS - 1).map_or(0, |(start, _)| start);
        let repeated = Some(&error[beginning..]);
        let files = self.files_of(at, entry)?;
        let text =
            self.templates.render(&StepCompactNext { repeated, files: &files, ..StepCompactNext::default() })?.text;
        match messages.last_mut() {
            Some(Message::User { text: before } | Message::Tool { text: before, .. }) => {
                before.push_str("\n\n");
                before.push_str(&text);
            }
            _ => messages.push(Message::User { text }),
        }
        Ok(())
    }

    /// What something said in a step adds to the conversation.
    pub(super) fn said(&self, at: usize, item: &Exchange) -> Result<Vec<Message>, Unmade> {
        match item {
            Exchange::Reply(reply) => self.reply(at, reply),
            Exchange::Enforced { missing, .. } => {
                let text = self.templates.render(&Enforce { missing })?.text;
                Ok(vec![Message::User { text }])
            }
            Exchange::Reprompted(fault) if is_of_form(fault) => Ok(vec![self.repair(std::slice::from_ref(fault))?]),
            Exchange::Reprompted(fault) => {
                let text = self.templates.render(&StepAgain { fault: fault.into() })?.text;
                Ok(vec![Message::User { text }])
            }
        }
    }

    fn repair(&self, faults: &[Fault]) -> Result<Message, Unmade> {
        let faults: Vec<FaultLine> = faults.iter().map(FaultLine::from).collect();
        let text = self.templates.render(&Repair { faults: &faults, schema: None, cut: false })?.text;
        Ok(Message::User { text })
    }

    fn reply(&self, at: usize, reply: &ReplyRecord) -> Result<Vec<Message>, Unmade> {
        if self.is_unreadable(reply) {
            return Ok(Vec::new());
        }
        let text = match &reply.text {
            Some(text) => words::plain(self.contents.whole(text)?.as_ref()),
            None => String::new(),
        };
        // What is larger than all results together may be was no reply that anybody can go on from.
        let text = if text.len() > self.room() { cut(&text, self.room()) } else { text };
        let mut calls = Vec::with_capacity(reply.calls.len());
        let mut results = Vec::with_capacity(reply.calls.len());
        for entry in &reply.calls {
            let asked = &self.state.ledger()[*entry];
            calls.push(ToolCall {
                id: asked.call.to_string(),
                name: asked.tool.clone(),
                arguments: self.arguments(self.contents.whole(&asked.arguments)?.clone()),
            });
            let text = self.outcome(at, *entry)?;
            results.push(Message::Tool { id: asked.call.to_string(), name: asked.tool.clone(), text });
        }
        if let Some(Message::Tool { text, .. }) = results.last_mut()
            && let Some(next) = self.next(at, reply)?
        {
            text.push_str("\n\n");
            text.push_str(&next);
        }
        let mut messages = vec![Message::Assistant { text, calls }];
        messages.append(&mut results);
        // Beside calls, what could not be read is told with their results; alone, it is a prompt of its own.
        if !reply.calls.is_empty() && !reply.faults.is_empty() {
            messages.push(self.repair(&reply.faults)?);
        }
        Ok(messages)
    }

    /// The arguments of a call as they are told: after a request that was too long, long texts in them are cut.
    fn arguments(&self, mut arguments: Value) -> Value {
        if self.base.shared.shrunk {
            for value in arguments.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
                if let Value::String(text) = value {
                    *text = cut(text, self.most());
                }
            }
        }
        arguments
    }

    /// What a small model is told below a result: whether it may end the step.
    fn next(&self, at: usize, reply: &ReplyRecord) -> Result<Option<String>, Unmade> {
        if self.base.shared.profile == PlannerProfile::Full {
            return Ok(None);
        }
        let step = self.step(at);
        // Only what had happened when this was said counts, so that it is never said otherwise later.
        let known = reply.calls.iter().max().copied().unwrap_or(0);
        let satisfied = verify::satisfied_until(self.state, at, step, known);
        let missing = &verify::unsatisfied_until(self.state, at, step, known);
        let latest = reply.calls.last().copied();
        let failed = latest.is_some_and(|entry| !verify::counts(self.state.outcome(entry)));
        let files = match latest.filter(|_| failed) {
            Some(entry) => self.files_of(at, entry)?,
            None => Vec::new(),
        };
        let last = self.is_last(at);
        let next = StepCompactNext { failed, repeated: None, satisfied, missing, last, files: &files };
        Ok(Some(self.templates.render(&next)?.text))
    }

    /// What is known of the files that a call names: a small model looks at it again only next to the error.
    fn files_of(&self, at: usize, entry: usize) -> Result<Vec<&str>, Unmade> {
        let arguments = self.contents.whole(&self.state.ledger()[entry].arguments)?.to_string();
        let named_in = |text: &str| -> Vec<&str> {
            // By its name alone too: the folder is what a script forgets.
            let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            let named = |line: &&String| line.split_once(": ").is_some_and(|(path, _)| text.contains(&last(path)));
            self.base.files.iter().filter(named).map(String::as_str).collect()
        };
        let files = named_in(&arguments);
        // A call that names no file there is has invented one: the task knows better.
        if files.is_empty() { Ok(named_in(&self.step(at).description)) } else { Ok(files) }
    }

    /// The result of a call as the model reads it, with what the person said who allowed it.
    pub(super) fn outcome(&self, at: usize, entry: usize) -> Result<String, Unmade> {
        let text = self.result(at, entry)?;
        Ok(match self.note(entry) {
            Some(note) => format!("{text}\n\n{}", self.templates.render(&StepNoted { note })?.text),
            None => text,
        })
    }

    fn note(&self, entry: usize) -> Option<&str> {
        let outcome = self.state.outcome(entry);
        let request = self.state.requests().get(outcome.request.or(self.state.ledger()[entry].request)?)?;
        match &request.answer {
            Some(Answer::Approve { note, .. }) if request.request.kind == RequestKind::Permit => {
                note.as_deref().map(str::trim).filter(|note| !note.is_empty())
            }
            _ => None,
        }
    }

    fn result(&self, at: usize, entry: usize) -> Result<String, Unmade> {
        let outcome = self.state.outcome(entry);
        Ok(match &outcome.state {
            CallState::Ended(end) => {
                let output = match (end.output.here(), &end.error) {
                    (Some(Value::Null), Some(_)) => String::new(),
                    _ => self.output(outcome, &end.output)?,
                };
                let text = match &end.error {
                    Some(error) if output.is_empty() => format!("error: {error}"),
                    Some(error) => format!("error: {error}\n{output}"),
                    None => output.clone(),
                };
                let before = text.len() - output.len();
                let text = shortened(self, &text, self.most(), before, &(entry + 1).to_string());
                // A small model is told of a repeated failure below the result.
                let told_below = end.error.is_some() && self.base.shared.profile == PlannerProfile::Compact;
                let text = match outcome.missed() {
                    Some(named) => format!("{text}\n\n{}", self.templates.render(&StepMissed { named })?.text),
                    None => text,
                };
                if !told_below && super::guard::repeats_before(self.state, at, entry) == 1 {
                    let nudge = self.templates.render(&StepNudge { tool: &outcome.tool })?.text;
                    format!("{text}\n\n{nudge}")
                } else {
                    text
                }
            }
            CallState::Refused(fault) => words::refusal(fault),
            CallState::Planned | CallState::Open | CallState::Suspended => words::NOT_MADE.to_owned(),
        })
    }
}
