//! Whoever is named is brought to a leaf before anything runs.

use std::collections::BTreeSet;

use assent_core::contract::estimate_tokens;
use assent_core::heap::{Decision, Expanded, Settled};
use assent_core::run::{Answer, CallStatus, Content, EventKind, Purpose};
use assent_engine::heap::Delegation;
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::model::{Message as Said, PlannerProfile, Request};
use assent_engine::turn::TurnEnd;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::{AGENT, IMPROVEMENT, Studios, URL, WORKFLOW, decision, handed_over, names, pack, said, step};

// covers: H4 H6 H8 H43 H44 H51 H53 H54 H58 H65 H72 H80 H81 P3 P16 P17 P18 P19 P44 P48 P65 P70 P71 P72
#[tokio::test]
async fn a_route_of_specialists_is_planned_expanded_and_carried_out_by_leaves_alone() {
    let mut flat = pack();
    flat["specialists"].as_array_mut().unwrap().truncate(3);
    let studio = Studios::with(PlannerProfile::Full, &flat).await;
    let plan = json!({
        "title": "Agent and schedule", "priorityOrder": ["general", "agent", "workflow"],
        "refinedTask": "Create one agent for the search and run it daily.",
        "extractedContext": {"savedSearchUrl": URL},
        "instructionsForGeneral": "Do not ask for credentials in chat; ask only schedule, output format, run now.",
        "instructionsForAgent": "Create exactly one agent for the search.",
        "instructionsForWorkflow": "Create a workflow, attach the agent, run it daily.",
    });
    studio.says(Purpose::Plan, &plan.to_string());
    studio.says(Purpose::Choose, r#"{"specialist":"workflow__part2"}"#);
    studio.says(Purpose::Step, "Nothing is missing: it runs daily.");
    studio.calls("create_agent", json!({"url": URL}));
    studio.says(Purpose::Step, "The agent watches the search.");
    studio.calls("create_workflow", json!({"agent": "a1"}));
    studio.calls("update_workflow", json!({"agent": "a1", "schedule": "daily"}));
    studio.says(Purpose::Step, "A workflow runs it daily.");
    studio.says(Purpose::Synthesis, "One agent watches the search, and a workflow runs it daily.");
    let end = studio.send(&format!("Create one agent for {URL} and run it daily")).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(studio.called(), ["create_agent", "create_workflow", "update_workflow"]);

    // One planner call and no router; the choice comes before the first step, and one answer after the last, of all parts.
    use Purpose::{Choose, Plan, Step, Synthesis};
    assert_eq!(studio.purposes(), [Plan, Choose, Step, Step, Step, Step, Step, Step, Synthesis]);
    let merging = said(&studio.of(Synthesis)[0]);
    for part in ["Nothing is missing: it runs daily.", "The agent watches the search.", "A workflow runs it daily."] {
        assert!(merging.contains(part), "{part}: {merging}");
    }
    let merged = Content::inline("One agent watches the search, and a workflow runs it daily.");
    let is_answer = |kind: &EventKind| matches!(kind, EventKind::Answered { text } if *text == merged);
    assert!(studio.events().iter().any(|event| is_answer(&event.kind)), "{:?}", studio.events());
    let planner = said(&studio.of(Plan)[0]);
    let top = ["- general:", "- workspace:", "- agent:", "- improvement:", "Ask the user (2)"];
    for shown in top.into_iter().chain(["- workflow: Does all about workflow.; tools (13)"]) {
        assert!(planner.contains(shown), "{shown}: {planner}");
    }
    for hidden in ["create_workflow", "create_agent", "workflow_runs", "__part", "propose_change"] {
        let rules = planner.split("Specialists:").nth(1).unwrap();
        let listed = rules.split("Available Tools:").next().unwrap();
        assert!(!listed.contains(hidden), "{hidden}: {listed}");
    }
    assert!(planner.contains("Ask for a workflowId or agentId, or anything else, only when it is genuinely ambiguous"));
    assert!(planner.contains("\"list workflows; if only one, run it\""));

    let choosing = said(&studio.of(Choose)[0]);
    assert!(choosing.contains("Create one agent for the search and run it daily."), "it is told the task: {choosing}");
    assert!(
        choosing.contains("Plan for whoever does it: Create a workflow, attach the agent, run it daily."),
        "{choosing}"
    );
    assert!(!choosing.contains("exactly one agent"), "it is told nobody else's: {choosing}");
    let expanded = Expanded {
        from: "workflow".to_owned(),
        root: "workflow".to_owned(),
        leaf: "workflow__part2".to_owned(),
        path: vec![decision("workflow", "workflow__part2", Settled::Chooser)],
        calls: 1,
    };
    assert_eq!(studio.expanded(), [("s3".to_owned(), expanded)]);
    let events = studio.events();
    let place = |is: &dyn Fn(&EventKind) -> bool| events.iter().position(|event| is(&event.kind)).unwrap();
    let planned = place(&|kind| matches!(kind, EventKind::PlanProposed { .. }));
    let chosen = place(&|kind| matches!(kind, EventKind::StepExpanded { .. }));
    let begun = place(&|kind| matches!(kind, EventKind::StepStarted { .. }));
    assert!(planned < chosen && chosen < begun, "plan, expansion, run: {planned} {chosen} {begun}");

    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::StepDelegated { .. })), "nothing is handed on");

    // Each leaf sees its own tools and its own part of the plan; none sees more than the cap.
    let steps = studio.of(Step);
    assert!(studio.model.requests().iter().all(|request| request.tools.len() <= 10));
    let (general, agent, workflow) = (&steps[0], &steps[1], &steps[3]);
    let has = |request: &Request, all: &[&str]| all.iter().filter(|tool| names(request).contains(tool)).count();
    assert_eq!((has(general, &AGENT), has(general, &WORKFLOW)), (0, 0), "{:?}", names(general));
    assert_eq!((has(agent, &AGENT), has(agent, &WORKFLOW)), (4, 0), "{:?}", names(agent));
    assert_eq!((has(workflow, &WORKFLOW[..6]), has(workflow, &WORKFLOW[6..])), (6, 0), "{:?}", names(workflow));
    // No leaf has another's tool; those that ask a person are everybody's.
    let own = |leaf: &str| {
        studio
            .engine
            .heap()
            .show()
            .heap
            .specialists
            .iter()
            .find(|one| one.id == leaf)
            .map(|one| one.tool_names.clone())
            .unwrap()
    };
    for (request, leaf) in [(general, "general"), (agent, "agent"), (workflow, "workflow__part2")] {
        let own = own(leaf);
        let more: Vec<&str> = names(request).into_iter().filter(|tool| !own.iter().any(|one| one == tool)).collect();
        assert!(more.iter().all(|tool| ["ask_user", "displayConfirmation"].contains(tool)), "{leaf}: {more:?}");
    }
    let instructions = ["Do not ask for credentials", "Create exactly one agent", "Create a workflow, attach"];
    for (at, request) in [general, agent, workflow].into_iter().enumerate() {
        let told = said(request);
        for (of, own) in instructions.iter().enumerate() {
            assert_eq!(told.contains(&format!("Plan for you:\n{own}")), of == at, "{at} {own}: {told}");
        }
        assert!(told.contains(URL), "{told}");
        assert!(told.contains("YOUR PART") && !told.contains("do NOT need to call any tools"), "{told}");
        assert!(
            told.contains("Prefer acting with sensible defaults when the user's intent is clear"),
            "it has ask_user"
        );
        for other in WORKFLOW.iter().chain(&AGENT).chain(&IMPROVEMENT).filter(|tool| !names(request).contains(tool)) {
            let own_words = ["create_agent", "create_workflow", "update_workflow"];
            let is_given = at > 0 && own_words.contains(other);
            assert!(is_given || !told.contains(*other), "{at} is told of {other}: {told}");
        }
    }
}

#[tokio::test]
async fn required_tools_that_one_leaf_has_and_single_options_cost_no_call() {
    let studio = Studios::new().await;
    for tool in ["get_run", "propose_change"] {
        studio.calls(tool, json!({}));
        studio.says(Purpose::Step, "done");
    }
    studio.says(Purpose::Synthesis, "All is done.");
    let steps = json!([step("s1", "office", &["get_run"], &[]), step("s2", "office", &["propose_change"], &["s1"])]);
    let end = studio.carry_out(steps, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert!(studio.of(Purpose::Choose).is_empty());
    let found: Vec<(String, Vec<Decision>, usize)> =
        studio.expanded().into_iter().map(|(_, one)| (one.leaf, one.path, one.calls)).collect();
    let by_tools = |leaf: &str| (leaf.to_owned(), vec![decision("office", leaf, Settled::RequiredTools)], 0);
    assert_eq!(found, [by_tools("workflow_runs"), by_tools("improvement")]);
    assert_eq!(studio.called(), ["get_run", "propose_change"]);
}

#[tokio::test]
async fn a_choice_that_cannot_be_used_is_replaced_by_the_first_option_and_recorded() {
    for (answer, reason) in [
        (Scripted::text(r#"{"specialist":null}"#), "none was chosen"),
        (Scripted::text(r#"{"specialist":"toString"}"#), "an unknown one was chosen"),
        (Scripted::text("workflow or improvement, both will do"), "several were chosen"),
    ] {
        let studio = Studios::new().await;
        studio.model.push(Purpose::Choose, answer);
        studio.says(Purpose::Choose, r#"{"specialist":"workflow_runs"}"#);
        studio.says(Purpose::Step, "done");
        let end = studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({"callSeconds": 1})).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{reason}: {end:?}");
        let (_, found) = studio.expanded().remove(0);
        let by = Settled::Fallback { reason: reason.to_owned() };
        let expected =
            vec![decision("office", "workflow", by), decision("workflow", "workflow_runs", Settled::Chooser)];
        assert_eq!((found.path, found.calls), (expected, 2), "{reason}");
        assert!(names(&studio.of(Purpose::Step)[0]).contains(&"get_run"), "never the delegator itself");
    }
}

#[tokio::test]
async fn a_chooser_that_never_answers_is_waited_for_once_in_a_run() {
    let studio = Studios::new().await;
    studio.model.push(Purpose::Choose, Scripted::text(r#"{"specialist":"improvement"}"#).behind(&Gate::default()));
    studio.says(Purpose::Step, "done");
    studio.says(Purpose::Step, "done");
    studio.says(Purpose::Synthesis, "All is done.");
    let steps = json!([handed_over("s1", "office", &[]), handed_over("s2", "office", &["s1"])]);
    let end = studio.carry_out(steps, json!({"callSeconds": 1})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let first = |reason: &str| Settled::Fallback { reason: format!("the chooser failed: {reason}") };
    let again = || first("it did not answer in time before, and was not asked again");
    let path = |by: Settled| vec![decision("office", "workflow", by), decision("workflow", "workflow_runs", again())];
    let found: Vec<_> = studio.expanded().into_iter().map(|(step, found)| (step, found.path, found.calls)).collect();
    let expected = [("s1", path(first("no answer within 1 s")), 1), ("s2", path(again()), 0)];
    assert_eq!(found, expected.map(|(step, path, calls)| (step.to_owned(), path, calls)));
    assert_eq!(studio.of(Purpose::Choose).len(), 1);
}

#[tokio::test]
async fn what_was_chosen_is_kept_when_the_run_goes_on_in_another_process() {
    let mut studio = Studios::new().await;
    studio.says(Purpose::Choose, r#"{"specialist":"workflow_runs"}"#);
    studio.calls("ask_user", json!({"question": "Which run?"}));
    let end = studio
        .carry_out(
            json!([step("s1", "workflow", &["ask_user"], &[]), step("s2", "workflow", &["get_run"], &["s1"])]),
            json!({}),
        )
        .await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    studio.reopen();
    let open = studio.engine.requests().open().unwrap();
    assert_eq!(open[0].request.prompt, "Which run?");
    studio.says(Purpose::Step, "It is run 7.");
    studio.calls("get_run", json!({"run": 7}));
    studio.says(Purpose::Step, "Run 7 is over.");
    studio.says(Purpose::Synthesis, "Run 7 is over.");
    let answer = Answer::Value { value: json!("run 7") };
    let end = studio.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert!(studio.of(Purpose::Choose).is_empty(), "nothing is chosen twice");
    assert_eq!(studio.expanded().len(), 2);
    // What was sent can be had again, byte for byte, the choice too.
    let events = studio.events();
    let replies = events.iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. }));
    for event in replies {
        let sent = studio.engine.runs().sent(&studio.session, event.seq).unwrap().request;
        assert!(!sent.messages.is_empty());
        if let EventKind::ModelReplied { purpose: Purpose::Choose, .. } = event.kind {
            assert!(said(&sent).contains("- workflow_runs: Runs workflows."), "{sent:?}");
        }
    }
}

// covers: H40 H15 H16 H17
#[tokio::test]
async fn a_specialist_of_a_chat_asks_through_the_chat_and_nothing_else() {
    let studio = Studios::new().await;
    studio.says(Purpose::Choose, r#"{"specialist":"workflow_runs"}"#);
    studio.calls("std-request-user-help", json!({"question": "Which run?"}));
    studio.calls("delete_workflow", json!({}));
    studio.calls("ask_user", json!({"question": "Which run?"}));
    let end = studio.carry_out(json!([handed_over("s1", "workflow", &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(studio.called(), Vec::<String>::new(), "neither is made, and neither stands for the other");
    let told = studio.of(Purpose::Step);
    let results: Vec<&String> = told[2]
        .messages
        .iter()
        .filter_map(|message| match message {
            Said::Tool { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(results.len(), 2);
    for (result, tool) in results.iter().zip(["std-request-user-help", "delete_workflow"]) {
        let told: Value = serde_json::from_str(result).unwrap();
        assert_eq!(told["error"], format!("{tool} cannot be called in this step"));
        let allowed = told["allowed"].to_string();
        assert!(allowed.contains("ask_user") && allowed.contains("get_run") && !allowed.contains(tool), "{allowed}");
    }
    let asked = studio.engine.requests().open().unwrap().remove(0).request;
    assert_eq!(asked.asked_by, "workflow");

    studio.says(Purpose::Step, "Run 7 is over.");
    let answer = Answer::Value { value: json!("run 7") };
    let end = studio.engine.turns().answer(&asked.id, answer, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let ended: Vec<(CallStatus, bool)> = studio
        .events()
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::CallEnded { status, output, satisfied, .. } if format!("{output:?}").contains("run 7") => {
                Some((*status, *satisfied))
            }
            _ => None,
        })
        .collect();
    assert_eq!(ended, [(CallStatus::Success, true)], "its question is a call that worked");
}

// covers: H53
#[tokio::test]
async fn who_was_brought_to_a_leaf_hands_nothing_on_whatever_is_said() {
    let told = r#"{"summary":"Others do it.","delegateHeap":["improvement","workflow_runs"]}"#;
    let studio = Studios::new().await;
    studio.says(Purpose::Choose, r#"{"specialist":"improvement","delegateHeap":["workflow"]}"#);
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, told);
    studio.calls("list_agents", json!({}));
    studio.says(Purpose::Step, told);
    let steps = json!([handed_over("s1", "office", &[]), step("s2", "agent", &["list_agents"], &["s1"])]);
    let end = studio.carry_out(steps, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(studio.called(), ["list_findings", "list_agents"]);
    assert!(!studio.events().iter().any(|event| matches!(event.kind, EventKind::StepDelegated { .. })));
    let run = studio.engine.runs().list(&studio.session).unwrap().remove(0);
    assert_eq!(studio.engine.runs().get(&run.id).unwrap().state.steps().len(), 2);
}

#[tokio::test]
async fn a_specialist_that_is_gone_ends_its_run_with_a_clear_fault() {
    let mut studio = Studios::new().await;
    studio.says(Purpose::Choose, r#"{"specialist":"workflow_runs"}"#);
    studio.calls("ask_user", json!({"question": "Which run?"}));
    studio.carry_out(json!([handed_over("s1", "workflow", &[])]), json!({})).await;
    std::fs::remove_dir_all(studio.home.packs()).unwrap();
    studio.reopen();
    let open = studio.engine.requests().open().unwrap();
    let answer = Answer::Value { value: json!("run 7") };
    let end = studio.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await;
    let error = end.unwrap_err().to_string();
    assert!(error.contains("there is no specialist \"workflow\""), "{error}");
}

#[tokio::test]
async fn a_pack_that_comes_while_the_program_runs_is_planned_with_in_the_next_turn() {
    let studio = Studios::with(PlannerProfile::Full, &json!({"specialists": []})).await;
    studio.says(Purpose::Plan, &json!({"answer": "Hello."}).to_string());
    studio.send("Hello").await;
    assert!(!said(&studio.of(Purpose::Plan)[0]).contains("- agent:"));
    std::fs::write(studio.home.packs().join("studio/specialists.json"), pack().to_string()).unwrap();
    studio.says(Purpose::Plan, &json!({"answer": "Hello again."}).to_string());
    studio.send("Hello again").await;
    assert!(said(&studio.of(Purpose::Plan)[1]).contains("- agent:"));
    let options: Vec<String> = studio.engine.tools().executors().into_iter().map(|one| one.name).collect();
    assert_eq!(options, ["Assent", "general", "workspace", "agent", "office"]);
}

#[tokio::test]
async fn a_small_model_is_shown_what_its_step_requires_and_who_owns_the_tool_is_kept() {
    let mut pack = pack();
    pack["specialists"][3]["topLevel"] = json!(false);
    let studio = Studios::with(PlannerProfile::Compact, &pack).await;
    studio.says(
        Purpose::Plan,
        &json!({"title": "Agents", "steps": [{"tool": "list_agents", "do": "List all agents", "expect": "names"}]})
            .to_string(),
    );
    studio.calls("list_agents", json!({}));
    studio.says(Purpose::Step, "There are two.");
    let end = studio.send("Which agents are there? list_agents").await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(names(&studio.of(Purpose::Step)[0]), ["list_agents"]);
    let plans = studio.engine.plans().list(Some(&studio.session)).unwrap();
    assert_eq!(plans[0].steps[0].executor.id, "agent");
}

/// What each option of a question about who does a step names of its tools.
fn named(request: &Request) -> Vec<String> {
    let told = said(request);
    let options = told.lines().filter_map(|line| line.split_once(". Tools: "));
    options.map(|(_, tools)| format!(". Tools: {tools}")).collect()
}

/// A tokenizer that has little to do with the estimate.
fn thrice(text: &str) -> u32 {
    estimate_tokens(text) * 3
}

/// The tools that are named.
fn tools_of(named: &[String]) -> BTreeSet<String> {
    let tools = named.iter().flat_map(|told| told.trim_start_matches(". Tools: ").split(", "));
    tools.map(str::to_owned).collect()
}

// covers: L18
#[tokio::test]
async fn what_whoever_chooses_is_told_of_tools_stays_in_the_budget_and_what_is_left_out_is_named() {
    let mut all = Vec::new();
    for budget in [3800, 100] {
        for delegates in [false, true] {
            let studio = Studios::made(PlannerProfile::Full, &pack(), |model| model.counting(thrice)).await;
            if delegates {
                Delegation::Runtime.choose(studio.engine.settings()).unwrap();
                studio.says(Purpose::Choose, r#"{"summary": "", "delegateHeap": ["workflow"]}"#);
                studio.says(Purpose::Choose, r#"{"summary": "", "delegateHeap": ["workflow_runs"]}"#);
            } else {
                studio.says(Purpose::Choose, r#"{"specialist":"workflow"}"#);
                studio.says(Purpose::Choose, r#"{"specialist":"workflow_runs"}"#);
            }
            studio.says(Purpose::Step, "done");
            studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({"toolTokenBudget": budget})).await;
            let asked = studio.of(Purpose::Choose);
            assert_eq!(asked.len(), 2);
            if budget == 3800 && !delegates {
                all = asked.iter().map(|request| tools_of(&named(request))).collect();
            }
            let events = studio.events();
            let replies = events
                .iter()
                .filter(|event| matches!(&event.kind, EventKind::ModelReplied { purpose: Purpose::Choose, .. }));
            for ((request, reply), all) in asked.iter().zip(replies).zip(&all) {
                let named = named(request);
                let tokens: u32 = named.iter().map(|told| thrice(told)).sum();
                assert!(tokens <= budget, "{tokens} of {budget}: {named:?}");
                let gone: BTreeSet<String> = all.difference(&tools_of(&named)).cloned().collect();
                assert_eq!(gone.is_empty(), budget == 3800, "{named:?}");
                for name in &gone {
                    let told = format!("{name} (no tokens left in the budget)");
                    let is_told = |kind: &EventKind| {
                        matches!(kind, EventKind::Warned { message }
                        if message.starts_with("Tools that whoever chooses") && message.contains(&told))
                    };
                    assert!(events.iter().any(|event| is_told(&event.kind)), "{told}");
                }
                // Both are recorded with the request.
                let sent = studio.engine.runs().sent(&studio.session, reply.seq).unwrap();
                assert_eq!((&sent.request, sent.budget), (request, budget));
                let told: BTreeSet<String> = sent.told.iter().map(|(name, _)| name.clone()).collect();
                let left_out: BTreeSet<String> = sent.left_out.into_iter().map(|(name, _)| name).collect();
                assert_eq!((told, left_out), (tools_of(&named), gone));
                let counted = sent.told.iter().map(|(_, tokens)| tokens).sum::<u32>();
                assert!(tokens <= counted && counted <= budget, "{tokens}, {counted} of {budget}");
            }
        }
    }
}

#[tokio::test]
async fn whoever_chooses_who_does_a_step_is_told_what_was_said_of_it_and_of_the_plan() {
    for delegation in [Delegation::Expand, Delegation::Runtime] {
        let studio = Studios::new().await;
        delegation.choose(studio.engine.settings()).unwrap();
        let chosen = |ids: &str| match delegation {
            Delegation::Expand => json!({"specialist": ids}).to_string(),
            Delegation::Runtime => json!({"summary": "", "delegateHeap": [ids]}).to_string(),
        };
        for step in ["It is said.", "It is done."] {
            studio.says(Purpose::Choose, &chosen("workflow"));
            studio.says(Purpose::Choose, &chosen("workflow_runs"));
            studio.says(Purpose::Step, step);
        }
        studio.says(Purpose::Synthesis, "All is done.");
        let steps = json!([handed_over("s1", "office", &[]), handed_over("s2", "office", &["s1"])]);
        let long = "é".repeat(40_000);
        let said_of =
            [(Some("s2"), long.as_str()), (None, "Nothing before Monday."), (Some("s1"), "Let the runs be looked at.")];
        let end = studio.carry_out_said(steps, &said_of).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
        let asked: Vec<String> = studio.of(Purpose::Choose).iter().map(said).collect();
        assert_eq!(asked.len(), 4, "{delegation:?}");
        let (mut of_s1, mut of_s2) = (0, 0);
        for text in &asked {
            assert!(text.contains("What the user said of this plan; follow it:"), "{delegation:?}: {text}");
            assert!(text.contains("- Nothing before Monday."), "{delegation:?}: {text}");
            of_s1 += usize::from(text.contains("On step s1: Let the runs be looked at."));
            of_s2 += usize::from(text.contains("On step s2: éé"));
            assert!(text.chars().count() < 8_000, "what is said has its bounds");
        }
        assert_eq!((of_s1, of_s2), (2, 2), "{delegation:?}");
    }
}
