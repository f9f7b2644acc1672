//! What a plan says of when it is to be done, and what it is held to.

use assent_core::plan::{Known, Outline, Plan, import, steps_to_route};
use serde_json::{Value, json};

use super::{AGAIN, After, When, Written, timed, with_workflow};
use crate::planner::Progress;

/// A plan of which nothing is known but when it is to be done.
fn written(when: Option<&str>) -> Written {
    Written::of(&Outline { when: when.map(str::to_owned), ..Outline::default() })
}

#[test]
fn what_a_planner_says_is_read_in_any_language() {
    for once in ["once", " Once. ", "now", "none", "NULL", "-"] {
        assert_eq!(When::of(Some(once)), When::Once, "{once}");
    }
    for unsaid in [None, Some(""), Some(" ")] {
        assert_eq!(When::of(unsaid), When::Unsaid);
    }
    for later in ["chaque lundi à 8 h", "每天早上", AGAIN, "made and run"] {
        assert_eq!(When::of(Some(later)), When::Later(later.to_owned()));
    }
}

fn plan(message: &str, steps: Value) -> Plan {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c", "userMessage": message,
        "steps": steps});
    let mut plan = import(&document.to_string()).unwrap();
    plan.route = steps_to_route(&plan.steps);
    plan
}

fn known() -> Known {
    let mut known = Known::default();
    known.specialists.insert("agent".to_owned(), Default::default());
    known.specialists.insert("workflow".to_owned(), Default::default());
    known
}

fn handed(who: &str) -> Value {
    json!({"id": who, "description": "Le faire", "origin": "route", "executor": {"kind": "specialist", "id": who}})
}

// covers: P8 P24
#[test]
fn a_plan_is_held_to_what_it_says_of_when_it_is_done_whatever_the_language() {
    let message = "Crée un agent qui surveille le flux et lance-le chaque lundi à 8 h";
    let settled = |when: Option<&str>, steps: Value| {
        let mut plan = plan(message, steps);
        let fault = with_workflow(&mut plan, (&known(), None), &written(when), &After::Nothing);
        (plan, fault)
    };
    let (added, fault) = settled(Some("chaque lundi à 8 h"), json!([handed("agent")]));
    let who: Vec<&str> = added.steps.iter().map(|step| step.executor.id.as_str()).collect();
    assert_eq!(who, ["agent", "workflow"]);
    assert_eq!(added.steps[1].dependencies, [added.steps[0].id.clone()]);
    assert_eq!(added.extracted_context["when"], "chaque lundi à 8 h");
    assert!(added.instructions["workflow"].contains("make one workflow"), "{:?}", added.instructions);
    assert!(fault.is_some_and(|fault| fault.message.contains("no step makes a workflow")));

    // Of two that are told the plainer one counts.
    let english = |when: &str| {
        let mut plan = plan("Make an agent. Run it every Monday at 8.", json!([handed("agent")]));
        with_workflow(&mut plan, (&known(), None), &written(Some(when)), &After::Nothing);
        plan.extracted_context["when"].clone()
    };
    assert_eq!(
        (english("run it"), english("every Monday")),
        (json!("Run it every Monday at 8."), json!("every Monday"))
    );
    // What a small planner chooses is none of the message's words.
    let (added, _) = settled(Some(AGAIN), json!([handed("agent")]));
    assert_eq!((added.steps.len(), added.extracted_context.len()), (2, 0));
    // It has a part and is told nothing: it is told, and nobody is asked once more.
    let (told, fault) = settled(Some(AGAIN), json!([handed("agent"), handed("workflow")]));
    assert_eq!((told.steps.len(), fault), (2, None));
    assert!(told.instructions.contains_key("workflow"));
    let running = json!([{"id": "s1", "description": "Le lancer", "requiredTools": ["run_workflow"],
        "executor": {"kind": "specialist", "id": "workflow"}}]);
    assert_eq!(settled(Some("lance-le"), running).0.instructions.len(), 0, "its task says what to run");

    let (once, fault) = settled(Some("once"), json!([handed("agent")]));
    assert_eq!((once.steps.len(), fault), (1, None));
    let (unsaid, fault) = settled(None, json!([handed("agent")]));
    assert_eq!(unsaid.steps.len(), 1);
    assert!(fault.is_some_and(|fault| fault.message.contains("does not say when")));
    assert_eq!(settled(None, json!([handed("agent"), handed("workflow")])).1, None);
    let looks = json!([{"id": "s1", "description": "Regarder", "requiredTools": ["grep"]}]);
    assert_eq!(settled(None, looks).1, None, "no agent is made");

    // Where nobody makes workflows, nothing is added.
    let mut alone = plan(message, json!([handed("agent")]));
    assert_eq!(with_workflow(&mut alone, (&Known::default(), None), &written(Some(AGAIN)), &After::Nothing), None);
    assert_eq!(alone.steps.len(), 1);
}

#[test]
fn an_example_says_when_it_is_done_before_its_steps() {
    let step = |tool: &str| json!({"tool": tool, "do": "x", "expect": "y"});
    let shown = timed(&json!({"title": "T", "steps": [step("grep")]}));
    assert_eq!(shown.to_string(), r#"{"title":"T","when":"once","steps":[{"tool":"grep","do":"x","expect":"y"}]}"#);
    assert_eq!(timed(&json!({"title": "T", "steps": [step("create_workflow")]}))["when"], "again and again");
    assert_eq!(timed(&json!({"title": "T", "answer": "x"})), json!({"title": "T", "answer": "x"}));
}

// covers: P8 P24
#[test]
fn what_an_earlier_plan_has_made_is_not_what_this_message_wants() {
    let earlier = |who: &str, id: &str| json!({"id": id, "description": "Fait", "origin": "route", "executor": {"kind": "specialist", "id": who}});
    let done = [earlier("agent", "s1"), earlier("workflow", "s2")];
    let before = plan("Crée-le", json!(done));
    let progress = Progress { plan: &before, next: 2, settled: &[], remarks: &[] };
    let goes_on = |when: &str, refined_task: &str| {
        let steps = [&done[..], &[earlier("general", "s3")]].concat();
        let mut plan = plan("Et raconte-le chaque jour", json!(steps));
        let outline =
            Outline { when: Some(when.to_owned()), refined_task: refined_task.to_owned(), ..Outline::default() };
        let fault = with_workflow(&mut plan, (&known(), None), &Written::of(&outline), &After::Finished(&progress));
        (plan.steps.len(), fault.is_some())
    };
    assert_eq!(goes_on("chaque jour", "Raconter"), (4, true), "that workflow is another one");
    assert_eq!(goes_on("chaque jour", " FAIT"), (3, false), "the planner has written it down once more");
    assert_eq!(goes_on("", "Raconter"), (3, false), "that agent is made already");
}
