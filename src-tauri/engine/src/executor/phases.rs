//! What an agent's file settles of its step: its phases are calls for which no model is asked, and its result is made whole
//! from what they gave.
//!
//! A phase comes in its turn, once all before it have done their work. One that cannot be called, because a value that it
//! needs is not there, or that did not do its work, is the model's to mend; the phases behind it follow then. Each call is
//! checked, asked about and written down like any other.

use std::cell::OnceCell;

use assent_core::contract::{Source, TASK, resolved_properties};
use assent_core::run::{CallState, Content, EventKind, Exchange, LedgerEntry};
use serde_json::{Map, Value};

use super::error::Stop;
use super::result_contract::ResultContract;
use super::step::Worker;
use super::{verify, words};
use crate::heap::{Agent, Phase, Places};
use crate::model::{Finish, PlannerProfile, Reply, ToolCall};

/// What is recorded in the place of a model's name.
pub const BY_PHASES: &str = "by phases";

/// Calls of one tool among which a value is looked for.
const MOST_LOOKED_BACK: usize = 20;

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
    /// With it, what a person has to know of that.
    pub(super) fn settled_reply(&self, profile: PlannerProfile) -> Result<Option<(Reply, Option<EventKind>)>, Stop> {
        let Some(agent) = self.carrier.agent_of(self.at).filter(|agent| !agent.phases.is_empty()) else {
            return Ok(None);
        };
        match self.due(&agent.phases) {
            Due::Phase(phase) => self.call_of(phase),
            Due::Mending => Ok(None),
            Due::Over => Ok(self.closing(&agent, profile)?.map(|reply| (reply, None))),
        }
    }

    /// A model's last words with the parts of the result that its tools gave, whatever it says of these.
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

    fn call_of(&self, phase: &Phase) -> Result<Option<(Reply, Option<EventKind>)>, Stop> {
        let Some(tool) = self.carrier.parts.catalogue.get(&phase.call) else {
            return Ok(None);
        };
        let spec = tool.spec();
        let (mut arguments, mut handed) = (Map::new(), Vec::new());
        if spec.source == Source::Agent {
            let task = phase.task.as_deref().unwrap_or(&self.plan_step().description);
            arguments.insert(TASK.to_owned(), Value::String(task.to_owned()));
        }
        let (places, parameters) = (self.places(), resolved_properties(&spec.parameters));
        for (name, place) in &phase.with {
            let Some(mut value) = places.value(place)? else {
                // What a tool can do without is left out: the agent that would have given it may not have been called.
                if is_required(&spec.parameters, name) || spec.source == Source::Agent {
                    return Ok(None);
                }
                continue;
            };
            let most = parameters.get(name).and_then(|said| said.all("maxItems").filter_map(Value::as_u64).min());
            if let (Value::Array(items), Some(most)) = (&mut value, most) {
                let (all, most) = (items.len(), usize::try_from(most).unwrap_or(usize::MAX));
                items.truncate(most);
                handed.extend((all > most).then(|| format!("the first {most} of {all} items of {name}")));
            }
            arguments.insert(name.clone(), value);
        }
        // Whoever goes on with what it gives, and whoever is called and can be told, knows that it is not of everything.
        let cut = (!handed.is_empty()).then(|| format!("{} is given only {}.", phase.call, handed.join(" and ")));
        if let (Some(cut), Source::Agent, Some(Value::String(task))) = (&cut, spec.source, arguments.get_mut(TASK)) {
            task.push_str("\n\n");
            task.push_str(cut);
        }
        let call = ToolCall { id: phase.call.clone(), name: phase.call.clone(), arguments: Value::Object(arguments) };
        let text = cut.clone().unwrap_or_default();
        let warned = cut.map(|cut| EventKind::Warned { message: format!("{cut} It takes no more at once.") });
        Ok(Some((Reply { text, calls: vec![call], finish: Finish::Calls, ..Reply::default() }, warned)))
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

    /// The parts that stand in what the tools gave take the place of what a model says of them; its own words are only
    /// filled in where it said none.
    fn with_parts(&self, agent: &Agent, mut fields: Map<String, Value>) -> Result<Map<String, Value>, Stop> {
        let places = self.places();
        for (name, place) in &agent.result.from {
            let is_said = agent.result.says.as_ref() == Some(name) && fields.contains_key(name);
            if !is_said && let Some(value) = places.value(place)? {
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
    /// What agents of the run gave, the nearest of each.
    gathered: OnceCell<Vec<Value>>,
}

impl Known<'_, '_> {
    /// What is there: of a tool that was called several times, in the latest call that gave it. A look at one page takes
    /// nothing back of what was counted on many.
    fn value(&self, places: &Places) -> Result<Option<Value>, Stop> {
        for back in 0..MOST_LOOKED_BACK {
            let (mut failed, mut is_older) = (None, false);
            let value = places.value(|name| {
                let (root, has_older) = self.root(name, back).unwrap_or_else(|stop| {
                    failed = Some(stop);
                    (None, false)
                });
                is_older |= has_older;
                root
            });
            if let Some(stop) = failed {
                return Err(stop);
            }
            if value.is_some() || !is_older {
                return Ok(value);
            }
        }
        Ok(None)
    }

    /// What a name stands for, and whether it is a tool with a call before that one.
    fn root(&self, name: &str, back: usize) -> Result<(Option<Value>, bool), Stop> {
        let step = self.worker.plan_step();
        if let Some(value) = step.input.context.get(name) {
            return Ok((Some(value.clone()), false));
        }
        if name == TASK {
            return Ok((Some(Value::String(step.description.clone())), false));
        }
        if let (Some(given), has_older) = self.given(name, back)? {
            return Ok((Some(given), has_older));
        }
        let gathered = match self.gathered.get() {
            Some(gathered) => gathered,
            None => {
                let gathered = self.worker.gathered()?;
                self.gathered.get_or_init(|| gathered)
            }
        };
        let of_agent = gathered.iter().find(|one| one["agent_name"] == name);
        Ok((of_agent.map(|one| one["output"].clone()), false))
    }

    /// What the call of a tool in the step gave before which so many later ones did their work too; the first if there are
    /// fewer. And whether there is one before it.
    fn given(&self, tool: &str, back: usize) -> Result<(Option<Value>, bool), Stop> {
        let outputs: Vec<Content> = {
            let state = self.worker.carrier.state();
            let calls = state.step(self.worker.at).calls.iter().rev().map(|entry| state.outcome(*entry));
            calls.filter(|entry| entry.tool == tool).filter_map(output_of).take(back + 2).collect()
        };
        let Some(output) = outputs.get(back).or(outputs.last()) else { return Ok((None, false)) };
        Ok((Some(self.worker.carrier.value(output)?.clone()), outputs.len() > back + 1))
    }
}

fn is_required(parameters: &Value, name: &str) -> bool {
    parameters["required"].as_array().is_some_and(|required| required.iter().any(|one| one == name))
}

fn output_of(entry: &LedgerEntry) -> Option<Content> {
    match &entry.state {
        CallState::Ended(end) if end.satisfied => Some(end.output.clone()),
        _ => None,
    }
}
