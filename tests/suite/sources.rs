//! Folders of tool descriptions while the engine is open: what comes, changes and goes there counts from the next message
//! on, without a restart.

use std::path::{Path, PathBuf};

use assent_core::discovery::{Filter, Query};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, Purpose, Reach, RequestKind};
use assent_engine::engine::{SourcesError, add_tool_source, note_source_key, remove_tool_source, tool_sources};
use assent_engine::executor::NotRebuilt;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Keys, Model as _, ModelProfile, PlannerProfile, Secret, Vault};
use assent_engine::store::MemoryFilter;
use assent_engine::tool::described::key_name;
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use assent_tests::keyring::Keyring;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A tool that says a word.
fn says(name: &str, description: &str, word: &str) -> Value {
    json!({"name": name, "description": description, "risk": "read", "command": ["printf", word]})
}

fn write(folder: &Path, file: &str, tools: &[Value]) {
    std::fs::write(folder.join(file), json!(tools).to_string()).unwrap();
}

/// A desk with a source of one tool.
fn desk() -> (Desk, PathBuf) {
    desk_on(ScriptedModel::default())
}

/// The same on a model of its own.
fn desk_on(model: ScriptedModel) -> (Desk, PathBuf) {
    let desk = Desk::on(model, &[]);
    let folder = desk.home.with_file_name("acme");
    std::fs::create_dir(&folder).unwrap();
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "hello")]);
    desk.engine.tools().add_source("acme", &folder).unwrap();
    (desk, folder)
}

fn names(desk: &Desk) -> Vec<String> {
    let sources = desk.engine.tools().sources().unwrap();
    sources.into_iter().flat_map(|source| source.tools).collect()
}

/// A message whose plan has one step with this tool; how its calls came out.
async fn done_with(desk: &Desk, session: &SessionId, tool: &str) -> (TurnEnd, Vec<CallStatus>) {
    let before = desk.events(session).len();
    desk.plans(&json!({"title": "Say it", "steps": [{"tool": tool, "do": "Say the word", "expect": "a word"}]}));
    desk.calls(tool, json!({}));
    desk.says("It was said.");
    let end = desk.send(session, "Say the word.", ApprovalPolicy::NeverAsk).await;
    let ended = desk.events(session).into_iter().skip(before).filter_map(|event| match event.kind {
        EventKind::CallEnded { status, .. } => Some(status),
        _ => None,
    });
    (end, ended.collect())
}

#[tokio::test]
async fn a_file_that_comes_into_a_folder_counts_from_the_next_message_on() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    write(&folder, "two.json", &[says("farewell", "Takes leave of a colleague.", "bye")]);
    // Nobody has listed the tools since.
    let (end, ended) = done_with(&desk, &session, "acme.farewell").await;
    assert_eq!((end, ended), (TurnEnd::Answered { session: session.clone() }, vec![CallStatus::Success]));
    assert_eq!(names(&desk), ["acme.greet", "acme.farewell"]);
    let contexts = vec!["tool:acme.farewell".to_owned()];
    let facts = desk.engine.memory().list(&MemoryFilter { contexts, limit: 5, ..MemoryFilter::default() }).unwrap();
    assert!(!facts.is_empty(), "it is remembered like every tool");
}

#[tokio::test]
async fn what_a_model_was_sent_of_a_tool_that_is_gone_is_not_told_otherwise() {
    let (desk, _) = desk();
    let session = desk.session().await;
    done_with(&desk, &session, "acme.greet").await;
    let steps = desk.events(&session).into_iter().filter_map(|event| match event.kind {
        EventKind::ModelReplied { purpose: Purpose::Step, .. } => Some(event.seq),
        _ => None,
    });
    let [first, second] = steps.collect::<Vec<u64>>()[..] else { panic!("two replies") };
    let runs = || desk.engine.runs();
    let before = (runs().sent(&session, first).unwrap(), runs().sent(&session, second).unwrap());
    assert!(format!("{:?}", before.1.request.messages).contains("hello"));
    desk.engine.tools().remove_source("acme").unwrap();
    // What was sent before it gave anything is known as it was.
    assert_eq!(runs().sent(&session, first), Ok(before.0));
    assert_eq!(runs().sent(&session, second), Err(NotRebuilt::Tool("acme.greet".to_owned())));
}

#[test]
fn what_changes_or_goes_is_as_the_folder_says_when_it_is_listed() {
    let (desk, folder) = desk();
    let told = |name: &str| desk.engine.tools().get(name).map(|spec| spec.description.clone());
    assert_eq!(told("acme.greet").as_deref(), Some("Greets a colleague."));
    write(&folder, "one.json", &[says("greet", "Greets somebody warmly.", "hello"), says("bow", "Bows.", "bow")]);
    assert_eq!(names(&desk), ["acme.greet", "acme.bow"]);
    assert_eq!(told("acme.greet").as_deref(), Some("Greets somebody warmly."));
    let query = Query { text: "greets somebody warmly", limit: 5, filter: &Filter::default() };
    let found = desk.engine.tools().find(&query);
    let of_source: Vec<&str> =
        found.tools.iter().map(|tool| tool.name.as_str()).filter(|name| *name == "acme.greet").collect();
    assert_eq!(of_source.len(), 1, "once, however often it was read");

    write(&folder, "one.json", &[says("bow", "Bows.", "bow")]);
    assert_eq!((names(&desk), told("acme.greet")), (vec!["acme.bow".to_owned()], None));
    std::fs::write(folder.join("one.json"), "no JSON").unwrap();
    let sources = desk.engine.tools().sources().unwrap();
    assert_eq!((sources[0].tools.len(), sources[0].left_out.len()), (0, 1));

    write(&folder, "one.json", &[says("bow", "Bows.", "bow")]);
    assert_eq!(names(&desk), ["acme.bow"]);
    std::fs::remove_dir_all(&folder).unwrap();
    let sources = desk.engine.tools().sources().unwrap();
    assert!(sources[0].tools.is_empty() && sources[0].problem.is_some(), "{:?}", sources[0]);
    assert_eq!(told("acme.bow"), None);
}

#[tokio::test]
async fn sources_that_another_program_adds_or_removes_come_and_go() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    let other = desk.reopened();
    remove_tool_source(other.engine.settings(), &Keys::usual(), "acme").unwrap();
    add_tool_source(other.engine.settings(), "office", &folder).unwrap();
    let (end, ended) = done_with(&desk, &session, "office.greet").await;
    assert_eq!((end, ended), (TurnEnd::Answered { session: session.clone() }, vec![CallStatus::Success]));
    assert_eq!(
        (names(&desk), desk.engine.tools().get("acme.greet").is_none()),
        (vec!["office.greet".to_owned()], true)
    );
}

#[tokio::test]
async fn a_tool_that_came_to_do_something_else_is_not_what_was_approved() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    desk.plans(&json!({"title": "Greet", "steps": [{"tool": "acme.greet", "do": "Greet", "expect": "a word"}]}));
    let end = desk.send(&session, "Greet.", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "something else")]);
    assert_eq!(names(&desk), ["acme.greet"]);
    let approved = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await;
    assert!(approved.is_err(), "{approved:?}");
    let events = desk.events(&session);
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::CallStarted { .. })), "nothing was called");
}

#[tokio::test]
async fn a_tool_that_came_to_do_something_else_while_its_step_waits_is_not_called() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    let step = json!({"id": "s1", "description": "Ask whether it is time, then greet", "stepType": "tool",
        "requiredTools": ["ask_user", "acme.greet"]});
    let document = json!({"format": "assent.plan/1", "title": "Greet", "userMessage": "Greet.", "steps": [step]});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    let calls = [("ask_user", json!({"question": "Now?"})), ("acme.greet", json!({}))];
    desk.model.push(Purpose::Step, Scripted::calls(calls));
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    let request = desk.engine.requests().open().unwrap().remove(0).request;
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "something else")]);
    assert_eq!(names(&desk), ["acme.greet"]);
    desk.says("It cannot be done.");
    desk.says("It cannot be done.");
    desk.says("It cannot be done.");
    let answer = Answer::Value { value: json!("Now") };
    desk.engine.turns().answer(&request.id, answer, &CancellationToken::new()).await.unwrap();
    let events = format!("{:?}", desk.events(&session));
    assert!(events.contains("what acme.greet does was changed") && !events.contains("something else"), "{events}");
}

/// A tool that asks a machine that does not answer.
fn asks(path: &str) -> Value {
    let url = format!("http://127.0.0.1:9/{path}");
    json!({"name": "ask", "description": "Asks.", "http": {"method": "GET", "url": url}})
}

#[tokio::test]
async fn what_was_allowed_for_a_folder_is_what_the_tool_did_then() {
    let full = ModelProfile { planner: PlannerProfile::Full, ..ScriptedModel::default().profile().clone() };
    let (desk, folder) = desk_on(ScriptedModel::new(full));
    let session = desk.session().await;
    write(&folder, "two.json", &[asks("one")]);
    let begun = |desk: &Desk| {
        let started = |kind: &EventKind| matches!(kind, EventKind::CallStarted { tool, .. } if tool == "acme.ask");
        desk.events(&session).iter().filter(|event| started(&event.kind)).count()
    };
    let call_it = async |desk: &Desk| {
        let step = json!({"id": "s1", "description": "Ask", "stepType": "tool", "expectedOutcome": "A word"});
        desk.plans(&json!({"title": "Ask", "refinedTask": "Ask.", "todoList": [step]}));
        desk.calls("tool_explain", json!({"tool_id": "acme.ask"}));
        desk.calls("acme.ask", json!({}));
        desk.says("It does not answer.");
        desk.send(&session, "Ask.", ApprovalPolicy::NeverAsk).await;
        let open = desk.engine.requests().open().unwrap();
        open.into_iter().map(|row| row.request).find(|request| request.kind == RequestKind::Permit)
    };
    let asked = call_it(&desk).await.unwrap();
    assert_eq!((asked.tool.as_deref(), begun(&desk)), (Some("acme.ask"), 0));
    let always = Answer::Approve { arguments: None, note: None, reach: Reach::Workspace };
    desk.engine.turns().answer(&asked.id, always, &CancellationToken::new()).await.unwrap();
    assert_eq!(begun(&desk), 1);

    let later = desk.reopened();
    assert_eq!((call_it(&later).await, begun(&later)), (None, 2), "it is allowed here from now on");
    write(&folder, "two.json", &[asks("another")]);
    let again = call_it(&later).await.unwrap();
    assert_eq!((again.tool.as_deref(), begun(&later)), (Some("acme.ask"), 2), "what it does now was not allowed");
}

#[test]
fn a_source_takes_its_keys_along_and_stays_where_they_cannot_be_forgotten() {
    let (desk, folder) = desk();
    let settings = desk.engine.settings();
    let vault = Keyring::default();
    let keys = |vault: Keyring| Keys::new(Box::new(vault), Box::new(|_| None));
    let name = key_name("acme", "Help.example");
    note_source_key(settings, "acme", "Help.example", true).unwrap();
    vault.set(&name, &Secret::new("sk-of-acme")).unwrap();
    vault.set("openai", &Secret::new("sk-of-a-model")).unwrap();

    let closed = Keyring { is_closed: true, ..vault.clone() };
    let refused = remove_tool_source(settings, &keys(closed), "acme").unwrap_err();
    assert!(matches!(refused, SourcesError::Key(_)), "{refused}");
    assert_eq!(tool_sources(settings).unwrap()[0].keys, ["help.example"], "it is still there");

    remove_tool_source(settings, &keys(vault.clone()), "acme").unwrap();
    assert_eq!(vault.kept.lock().unwrap().keys().collect::<Vec<_>>(), ["openai"]);
    let added = add_tool_source(settings, "acme", &folder).unwrap();
    assert!(added.keys.is_empty() && keys(vault).key(&name).is_none(), "the next of its name has none");
}

#[test]
fn a_file_beside_the_descriptions_that_changes_changes_no_tools() {
    let (desk, folder) = desk();
    let greet = || std::ptr::from_ref(desk.engine.tools().get("acme.greet").unwrap());
    let before = greet();
    for word in ["one", "two", "three"] {
        std::fs::write(folder.join("cache.json"), json!({"word": word}).to_string()).unwrap();
        assert_eq!(names(&desk), ["acme.greet"]);
    }
    write(&folder, "two.json", &[says("bow", "Bows.", "bow")]);
    assert_eq!(names(&desk), ["acme.greet", "acme.bow"]);
    assert_eq!(greet(), before, "what came again as it was is what it was");
}

#[tokio::test]
async fn a_search_that_finds_nothing_says_which_source_is_not_there() {
    let profile = ModelProfile {
        id: "scripted/test".to_owned(),
        context_tokens: 8192,
        planner: PlannerProfile::Full,
        parallel: 1,
        local: false,
    };
    let (desk, folder) = desk_on(ScriptedModel::new(profile));
    std::fs::remove_dir_all(&folder).unwrap();
    desk.plans(&json!({"title": "Greet", "refinedTask": "Greet.", "todoList": [
        {"id": "step_1", "description": "Greet", "stepType": "tool", "expectedOutcome": "a greeting"}]}));
    desk.calls("tool_search", json!({"query": "xylophone"}));
    desk.says("It cannot be done.");
    desk.says("It cannot be done.");
    let session = desk.session().await;
    desk.send(&session, "Play the xylophone.", ApprovalPolicy::NeverAsk).await;
    let results = desk.events(&session).into_iter().find_map(|event| match event.kind {
        EventKind::CallEnded { output, .. } => desk.engine.content(&output).ok(),
        _ => None,
    });
    let results = results.unwrap();
    let reason = results["reason"].as_str().unwrap();
    assert!(reason.starts_with("None of ") && reason.contains("The tools of acme are not there"), "{results}");
    // It comes back.
    std::fs::create_dir(&folder).unwrap();
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "hello")]);
    assert_eq!(names(&desk), ["acme.greet"]);
    let query = Query { text: "greets a colleague", limit: 5, filter: &Filter::default() };
    assert_eq!(desk.engine.tools().find(&query).tools[0].name, "acme.greet");
}

#[test]
fn a_person_may_call_what_is_found_but_not_the_tools_about_tools() {
    let (desk, _folder) = desk();
    let query =
        Query { text: "search for available tools, or greet a colleague", limit: 20, filter: &Filter::default() };
    let found = desk.engine.tools().find(&query).tools;
    let callable = |name: &str| found.iter().find(|tool| tool.name == name).map(|tool| tool.callable);
    assert_eq!([callable("tool_search"), callable("acme.greet")], [Some(false), Some(true)]);
}

#[test]
fn a_setting_that_is_no_list_of_sources_is_told_and_left_as_it_is() {
    let (desk, folder) = desk();
    let damaged = json!({"acme": 7});
    desk.engine.settings().set_setting("toolSources", Some(&damaged)).unwrap();
    let error = tool_sources(desk.engine.settings()).unwrap_err().to_string();
    assert!(error.contains("toolSources is no list of what belongs there"), "{error}");
    assert!(add_tool_source(desk.engine.settings(), "other", &folder).is_err());
    assert_eq!(desk.engine.settings().setting("toolSources").unwrap(), Some(damaged));
}

/// What was sent and not answered may have done its work: it is not sent once more without a word.
#[tokio::test]
async fn a_request_whose_answer_breaks_off_is_put_before_a_person_and_not_sent_again() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    for (begins, method, asked) in [
        ("", "POST", true),
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nha", "POST", true),
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nha", "GET", false),
    ] {
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/tickets", server.local_addr().unwrap());
        let counted = tokio::spawn(async move {
            let mut count = 0;
            while let Ok((mut line, _)) = server.accept().await {
                let mut bytes = [0; 1024];
                let read = line.read(&mut bytes).await.unwrap();
                if bytes[..read].starts_with(b"STOP") {
                    break;
                }
                count += 1;
                line.write_all(begins.as_bytes()).await.unwrap();
            }
            count
        });
        let address = url.trim_start_matches("http://").trim_end_matches("/tickets").to_owned();
        let (desk, folder) = desk();
        let http = json!({"method": method, "url": url});
        write(&folder, "two.json", &[json!({"name": "file", "description": "Files a ticket.", "http": http})]);
        assert_eq!(names(&desk).len(), 2);
        let session = desk.session().await;
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
            "title": "File", "userMessage": "File a ticket.", "defaults": {"toolValidationMode": "strict"},
            "steps": [{"id": "s1", "description": "File a ticket", "stepType": "tool", "requiredTools": ["acme.file"]}]});
        for _ in 0..3 {
            desk.calls("acme.file", json!({}));
            desk.says("It did not work.");
        }
        let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
        let never = CancellationToken::new();
        desk.engine.turns().approve(&plan, Decider::User, None, &never).await.unwrap();
        let open = |kind: RequestKind| {
            let open = desk.engine.requests().open().unwrap();
            open.into_iter().map(|row| row.request).find(|request| request.kind == kind)
        };
        while let Some(permit) = open(RequestKind::Permit) {
            let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
            desk.engine.turns().answer(&permit.id, yes, &never).await.unwrap();
        }
        let unknown = open(RequestKind::UnknownOutcome).map(|request| request.prompt);
        let mut stop = tokio::net::TcpStream::connect(&address).await.unwrap();
        stop.write_all(b"STOP").await.unwrap();
        let count = counted.await.unwrap();
        assert_eq!((unknown.is_some(), count == 1), (asked, asked), "{method}: {count} {unknown:?}");
        if let Some(prompt) = unknown {
            assert!(prompt.starts_with("acme.file was sent to 127.0.0.1, and its answer did not come"), "{prompt}");
        }
    }
}
