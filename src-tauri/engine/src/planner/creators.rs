//! An agent that is asked for once is made once. Code reads how many agents a message asks for, so that one step makes
//! it whatever a planner wrote: a second maker goes, and so does a specialist who improves what is not there yet.
//!
//! Only what is said plainly counts. A message that may mean several agents is left to whoever plans.

use std::sync::LazyLock;

use assent_core::contract::{Fault, Stage};
use assent_core::heap::Registry;
use assent_core::ids::StepId;
use assent_core::plan::{ExecutorKind, Plan, PlanEdit, Step, apply, steps_to_route};
use regex::Regex;

use super::After;
use super::scheduled::{Pattern, says};

/// The tool that makes an agent, and the specialist who has it.
pub(crate) const CREATE_AGENT: &str = "create_agent";
pub(crate) const AGENT: &str = "agent";
/// What the names of those begin with who improve what is there.
const IMPROVES: &str = "improve";

/// Agents are made: a verb, and in the same sentence what it makes.
static MAKES: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:create|make|build|set up|add|need|want|erstelle|erzeuge|baue|mache|brauche)\b[^.!?\n]{0,60}\bagent(?:s|en)?\b",
    )
    .ok()
});

/// One agent, with at most four words about it.
static ONE: Pattern =
    LazyLock::new(|| Regex::new(r"\b(?:one|an?|1|another|einen?)\s+(?:[\w-]+,?\s+){0,4}?agent(?:en)?\b").ok());

/// More than one, or as many as there are of something.
static SEVERAL: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\bagents\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|several|many|few|both|zwei|drei|vier|fünf|mehrere|einige|beide|[2-9]|\d{2,})\s+(?:[\w-]+\s+){0,2}agent|\b(?:for|per|je|für|pro)\s+(?:each|every|all|jede[nrs]?|alle)\b|\b(?:each|jeweils)$|\bone\s+(?:for|per|that|which|each)\b|\b(?:and|then|und)\s+(?:one|another|einen?)\b",
    )
    .ok()
});

/// Something that is there is to become better.
static BETTER: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:improv\w*|fix\w*|better|repair\w*|correct\w*|optimi[sz]\w*|tune|tweak|refine|mend|wrong|fail\w*|broken|verbess\w*|repari\w*|korrig\w*|behebe\w*)\b",
    )
    .ok()
});

/// Whether a message asks for exactly one agent to be made.
pub(crate) fn asks_for_one_agent(message: &str) -> bool {
    let text = message.trim().to_lowercase();
    let named = ONE.iter().flat_map(|one| one.find_iter(&text)).take(2).count();
    named == 1 && says(&MAKES, &text) && !says(&SEVERAL, &text)
}

/// Leaves one step that makes the agent, where the message asks for one, and none of who improves, where nothing is to
/// become better. What a second maker was to make is added to the first. Steps that the plan takes over from an earlier
/// one are done and stay. Says what was left out.
pub(super) fn one_creator(plan: &mut Plan, registry: Option<&Registry>, after: &After<'_>) -> Option<Fault> {
    let text = plan.user_message.to_lowercase();
    if !says(&MAKES, &text) {
        return None;
    }
    let of = |step: &Step| {
        let id = step.executor.id.as_str();
        let root = registry.and_then(|registry| registry.root_of(id)).unwrap_or(id);
        if step.executor.kind == ExecutorKind::Specialist { root.to_owned() } else { String::new() }
    };
    let makes = |step: &Step| {
        let requires = step.required_tools.iter().any(|tool| tool == CREATE_AGENT);
        requires || step.is_handed_over() && of(step) == AGENT
    };
    let new: Vec<&Step> = plan.steps.iter().filter(|step| !is_earlier(after, &step.id)).collect();
    let makers = || new.iter().filter(|step| makes(step));
    let kept = makers().find(|step| of(step) == AGENT).or(makers().next())?.id.clone();
    let (alone, better) = (asks_for_one_agent(&plan.user_message), says(&BETTER, &text));
    let goes = |step: &Step| alone && makes(step) || !better && of(step).starts_with(IMPROVES);
    let gone: Vec<(Step, bool)> =
        new.iter().filter(|step| step.id != kept && goes(step)).map(|step| ((*step).clone(), makes(step))).collect();
    if gone.is_empty() {
        return None;
    }
    let derived = plan.route == steps_to_route(&plan.steps);
    for (step, is_maker) in &gone {
        // What it waits for has changed with those that went before it.
        let now = plan.step(&step.id).cloned();
        if let Some(step) = now.filter(|_| *is_maker) {
            hand_to(plan, &step, &kept);
        }
        // Of steps of which one stays each of the others can go.
        let _ = apply(plan, PlanEdit::RemoveStep { step: step.id.clone() });
    }
    if derived {
        plan.route = steps_to_route(&plan.steps);
    }
    let named: Vec<String> = gone.iter().map(|(step, _)| format!("{:?}", step.description)).collect();
    let message = format!("one step makes the agent that the message asks for; left out: {}", named.join(", "));
    Some(Fault::new(Stage::Plan, message).at(["steps"]))
}

fn is_earlier(after: &After<'_>, step: &StepId) -> bool {
    match after {
        After::Nothing => false,
        After::Question { plan, .. } | After::Finished(plan) => plan.plan.step(step).is_some(),
    }
}

/// What a step was to make, and what it needs for that, comes to the one that stays; whoever waited for it waits for that
/// one.
fn hand_to(plan: &mut Plan, gone: &Step, kept: &StepId) {
    let later = building_on(plan, kept);
    let needed: Vec<StepId> = gone.dependencies.iter().filter(|id| !later.contains(id)).cloned().collect();
    let free: Vec<StepId> =
        plan.steps.iter().map(|step| &step.id).filter(|id| !building_on(plan, id).contains(kept)).cloned().collect();
    for step in &mut plan.steps {
        let more = if step.id == *kept {
            if !step.description.contains(&gone.description) {
                step.description = format!("{}; {}", step.description, gone.description);
            }
            needed.clone()
        } else if step.id != gone.id && step.dependencies.contains(&gone.id) && free.contains(&step.id) {
            vec![kept.clone()]
        } else {
            continue;
        };
        let missing: Vec<StepId> = more.into_iter().filter(|id| !step.dependencies.contains(id)).collect();
        step.dependencies.extend(missing);
    }
}

/// A step and all that build on it, directly or not.
fn building_on(plan: &Plan, on: &StepId) -> Vec<StepId> {
    let mut found = vec![on.clone()];
    let mut at = 0;
    while at < found.len() {
        let waits = |step: &&Step| step.dependencies.contains(&found[at]) && !found.contains(&step.id);
        let next: Vec<StepId> = plan.steps.iter().filter(waits).map(|step| step.id.clone()).collect();
        found.extend(next);
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use assent_core::heap::{Caps, SpecialistSpec, build};
    use assent_core::plan::{Plan, import};
    use serde_json::{Value, json};

    use super::{After, asks_for_one_agent, one_creator};
    use crate::planner::Progress;

    #[test]
    fn one_agent_is_what_is_plainly_one() {
        for message in [
            "Create one agent that watches https://example.com/feed",
            "Please create an agent for my saved search and run it every morning.",
            "I need an agent, and a workflow that runs it daily",
            "Make me a small reading agent",
            "Add another agent for the invoices",
            "Erstelle einen Agenten, der den Ordner prüft",
        ] {
            assert!(asks_for_one_agent(message), "{message}");
        }
        for message in [
            "Create two agents, one for mail and one for notes",
            "Create 3 agents",
            "Create an agent for mail and one for notes",
            "Create an agent for mail and an agent for notes",
            "Create an agent for each feed",
            "Make an agent for mail, then another for notes",
            "Build agents for these sites",
            "Erstelle mehrere Agenten",
            "Which agent is the latest?",
            "Run the agent",
            "Count the lines of agent.log",
            "",
        ] {
            assert!(!asks_for_one_agent(message), "{message}");
        }
    }

    const ONE: &str = "Create one agent for the search";

    fn plan(message: &str, steps: Value) -> Plan {
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c",
            "userMessage": message, "steps": steps});
        let mut plan = import(&document.to_string()).unwrap();
        plan.route = assent_core::plan::steps_to_route(&plan.steps);
        plan
    }

    fn step(id: &str, text: &str, who: &str, tools: &[&str], after: &[&str]) -> Value {
        json!({"id": id, "description": text, "executor": {"kind": "specialist", "id": who},
            "requiredTools": tools, "dependencies": after})
    }

    fn handed(id: &str, who: &str, after: &[&str]) -> Value {
        json!({"id": id, "description": "Do it", "origin": "route", "executor": {"kind": "specialist", "id": who},
            "dependencies": after})
    }

    /// What is left of a plan, `id: text [after]`, and whether something was said.
    fn left(message: &str, steps: Value, after: &After<'_>) -> (Vec<String>, bool) {
        let named = |id: &str, tools: &[&str]| SpecialistSpec {
            id: id.to_owned(),
            tool_names: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            top_level: true,
            ..SpecialistSpec::default()
        };
        let all: Vec<String> = (0..12).map(|at| format!("agent_tool_{at}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let specs = [named("agent", &all), named("improvement", &["propose_change"]), named("improve_run", &["x"])];
        let (registry, _) = build(&specs, Caps::default());
        let mut plan = plan(message, steps);
        let said = one_creator(&mut plan, Some(&registry), after);
        assert_eq!(plan.route, assent_core::plan::steps_to_route(&plan.steps));
        let told = plan.steps.iter().map(|step| {
            let after: Vec<&str> = step.dependencies.iter().map(|id| id.as_str()).collect();
            format!("{} {}: {} [{}]", step.id, step.executor.id, step.description, after.join(" "))
        });
        (told.collect(), said.is_some())
    }

    // covers: P7 P21 P22
    #[test]
    fn of_several_steps_that_make_the_one_agent_one_is_left_with_all_that_it_is_to_be() {
        let create: &[&str] = &["create_agent"];
        let (steps, said) = left(
            ONE,
            json!([
                step("s1", "Look", "workspace", &["read"], &[]),
                step("s2", "Improve it", "improvement", create, &[]),
                step("s3", "Create it", "agent__part2", create, &[]),
                step("s4", "Create it with mail", "agent", create, &["s1", "s3"]),
                step("s5", "Tell", "general", &[], &["s4"]),
            ]),
            &After::Nothing,
        );
        let expected = [
            "s1 workspace: Look []",
            "s3 agent__part2: Create it; Improve it; Create it with mail [s1]",
            "s5 general: Tell [s1 s3]",
        ];
        assert_eq!((steps, said), (expected.map(str::to_owned).to_vec(), true));

        let route = || {
            json!([
                handed("s1", "agent", &[]),
                handed("s2", "improvement", &[]),
                handed("s3", "improve_run", &["s1", "s2"]),
                handed("s4", "agent", &["s3"])
            ])
        };
        assert_eq!(left(ONE, route(), &After::Nothing), (vec!["s1 agent: Do it []".to_owned()], true));
        // Several are wanted: nobody improves, and each is made.
        let (steps, _) = left("Create two agents", route(), &After::Nothing);
        assert_eq!(steps, ["s1 agent: Do it []", "s4 agent: Do it [s1]"]);
        // Who improves has a part where something is to become better, or where nothing is made.
        let (steps, _) = left("Create an agent and improve the old ones", route(), &After::Nothing);
        assert_eq!(steps.len(), 3);
        assert_eq!(left("Look at the runs", route(), &After::Nothing).0.len(), 4);
    }

    #[test]
    fn what_an_earlier_plan_has_made_stays_as_it_was() {
        let before = plan("Create one agent", json!([step("s1", "Create it", "agent", &["create_agent"], &[])]));
        let progress = Progress { plan: &before, next: 2, settled: &[] };
        let steps = json!([
            step("s1", "Create it", "agent", &["create_agent"], &[]),
            step("s2", "Create the other", "agent", &["create_agent"], &["s1"]),
        ]);
        let (steps, said) = left("Create another agent", steps, &After::Finished(&progress));
        assert_eq!((steps.len(), said), (2, false));
    }
}
