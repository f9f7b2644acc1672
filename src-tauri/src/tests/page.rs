//! A page on the mock window.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use assent_core::run::{Place, Purpose};
use assent_engine::engine::{Opened, registry};
use assent_engine::live::Watched;
use assent_engine::model::local::LocalSettings;
use assent_engine::model::registry::{Registry, RegistryParts};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Keys, NoVault, Secret, Vault};
use assent_engine::store::{Home, Store};
use assent_tests::desk::engine;
use serde_json::{Value, json};
use tauri::ipc::{CallbackFn, InvokeBody, InvokeResponseBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder, mock_context, noop_assets};
use tauri::webview::InvokeRequest;
use tauri::{App, Manager, WebviewWindow, WebviewWindowBuilder};

use crate::shell::Shell;
use crate::wire::{Packet, Signal, TextKind};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// An empty keyring that is locked until the person opens it, and how often somebody came to it.
#[derive(Clone, Default)]
struct Keyring {
    asked: Arc<AtomicUsize>,
    is_open: Arc<AtomicBool>,
}

impl Keyring {
    fn gives<T>(&self, what: T) -> Result<T, NoVault> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_open.load(Ordering::SeqCst) {
            return Ok(what);
        }
        Err(NoVault { reason: "it is locked".to_owned() })
    }
}

impl Vault for Keyring {
    fn get(&self, _name: &str) -> Result<Option<Secret>, NoVault> {
        self.gives(None)
    }

    fn set(&self, _name: &str, _secret: &Secret) -> Result<(), NoVault> {
        self.gives(())
    }

    fn remove(&self, _name: &str) -> Result<(), NoVault> {
        self.gives(())
    }
}

/// A window with a page that asks, and a model whose replies are written down.
pub(super) struct Page {
    pub(super) model: Arc<ScriptedModel>,
    pub(super) workspace: PathBuf,
    keyring: Keyring,
    window: WebviewWindow<MockRuntime>,
    app: App<MockRuntime>,
    folder: tempfile::TempDir,
}

impl Page {
    pub(super) fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        std::fs::write(workspace.join("a.txt"), "Berlin\nin berlin\n").unwrap();
        Self::on(folder, workspace)
    }

    fn on(folder: tempfile::TempDir, workspace: PathBuf) -> Self {
        let home = Home::at(folder.path().join("home")).unwrap();
        let model = Arc::new(ScriptedModel::default());
        let (live, signs) = Watched::new();
        let settings = Arc::new(Store::open(&home, Arc::new(assent_engine::clock::SystemClock)).unwrap());
        let keyring = Keyring::default();
        let models = Arc::new(Registry::new(RegistryParts {
            places: registry(&home, &settings, PathBuf::new(), None).places().clone(),
            hub: String::new(),
            guard: PathBuf::new(),
            local: LocalSettings::default(),
            notice: None,
            settings: settings.clone(),
            keys: Arc::new(Keys::new(Box::new(keyring.clone()), Box::new(|_| None))),
        }));
        let opened = Opened {
            engine: engine(&home, model.clone(), Arc::new(live)),
            models,
            left_out: Vec::new(),
            ignored: Vec::new(),
        };
        let shell = Shell::with(Ok(home), Ok(opened), signs);
        let app = crate::with_commands(mock_builder()).manage(shell).build(mock_context(noop_assets())).unwrap();
        let window = WebviewWindowBuilder::new(&app, "main", Default::default()).build().unwrap();
        Self { model, workspace, keyring, window, app, folder }
    }

    /// How often the keyring was asked for something.
    pub(super) fn asked_keyring(&self) -> usize {
        self.keyring.asked.load(Ordering::SeqCst)
    }

    /// The person unlocks the keyring.
    pub(super) fn unlock_keyring(&self) {
        self.keyring.is_open.store(true, Ordering::SeqCst);
    }

    /// The same folders after a restart.
    pub(super) fn reopened(self) -> Self {
        let Self { workspace, window, app, folder, .. } = self;
        drop((window, app));
        Self::on(folder, workspace)
    }

    /// What a command gives, or what it fails with.
    fn ask(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        let request = InvokeRequest {
            cmd: command.to_owned(),
            callback: CallbackFn(0),
            error: CallbackFn(1),
            url: "tauri://localhost".parse().unwrap(),
            body: InvokeBody::Json(arguments),
            headers: Default::default(),
            invoke_key: INVOKE_KEY.to_owned(),
        };
        get_ipc_response(&self.window, request).map(|body| match body {
            InvokeResponseBody::Json(text) => serde_json::from_str(&text).unwrap(),
            InvokeResponseBody::Raw(bytes) => panic!("{bytes:?}"),
        })
    }

    pub(super) fn gives(&self, command: &str, arguments: Value) -> Value {
        self.ask(command, arguments).unwrap_or_else(|failure| panic!("{command}: {failure}"))
    }

    pub(super) fn fails(&self, command: &str, arguments: Value) -> String {
        self.failure(command, arguments)["code"].as_str().unwrap().to_owned()
    }

    pub(super) fn failure(&self, command: &str, arguments: Value) -> Value {
        self.ask(command, arguments).unwrap_err()
    }

    pub(super) fn session(&self) -> Value {
        self.gives("session_create", json!({"workspace": self.workspace}))["id"].clone()
    }

    /// Everything that happens from now on.
    pub(super) fn listen(&self) -> Told {
        let (tell, told) = mpsc::channel();
        let app = self.app.handle().clone();
        let taken = move |packet: Packet| {
            app.state::<Shell>().taken(packet.number);
            tell.send(packet).is_ok()
        };
        self.app.state::<Shell>().listen(taken).unwrap();
        Told { packets: told, signals: Vec::new() }
    }

    pub(super) fn plans(&self) {
        let plan = json!({"title": "Count", "steps": [
            {"tool": "grep", "do": "Find the lines that contain \"berlin\" in all notes", "expect": "counts"},
            {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
        ]});
        self.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    }

    /// A chat in which the plan of [`MESSAGE`] is proposed: the chat, what the page is told from its beginning on, the plan.
    pub(super) fn planned(&self, policy: &str) -> (Value, Told, Value) {
        let session = self.session();
        let mut told = self.listen();
        self.plans();
        self.gives("message_send", json!({"session": session, "text": MESSAGE, "policy": policy}));
        let plan = told.event("plan_proposed")["plan"].clone();
        (session, told, plan)
    }

    pub(super) fn works(&self) {
        self.model.push(Purpose::Step, Scripted::call("grep", json!({"pattern": "berlin"})));
        self.model.push(Purpose::Step, Scripted::text("one file searched"));
        self.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": "counts.md", "content": "2\n"})));
        self.model.push(Purpose::Step, Scripted::text("Two lines."));
    }
}

/// What the page was told.
pub(super) struct Told {
    packets: mpsc::Receiver<Packet>,
    signals: Vec<Value>,
}

impl Told {
    /// Waits for a signal, and gives it.
    pub(super) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(found) = self.signals.iter().find(|signal| wanted(signal)) {
                return found.clone();
            }
            let packet = self.packets.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{:#?}", self.signals));
            self.signals.extend(packet.signals.iter().map(|signal: &Signal| serde_json::to_value(signal).unwrap()));
        }
    }

    pub(super) fn event(&mut self, kind: &str) -> Value {
        self.until(|signal| signal["event"]["kind"] == kind)["event"].clone()
    }

    pub(super) fn rest(&mut self) {
        self.until(|signal| signal["type"] == "work" && signal["active"] == false);
    }
}

pub(super) const MESSAGE: &str = "How many lines mention Berlin? Write the number to counts.md.";

#[test]
fn a_message_becomes_a_plan_that_is_approved_and_done() {
    let page = Page::open();
    let (session, mut told, proposed) = page.planned("always-ask");
    // A sign of life may come after the event that ends what it tells of.
    told.until(|signal| signal["progress"] == json!({"type": "title", "text": "Count"}));
    let card = page.gives("plan_get", json!({"id": proposed["id"]}));
    assert_eq!((&card["reference"], &card["status"]), (&proposed, &json!("proposed")));
    assert_eq!(card["check"]["faults"], json!([]));
    assert_eq!(card["check"]["modelCalls"], 5);

    page.works();
    page.gives("plan_approve", json!({"plan": proposed, "note": "go"}));
    let answer = told.event("answered");
    assert_eq!(page.gives("content_read", json!({"content": answer["text"]})), json!("Two lines."));
    told.until(|signal| signal["event"]["kind"] == "turn_ended" && signal["event"]["status"] == "answered");
    assert_eq!(std::fs::read_to_string(page.workspace.join("counts.md")).unwrap(), "2\n");

    let run = page.gives("run_list", json!({"session": session}))[0]["id"].clone();
    let view = page.gives("run_get", json!({"id": run}));
    let states: Vec<&Value> = view["calls"].as_array().unwrap().iter().map(|call| &call["state"]).collect();
    assert_eq!((&view["row"]["status"], states), (&json!("completed"), vec![&json!("success"), &json!("success")]));
    let call = page.gives("content_call", json!({"run": run, "call": view["calls"][1]["call"]}));
    assert_eq!(call["arguments"], json!({"path": "counts.md", "content": "2\n"}));

    let replied = told.event("model_replied");
    let sent = page.gives("run_sent", json!({"session": session, "seq": replied["seq"]}));
    let last = sent["messages"].as_array().unwrap().last().unwrap();
    assert!(last["role"] == "user" && last["text"].as_str().unwrap().contains(MESSAGE), "{last}");

    let hits = page.gives("session_search", json!({"text": "berlin", "limit": 10}));
    assert!(hits.as_array().unwrap().iter().any(|hit| hit["kind"] == "message"), "{hits}");
    let within =
        |session: Value| page.gives("session_search", json!({"text": "berlin", "limit": 10, "within": session}));
    assert_eq!(within(json!("another")), json!([]));
    assert!(within(json!(session)).as_array().unwrap().iter().all(|hit| hit["session"] == session));
}

#[test]
fn the_events_of_the_stream_are_those_of_the_history_after_a_restart_too() {
    let page = Page::open();
    let (session, mut told, _) = page.planned("always-ask");
    told.rest();
    let streamed: Vec<Value> =
        told.signals.iter().map(|signal| signal["event"].clone()).filter(|event| !event.is_null()).collect();
    let page = page.reopened();
    let first = streamed[0]["seq"].as_u64().unwrap();
    assert_eq!(page.gives("session_events", json!({"id": session, "after": first - 1})), json!(streamed));
    let rows = page.gives("session_list", json!({"filter": {"archived": false, "limit": 0, "offset": 0}}));
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["id"]), (1, &session));
}

#[test]
fn what_is_being_written_is_told_once_more_to_a_page_that_comes_to_it_later() {
    let page = Page::open();
    let (session, mut told, _) = page.planned("always-ask");
    let title = json!({"type": "title", "text": "Count"});
    told.until(|signal| signal["progress"] == title);
    told.rest();
    let place = Place { session: "s".into(), turn: Some("t".into()), run: None, step: None };
    let piece = |text: &str| Signal::Text { place: place.clone(), kind: TextKind::Text, text: text.to_owned() };
    let shell = page.app.state::<Shell>();
    shell.signals().tell(Signal::Work { session: "s".into(), active: true });
    shell.signals().tell(piece("Two "));
    let mut later = page.listen();
    page.gives("session_retell", json!({"id": "s"}));
    page.gives("session_retell", json!({"id": session}));
    shell.signals().tell(piece("lines"));
    let again = |id: &Value| {
        let id = id.clone();
        move |signal: &Value| signal["type"] == "under_way" && signal["session"] == id
    };
    assert_eq!(later.until(again(&json!("s")))["pieces"], json!([piece("Two ")]));
    assert_eq!(later.until(again(&session))["pieces"], json!([]), "its plan is there");
    assert_eq!(later.until(|signal| signal["type"] == "text")["text"], "lines");
}

#[test]
fn what_is_wrong_with_a_message_is_said_at_once_and_nothing_is_written() {
    let page = Page::open();
    let session = page.session();
    assert_eq!(page.fails("message_send", json!({"session": session, "text": "  "})), "empty_message");
    assert_eq!(page.fails("message_send", json!({"session": "nobody", "text": "Hello"})), "not_found");
    assert_eq!(page.fails("session_create", json!({"workspace": "/no/such/folder"})), "folder_unusable");
    assert_eq!(page.fails("tool_call", json!({"session": session, "tool": "toString", "arguments": {}})), "no_tool");
    let events = page.gives("session_events", json!({"id": session, "after": 0}));
    assert_eq!(events.as_array().unwrap().len(), 1, "{events}");
    assert_eq!(page.gives("message_active", json!({})), json!([]));
}

#[test]
fn an_open_question_survives_a_restart_with_its_draft_and_is_answered_once() {
    let page = Page::open();
    let session = page.session();
    let mut told = page.listen();
    let plan = json!({"title": "Ask", "steps": [
        {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
        {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
    ]});
    page.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    let question = json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]});
    page.model.push(Purpose::Step, Scripted::call("ask_user", question));
    page.gives("message_send", json!({"session": session, "text": "Count the city", "policy": "never-ask"}));
    let asked = told.event("request_opened")["request"]["id"].clone();
    told.rest();
    page.gives("request_keep_draft", json!({"id": asked, "draft": {"text": "Ber"}}));

    let page = page.reopened();
    let open = page.gives("request_open", json!({}));
    assert_eq!((&open[0]["request"]["id"], &open[0]["draft"]), (&asked, &json!({"text": "Ber"})));
    let mut told = page.listen();
    let unfit = json!({"id": asked, "answer": {"type": "approve"}});
    assert_eq!(page.fails("request_answer", unfit), "answer_unfit");
    page.model.push(Purpose::Step, Scripted::text("Berlin it is."));
    page.model.push(Purpose::Step, Scripted::call("grep", json!({"pattern": "Berlin"})));
    page.model.push(Purpose::Step, Scripted::text("One line."));
    let answer = json!({"id": asked, "answer": {"type": "value", "value": "Berlin"}});
    page.gives("request_answer", answer.clone());
    assert_eq!(page.fails("request_answer", answer), "settled");
    told.event("answered");
    told.rest();
    assert_eq!(page.gives("request_open", json!({})), json!([]));
}

#[test]
fn a_plan_is_edited_compared_and_decided_without_a_model() {
    let page = Page::open();
    let (_, mut told, first) = page.planned("always-ask");
    told.rest();
    let before = page.gives("plan_get", json!({"id": first["id"]}))["plan"].clone();

    let moved = json!({"document": before, "against": 1, "edits": [{"op": "set_dependencies", "step": "s1", "dependencies": ["s2"]}]});
    assert_eq!(page.fails("plan_apply", moved), "edit_refused");
    let edits = json!([{"op": "set_description", "step": "s1", "description": "Find \"Berlin\""}]);
    let edited = page.gives("plan_apply", json!({"document": before, "edits": edits, "against": 1}));
    let diff = page.gives("plan_diff", json!({"before": before, "after": edited["plan"]}));
    assert_eq!(diff["changed"][0]["fields"][0]["field"], "description");
    assert_eq!((&edited["diff"]["changed"], &edited["diff"]["grantsAdded"]), (&diff["changed"], &json!([])));
    assert_eq!(edited["check"]["faults"], json!([]));
    let wider = json!([{"op": "set_required_tools", "step": "s1", "requiredTools": ["grep", "bash"]}]);
    let wider = page.gives("plan_apply", json!({"document": edited["plan"], "edits": wider, "against": 1}));
    let added = &wider["diff"]["grantsAdded"];
    assert_eq!((&added[0]["id"], &added[0]["grants"]["tools"]), (&json!("s1"), &json!(["bash"])), "{added}");
    assert_eq!(wider["check"]["effects"]["commands"], json!(true));
    let unknown = json!({"document": before, "edits": [], "against": 9});
    assert_eq!(page.fails("plan_apply", unknown), "not_found");
    let second = page.gives("plan_edit", json!({"id": first["id"], "version": 1, "edits": edits}));
    assert_eq!(second["version"], 2);

    let markdown = page.gives("plan_export", json!({"id": first["id"], "version": 2, "format": "markdown"}));
    assert!(markdown.as_str().unwrap().contains("Find \"Berlin\""), "{markdown}");
    let text = page.gives("plan_export", json!({"id": first["id"], "version": 2, "format": "json"}));
    let all = json!({"filter": {"archived": true, "limit": 0, "offset": 0}});
    let sessions = || page.gives("session_list", all.clone()).as_array().unwrap().len();
    let brought = |text: &Value| json!({"workspace": page.workspace, "text": text});
    let named = page.gives("plan_import", brought(&text));
    assert_eq!((&named["title"], sessions()), (&before["title"], 2), "its session is called as the plan is");
    let copy = page.gives("plan_list", json!({"session": named["id"]}))[0].clone();
    assert_ne!(copy["id"], first["id"]);
    let copy = page.gives("plan_get", json!({"id": copy["id"]}))["reference"].clone();
    let mut unknown: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
    unknown["steps"][0]["requiredTools"] = json!(["fly"]);
    for (broken, path) in
        [("{\"stepz\": []}", json!(["stepz"])), (&unknown.to_string(), json!(["steps", 0, "requiredTools", 0]))]
    {
        let looked = page.failure("plan_look", brought(&json!(broken)));
        let broken = page.failure("plan_import", brought(&json!(broken)));
        assert_eq!((&broken["code"], &broken["faults"][0]["path"]), (&json!("plan_faults"), &path), "{broken}");
        assert_eq!(looked["faults"], broken["faults"]);
    }
    page.gives("plan_look", brought(&text));
    assert_eq!(sessions(), 2, "what does not hold leaves nothing behind");

    page.gives("plan_comment", json!({"id": first["id"], "version": 2, "text": "Why?", "step": "s1"}));
    assert_eq!(page.gives("plan_comments", json!({"id": first["id"]}))[0]["text"], "Why?");
    assert_eq!(page.fails("plan_run", json!({"plan": second})), "plan_state");
    let mut other = second.clone();
    other["digest"] = first["digest"].clone();
    assert_eq!(page.fails("plan_approve", json!({"plan": other})), "plan_changed");
    page.gives("plan_approve_for_later", json!({"plan": second}));
    page.gives("plan_reject", json!({"plan": copy, "reason": "not this one"}));
    let statuses = |id: &Value| -> Vec<Value> {
        let rows = page.gives("plan_history", json!({"id": id}));
        rows.as_array().unwrap().iter().map(|row| row["status"].clone()).collect()
    };
    assert_eq!(statuses(&second["id"]).last(), Some(&json!("approved")));
    assert_eq!(statuses(&copy["id"]), [json!("rejected")]);
}

#[test]
fn a_rejected_plan_is_planned_again_with_what_the_person_adds() {
    let page = Page::open();
    let (_, mut told, first) = page.planned("always-ask");
    told.rest();
    let mut told = page.listen();
    page.plans();
    page.gives("plan_again", json!({"plan": first, "note": "Only one file."}));
    assert_eq!(told.event("message_received")["text"], format!("{MESSAGE}\n\nOnly one file."));
    let second = told.event("plan_proposed")["plan"].clone();
    assert_ne!(second["id"], first["id"]);
    assert_eq!(told.event("plan_rejected")["plan"], first);
    assert_eq!(page.gives("plan_get", json!({"id": first["id"]}))["status"], "rejected");
}

#[test]
fn a_persons_own_call_is_made_and_kept() {
    let page = Page::open();
    let session = page.session();
    let mut told = page.listen();
    let arguments = json!({"path": "new.txt", "content": "mine\n"});
    page.gives("tool_call", json!({"session": session, "tool": "create_file", "arguments": arguments}));
    told.rest();
    assert_eq!(std::fs::read_to_string(page.workspace.join("new.txt")).unwrap(), "mine\n");
    let run = page.gives("run_list", json!({"session": session}))[0]["id"].clone();
    assert_eq!(page.gives("run_get", json!({"id": run}))["calls"][0]["tool"], "create_file");
}

#[test]
fn only_web_addresses_are_opened() {
    let page = Page::open();
    for address in ["file:///etc/passwd", "javascript:alert(1)", "nonsense", "smb://host/share"] {
        assert_eq!(page.fails("desktop_open_link", json!({"address": address})), "invalid", "{address}");
    }
}

#[test]
fn a_window_whose_data_folder_cannot_be_opened_says_why_examines_it_and_opens_it_once_it_can() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("home")).unwrap();
    std::fs::write(folder.path().join("home/assent.db"), "this is no database, and longer than one page".repeat(200))
        .unwrap();
    let home = Home::at(folder.path().join("home"));
    let shell = Shell::new(home, PathBuf::new());
    assert!(shell.open().is_err());
    let app = crate::with_commands(mock_builder()).manage(shell).build(mock_context(noop_assets())).unwrap();
    let window = WebviewWindowBuilder::new(&app, "main", Default::default()).build().unwrap();
    let workspace = folder.path().to_owned();
    let page = Page { model: Arc::default(), workspace, keyring: Keyring::default(), window, app, folder };
    let filter = json!({"filter": {"archived": false, "limit": 0, "offset": 0}});
    assert_eq!(page.fails("session_list", filter.clone()), "database_damaged");
    assert_eq!(page.fails("stream_open", json!({"packets": "__CHANNEL__:1"})), "database_damaged");
    let findings = page.gives("desktop_doctor", json!({}));
    let database = findings.as_array().unwrap().iter().find(|finding| finding["name"] == "database").unwrap();
    assert_eq!(database["ok"], false);

    std::fs::remove_file(page.folder.path().join("home/assent.db")).unwrap();
    let first = page.gives("stream_open", json!({"packets": "__CHANNEL__:1"}));
    assert_eq!(first["sessions"], json!([]));
    assert_eq!(page.gives("session_list", filter), json!([]));
}
