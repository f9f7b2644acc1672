//! Tools that give what nobody expects: bytes that are no text, and a break in the middle of an effect.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, Content, Decider, EventKind, Purpose, RequestKind, RunStatus, StepStatus};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::executor::{AGAIN, DONE, SKIP};
use assent_engine::live::Unwatched;
use assent_engine::model::Message;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::store::{Home, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::{Only, engine_with};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Every byte as a character, marks that turn text around, and the sign for what is no text.
fn no_text() -> String {
    let bytes = (0..=255).map(char::from);
    bytes.chain(['\u{fffd}', '\u{202e}', '\u{feff}', '\u{10ffff}']).collect::<String>() + "\u{1b}[2J%PNG\r\n"
}

/// A tool that gives [`no_text`], or one that counts and then breaks.
struct Odd {
    spec: ToolSpec,
    begun: Arc<AtomicUsize>,
}

impl Odd {
    fn boxed(name: &str, risk: Risk, begun: &Arc<AtomicUsize>) -> Arc<dyn Tool> {
        let spec = ToolSpec::new(
            name,
            format!("Does {name}."),
            json!({"type": "object", "properties": {"text": {"type": "string"}}}),
            Source::Core,
            risk,
        );
        Arc::new(Self { spec, begun: begun.clone() })
    }
}

#[async_trait]
impl Tool for Odd {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        match self.spec.name.as_str() {
            "snap" => Ok(Outcome::Success(json!({"picture": no_text()}))),
            _ => panic!("broken in the middle"),
        }
    }
}

struct Bench {
    folder: tempfile::TempDir,
    model: Arc<ScriptedModel>,
    begun: Arc<AtomicUsize>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        Self { folder, model: Arc::default(), begun: Arc::default() }
    }

    /// An engine on the folder, as a fresh process would have it.
    fn engine(&self) -> Engine {
        let home = Home::at(self.folder.path().join("home")).unwrap();
        let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
        let tools = vec![Odd::boxed("snap", Risk::Read, &self.begun), Odd::boxed("transfer", Risk::Write, &self.begun)];
        engine_with(store, &home, Arc::new(Only(self.model.clone())), tools, Arc::new(Unwatched))
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Approves a plan of a tool step and of one that builds on it.
    async fn run(&self, engine: &Engine, tool: &str) -> (SessionId, TurnEnd) {
        self.run_within(engine, tool, json!({})).await
    }

    async fn run_within(&self, engine: &Engine, tool: &str, limits: Value) -> (SessionId, TurnEnd) {
        let session = engine.sessions().create(Path::new(&self.folder.path().join("workspace"))).await.unwrap();
        let step = |id: &str, kind: &str, required: &[&str], on: &[&str]| {
            json!({"id": id, "description": format!("Do {id}"), "stepType": kind, "requiredTools": required,
                "dependencies": on, "executor": {"kind": "self", "id": ""}})
        };
        let document = json!({
            "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": session.as_str(), "title": "Odd",
            "userMessage": "Do it.", "defaults": {"toolValidationMode": "strict"}, "limits": limits,
            "steps": [step("s1", "tool", &[tool], &[]), step("s2", "reasoning", &[], &["s1"])],
        });
        let plan = import(&document.to_string()).unwrap();
        let plan = engine.plans().import(plan, &session).await.unwrap();
        self.model.push(Purpose::Step, Scripted::call(tool, json!({"text": "x"})));
        for text in ["It is there.", "All is done."] {
            self.model.push(Purpose::Step, Scripted::text(text));
        }
        let end = engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
        (session, end)
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept_as_they_are_and_the_run_goes_on() {
    let bench = Bench::new();
    let engine = bench.engine();
    let (session, end) = bench.run(&engine, "snap").await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    drop(engine);
    let events = bench.engine().sessions().events(&session, 0).unwrap();
    let kept = events.iter().find_map(|event| match &event.kind {
        EventKind::CallEnded { output, .. } => output.here().cloned(),
        _ => None,
    });
    assert_eq!(kept, Some(json!({"picture": no_text()})), "a fresh process reads what the tool gave");
    let requests = bench.model.requests();
    let told = requests[1].messages.iter().any(|message| match message {
        Message::Tool { text, .. } => text.contains("PNG"),
        _ => false,
    });
    assert!(told, "the model is told of it: {:?}", requests[1].messages.last());
}

#[tokio::test]
async fn bytes_of_a_command_that_are_no_text_are_no_failure() {
    if let Err(reason) = assent_engine::tool::sandbox::available() {
        return assent_tests::needs::missing(reason);
    }
    let bench = Bench::new();
    let engine = bench.engine();
    bench.model.push(
        Purpose::Step,
        Scripted::call(
            "bash",
            json!({"command": "printf '\\000\\001\\377\\376%%PNG\\033[2J'; head -c 4096 /dev/urandom"}),
        ),
    );
    let (session, end) = bench.run(&engine, "bash").await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let run = engine.runs().list(&session).unwrap().remove(0);
    let state = engine.runs().get(&run.id).unwrap().state;
    assert!(state.satisfied(0).any(|tool| tool == "bash"), "exit status 0 is success, whatever was printed");
}

/// Whether a process of this machine has these words in its command line.
fn runs(words: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).replace('\0', " ").contains(words))
}

#[tokio::test]
async fn a_command_that_leaves_children_behind_ends_with_all_of_them_and_by_the_limit_of_the_plan() {
    if let Err(reason) = assent_engine::tool::sandbox::available() {
        return assent_tests::needs::missing(reason);
    }
    let sign = format!("sleep 77{}", std::process::id());
    let children = format!("{sign} & (setsid {sign} &); nohup {sign} > /dev/null 2>&1 &");
    let ends = [
        (format!("{children} echo begun"), json!({}), None),
        (
            format!("{children} echo begun; {sign}"),
            json!({"callSeconds": 5}),
            Some("timed out after 5 s, the longest that this plan gives a call"),
        ),
    ];
    for (command, limits, error) in ends {
        let bench = Bench::new();
        let engine = bench.engine();
        bench.model.push(Purpose::Step, Scripted::call("bash", json!({"command": command, "timeout": 50})));
        let (session, _) = bench.run_within(&engine, "bash", limits).await;
        assert!(!runs(&sign), "nothing of it is left");
        let ended = engine.sessions().events(&session, 0).unwrap().into_iter().find_map(|event| match event.kind {
            EventKind::CallEnded { output: Content::Inline { inline }, error, .. } => Some((inline, error)),
            _ => None,
        });
        let (output, told) = ended.unwrap();
        assert_eq!(output["stdout"], "begun\n");
        assert_eq!(told.is_some(), error.is_some(), "{told:?}");
        assert!(told.unwrap_or_default().starts_with(error.unwrap_or_default()));
        assert!(engine.requests().open().unwrap().is_empty(), "a command that ends in good order leaves no question");
    }
}

#[tokio::test]
async fn a_tool_that_breaks_in_the_middle_of_an_effect_is_not_called_again_without_a_word() {
    let answers = [(DONE, StepStatus::Completed, 1), (SKIP, StepStatus::Skipped, 1)];
    for (word, status, begun) in answers {
        let bench = Bench::new();
        let engine = bench.engine();
        let (session, end) = bench.run(&engine, "transfer").await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        assert_eq!(bench.model.requests().len(), 1, "the model is not asked what to do about it");
        drop(engine);
        // The question survives the process.
        let engine = bench.engine();
        let open = engine.requests().open().unwrap();
        let [row] = &open[..] else { panic!("{open:?}") };
        assert_eq!((row.request.kind, row.request.risk), (RequestKind::UnknownOutcome, Some(Risk::Write)));
        assert_eq!(row.request.prompt, "transfer broke while it ran. Did it do its work?");
        assert_eq!(row.request.arguments, Some(json!({"text": "x"})));
        let answer = Answer::Value { value: json!(word) };
        engine.turns().answer(&row.request.id, answer, &CancellationToken::new()).await.unwrap();
        let run = engine.runs().list(&session).unwrap().remove(0);
        let state = engine.runs().get(&run.id).unwrap().state;
        assert_eq!((state.step(0).status, bench.begun()), (status, begun), "{word}");
        assert!(run.status.is_final() && run.status != RunStatus::Failed, "{word}: {:?}", run.status);
    }
}

#[tokio::test]
async fn a_call_that_broke_is_made_again_on_a_persons_word_and_asked_about_each_time() {
    let bench = Bench::new();
    let engine = bench.engine();
    let (_, end) = bench.run(&engine, "transfer").await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    for times in 2..5 {
        let row = engine.requests().open().unwrap().remove(0);
        let answer = Answer::Value { value: json!(AGAIN) };
        let end = engine.turns().answer(&row.request.id, answer, &CancellationToken::new()).await.unwrap();
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        assert_eq!((bench.begun(), engine.requests().open().unwrap().len()), (times, 1));
    }
    assert_eq!(bench.model.requests().len(), 1);
}
