//! A process that takes a scenario as far as it goes, and that ends itself by SIGKILL at the moment it is told.
//!
//! `assent-test-worker SEED FOLDER COUNTER NUMBER`: the data folder and the workspace are in FOLDER, the counter
//! listens at COUNTER, and this is the NUMBER-th process of the scenario. Each event is told on standard output once it
//! is committed. Whatever an earlier process has left is carried on first.
#![allow(clippy::expect_used, clippy::print_stdout, reason = "everything here is a test")]

mod scenario;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::{RequestId, SessionId, StepId};
use assent_core::plan::import;
use assent_core::run::{
    Answer, Decider, Event, EventKind, KEEP_GOING, Purpose, Reach, Request as Asked, RequestKind, RequestStatus,
};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::executor::{AGAIN, DONE, ExecutorError, SKIP};
use assent_engine::heap::Delegation;
use assent_engine::live::Unwatched;
use assent_engine::model::{
    Delta, Finish, Message, Model, ModelError, ModelProfile, PlannerProfile, Reply, Request, ToolCall,
};
use assent_engine::store::{Home, ListFilter, PlanStatus, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop, sandbox};
use assent_engine::turn::TurnError;
use assent_tests::desk::{Only, engine_with};
use async_trait::async_trait;
use rustix::process::{Signal, getpid, kill_process};
use scenario::{APPEND, COUNT, HOUSE, LEAVER, LINES, Numbers, Person, Scenario, TELL, changed, scenario};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// A specialist without tools below [`HOUSE`].
const ROOM: &str = "room";
/// The specialist that leaves marks.
const MARKER: &str = "marker";

/// The agent that leaves a mark.
const AGENT: &str = "description = \"Leaves a mark.\"\ntools = [\"append_line\"]\n";

/// The pack in which they are.
fn pack() -> Value {
    let leaf = |id: &str, tools: &[&str]| json!({"id": id, "description": format!("Does all about {id}."), "toolNames": tools, "topLevel": true});
    let above = |id: &str, children: &[&str]| json!({"id": id, "description": format!("Does all about {id}."), "children": children, "topLevel": true});
    let reader = leaf("reader", &["read"]);
    let marker = leaf(MARKER, &[APPEND, COUNT]);
    json!({"specialists": [reader, marker, above(ROOM, &[MARKER, "reader"]), above(HOUSE, &[ROOM, "reader"])]})
}

/// When this process dies, and when a person stops its run.
struct Fate {
    moments: u64,
    passed: AtomicU64,
    later: Duration,
    stop: Option<u64>,
    stopped: Notify,
}

impl Fate {
    /// Whether the person has wanted the run stopped by now.
    fn stops(&self) -> bool {
        self.stop.is_some_and(|after| self.passed.load(Ordering::SeqCst) >= after)
    }

    /// One of the moments at which the process may die.
    fn moment(&self) {
        let passed = self.passed.fetch_add(1, Ordering::SeqCst) + 1;
        if Some(passed) == self.stop {
            self.stopped.notify_one();
        }
        if passed != self.moments {
            return;
        }
        let later = self.later;
        let die = move || {
            let begun = Instant::now();
            while begun.elapsed() < later {
                std::hint::spin_loop();
            }
            let _ = kill_process(getpid(), Signal::KILL);
        };
        // What goes on meanwhile goes on: the process dies wherever it then is.
        if later.is_zero() { die() } else { drop(std::thread::spawn(die)) }
    }
}

/// Where the effects leave their marks.
#[derive(Clone)]
struct Marks {
    lines: PathBuf,
    counter: String,
}

impl Marks {
    fn leave(&self, tool: &str, mark: &str) -> std::io::Result<()> {
        if matches!(tool, COUNT | TELL) {
            return self.ask(&format!("add {mark}")).map(drop);
        }
        let mut lines = std::fs::OpenOptions::new().append(true).create(true).open(&self.lines)?;
        lines.write_all(format!("{mark}\n").as_bytes())
    }

    fn ask(&self, question: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(&self.counter)?;
        stream.write_all(format!("{question}\n").as_bytes())?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer)?;
        Ok(answer)
    }

    /// Whether a mark is there.
    fn is_left(&self, tool: &str, mark: &str) -> std::io::Result<bool> {
        if matches!(tool, COUNT | TELL) {
            return Ok(self.ask(&format!("count {mark}"))?.trim() != "0");
        }
        let lines = std::fs::read_to_string(&self.lines).unwrap_or_default();
        Ok(lines.lines().any(|line| line == mark))
    }
}

/// A tool that leaves a mark each time it is called.
struct Marking {
    spec: ToolSpec,
    marks: Marks,
    fate: Arc<Fate>,
}

impl Marking {
    fn boxed(name: &str, risk: Risk, marks: &Marks, fate: &Arc<Fate>) -> Arc<dyn Tool> {
        let parameters = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        let spec = ToolSpec::new(name, "Leaves a mark.", parameters, Source::Core, risk);
        Arc::new(Self { spec, marks: marks.clone(), fate: fate.clone() })
    }
}

#[async_trait]
impl Tool for Marking {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        let mark = arguments["text"].as_str().unwrap_or_default();
        self.fate.moment();
        let left = self.marks.leave(&self.spec.name, mark);
        self.fate.moment();
        Ok(match left {
            Ok(()) => Outcome::Success(json!(format!("{mark} is left"))),
            Err(error) => Outcome::Error { message: error.to_string(), output: Value::Null },
        })
    }
}

/// Does what the step's task says, one call a reply, then says that it is done. Of a call that a person says was done it
/// is now and then not convinced, and makes it once more.
struct Obedient {
    profile: ModelProfile,
    fate: Arc<Fate>,
}

#[async_trait]
impl Model for Obedient {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    async fn reply(
        &self,
        request: &Request,
        _: &UnboundedSender<Delta>,
        _: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        self.fate.moment();
        if request.purpose == Purpose::Choose {
            return Ok(chosen(request));
        }
        let texts = request.messages.iter().filter_map(|message| match message {
            Message::User { text } => Some(text.as_str()),
            _ => None,
        });
        let told: String = texts.collect();
        let task = told.split("Your step now: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let (carried_out, doubted) = done(&request.messages);
        let order = task.split(", ").nth(carried_out - usize::from(doubted)).and_then(|order| order.split_once(' '));
        Ok(match order.filter(|_| request.purpose == Purpose::Step) {
            Some((tool, mark)) => Reply {
                calls: vec![ToolCall { id: mark.to_owned(), name: tool.to_owned(), arguments: arguments(tool, mark) }],
                finish: Finish::Calls,
                ..Reply::default()
            },
            None => Reply { text: "All of it is done.".to_owned(), ..Reply::default() },
        })
    }

    async fn count_tokens(&self, _text: &str) -> Option<u32> {
        None
    }
}

/// Hands a step on to the next below, which is the only one that comes to the marks.
fn chosen(request: &Request) -> Reply {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::User { text } | Message::System { text } => Some(text.as_str()),
        _ => None,
    });
    let below = if texts.collect::<String>().contains(&format!("- {ROOM}: ")) { ROOM } else { MARKER };
    Reply { text: json!({"summary": "Marks.", "delegateHeap": [below]}).to_string(), ..Reply::default() }
}

/// How many orders were carried out, and whether the last of them is to be carried out once more.
fn done(messages: &[Message]) -> (usize, bool) {
    let (mut orders, mut last, mut by_person, mut again) = (0, None, false, false);
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => {
                let call = calls.first().map(|call| (&call.name, &call.arguments));
                again = by_person && call == last;
                orders += usize::from(!again);
                (last, by_person) = (call, false);
            }
            Message::Tool { text, .. } => by_person = text.contains("A person says that this was done"),
            Message::System { .. } | Message::User { .. } => {}
        }
    }
    // What a person has allowed once is asked about each time, and would be one more word.
    let doubts = last.is_some_and(|(tool, arguments)| tool != TELL && is_doubted(arguments));
    (orders, by_person && doubts && !again)
}

/// Whether the model makes a call with these arguments once more when a person says that it was made: every other one.
fn is_doubted(arguments: &Value) -> bool {
    let text = arguments.to_string();
    text.split("mark").nth(1).is_some_and(|mark| mark.contains('a'))
}

fn arguments(tool: &str, mark: &str) -> Value {
    match tool {
        "bash" => json!({"command": format!("echo {mark} >> {LINES}")}),
        "read" => json!({"path": "note.txt"}),
        "displayConfirmation" => json!({"action": mark}),
        "ask_user" => json!({"question": format!("Where is {mark}?")}),
        LEAVER => json!({"task": format!("Your step now: {APPEND} {mark}")}),
        _ => json!({"text": mark}),
    }
}

/// Tells every event once it is committed, until the work is over.
async fn tell(mut events: Receiver<Arc<Event>>, fate: Arc<Fate>, over: CancellationToken) {
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = over.cancelled() => return,
        };
        match event {
            Ok(event) => {
                println!("{}", serde_json::to_string(event.as_ref()).expect("an event is JSON"));
                fate.moment();
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, seed, folder, counter, number] = &arguments[..] else {
        anyhow::bail!("assent-test-worker SEED FOLDER COUNTER NUMBER");
    };
    let scenario = scenario(seed.parse()?, sandbox::available().is_ok());
    // The last process does not die: nobody counts to zero.
    let (moments, later) = scenario.deaths.get(number.parse::<usize>()?).copied().unwrap_or_default();
    let stop = if let Person::Stops(after) = scenario.person { Some(after) } else { None };
    let (passed, later) = (AtomicU64::new(0), Duration::from_micros(later));
    let fate = Arc::new(Fate { moments, passed, later, stop, stopped: Notify::new() });
    let folder = Path::new(folder);
    let workspace = folder.join("workspace");
    let marks = Marks { lines: workspace.join(LINES), counter: counter.clone() };
    let profile = ModelProfile {
        id: "scripted/obedient".to_owned(),
        context_tokens: 8192,
        planner: PlannerProfile::Compact,
        parallel: 8,
        local: true,
    };
    let model = Obedient { profile, fate: fate.clone() };
    let home = Home::at(folder.join("home"))?;
    let folder_of_pack = home.packs().join("marks");
    std::fs::create_dir_all(&folder_of_pack)?;
    std::fs::write(folder_of_pack.join("specialists.json"), pack().to_string())?;
    let folder_of_agent = home.packs().join("leaver");
    std::fs::create_dir_all(&folder_of_agent)?;
    std::fs::write(folder_of_agent.join("agent.toml"), AGENT)?;
    let store = Store::open(&home, Arc::new(SystemClock))?;
    let risks = [(APPEND, Risk::Write), (COUNT, Risk::Network), (TELL, Risk::Destructive)];
    let tools = risks.into_iter().map(|(name, risk)| Marking::boxed(name, risk, &marks, &fate)).collect();
    let engine = engine_with(store, &home, Arc::new(Only(Arc::new(model))), tools, Arc::new(Unwatched));
    // As each program does when it begins: the agent is a tool of plans.
    engine.tools().sources()?;
    Delegation::Runtime.choose(engine.settings())?;
    let over = CancellationToken::new();
    let told = tokio::spawn(tell(engine.changes(), fate.clone(), over.clone()));
    let mut order = Numbers(seed.parse::<u64>()?.wrapping_mul(31) + number.parse::<u64>()?);
    let work = go(&engine, &scenario, &workspace, &marks, &fate, &mut order);
    let stop = stop_all(&engine, &fate);
    tokio::pin!(work, stop);
    tokio::select! {
        done = &mut work => {
            done?;
            // A stop that has begun is no process's last word before it is written down.
            if fate.stops() {
                stop.await?;
            }
        }
        stopped = &mut stop => {
            stopped?;
            work.await?;
        }
    }
    over.cancel();
    Ok(told.await?)
}

/// Stops every run once the person wants it.
async fn stop_all(engine: &Engine, fate: &Fate) -> Result<()> {
    fate.stopped.notified().await;
    for run in engine.runs().unended()? {
        engine.runs().cancel(&run.id).await?;
    }
    Ok(())
}

/// Takes the scenario from where it stands to where only a person could help who does not. Which open request is answered
/// next follows from the seed.
async fn go(
    engine: &Engine,
    scenario: &Scenario,
    workspace: &Path,
    marks: &Marks,
    fate: &Fate,
    order: &mut Numbers,
) -> Result<()> {
    let never = CancellationToken::new();
    let sessions = engine.sessions().list(&ListFilter::default())?;
    let session = match sessions.first() {
        Some(row) => row.id.clone(),
        None => engine.sessions().create(workspace).await?,
    };
    let plan = match engine.plans().list(None)?.into_iter().next() {
        Some(plan) => engine.plans().reference(&plan),
        None => {
            let document = json!({
                "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": session.as_str(), "title": "Marks",
                "userMessage": "Leave the marks.", "defaults": {"toolValidationMode": "strict"},
                "limits": scenario.limits, "steps": scenario.steps,
            });
            let document = import(&document.to_string()).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
            engine.plans().import(document, &session).await?
        }
    };
    let again = match scenario.person {
        Person::Retries(step) | Person::LeavesOut(step) => Some(StepId::from(format!("s{step}").as_str())),
        _ => None,
    };
    let version = engine.plans().history(&plan.id)?.into_iter().next().context("the plan has a version")?;
    if version.status == PlanStatus::Proposed {
        engine.turns().approve(&plan, Decider::User, None, &never).await?;
    } else if engine.runs().list(&session)?.is_empty() {
        engine.turns().run(&plan, &never).await?;
    }
    loop {
        engine.turns().resume(None, &never).await?;
        let open = engine.requests().open()?;
        if open.is_empty() {
            if !is_done_again(engine, &session, again.as_ref()).await? {
                return Ok(());
            }
            fate.moment();
            continue;
        }
        if scenario.person == Person::Absent {
            return Ok(());
        }
        let next = &open[usize::try_from(order.below(open.len() as u64))?].request;
        let answer = answer(next, scenario, marks)?;
        fate.moment();
        match engine.turns().answer(&next.id, answer, &never).await {
            // Whoever stops the run has it in hand, or has ended it and its requests.
            Err(TurnError::Run(ExecutorError::Busy(_))) if fate.stop.is_some() => {}
            Err(_) if fate.stop.is_some() && status(engine, &next.id)? == RequestStatus::Cancelled => {}
            answered => drop(answered?),
        }
    }
}

/// Has a step done once more that a person wants again, once; whether it is.
async fn is_done_again(engine: &Engine, session: &SessionId, step: Option<&StepId>) -> Result<bool> {
    let Some(step) = step else { return Ok(false) };
    let events = engine.sessions().events(session, 0)?;
    if events.iter().any(|event| matches!(event.kind, EventKind::StepReset { .. })) {
        return Ok(false);
    }
    let run = engine.runs().list(session)?.into_iter().next().context("there is a run")?;
    engine.runs().retry(&run.id, step).await?;
    Ok(true)
}

fn status(engine: &Engine, request: &RequestId) -> Result<RequestStatus> {
    Ok(engine.requests().get(request.as_str())?.status)
}

fn answer(request: &Asked, scenario: &Scenario, marks: &Marks) -> Result<Answer> {
    let yes = |arguments| Answer::Approve { arguments, note: None, reach: Reach::Once };
    if scenario.person == Person::Refuses && matches!(request.kind, RequestKind::Permit | RequestKind::Confirm) {
        return Ok(Answer::Reject { reason: None });
    }
    match request.kind {
        RequestKind::UnknownOutcome if matches!(scenario.person, Person::LeavesOut(_)) => {
            return Ok(Answer::Value { value: json!(SKIP) });
        }
        RequestKind::UnknownOutcome => {}
        RequestKind::Permit => {
            let mark = request.arguments.as_ref().and_then(|arguments| arguments["text"].as_str());
            return Ok(yes(Some(json!({"text": changed(mark.context("a mark is asked about")?)}))));
        }
        RequestKind::Cap => return Ok(Answer::Value { value: json!(KEEP_GOING) }),
        RequestKind::Question => return Ok(Answer::Value { value: json!("It is where it was.") }),
        RequestKind::Confirm | RequestKind::Help => return Ok(yes(None)),
    }
    let tool = request.tool.as_deref().context("an unknown outcome is that of a call")?;
    let arguments = request.arguments.as_ref().context("with its arguments")?.to_string();
    let mark = scenario.marks.iter().find(|mark| arguments.contains(mark.as_str())).context("that leaves a mark")?;
    let happened = scenario.person != Person::Careless && marks.is_left(tool, mark)?;
    Ok(Answer::Value { value: json!(if happened { DONE } else { AGAIN }) })
}
