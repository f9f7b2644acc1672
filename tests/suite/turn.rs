//! A turn from the message to its end, through the engine's door.

use assent_core::contract::{Fault, Stage};
use assent_core::ids::SessionId;
use assent_core::plan::{NewStep, Plan, PlanEdit, PlanRef};
use assent_core::run::{Answer, Decider, EventKind, Purpose, Reach, RunStatus, StepStatus, TurnStatus};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Finish, ModelProfile, PlannerProfile, Reply};
use assent_engine::store::{ListFilter, PlanStatus};
use assent_engine::turn::{ApprovalPolicy, TurnEnd, TurnError};
use assent_tests::desk::Desk;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

fn count_and_write() -> Value {
    json!({"title": "Count", "steps": [
        {"tool": "grep", "do": "Find the lines that contain \"berlin\" in all notes", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ]})
}

fn script_of_the_work(desk: &Desk) {
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("two files searched");
    desk.calls("create_file", json!({"path": "counts.md", "content": "a.txt 2\n"}));
    desk.says("The numbers are in counts.md.");
}

fn desk() -> Desk {
    Desk::with(&[("a.txt", "Berlin\nin berlin\n"), ("b.txt", "Hamburg\n")])
}

/// A plan that was carried out to its answer.
async fn carried_out() -> (Desk, SessionId, Plan) {
    let desk = desk();
    desk.plans(&count_and_write());
    script_of_the_work(&desk);
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let plan = desk.engine.plans().list(Some(&session)).unwrap().remove(0);
    (desk, session, plan)
}

/// The next version, with one more step.
async fn with_thanks(desk: &Desk, plan: &Plan) -> PlanRef {
    let step = NewStep { description: "Say thanks".into(), dependencies: vec!["s2".into()], ..NewStep::default() };
    desk.engine.plans().edit(plan, &[PlanEdit::AddStep { step }]).await.unwrap()
}

fn arguments(object: Value) -> Map<String, Value> {
    object.as_object().cloned().unwrap_or_default()
}

const MESSAGE: &str = "How many lines mention Berlin? Write the numbers to counts.md.";

#[tokio::test]
async fn an_answer_without_a_plan_that_ends_in_the_middle_says_so() {
    for (finish, why) in [
        (Finish::Length, "the reply was cut off because it was too long"),
        (Finish::Refused, "the endpoint refused to write it: It is against the rules."),
    ] {
        let desk = desk();
        let text = json!({"title": "Tale", "answer": "Once upon a time"}).to_string();
        let faults = vec![Fault::new(Stage::Parse, why)];
        desk.model.push(Purpose::Plan, Scripted::reply(Reply { text, finish, faults, ..Reply::default() }));
        let session = desk.session().await;
        let end = desk.send(&session, "Tell me a tale", ApprovalPolicy::AlwaysAsk).await;
        assert_eq!(end, TurnEnd::Answered { session: session.clone() });
        assert_eq!(desk.answers(&session), ["Once upon a time"]);
        let warned = desk.events(&session).into_iter().filter_map(|event| match event.kind {
            EventKind::Warned { message } => Some(message),
            _ => None,
        });
        let told = format!("The answer is not whole: {}.", why.trim_end_matches('.'));
        assert_eq!(warned.collect::<Vec<_>>(), [told]);
    }
}

#[tokio::test]
async fn a_message_that_needs_no_plan_is_answered_by_one_call() {
    let desk = desk();
    desk.plans(&json!({"title": "Greeting", "answer": "Hello! What shall I do?"}));
    let session = desk.session().await;
    let end = desk.send(&session, "Hello", ApprovalPolicy::AlwaysAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.answers(&session), ["Hello! What shall I do?"]);
    assert_eq!(desk.model.requests().len(), 1);
}

#[tokio::test]
async fn with_the_policy_never_ask_a_plan_runs_to_its_effect_and_its_answer() {
    let desk = desk();
    desk.plans(&count_and_write());
    script_of_the_work(&desk);
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
    assert_eq!(desk.answers(&session), ["The numbers are in counts.md."]);
    let events = desk.events(&session);
    let approved_by = events.iter().find_map(|event| match &event.kind {
        EventKind::PlanApproved { by, .. } => Some(*by),
        _ => None,
    });
    assert_eq!(approved_by, Some(Decider::Policy));
    let first_call = events.iter().position(|event| matches!(event.kind, EventKind::CallStarted { .. }));
    let approval = events.iter().position(|event| matches!(event.kind, EventKind::PlanApproved { .. }));
    assert!(approval < first_call, "nothing starts before the approval");
}

// covers: P13 P16 P39 P40
#[tokio::test]
async fn a_turn_asks_for_one_plan_with_the_whole_message_and_nobody_for_a_route() {
    let desk = desk();
    desk.plans(&count_and_write());
    script_of_the_work(&desk);
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    let requests = desk.model.requests();
    let purposes: Vec<Purpose> = requests.iter().map(|request| request.purpose).collect();
    assert_eq!(purposes, [Purpose::Plan, Purpose::Step, Purpose::Step, Purpose::Step, Purpose::Step]);
    assert!(format!("{:?}", requests[0].messages).contains(MESSAGE));
}

/// How often a turn asks the model, which is given these replies.
async fn asked(planner: PlannerProfile, plan: &Value, steps: &[Scripted]) -> usize {
    let id = "scripted/test".to_owned();
    let profile = ModelProfile { id, context_tokens: 32_768, planner, parallel: 1, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), &[("a.txt", "Berlin\n")]);
    desk.plans(plan);
    for reply in steps {
        desk.model.push(Purpose::Step, reply.clone());
    }
    desk.model.push(Purpose::Synthesis, Scripted::text("All is done."));
    let session = desk.session().await;
    let end = desk.send(&session, "What is there, and what does it mean?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() }, "{plan}");
    let replies = desk.events(&session);
    let replies = replies.iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. }));
    assert_eq!(replies.count(), desk.model.requests().len(), "each is written down");
    desk.model.requests().len()
}

#[tokio::test]
async fn a_turn_asks_as_often_as_its_plan_needs_and_not_more_often() {
    let step = |tool: &str| json!({"tool": tool, "do": format!("Do {tool}"), "expect": "it is done"});
    let plan = |tools: &[&str]| json!({"title": "T", "steps": tools.iter().map(|tool| step(tool)).collect::<Vec<_>>()});
    let side_by_side = json!({"title": "T", "todoList": [
        {"id": "a", "description": "Look", "requiredTools": ["grep"]},
        {"id": "b", "description": "List", "requiredTools": ["glob"]},
        {"id": "c", "description": "Read", "requiredTools": ["read"], "dependencies": ["a"]},
    ]});
    let look = || Scripted::call("grep", json!({"pattern": "Berlin"}));
    let again = || Scripted::call("grep", json!({"pattern": "Hamburg"}));
    let list = || Scripted::call("glob", json!({"pattern": "*.txt"}));
    let read = || Scripted::call("read", json!({"path": "a.txt"}));
    let says = || Scripted::text("That is so.");
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        // A plain question, a step that thinks, a step with one call.
        assert_eq!(asked(planner, &json!({"title": "T", "answer": "Nothing."}), &[]).await, 1);
        assert_eq!(asked(planner, &plan(&["none"]), &[says()]).await, 2);
        assert_eq!(asked(planner, &plan(&["grep"]), &[look(), says()]).await, 3);
        // Two, one more for each that thinks, and for each with tools one more than it has rounds of calls. A small model's
        // last words are the answer, where all ends in one step.
        let (thinking, rounds) = (1, [2, 1]);
        let most = 2 + thinking + rounds.iter().map(|rounds| rounds + 1).sum::<usize>();
        let replies = [look(), again(), says(), says(), list(), says()];
        let few = usize::from(planner == PlannerProfile::Compact);
        assert_eq!(asked(planner, &plan(&["grep", "none", "glob"]), &replies).await, most - few, "{planner:?}");
        let most = 2 + 3 * 2;
        let replies = [look(), says(), list(), says(), read(), says()];
        assert_eq!(asked(planner, &side_by_side, &replies).await, most, "{planner:?}");
    }
}

// covers: P27 P41
#[tokio::test]
async fn a_plan_is_taken_from_a_call_and_from_a_message_however_it_stands_there() {
    let route = json!({"priorityOrder": ["workspace"], "refinedTask": "Find Berlin.", "title": "Find"});
    let steps = json!({"title": "Find", "steps": [{"tool": "grep", "do": "Find Berlin", "expect": "lines"}]});
    for (reply, who, tool) in [
        (Scripted::call("emit_plan", steps.clone()), "", Some("grep")),
        (Scripted::call("emit_plan", json!({"plan": route.to_string()})), "workspace", None),
        (Scripted::text(format!("Here it is:\n```json\n{steps}\n```")), "", Some("grep")),
        (Scripted::text(json!({"name": "emit_plan", "arguments": route}).to_string()), "workspace", None),
    ] {
        let id = "scripted/test".to_owned();
        let profile =
            ModelProfile { id, context_tokens: 32_768, planner: PlannerProfile::Full, parallel: 1, local: false };
        let desk = Desk::on(ScriptedModel::new(profile), &[("a.txt", "Berlin\n")]);
        let told = format!("{reply:?}");
        desk.model.push(Purpose::Plan, reply);
        let session = desk.session().await;
        let end = desk.send(&session, "Which lines mention Berlin?", ApprovalPolicy::AlwaysAsk).await;
        let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{told}: {end:?}") };
        let plan = desk.engine.plans().get(plan.id.as_str(), None).unwrap();
        let step = &plan.steps[0];
        let required = step.required_tools.first().map(String::as_str);
        assert_eq!((plan.steps.len(), step.executor.id.as_str(), required), (1, who, tool), "{told}");
        assert!(!plan.fallback.used && desk.model.requests().len() == 1, "{told}");
        assert!(desk.events(&session).iter().all(|event| !matches!(event.kind, EventKind::CallStarted { .. })));
    }
}

// covers: P19
#[tokio::test]
async fn a_plan_with_effects_waits_and_nothing_of_it_has_happened() {
    let desk = desk();
    desk.plans(&count_and_write());
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::Effects).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    assert!(!desk.events(&session).iter().any(|event| matches!(event.kind, EventKind::RunQueued { .. })));
    assert_eq!(desk.file("counts.md"), None);

    // The approval may come after a restart, from another process.
    let later = desk.reopened();
    script_of_the_work(&later);
    let cancel = CancellationToken::new();
    let end = later.engine.turns().approve(&plan, Decider::User, Some("go".into()), &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session });
    assert_eq!(later.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

#[tokio::test]
async fn a_plan_that_only_reads_does_not_ask() {
    let desk = desk();
    desk.plans(&json!({"title": "Find", "steps": [{"tool": "grep", "do": "Find berlin", "expect": "files"}]}));
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("Only a.txt.");
    let session = desk.session().await;
    let end = desk.send(&session, "Which notes mention Berlin?", ApprovalPolicy::Effects).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.answers(&session), ["Only a.txt."]);
}

#[tokio::test]
async fn a_rejected_plan_cannot_be_run() {
    let desk = desk();
    desk.plans(&count_and_write());
    let session = desk.session().await;
    let TurnEnd::AwaitingApproval { plan, .. } = desk.send(&session, MESSAGE, ApprovalPolicy::AlwaysAsk).await else {
        panic!("it should ask")
    };
    let end = desk.engine.turns().reject(&plan, Some("not now".into())).await.unwrap();
    assert_eq!(end, TurnEnd::Cancelled { session });
    let refused = desk.engine.turns().run(&plan, &CancellationToken::new()).await;
    assert!(matches!(refused, Err(TurnError::PlanState(_))), "{refused:?}");
    assert_eq!(desk.file("counts.md"), None);
}

#[tokio::test]
async fn an_edited_plan_is_a_new_version_that_needs_its_own_approval() {
    let desk = desk();
    desk.plans(&count_and_write());
    let session = desk.session().await;
    let TurnEnd::AwaitingApproval { plan, .. } = desk.send(&session, MESSAGE, ApprovalPolicy::AlwaysAsk).await else {
        panic!("it should ask")
    };
    let first = desk.engine.plans().get(plan.id.as_str(), Some(1)).unwrap();
    let second = with_thanks(&desk, &first).await;
    assert_eq!((second.version, second.id == plan.id), (2, true));
    assert_ne!(second.digest, plan.digest);
    let refused = desk.engine.turns().run(&second, &CancellationToken::new()).await;
    assert!(matches!(refused, Err(TurnError::PlanState(_))), "{refused:?}");

    script_of_the_work(&desk);
    desk.says("Thanks.");
    let cancel = CancellationToken::new();
    desk.engine.turns().approve(&second, Decider::User, None, &cancel).await.unwrap();
    let statuses: Vec<PlanStatus> =
        desk.engine.plans().history(&plan.id).unwrap().into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, [PlanStatus::Superseded, PlanStatus::Approved]);
    assert_eq!(desk.answers(&session), ["Thanks."]);
}

#[tokio::test]
async fn how_a_turn_has_ended_stays_so_when_a_later_version_of_its_plan_is_rejected() {
    let (desk, session, first) = carried_out().await;
    let second = with_thanks(&desk, &first).await;
    desk.engine.turns().reject(&second, None).await.unwrap();
    let ends = desk.events(&session).into_iter().filter_map(|event| match event.kind {
        EventKind::TurnEnded { status, .. } => Some(status),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [TurnStatus::Answered]);
    assert_eq!(desk.engine.plans().history(&second.id).unwrap().last().unwrap().status, PlanStatus::Rejected);
}

#[tokio::test]
async fn what_was_done_is_taken_over_also_after_a_run_that_was_stopped_before_it_began() {
    let (desk, session, first) = carried_out().await;
    let done = desk.engine.runs().list(&session).unwrap().remove(0).plan;
    let (stopped, _) = desk.engine.turns().queue(&done).await.unwrap();
    desk.engine.runs().cancel(&stopped).await.unwrap();

    let second = with_thanks(&desk, &first).await;
    desk.says("Thanks.");
    desk.engine.turns().approve(&second, Decider::User, None, &CancellationToken::new()).await.unwrap();
    let runs = desk.engine.runs().list(&session).unwrap();
    let ends: Vec<RunStatus> = runs.iter().map(|run| run.status).collect();
    assert_eq!(ends, [RunStatus::Completed, RunStatus::Cancelled, RunStatus::Completed]);
    let begun = desk.events(&session).into_iter().filter(|event| matches!(event.kind, EventKind::CallStarted { .. }));
    assert_eq!(begun.count(), 2, "nothing was done twice");
}

#[tokio::test]
async fn every_later_version_can_be_approved_once_and_a_second_approval_stops_nothing() {
    let desk = desk();
    desk.plans(&count_and_write());
    let session = desk.session().await;
    let TurnEnd::AwaitingApproval { plan, .. } = desk.send(&session, MESSAGE, ApprovalPolicy::AlwaysAsk).await else {
        panic!("it should ask")
    };
    let cancel = CancellationToken::new();
    script_of_the_work(&desk);
    desk.engine.turns().approve(&plan, Decider::User, None, &cancel).await.unwrap();
    let mut latest = plan.clone();
    for thanks in ["Thanks.", "Thanks again."] {
        let document = desk.engine.plans().get(plan.id.as_str(), Some(latest.version)).unwrap();
        let step = NewStep { description: thanks.into(), dependencies: vec!["s2".into()], ..NewStep::default() };
        latest = desk.engine.plans().edit(&document, &[PlanEdit::AddStep { step }]).await.unwrap();
        desk.says(thanks);
        desk.engine.turns().approve(&latest, Decider::User, None, &cancel).await.unwrap();
    }
    let statuses: Vec<PlanStatus> =
        desk.engine.plans().history(&plan.id).unwrap().into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, [PlanStatus::Superseded, PlanStatus::Superseded, PlanStatus::Approved]);

    let ask = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the city", "expect": "a city"}]});
    desk.plans(&ask);
    let TurnEnd::AwaitingApproval { plan, .. } = desk.send(&session, "Which?", ApprovalPolicy::AlwaysAsk).await else {
        panic!("it should ask")
    };
    desk.calls("ask_user", json!({"question": "Which city?"}));
    let end = desk.engine.turns().approve(&plan, Decider::User, None, &cancel).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    for again in [
        desk.engine.turns().approve(&plan, Decider::User, None, &cancel).await,
        desk.engine.turns().run(&plan, &cancel).await,
    ] {
        assert!(matches!(again, Err(TurnError::PlanState(_))), "{again:?}");
    }
    assert_eq!(desk.engine.requests().open().unwrap().len(), 1, "the question still waits");
}

#[tokio::test]
async fn an_approval_of_other_content_is_refused() {
    let desk = desk();
    desk.plans(&count_and_write());
    let session = desk.session().await;
    let TurnEnd::AwaitingApproval { mut plan, .. } = desk.send(&session, MESSAGE, ApprovalPolicy::AlwaysAsk).await
    else {
        panic!("it should ask")
    };
    plan.digest = assent_core::ids::Digest::of_bytes(b"something else");
    let refused = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await;
    assert!(matches!(refused, Err(TurnError::Run(_))), "{refused:?}");
    assert!(!desk.events(&session).iter().any(|event| matches!(event.kind, EventKind::PlanApproved { .. })));
}

// covers: H23 H24
#[tokio::test]
async fn a_question_ends_the_turn_and_the_next_message_answers_it() {
    let desk = desk();
    let ask = json!({"title": "Ask", "steps": [
        {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
        {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
    ]});
    desk.plans(&ask);
    desk.calls("ask_user", json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]}));
    let session = desk.session().await;
    let end = desk.send(&session, "Count the lines about the city", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap();
    let options: Vec<&str> = open[0].request.input.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!((open.len(), open[0].request.prompt.as_str(), options), (1, "Which city?", vec!["Berlin", "Hamburg"]));

    // Another day, another process: the question is still there, and a plain message answers it.
    let later = desk.reopened();
    later.says("Berlin it is.");
    later.calls("grep", json!({"pattern": "Berlin"}));
    later.says("There are 2.");
    let end = later.send(&session, "Berlin", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(later.answers(&session), ["There are 2."]);
    assert_eq!(later.engine.requests().open().unwrap(), []);
    let second =
        later.engine.turns().record_answer(&open[0].request.id, Answer::Value { value: json!("Hamburg") }, None).await;
    assert!(second.is_err(), "a second answer is never taken");
}

#[tokio::test]
async fn a_declined_question_ends_its_step_with_the_reason_and_what_builds_on_it_is_left_out() {
    for (kind, options) in [("choice", json!(["Berlin", "Hamburg"])), ("yes_no", Value::Null), ("text", Value::Null)] {
        let desk = desk();
        desk.plans(&json!({"title": "Ask", "steps": [
            {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
            {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
        ]}));
        let mut question = json!({"question": "Which city?", "type": kind});
        if !options.is_null() {
            question["options"] = options;
        }
        desk.calls("ask_user", question);
        let session = desk.session().await;
        let end = desk.send(&session, "Count the lines about the city", ApprovalPolicy::NeverAsk).await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        let request = desk.engine.requests().open().unwrap().remove(0).request.id;
        let later = desk.reopened();
        later.says("I stopped: no city was meant.");
        let no = Answer::Reject { reason: Some("none of them".to_owned()) };
        let end = later.engine.turns().answer(&request, no.clone(), &CancellationToken::new()).await.unwrap();
        assert_eq!(end, TurnEnd::Answered { session: session.clone() }, "{kind}");
        let ends = later.events(&session).into_iter().filter_map(|event| match event.kind {
            EventKind::StepEnded { status, reason, .. } => Some((status, reason.unwrap_or_default())),
            _ => None,
        });
        let ends: Vec<(StepStatus, String)> = ends.collect();
        assert_eq!(ends[0], (StepStatus::Cancelled, "refused by a person: none of them".to_owned()), "{kind}");
        assert_eq!((ends.len(), ends[1].0), (2, StepStatus::Skipped), "{kind}: {ends:?}");
        assert_eq!(later.engine.requests().open().unwrap(), [], "{kind}");
        let again = later.engine.turns().record_answer(&request, no, None).await;
        assert!(again.is_err(), "{kind}: a question is declined once");
    }
}

#[tokio::test]
async fn a_turn_that_was_interrupted_while_it_was_planned_is_planned_again() {
    let desk = desk();
    let session = desk.session().await;
    let cancel = CancellationToken::new();
    {
        let gate = assent_engine::model::scripted::Gate::default();
        let held = assent_engine::model::scripted::Scripted::text("{}").behind(&gate);
        desk.model.push(assent_core::run::Purpose::Plan, held);
        let work = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk);
        tokio::select! {
            _ = work => panic!("the gate is closed"),
            () = gate.reached() => {}
        }
    }
    let later = desk.reopened();
    later.plans(&count_and_write());
    let ends = later.engine.turns().resume(None, &cancel).await.unwrap();
    assert!(matches!(ends[..], [TurnEnd::AwaitingApproval { .. }]), "what was allowed died with its process: {ends:?}");
    assert_eq!(later.engine.turns().resume(None, &cancel).await.unwrap(), [], "nothing is planned twice");
}

#[tokio::test]
async fn a_persons_own_call_goes_through_the_same_ledger_without_a_model() {
    let desk = desk();
    let session = desk.session().await;
    let cancel = CancellationToken::new();
    let arguments = arguments(json!({"path": "new.txt", "content": "mine\n"}));
    let end = desk.engine.turns().call(&session, "create_file", arguments, &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.file("new.txt").as_deref(), Some("mine\n"));
    assert_eq!(desk.model.requests(), []);
    let completed = desk
        .events(&session)
        .iter()
        .any(|event| matches!(event.kind, EventKind::StepEnded { status: StepStatus::Completed, .. }));
    assert!(completed);
    let unknown = desk.engine.turns().call(&session, "toString", Map::new(), &cancel).await;
    assert!(matches!(unknown, Err(TurnError::NoTool(_))), "{unknown:?}");
}

#[tokio::test]
async fn a_persons_own_call_that_waited_goes_on_without_a_model_in_another_process_and_gives_the_answer() {
    let cancel = CancellationToken::new();
    for (tool, given, answer, result) in [
        ("ask_user", json!({"question": "Which?"}), Answer::Value { value: json!("Berlin") }, "Berlin"),
        (
            "displayConfirmation",
            json!({"action": "send it to all"}),
            Answer::Approve { arguments: None, note: None, reach: Reach::Once },
            "approved",
        ),
    ] {
        let first = desk();
        let session = first.session().await;
        let end = first.engine.turns().call(&session, tool, arguments(given), &cancel).await.unwrap();
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{tool}: {end:?}");
        let desk = first.reopened();
        let open = desk.engine.requests().open().unwrap();
        let end = desk.engine.turns().answer(&open[0].request.id, answer, &cancel).await.unwrap();
        assert_eq!(end, TurnEnd::Answered { session: session.clone() }, "{tool}");
        assert_eq!(desk.model.requests(), [], "{tool}");
        let results = desk.events(&session).into_iter().filter_map(|event| match event.kind {
            EventKind::StepEnded { status: StepStatus::Completed, result, .. } => result,
            _ => None,
        });
        let results: Vec<String> = results.map(|result| format!("{result:?}")).collect();
        assert!(results.len() == 1 && results[0].contains(result), "{tool}: {results:?}");
    }
}

#[tokio::test]
async fn an_empty_message_and_a_missing_folder_are_told_and_leave_nothing() {
    let desk = desk();
    let session = desk.session().await;
    let before = desk.events(&session).len();
    let cancel = CancellationToken::new();
    let message = |text: &str| assent_engine::turn::Message {
        session: session.clone(),
        text: text.into(),
        policy: None,
        answers: None,
    };
    let empty = desk.engine.turns().send(message(" \n"), &cancel).await;
    assert!(matches!(empty, Err(TurnError::EmptyMessage)), "{empty:?}");
    std::fs::remove_dir_all(&desk.workspace).unwrap();
    let gone = desk.engine.turns().send(message("hello"), &cancel).await;
    assert!(gone.unwrap_err().to_string().contains("cannot be used"));
    assert_eq!(desk.events(&session).len(), before);
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_ends_the_turn_with_the_reason() {
    let desk = desk();
    let offline = assent_engine::model::ModelError::Offline { endpoint: "http://x".into(), reason: "refused".into() };
    desk.model.push(assent_core::run::Purpose::Plan, assent_engine::model::scripted::Scripted::failure(offline));
    let session = desk.session().await;
    let end = desk.send(&session, "Hello", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Failed { session: session.clone() });
    let error = desk.events(&session).into_iter().find_map(|event| match event.kind {
        EventKind::TurnEnded { status: TurnStatus::Failed, error } => error,
        _ => None,
    });
    assert_eq!(
        error.as_deref(),
        Some("http://x cannot be reached: refused; check that it runs and that the address is right")
    );
}

// covers: H3 H12 H35 H79
#[tokio::test]
async fn the_planner_of_the_second_turn_sees_what_was_said_in_the_first() {
    let desk = desk();
    desk.plans(&json!({"title": "A", "answer": "The lighthouse is white."}));
    desk.plans(&json!({"title": "B", "answer": "Yes."}));
    let session = desk.session().await;
    desk.send(&session, "What colour is the lighthouse?", ApprovalPolicy::NeverAsk).await;
    desk.send(&session, "Really?", ApprovalPolicy::NeverAsk).await;
    let second = format!("{:?}", desk.model.requests()[1].messages);
    assert!(second.contains("What colour is the lighthouse?") && second.contains("The lighthouse is white."));
    let rows = desk.engine.sessions().list(&ListFilter::default()).unwrap();
    assert_eq!(rows[0].title, "What colour is the lighthouse?");
    assert_eq!(rows[0].run_status, None::<RunStatus>);
}
