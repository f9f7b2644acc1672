//! Whether a message wants something done again and again, as a workflow, or an agent made and run: "every morning", "on a
//! schedule", "save it as a workflow", "create an agent for this and run it".
//!
//! The planner says so in its plan, in whatever language the message is ([`When`]), and the plan is held to what it says:
//! the specialist who makes workflows has a part in it, and is told what to make. What is said plainly in two languages code
//! reads as well, whatever a model makes of the message. Where neither says anything and an agent is made, the planner is
//! asked once more.

mod said;
#[cfg(test)]
mod tests;

use assent_core::contract::{Fault, Stage};
use assent_core::heap::Registry;
use assent_core::ids::StepId;
use assent_core::plan::{Executor, ExecutorKind, Known, Origin, Outline, Plan, Step, StepType, steps_to_route};
use serde_json::{Map, Value, json};

pub(super) use self::said::{Pattern, says};
use self::said::{is_read, time_of, wants_workflow};
use super::After;
use super::creators::{AGENT, CREATE_AGENT, Wanted, agents_wanted, is_earlier};

/// Who makes workflows.
pub(super) const WORKFLOW: &str = "workflow";
/// The tool that makes them.
pub(super) const CREATE_WORKFLOW: &str = "create_workflow";

/// What it is told where the planner has told it nothing.
const INSTRUCTIONS: &str = "List the workflows; where one of them is meant, change or run that one. Else make one workflow that \
     does what the message wants run, once or again and again, with the agents of this plan as the specialists of its steps. Run \
     it only if the message asks for a run now. Say what starts it.";
/// In the context of a plan: when it is to be done.
pub(crate) const WHEN: &str = "when";

/// What a small planner chooses from, beside what is made and then run.
const ONCE: &str = "once";
const AGAIN: &str = "again and again";
/// What others write for the first.
const NOT_LATER: [&str; 12] =
    [ONCE, "now", "right now", "immediately", "one time", "just once", "no", "none", "never", "null", "false", "-"];

/// When a plan is to be done, as its planner says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum When {
    /// It says nothing of it.
    Unsaid,
    /// Once, and then it is over.
    Once,
    /// Again and again, at a time, or once what it makes is there: in these words.
    Later(String),
}

impl When {
    /// What a planner has written.
    pub(super) fn of(said: Option<&str>) -> Self {
        let Some(said) = said.map(|said| said.trim().trim_end_matches('.')).filter(|said| !said.is_empty()) else {
            return Self::Unsaid;
        };
        let is_once = NOT_LATER.contains(&said.to_lowercase().as_str());
        if is_once { Self::Once } else { Self::Later(said.to_owned()) }
    }

    /// The planner's words, where they are the message's.
    fn words<'s>(&'s self, message: &str) -> Option<&'s str> {
        match self {
            Self::Later(words) if message.to_lowercase().contains(&words.to_lowercase()) => Some(words),
            _ => None,
        }
    }
}

/// What a planner has written, as far as it tells which steps of the plan are its own and when they are to be done.
pub(super) struct Written {
    when: When,
    tasks: Vec<String>,
}

impl Written {
    pub(super) fn of(outline: &Outline) -> Self {
        let tasks = outline.steps.iter().map(|step| &step.description).chain([&outline.refined_task]);
        Self { when: When::of(outline.when.as_deref()), tasks: tasks.map(|task| task.trim().to_lowercase()).collect() }
    }

    /// Whether a step of an earlier plan is written down once more.
    fn has(&self, step: &Step) -> bool {
        self.tasks.contains(&step.description.trim().to_lowercase())
    }
}

/// A compact example that says when it is to be done, as a small planner has to.
pub(super) fn timed(plan: &Value) -> Value {
    let Some(fields) = plan.as_object().filter(|fields| fields.contains_key("steps")) else { return plan.clone() };
    let makes = |step: &Value| step["tool"] == CREATE_WORKFLOW;
    let again = fields["steps"].as_array().is_some_and(|steps| steps.iter().any(makes));
    let mut timed = Map::new();
    for (key, value) in fields {
        if key == "steps" {
            timed.insert(WHEN.to_owned(), json!(if again { AGAIN } else { ONCE }));
        }
        timed.insert(key.clone(), value.clone());
    }
    Value::Object(timed)
}

/// Holds a plan to what it says of itself, and to what the message plainly says: where something is to be done again and
/// again, or run once it is made, whoever makes workflows has a step and knows what to make. What is to be said more plainly.
///
/// Only steps that the planner has written count: what an earlier plan has made is not what this message wants.
pub(super) fn with_workflow(
    plan: &mut Plan,
    (known, registry): (&Known, Option<&Registry>),
    written: &Written,
    after: &After<'_>,
) -> Option<Fault> {
    let when = &written.when;
    let is_written = |step: &Step| !is_earlier(after, &step.id) || written.has(step);
    if !known.runs(WORKFLOW) || plan.steps.is_empty() || matches!(after, After::Comment) {
        return None;
    }
    let is_of = |step: &&Step, wanted: &str| {
        let id = step.executor.id.as_str();
        let root = registry.and_then(|registry| registry.root_of(id)).unwrap_or(id);
        step.executor.kind == ExecutorKind::Specialist && root == wanted && is_written(step)
    };
    let requires = |step: &Step, tool: &str| step.required_tools.iter().any(|one| one == tool);
    let mut theirs = plan.steps.iter().filter(|step| is_of(step, WORKFLOW)).peekable();
    let has_a_part = theirs.peek().is_some();
    let is_untold = !has_a_part
        || theirs.any(|step| step.instructions.is_none() && (step.is_handed_over() || requires(step, CREATE_WORKFLOW)));
    // Whoever is handed a task finds out what to do: of what is read here, the words say whether that is to make one.
    let is_foreign = !is_read(&plan.user_message);
    let may_make = |step: &Step| requires(step, CREATE_AGENT) || step.is_handed_over() && is_foreign;
    let makes_agents = plan.steps.iter().any(|step| is_of(&step, AGENT) && may_make(step));
    if !matches!(when, When::Later(_)) && !wants_workflow(&plan.user_message) {
        let is_unsaid = *when == When::Unsaid && agents_wanted(&plan.user_message) == Wanted::Unsaid;
        return (is_unsaid && makes_agents && !has_a_part).then(unsaid);
    }
    if let Some(words) = told_when(plan, when).map(str::to_owned) {
        plan.extracted_context.entry(WHEN).or_insert(Value::String(words));
    }
    if is_untold {
        plan.instructions.entry(WORKFLOW.to_owned()).or_insert_with(|| INSTRUCTIONS.to_owned());
    }
    (!has_a_part).then(|| add_step(plan))
}

/// What whoever makes workflows is told of the time: the planner's words, unless the message is plainer than they are.
fn told_when<'p>(plan: &'p Plan, when: &'p When) -> Option<&'p str> {
    let words = when.words(&plan.user_message);
    words.filter(|words| time_of(words).is_some()).or_else(|| time_of(&plan.user_message)).or(words)
}

fn unsaid() -> Fault {
    let fault = Fault::new(Stage::Plan, "the plan makes an agent and does not say when it is to run").at([WHEN]);
    fault.hint("Say \"once\" in when where it is only made. Where it is also to run, give the specialist workflow a step after it.")
}

/// Adds the step that a plan lacks; says so.
fn add_step(plan: &mut Plan) -> Fault {
    let followed = |id: &StepId| plan.steps.iter().any(|step| step.dependencies.contains(id));
    let last: Vec<StepId> = plan.steps.iter().map(|step| step.id.clone()).filter(|id| !followed(id)).collect();
    let mut number = plan.steps.len() + 1;
    while plan.steps.iter().any(|step| step.id.as_str() == format!("s{number}")) {
        number += 1;
    }
    let is_route = plan.steps.iter().all(|step| step.origin == Origin::Route);
    plan.steps.push(Step {
        origin: if is_route { Origin::Route } else { Origin::Todo },
        step_type: Some(StepType::Tool),
        executor: Executor { kind: ExecutorKind::Specialist, id: WORKFLOW.to_owned() },
        dependencies: last,
        ..Step::new(StepId::new(format!("s{number}")), "Save it as a workflow, as the message asks")
    });
    plan.route = steps_to_route(&plan.steps);
    let message = "the message wants something run, once or again and again, and no step makes a workflow of it";
    let fault = Fault::new(Stage::Plan, message).at(["steps"]);
    fault.hint(
        "Give the specialist workflow a step after the others, and say in instructionsForWorkflow what to make; or say \"once\" \
         in when, where it is none of that.",
    )
}
