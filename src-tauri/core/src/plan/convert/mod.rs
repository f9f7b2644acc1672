//! Between the ways in which work is written down: a planner's outline, a route, a list of steps, a plan document.
//! All conversions are total: what does not fit is a fault and the rest is converted.

mod context;
mod outline_json;
mod route;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use self::context::keep_grounded;
pub use self::outline_json::to_outline_json;
pub use self::route::{normalise_route, route_to_steps, steps_to_route};
use super::{
    Defaults, Executor, ExecutorKind, FORMAT, Fallback, Limits, Outline, OutlineStep, Plan, Route, RouteStep, Step,
    StepType, ValidationMode,
};
use crate::contract::{Fault, PathPart, Stage};
use crate::ids::{PlanId, SessionId, StepId};

/// What is answered when there is neither a plan nor anybody who could do without one.
pub const NO_SPECIALISTS: &str = "No specialists available.";

/// What a new plan document is given beside its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The plan's id.
    pub id: PlanId,
    /// From 1.
    pub version: u32,
    /// The version it replaces.
    pub supersedes: Option<u32>,
    /// The chat.
    pub session_id: SessionId,
    /// The message that the plan answers, byte for byte.
    pub user_message: String,
    /// Milliseconds since 1970, UTC.
    pub created_at: i64,
}

impl Header {
    fn into_plan(self, steps: Vec<Step>) -> Plan {
        Plan {
            format: FORMAT.to_owned(),
            id: self.id,
            version: self.version,
            supersedes: self.supersedes,
            session_id: self.session_id,
            title: String::new(),
            intent: String::new(),
            refined_task: String::new(),
            user_message: self.user_message,
            extracted_context: serde_json::Map::new(),
            instructions: indexmap::IndexMap::new(),
            route: Route::new(),
            defaults: Defaults { tool_validation_mode: ValidationMode::Strict },
            limits: Limits::default(),
            read_only: false,
            steps,
            fallback: Fallback::default(),
            created_at: self.created_at,
        }
    }
}

/// A planner's outline as a plan: ids `s1` …, dependencies by those ids, route and steps derived from each other, and
/// only such context values kept as occur in the message or in one of the `conversation`'s texts.
pub fn to_plan(outline: Outline, header: Header, conversation: &[&str]) -> (Plan, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut texts = vec![header.user_message.as_str()];
    texts.extend(conversation);
    let extracted_context = keep_grounded(outline.extracted_context, &texts, &mut faults);
    let (mut route, route_faults) = normalise_route(&outline.route);
    faults.extend(route_faults);
    let steps = if outline.steps.is_empty() {
        route_to_steps(&route, &outline.refined_task, &header.user_message)
    } else {
        outline_steps(outline.steps, &mut faults)
    };
    if route.is_empty() {
        route = steps_to_route(&steps);
    }
    let title =
        if outline.title.is_empty() { first_words(&outline.refined_task, &header.user_message) } else { outline.title };
    let plan = Plan {
        title,
        intent: if outline.intent.is_empty() { outline.prose } else { outline.intent },
        refined_task: outline.refined_task,
        extracted_context,
        instructions: outline.instructions,
        route,
        ..header.into_plan(steps)
    };
    (plan, faults)
}

/// The plan for when a planner gave none: the whole message to `general`, else to the first top-level specialist.
///
/// # Errors
/// A fault that says [`NO_SPECIALISTS`] when there is nobody.
#[expect(clippy::result_large_err, reason = "made once a turn; the plan beside it is larger")]
pub fn fallback_plan(header: Header, top_level: &[&str], reason: &str) -> Result<Plan, Fault> {
    let general = top_level.iter().find(|id| **id == "general").or(top_level.first());
    let Some(chosen) = general else { return Err(Fault::new(Stage::Route, NO_SPECIALISTS)) };
    let route = vec![RouteStep::One((*chosen).to_owned())];
    let steps = route_to_steps(&route, "", &header.user_message);
    let title = first_words("", &header.user_message);
    let fallback = Fallback { used: true, reason: Some(reason.to_owned()) };
    Ok(Plan { title, route, fallback, ..header.into_plan(steps) })
}

/// The first words of the task, else of the message, at most 60 characters.
fn first_words(task: &str, message: &str) -> String {
    let text = if task.is_empty() { message } else { task };
    let line = text.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= 60 {
        return line.to_owned();
    }
    let cut: String = line.chars().take(59).collect();
    let end = cut.rfind(' ').filter(|end| *end > 30).unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

/// A model's list as steps: in sequence when no step names another.
fn outline_steps(list: Vec<OutlineStep>, faults: &mut Vec<Fault>) -> Vec<Step> {
    let in_sequence = list.iter().all(|step| step.after.is_empty());
    let ids: Vec<StepId> = (1..=list.len()).map(number).collect();
    let mut named: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, step) in list.iter().enumerate() {
        if let Some(id) = &step.id {
            let places = named.entry(id.clone()).or_default();
            places.push(at);
            if places.len() == 2 {
                let message = format!("{} names two steps; a step waits for the nearest one before it", quote(id));
                faults.push(at_step(at, "id", message));
            }
        }
    }
    let mut steps = Vec::with_capacity(list.len());
    for (at, step) in list.into_iter().enumerate() {
        let dependencies = if in_sequence {
            at.checked_sub(1).map(|before| ids[before].clone()).into_iter().collect()
        } else {
            resolve(at, &step.after, &named, &ids, faults)
        };
        steps.push(to_step(ids[at].clone(), step, dependencies));
    }
    steps
}

fn number(step: usize) -> StepId {
    StepId::new(format!("s{step}"))
}

/// The dependencies of a step by our ids. One that cannot be resolved becomes the step before, so that nothing starts
/// earlier than was meant.
fn resolve(
    at: usize,
    after: &[String],
    named: &HashMap<String, Vec<usize>>,
    ids: &[StepId],
    faults: &mut Vec<Fault>,
) -> Vec<StepId> {
    let mut dependencies: Vec<StepId> = Vec::new();
    for name in after {
        let by_number = || {
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits.parse::<usize>().ok().filter(|n| (1..=ids.len()).contains(n)).map(|n| n - 1)
        };
        let nearest = |places: &Vec<usize>| {
            let before = places.iter().rfind(|place| **place < at);
            let own = places.iter().find(|place| **place == at);
            before.or(own).or(places.first()).copied()
        };
        let target = match named.get(name).and_then(nearest).or_else(by_number) {
            Some(target) if target != at => Some(target),
            Some(_) => {
                faults.push(at_step(at, "dependencies", "the step waits for itself; this was left out"));
                None
            }
            None => {
                let message = format!("there is no step {}; the step before was taken", quote(name));
                faults.push(at_step(at, "dependencies", message));
                at.checked_sub(1)
            }
        };
        if let Some(target) = target
            && !dependencies.contains(&ids[target])
        {
            dependencies.push(ids[target].clone());
        }
    }
    dependencies
}

fn to_step(id: StepId, step: OutlineStep, dependencies: Vec<StepId>) -> Step {
    let executor = match step.specialist {
        Some(id) if !id.is_empty() && id != "self" => Executor { kind: ExecutorKind::Specialist, id },
        _ => Executor::default(),
    };
    // A step with required tools must call something, whatever its type says.
    let step_type = if step.required_tools.is_empty() { step.step_type } else { Some(StepType::Tool) };
    Step {
        step_type,
        required_tools: distinct(step.required_tools),
        expected_outcome: step.expected_outcome,
        tool_validation_mode: step.tool_validation_mode,
        executor,
        instructions: step.instructions,
        dependencies,
        ..Step::new(id, step.description)
    }
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn at_step(step: usize, field: &str, message: impl Into<String>) -> Fault {
    Fault::new(Stage::Plan, message).at([PathPart::from("steps"), step.into(), field.into()])
}

fn quote(name: &str) -> String {
    format!("{:?}", name.chars().take(80).collect::<String>())
}
