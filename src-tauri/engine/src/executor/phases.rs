//! What an agent's file settles of its step: its phases are calls for which no model is asked, and its result is made whole
//! from what they gave.
//!
//! A phase comes in its turn, once all before it have done their work. One that cannot be called, because a value is not
//! there, or that did not do its work, is the model's to mend; the phases behind it follow then. Each call is checked,
//! asked about and written down like any other.

use std::cell::OnceCell;

use assent_core::contract::Source;
use assent_core::run::{CallState, Content, Exchange, LedgerEntry};
use serde_json::{Map, Value};

use super::error::Stop;
use super::result_contract::ResultContract;
use super::step::Worker;
use super::{verify, words};
use crate::heap::{Agent, Phase, Places};
use crate::model::{Finish, PlannerProfile, Reply, ToolCall};

/// What is recorded in the place of a model's name.
pub const BY_PHASES: &str = "by phases";

/// The argument of an agent's call that is no value of its context.
const TASK: &str = "task";

/// What comes next of an agent's phases.
enum Due<'a> {
    /// This one.
    Phase(&'a Phase),
    /// A model's reply: one did not do its work.
    Mending,
    /// Nothing: all have done their work.
    Over,
}

impl Worker<'_> {
    /// The reply that stands in the place of a model's: the call of the next phase, or the whole result where no words are
    /// wanted, or not those of a small model: what it says of results is often wrong, and what code says of them is not.
    pub(super) fn settled_reply(&self, profile: PlannerProfile) -> Result<Option<Reply>, Stop> {
        let Some(agent) = self.carrier.agent_of(self.at).filter(|agent| !agent.phases.is_empty()) else {
            return Ok(None);
        };
        match self.due(&agent.phases) {
            Due::Phase(phase) => self.call_of(phase),
            Due::Mending => Ok(None),
            Due::Over => self.closing(&agent, profile),
        }
    }

    /// A model's last words with the parts of the result that they lack.
    pub(super) fn made_whole(&self, mut reply: Reply) -> Result<Reply, Stop> {
        let is_last = reply.calls.is_empty() && reply.faults.is_empty() && reply.finish != Finish::Length;
        let agent = self.carrier.agent_of(self.at).filter(|agent| is_last && !agent.result.is_empty());
        let Some(agent) = agent.filter(|_| verify::is_satisfied(&self.carrier.state(), self.at, self.plan_step()))
        else {
            return Ok(reply);
        };
        let said = match (serde_json::from_str(verify::bare(&reply.text)), &agent.result.says) {
            (Ok(Value::Object(fields)), _) => fields,
            (_, Some(says)) if !words::is_filler(&reply.text) => {
                Map::from_iter([(says.clone(), Value::String(reply.text.trim().to_owned()))])
            }
            _ => return Ok(reply),
        };
        reply.text = Value::Object(self.with_parts(&agent, said)?).to_string();
        Ok(reply)
    }

    fn due<'a>(&self, phases: &'a [Phase]) -> Due<'a> {
        let state = self.carrier.state();
        for phase in phases {
            let entries = state.step(self.at).calls.iter().map(|entry| state.outcome(*entry));
            let mut called = entries.filter(|entry| entry.tool == phase.call);
            match called.next() {
                None => return Due::Phase(phase),
                Some(first) if verify::counts(first) || called.any(verify::counts) => {}
                Some(_) => return Due::Mending,
            }
        }
        Due::Over
    }

    fn call_of(&self, phase: &Phase) -> Result<Option<Reply>, Stop> {
        let Some(tool) = self.carrier.parts.catalogue.get(&phase.call) else {
            return Ok(None);
        };
        let spec = tool.spec();
        let mut arguments = Map::new();
        if spec.source == Source::Agent {
            let task = phase.task.as_deref().unwrap_or(&self.plan_step().description);
            arguments.insert(TASK.to_owned(), Value::String(task.to_owned()));
        }
        let places = self.places();
        for (name, place) in &phase.with {
            let Some(mut value) = places.value(place)? else { return Ok(None) };
            let most = spec.parameters.pointer(&format!("/properties/{name}/maxItems")).and_then(Value::as_u64);
            if let (Value::Array(items), Some(most)) = (&mut value, most) {
                items.truncate(usize::try_from(most).unwrap_or(usize::MAX));
            }
            arguments.insert(name.clone(), value);
        }
        let call = ToolCall { id: phase.call.clone(), name: phase.call.clone(), arguments: Value::Object(arguments) };
        Ok(Some(Reply { calls: vec![call], finish: Finish::Calls, ..Reply::default() }))
    }

    /// The result of an agent that is asked for no words, if it fits; unless that was told to be wrong.
    fn closing(&self, agent: &Agent, profile: PlannerProfile) -> Result<Option<Reply>, Stop> {
        let is_told = matches!(self.carrier.state().step(self.at).exchange.last(), Some(Exchange::Reprompted(_)));
        let speaks = agent.result.says.is_some() && profile == PlannerProfile::Full;
        if is_told || agent.result.is_empty() || speaks {
            return Ok(None);
        }
        let whole = Value::Object(self.with_parts(agent, Map::new())?);
        let fits = match self.carrier.result_contract(self.at).as_deref() {
            Some(ResultContract { whole: Ok(contract), .. }) => contract.is_valid(&whole),
            _ => false,
        };
        Ok(fits.then(|| Reply { text: whole.to_string(), ..Reply::default() }))
    }

    fn with_parts(&self, agent: &Agent, mut fields: Map<String, Value>) -> Result<Map<String, Value>, Stop> {
        let places = self.places();
        for (name, place) in &agent.result.from {
            if !fields.contains_key(name)
                && let Some(value) = places.value(place)?
            {
                fields.insert(name.clone(), value);
            }
        }
        Ok(fields)
    }

    fn places(&self) -> Known<'_, '_> {
        Known { worker: self, gathered: OnceCell::new() }
    }
}

/// What the places of an agent's file may name.
struct Known<'a, 'w> {
    worker: &'a Worker<'w>,
    /// What agents of the run gave.
    gathered: OnceCell<Vec<Value>>,
}

impl Known<'_, '_> {
    fn value(&self, places: &Places) -> Result<Option<Value>, Stop> {
        let mut failed = None;
        let value = places.value(|name| {
            self.root(name).unwrap_or_else(|stop| {
                failed = Some(stop);
                None
            })
        });
        failed.map_or(Ok(value), Err)
    }

    fn root(&self, name: &str) -> Result<Option<Value>, Stop> {
        let step = self.worker.plan_step();
        if let Some(value) = step.input.context.get(name) {
            return Ok(Some(value.clone()));
        }
        if name == TASK {
            return Ok(Some(Value::String(step.description.clone())));
        }
        if let Some(given) = self.given(name)? {
            return Ok(Some(given));
        }
        let gathered = match self.gathered.get() {
            Some(gathered) => gathered,
            None => {
                let gathered = self.worker.gathered()?;
                self.gathered.get_or_init(|| gathered)
            }
        };
        let of_agent = gathered.iter().find(|one| one["agent_name"] == name);
        Ok(of_agent.map(|one| one["output"].clone()))
    }

    /// What the latest call of a tool in the step gave that did its work.
    fn given(&self, tool: &str) -> Result<Option<Value>, Stop> {
        let output = {
            let state = self.worker.carrier.state();
            let calls = state.step(self.worker.at).calls.iter().rev().map(|entry| state.outcome(*entry));
            calls.filter(|entry| entry.tool == tool).find_map(output_of)
        };
        output.map(|output| Ok(self.worker.carrier.value(&output)?.clone())).transpose()
    }
}

fn output_of(entry: &LedgerEntry) -> Option<Content> {
    match &entry.state {
        CallState::Ended(end) if end.satisfied => Some(end.output.clone()),
        _ => None,
    }
}
