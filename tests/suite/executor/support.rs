//! A store in a folder of its own, and an executor on it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use assent_core::contract::{Fault, Risk, Schema, Stage, ToolSpec};
use assent_core::ids::{RunId, SessionId, StepId, TurnId};
use assent_core::plan::{ApprovedPlan, Known, KnownSpecialist, Plan, PlanRef, Step, check};
use assent_core::run::{
    Appended, Batch, Decider, Draft, Durability, Event, EventKind, Journal, JournalError, Place, RequestKind, RunState,
    SessionKind,
};
use assent_engine::clock::{FakeClock, RandomIds};
use assent_engine::executor::{
    Asker, Executor, ExecutorError, ExecutorParts, Job, Jobs, Permit, Proposal, Role, Rules, RunOutcome, Sampling,
    Surroundings, Verdict, Witness,
};
use assent_engine::heap::Heap;
use assent_engine::live::Unwatched;
use assent_engine::model::scripted::Gate;
use assent_engine::model::{Keys, ModelProfile, PlannerProfile};
use assent_engine::prompt::{Remark, StepStudio, Templates};
use assent_engine::store::{Home, Plans, RunLocks, RunRow, Runs, Store};
use assent_engine::tool::Catalogue;
use assent_engine::tool::grounding::{Seen, ungrounded};
use assent_engine::tool::scope::ActiveSet;
use assent_engine::tool::workspace::Workspace;
use assent_engine::vault::Credentials;
use assent_tests::desk::Only;
use assent_tests::wire::Wire;
use serde_json::{Value, json};

pub use super::model::{TestModel, call, text};
use super::tools::{Opener, Stuck, TestTool, Traces, Way};

/// Everything in the catalogue is active. What is named `send`, `post`, `poll`, `launch` or `copy` needs permission, and `send`
/// cannot be undone.
struct TestRules(Arc<Catalogue>);

impl Rules for TestRules {
    fn discovers(&self, _job: &Job, _step: &Step, _profile: PlannerProfile) -> bool {
        false
    }

    fn active(&self, _job: &Job, _step: &Step, _asker: &Asker<'_>) -> ActiveSet {
        ActiveSet::of(self.0.specs().filter(|spec| spec.name != "hidden").cloned().collect())
    }

    fn arguments(&self, spec: &ToolSpec, arguments: Value) -> Result<Value, Box<Fault>> {
        let faults = Schema::compile(spec.parameters.clone()).unwrap().check(&arguments, Stage::ToolArguments);
        match faults.into_iter().next() {
            Some(fault) => Err(Box::new(fault)),
            None => Ok(arguments),
        }
    }

    fn grounded(&self, proposal: &Proposal<'_>, seen: &Seen) -> Result<(), Box<Fault>> {
        let Proposal { tool, effects, arguments, workspace, .. } = *proposal;
        let workspace = || Ok(Workspace::at(workspace, &[]).unwrap());
        let faults = ungrounded(tool, effects, arguments, seen, workspace);
        faults.into_iter().next().map_or(Ok(()), |fault| Err(Box::new(fault)))
    }

    fn permitted(&self, proposal: &Proposal<'_>, _seen: &Seen) -> Verdict {
        let risk = match proposal.tool.spec().name.as_str() {
            "send" => Risk::Destructive,
            "post" | "poll" | "launch" | "copy" => Risk::Network,
            _ => return Verdict::Allowed,
        };
        Verdict::Permit(Permit {
            reason: "it talks to another machine".to_owned(),
            risk,
            standing: risk == Risk::Network,
        })
    }
}

struct Alone;

impl Surroundings for Alone {
    fn role(&self, _step: &Step) -> Option<Role> {
        None
    }

    fn shows_files(&self, _step: &Step) -> bool {
        true
    }

    fn files(&self, _workspace: &Path, _model: &ModelProfile) -> Vec<String> {
        vec!["a.txt".to_owned()]
    }

    fn texts(&self, _workspace: &Path, _step: &Step, _model: &ModelProfile) -> Vec<String> {
        Vec::new()
    }

    fn conversation(&self, _session: &SessionId, _plan: &Plan, _step: &Step) -> Vec<(String, String)> {
        Vec::new()
    }

    fn remarks(&self, _plan: &PlanRef, _path: &[StepId]) -> Vec<Remark> {
        Vec::new()
    }

    fn studio(&self, _step: &Step, _model: &ModelProfile) -> Option<StepStudio> {
        None
    }
}

/// A journal that dies before its `left`-th batch from now. What nobody has waited for is lost with it.
pub struct Mortal {
    store: Arc<Store>,
    left: AtomicUsize,
    unsafe_yet: Mutex<Vec<Batch>>,
}

impl Journal for Mortal {
    fn append(&self, batch: Batch, durability: Durability) -> Appended<'_> {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let mut waiting = self.unsafe_yet.lock().unwrap();
        if left.is_err() {
            waiting.clear();
            return Box::pin(async { Err(JournalError::Closed("the process has died".to_owned())) });
        }
        waiting.push(batch);
        if durability == Durability::Queued {
            return Box::pin(async { Ok(()) });
        }
        let mut whole = Batch::default();
        for batch in waiting.drain(..) {
            whole.events.extend(batch.events);
            whole.blobs.extend(batch.blobs);
        }
        self.store.append(whole, durability)
    }
}

/// A journal that keeps a batch waiting, the first that is meant, until it is let go.
#[derive(Clone)]
pub struct Between {
    store: Arc<Store>,
    meant: fn(&Batch) -> bool,
    gate: Gate,
}

impl Between {
    pub fn of(store: &Arc<Store>, meant: fn(&Batch) -> bool) -> Self {
        Self { store: store.clone(), meant, gate: Gate::default() }
    }

    /// Waits until the batch is there.
    pub async fn reached(&self) {
        self.gate.reached().await;
    }

    pub fn open(&self) {
        self.gate.open();
    }
}

impl Journal for Between {
    fn append(&self, batch: Batch, durability: Durability) -> Appended<'_> {
        if !(self.meant)(&batch) {
            return self.store.append(batch, durability);
        }
        Box::pin(async move {
            self.gate.pass().await;
            self.store.append(batch, durability).await
        })
    }
}

pub struct Rig {
    pub store: Arc<Store>,
    pub traces: Traces,
    pub catalogue: Arc<Catalogue>,
    pub plan: Arc<ApprovedPlan>,
    pub clock: Arc<FakeClock>,
    /// Is told of calls that worked.
    pub witness: Arc<dyn Witness>,
    home: Home,
    _lets_go: [Sender<()>; 2],
    folder: tempfile::TempDir,
}

struct StoredJobs {
    store: Arc<Store>,
    known: Known,
    workspace: PathBuf,
}

impl Jobs for StoredJobs {
    fn job(&self, run: &RunRow) -> Result<Job, ExecutorError> {
        let plan = self.store.plan(run.plan.id.as_str(), Some(run.plan.version))?;
        let checked = check(plan, &self.known).map_err(|faults| ExecutorError::PlanFaults(format!("{faults:?}")))?;
        Ok(job(Arc::new(checked.approve(&run.plan)?), &self.store, &self.workspace))
    }

    fn plan(&self, run: &RunRow) -> Result<Plan, ExecutorError> {
        Ok(self.store.plan(run.plan.id.as_str(), Some(run.plan.version))?)
    }

    fn folder(&self, _run: &RunRow) -> Result<PathBuf, ExecutorError> {
        Ok(self.workspace.clone())
    }
}

fn job(plan: Arc<ApprovedPlan>, store: &Arc<Store>, workspace: &Path) -> Job {
    let history = store.file_history(&SessionId::new("chat"));
    Job { plan, kind: SessionKind::Chat, workspace: workspace.to_owned(), history, models: None }
}

impl Rig {
    /// A store with a session, a turn and a plan of these steps.
    pub async fn new(steps: Value) -> Self {
        Self::with_defaults(steps, json!({"toolValidationMode": "strict"})).await
    }

    pub async fn with_defaults(steps: Value, defaults: Value) -> Self {
        Self::with_plan(json!({
            "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
            "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test",
            "route": [], "defaults": defaults, "steps": steps
        }))
        .await
    }

    pub async fn with_plan(document: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let store = Arc::new(Store::open(&home, Arc::new(FakeClock::at(1))).unwrap());
        let traces = Traces::default();
        let mut catalogue = Catalogue::default();
        let lets_go = [("stick", false), ("jam", true)].map(|(name, brief)| {
            let (lets_go, held) = channel();
            catalogue.add(Stuck::boxed(name, brief, held, &traces)).unwrap();
            lets_go
        });
        for tool in [
            TestTool::boxed("look", Risk::Read, Way::Works, &traces),
            TestTool::boxed("append", Risk::Write, Way::Works, &traces),
            TestTool::boxed("send", Risk::Network, Way::Works, &traces),
            TestTool::boxed("post", Risk::Network, Way::Works, &traces),
            TestTool::boxed("poll", Risk::Network, Way::Looks, &traces),
            TestTool::boxed("launch", Risk::Network, Way::Warns, &traces),
            TestTool::boxed("hush", Risk::Write, Way::Hushes, &traces),
            TestTool::boxed("fail", Risk::Read, Way::Fails, &traces),
            TestTool::boxed("exit", Risk::Read, Way::Exits, &traces),
            TestTool::boxed("panic", Risk::Read, Way::Panics, &traces),
            TestTool::boxed("hang", Risk::Write, Way::Hangs, &traces),
            TestTool::boxed("deaf", Risk::Write, Way::Deaf, &traces),
            TestTool::boxed("stare", Risk::Read, Way::Deaf, &traces),
            TestTool::boxed("flood", Risk::Write, Way::Floods, &traces),
            TestTool::boxed("displayConfirmation", Risk::Read, Way::Asks(RequestKind::Confirm), &traces),
            TestTool::boxed("ask_user", Risk::Read, Way::Asks(RequestKind::Question), &traces),
            TestTool::boxed("std-request-user-help", Risk::Read, Way::Asks(RequestKind::Help), &traces),
            TestTool::boxed("agree", Risk::Read, Way::Agrees, &traces),
            TestTool::boxed("snap", Risk::Write, Way::Breaks, &traces),
            TestTool::boxed("peek", Risk::Read, Way::Breaks, &traces),
            TestTool::boxed("hidden", Risk::Read, Way::Works, &traces),
            Opener::boxed("open", Risk::Read, &traces),
            Opener::boxed("copy", Risk::Network, &traces),
        ] {
            catalogue.add(tool).unwrap();
        }
        let catalogue = Arc::new(catalogue);
        let plan: Plan = serde_json::from_value(document).unwrap();
        let workspace = folder.path().join("work");
        let checked = check(plan, &known(&catalogue, &workspace)).unwrap();
        let decision = checked.plan_ref();
        let plan = Arc::new(checked.approve(&decision).unwrap());
        let place = |turn: Option<&str>| Place {
            session: SessionId::new("chat"),
            turn: turn.map(TurnId::from),
            run: None,
            step: None,
        };
        let draft = |place: Place, kind: EventKind| Draft { place, at: 1, kind };
        let batch = Batch {
            events: vec![
                draft(
                    place(None),
                    EventKind::SessionCreated {
                        title: "test".to_owned(),
                        session_kind: SessionKind::Chat,
                        workspace: None,
                    },
                ),
                draft(
                    place(Some("turn")),
                    EventKind::MessageReceived { text: plan.plan().user_message.clone(), answers: None, replans: None },
                ),
                draft(place(Some("turn")), EventKind::PlanProposed { plan: decision.clone(), faults: Vec::new() }),
                draft(
                    place(Some("turn")),
                    EventKind::PlanApproved { plan: decision, by: Decider::Policy, note: None, starts: false },
                ),
            ],
            plans: vec![plan.plan().clone()],
            ..Batch::default()
        };
        store.append(batch, Durability::Committed).await.unwrap();
        let clock = Arc::new(FakeClock::at(1));
        Self { store, traces, catalogue, plan, clock, witness: Arc::new(()), home, _lets_go: lets_go, folder }
    }

    /// The folder that its steps work in.
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// An executor, as a fresh process would have it.
    pub fn executor(&self, model: &Arc<TestModel>) -> Executor {
        self.executor_on(model, self.store.clone())
    }

    /// One whose process dies before its `batches`-th batch.
    pub fn mortal(&self, model: &Arc<TestModel>, batches: usize) -> Executor {
        let mortal =
            Mortal { store: self.store.clone(), left: AtomicUsize::new(batches), unsafe_yet: Mutex::default() };
        self.executor_on(model, Arc::new(mortal))
    }

    /// One that writes elsewhere.
    pub fn executor_on(&self, model: &Arc<TestModel>, journal: Arc<dyn Journal>) -> Executor {
        Executor::new(ExecutorParts {
            witness: self.witness.clone(),
            journal,
            runs: self.store.clone(),
            requests: self.store.clone(),
            blobs: self.store.clone(),
            changes: self.store.clone(),
            locks: Arc::new(RunLocks::new(&self.home)),
            jobs: Arc::new(StoredJobs {
                store: self.store.clone(),
                known: known(&self.catalogue, &self.workspace()),
                workspace: self.workspace(),
            }),
            models: Arc::new(Only(Wire::of_this_program().lead_to(model.clone()))),
            catalogue: self.catalogue.clone(),
            rules: Arc::new(TestRules(self.catalogue.clone())),
            surroundings: Arc::new(Alone),
            templates: Arc::new(Templates::shipped().unwrap()),
            live: Arc::new(Unwatched),
            clock: self.clock.clone(),
            ids: Arc::new(RandomIds::default()),
            heap: Arc::new(Heap::new(self.catalogue.clone(), None)),
            settings: self.store.clone(),
            vault: Arc::new(Credentials::new(self.store.clone(), Arc::new(Keys::usual()), self.clock.clone())),
            hidden: Vec::new(),
            sampling: Sampling::default(),
        })
    }

    /// The lock of a run, as another process would have it.
    pub fn hold(&self, run: &RunId) -> impl Send + use<> {
        RunLocks::new(&self.home).try_lock(run).unwrap().unwrap()
    }

    pub async fn start(&self, executor: &Executor) -> Result<RunId, ExecutorError> {
        let job = job(self.plan.clone(), &self.store, &self.workspace());
        executor.start(job, SessionId::new("chat"), Some(TurnId::new("turn")), Vec::new()).await
    }

    /// Starts a run and carries it on as far as it goes.
    pub async fn run(&self, executor: &Executor) -> RunOutcome {
        let run = self.start(executor).await.unwrap();
        executor.carry_on(&run, None).await.unwrap()
    }

    pub fn events(&self, run: &RunId) -> Vec<Event> {
        self.store.run_events(run).unwrap()
    }

    /// The limits that were reached in a run, by their names in the plan.
    pub fn limits_reached(&self, run: &RunId) -> Vec<(String, u32)> {
        let reached = self.events(run).into_iter().filter_map(|event| match event.kind {
            EventKind::LimitReached { limit, value } => Some((limit, value)),
            _ => None,
        });
        reached.collect()
    }

    pub fn state(&self, run: &RunId) -> RunState {
        let mut state = RunState::new(run.clone(), self.plan.plan());
        for event in self.events(run) {
            state.apply(&event.place, event.at, &event.kind).unwrap();
        }
        state
    }
}

fn known(catalogue: &Catalogue, workspace: &Path) -> Known {
    Known {
        tools: catalogue.specs().map(|spec| (spec.name.clone(), spec.clone())).collect(),
        workspace: Some(workspace.display().to_string()),
        specialists: ["general", "agent", "workflow"].map(|id| (id.to_owned(), KnownSpecialist::default())).into(),
        ..Known::default()
    }
}

/// A tool step of the single agent.
pub fn tool(id: &str, task: &str, required: &[&str], dependencies: &[&str]) -> Value {
    json!({"id": id, "description": task, "stepType": "tool", "requiredTools": required,
           "dependencies": dependencies})
}

/// A reasoning step of the single agent.
pub fn think(id: &str, task: &str, dependencies: &[&str]) -> Value {
    json!({"id": id, "description": task, "stepType": "reasoning", "dependencies": dependencies})
}
