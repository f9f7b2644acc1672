//! What an agent begins with beside what its caller gave: what is known of it already, and nothing that nobody has said.

use assent_core::contract::{Resolved, Schema, resolved_properties};
use assent_core::ids::{RunId, StepId};
use assent_core::plan::Plan;
use assent_core::run::{CallState, Content, RunState};
use serde_json::{Map, Value, json};

use super::error::Stop;
use super::step::Worker;

/// The value of a context in which the outputs of earlier agents are gathered.
const COLLECTED: &str = "collected_information";

impl Worker<'_> {
    /// Leaves out what nobody has said: a small model copies the example of a value that it need not give.
    pub(super) async fn drop_copied(&self, contract: &Schema, context: &mut Map<String, Value>) -> Result<(), Stop> {
        let required = contract.required();
        let copied = |(name, property): (&String, Resolved<'_>)| {
            let value = context.get(name).filter(|_| !required.contains(name))?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let is_example = property.all("examples").any(|all| all.as_array().is_some_and(|all| all.contains(value)));
            (is_example && !self.is_said(&text)).then(|| name.clone())
        };
        let copied: Vec<String> = resolved_properties(contract.source()).into_iter().filter_map(copied).collect();
        if !copied.is_empty() && self.is_small().await? {
            context.retain(|name, _| !copied.contains(name));
        }
        Ok(())
    }

    /// Whether a value stands in the message, in the plan's context, or in what this step or one above it is to do.
    fn is_said(&self, text: &str) -> bool {
        let plan = self.carrier.plan();
        let state = self.carrier.state();
        let mut steps = std::iter::successors(Some(self.at), |at| state.step(*at).parent());
        let told = |at: usize| {
            let step = state.document(plan, at);
            step.description.contains(text) || has(&step.input.context, text)
        };
        plan.user_message.contains(text) || has(&plan.extracted_context, text) || steps.any(told)
    }

    /// Fills in what the contract asks for, the caller has not given, and is known: values of the conversation, and what
    /// earlier agents of the run gave.
    pub(super) fn fill(&self, contract: &Schema, context: &mut Map<String, Value>) -> Result<(), Stop> {
        let properties = resolved_properties(contract.source());
        for (name, value) in &self.carrier.plan().extracted_context {
            if properties.contains_key(name) && !context.contains_key(name) {
                context.insert(name.clone(), value.clone());
            }
        }
        if let Some(property) = properties.get(&COLLECTED.to_owned())
            && !context.contains_key(COLLECTED)
        {
            let wanted = named_agents(property, contract.source());
            let mut gathered = self.gathered()?;
            gathered.retain(|one| wanted.is_none_or(|wanted| wanted.contains(&one["agent_name"])));
            if !gathered.is_empty() {
                context.insert(COLLECTED.to_owned(), Value::Array(gathered));
            }
        }
        Ok(())
    }

    /// What the agents of this run gave, and those of earlier runs from which steps were taken over: the nearest of each,
    /// and of those that are as near the latest. Nearest are those that were called in this step or below it, then those
    /// below the step that called this one, and so on outwards: another step may have the same agents called for something
    /// else, at the same time.
    pub(super) fn gathered(&self) -> Result<Vec<Value>, Stop> {
        let mut ended: Vec<(usize, Gave)> = Vec::new();
        let mut add = |far: usize, gave: Gave| {
            if ended.iter().all(|(known, other)| other.name != gave.name || *known >= far) {
                ended.retain(|(_, other)| other.name != gave.name);
                ended.push((far, gave));
            }
        };
        let plan = self.carrier.plan();
        let far_off = {
            let state = self.carrier.state();
            std::iter::successors(Some(self.at), |at| state.step(*at).parent()).count()
        };
        let parts = &self.carrier.parts;
        for (run, steps) in self.taken_over() {
            let earlier = parts.state_of(&parts.runs.run(&run)?)?;
            let tops = steps.iter().filter_map(|step| earlier.index_of(step));
            given(&earlier, plan, tops).into_iter().for_each(|(_, gave)| add(far_off, gave));
        }
        {
            let state = self.carrier.state();
            let upwards = |from: usize| std::iter::successors(Some(from), |at| state.step(*at).parent());
            let above: Vec<usize> = upwards(self.at).collect();
            for (caller, gave) in given(&state, plan, 0..plan.steps.len()) {
                let common = upwards(caller).find_map(|at| above.iter().position(|one| *one == at));
                add(common.unwrap_or(far_off), gave);
            }
        }
        let mut gathered = Vec::with_capacity(ended.len());
        for (_, Gave { name, task, output }) in ended {
            let output = match self.carrier.value(&output)?.clone() {
                Value::Object(fields) => Value::Object(fields),
                other => json!({"text": other}),
            };
            let said = ["description", "summary"].into_iter().find_map(|key| output.get(key)?.as_str());
            let description = said.unwrap_or(&task).to_owned();
            gathered.push(json!({"agent_name": name, "output": output, "description": description}));
        }
        Ok(gathered)
    }

    /// The steps that earlier runs have done, by run.
    fn taken_over(&self) -> Vec<(RunId, Vec<StepId>)> {
        let state = self.carrier.state();
        let taken = state.taken_over(|_| true).into_iter().filter(|(run, _)| *run != state.run());
        taken.map(|(run, steps)| (run.clone(), steps.into_iter().cloned().collect())).collect()
    }
}

/// What an agent gave.
struct Gave {
    name: String,
    task: String,
    output: Content,
}

/// What was given by the agents that these steps have called in their current attempts, or what they have delegated has,
/// with who has called each; in the order of the calls.
fn given(state: &RunState, plan: &Plan, tops: impl Iterator<Item = usize>) -> Vec<(usize, Gave)> {
    let steps = tops.flat_map(|top| state.with_parts(top));
    let mut calls: Vec<usize> = steps.flat_map(|step| state.step(step).calls.iter().copied()).collect();
    calls.sort_unstable();
    let gave = |call: usize| {
        let entry = &state.ledger()[call];
        let (CallState::Ended(end), Some(agent)) = (&entry.state, entry.carried_out_by) else { return None };
        let step = state.document(plan, agent);
        let (name, task, output) = (step.executor.id.clone(), step.description.clone(), end.output.clone());
        end.satisfied.then_some((entry.step, Gave { name, task, output }))
    };
    calls.into_iter().filter_map(gave).collect()
}

/// Whether a text stands in a value of a context.
fn has(context: &Map<String, Value>, text: &str) -> bool {
    context
        .values()
        .any(|value| value.as_str().map_or_else(|| value.to_string().contains(text), |own| own.contains(text)))
}

/// The agents whose outputs a contract takes, where it says which.
fn named_agents<'a>(property: &Resolved<'a>, contract: &'a Value) -> Option<&'a Vec<Value>> {
    let items = Resolved::of(contract, &property.all("items").collect::<Vec<_>>());
    let names: Vec<&Value> = items.all("properties").filter_map(|properties| properties.get("agent_name")).collect();
    Resolved::of(contract, &names).first("enum")?.as_array()
}
