//! Who makes the agents of a plan, and what is left out of it.

use assent_core::heap::{Caps, SpecialistSpec, build};
use assent_core::plan::{Plan, import};
use serde_json::{Value, json};

use super::{After, Creators, Wanted, agents_wanted, one_creator};
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
        assert_eq!(agents_wanted(message), Wanted::One, "{message}");
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
    ] {
        assert_eq!(agents_wanted(message), Wanted::Several, "{message}");
    }
    for message in [
        "Which agent is the latest?",
        "Run the agent",
        "Count the lines of agent.log",
        "",
        "Crée un agent qui surveille le flux",
        "Crea dos agentes",
    ] {
        assert_eq!(agents_wanted(message), Wanted::Unsaid, "{message}");
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
    let (steps, creators) = settled(message, steps, after);
    (steps, creators.left_out.is_some())
}

/// What is left of a plan where the agent `watcher` is there, and what is said.
fn settled(message: &str, steps: Value, after: &After<'_>) -> (Vec<String>, Creators) {
    let named = |id: &str, tools: &[&str]| SpecialistSpec {
        id: id.to_owned(),
        tool_names: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        top_level: true,
        ..SpecialistSpec::default()
    };
    let all: Vec<String> = (0..12).map(|at| format!("agent_tool_{at}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).chain(["create_agent"]).collect();
    let specs = [named("agent", &all), named("improvement", &["propose_change"]), named("improve_run", &["x"])];
    let (registry, _) = build(&specs, Caps::default());
    let mut plan = plan(message, steps);
    let there = [("watcher".to_owned(), "watcher".to_owned())].into_iter().collect();
    let said = one_creator(&mut plan, Some(&registry), &there, after);
    assert_eq!(plan.route, assent_core::plan::steps_to_route(&plan.steps));
    let told = plan.steps.iter().map(|step| {
        let after: Vec<&str> = step.dependencies.iter().map(|id| id.as_str()).collect();
        format!("{} {}: {} [{}]", step.id, step.executor.id, step.description, after.join(" "))
    });
    (told.collect(), said)
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
    // Who improves has a part where something is to become better.
    let (steps, _) = left("Create an agent and improve the old ones", route(), &After::Nothing);
    assert_eq!(steps.len(), 3);
}

// covers: P22
#[test]
fn whoever_improves_has_a_part_in_a_plan_that_makes_nothing_only_where_something_is_to_become_better() {
    let alone = || json!([handed("s1", "workspace", &[]), handed("s2", "improvement", &["s1"])]);
    let asked = |message: &str, steps: Value| {
        let (steps, said) = settled(message, steps, &After::Nothing);
        assert!(said.left_out.is_none(), "what a person's words do not say is asked for, and not taken out: {said:?}");
        (steps.len(), said.open.first().map(|fault| fault.message.clone()))
    };
    let (left, why) = asked("Summarise notes.md", alone());
    assert_eq!(left, 2);
    assert!(why.unwrap().contains("names nothing that is there and is to become better"));
    for message in ["Improve the summary in notes.md", "Why did the last run fail?", "Verbessere die Notizen"] {
        assert_eq!(asked(message, alone()), (2, None), "{message}");
    }
    let named =
        json!([step("s1", "Look through watcher and propose a change", "improvement", &["propose_change"], &[])]);
    assert_eq!(asked("Look at the runs", named), (1, None));
}

const CREATE: &[&str] = &["create_agent"];
/// In a language whose words nobody reads here.
const FRENCH: &str = "Crée un agent pour la recherche";

// covers: P7 P21
#[test]
fn in_any_language_who_owns_the_tool_makes_the_agent_and_two_specialists_never_make_the_same() {
    let by_both = json!([
        step("s1", "Le créer", "improvement", CREATE, &[]),
        step("s2", "Créer l'agent", "agent", CREATE, &[]),
        step("s3", "Raconter", "general", &[], &["s1"]),
    ]);
    let (steps, said) = settled(FRENCH, by_both, &After::Nothing);
    assert_eq!(steps, ["s2 agent: Créer l'agent; Le créer []", "s3 general: Raconter [s2]"]);
    assert!(said.left_out.is_some() && said.open.is_empty(), "{said:?}");
    let by_another = json!([step("s1", "Le créer", "improvement", CREATE, &[])]);
    let (steps, said) = settled(FRENCH, by_another, &After::Nothing);
    assert_eq!((steps, said.open.len()), (vec!["s1 agent: Le créer []".to_owned()], 0));
}

// covers: P7 P21 P22
#[test]
fn what_a_plan_leaves_open_in_a_language_that_is_not_read_is_asked_for_once_more() {
    let twice = json!([step("s1", "Le créer", "agent", CREATE, &[]), step("s2", "L'autre", "agent", CREATE, &[])]);
    let (steps, said) = settled(FRENCH, twice, &After::Nothing);
    assert_eq!((steps.len(), said.open.len()), (2, 1), "{said:?}");
    assert!(said.open[0].message.contains("2 steps may each make an agent"), "{said:?}");

    let improved = |text: &str, tools: &[&str]| {
        json!([
            step("s1", "Le créer", "agent", tools, &[]),
            step("s2", text, "improvement", &["propose_change"], &["s1"])
        ])
    };
    let (steps, said) = settled(FRENCH, improved("L'améliorer", CREATE), &After::Nothing);
    assert_eq!(steps, ["s1 agent: Le créer []"], "nothing is there that it names");
    assert!(said.left_out.is_some() && said.open[0].message.contains("names nothing that is there"), "{said:?}");
    let (steps, said) = settled(FRENCH, improved("Améliorer watcher", CREATE), &After::Nothing);
    assert_eq!((steps.len(), said.open.len()), (2, 0), "it names one that is there: {said:?}");

    // Whether a task that is handed over makes an agent is not certain: nothing is left out.
    let handed_over = json!([handed("s1", "agent", &[]), handed("s2", "improvement", &["s1"])]);
    let (steps, said) = settled(FRENCH, handed_over, &After::Nothing);
    assert_eq!((steps.len(), said.left_out, said.open.len()), (2, None, 1));
}

// covers: P12 P23
#[test]
fn whoever_improves_works_after_those_who_make_and_never_beside_them_whatever_the_language() {
    for message in
        [FRENCH, "Create an agent and improve the old ones", "Create two agents, and make the old ones better"]
    {
        let beside =
            json!([handed("s1", "agent", &[]), handed("s2", "improvement", &[]), handed("s3", "improve_run", &["s1"])]);
        let (steps, _) = settled(message, beside, &After::Nothing);
        let expected =
            ["s1 agent: Do it []", "s2 improvement: Do it [s1]", "s3 improve_run: Do it [s1]"].map(str::to_owned);
        assert_eq!(steps, expected, "{message}");
        // The other way round they wait for each other already.
        let before = json!([handed("s1", "improvement", &[]), handed("s2", "agent", &["s1"])]);
        let (steps, _) = settled(message, before, &After::Nothing);
        assert_eq!(steps, ["s1 improvement: Do it []", "s2 agent: Do it [s1]"], "{message}");
    }
}

#[test]
fn what_an_earlier_plan_has_made_stays_as_it_was() {
    let before = plan("Create one agent", json!([step("s1", "Create it", "agent", &["create_agent"], &[])]));
    let progress = Progress { plan: &before, next: 2, settled: &[], remarks: &[] };
    let steps = json!([
        step("s1", "Create it", "agent", &["create_agent"], &[]),
        step("s2", "Create the other", "agent", &["create_agent"], &["s1"]),
    ]);
    let (steps, said) = left("Create another agent", steps, &After::Finished(&progress));
    assert_eq!((steps.len(), said), (2, false));
}
