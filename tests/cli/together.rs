//! Several processes on one data folder at the same moment: a run is carried on by one of them, whoever is killed, and
//! those that do not get it say so and are not failures.

use std::collections::HashMap;
use std::io::Read as _;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use assent_engine::Engine;
use assent_engine::engine::Opening;
use assent_engine::live::Unwatched;
use assent_engine::model::scripted::Gate;
use assent_engine::store::{Home, ListFilter, Requests as _, Sessions as _};
use assent_tests::sse::{Answer, Received};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::{ASSENT, Desk};
use crate::replies::{calls, calls_behind, plans, says};

/// A process that does not end in this time never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often each race is run; who wins is the scheduler's business.
const ROUNDS: usize = 4;

/// A model that asks for a name and writes two files, one of which builds on the answer. It waits at the gates before
/// it asks for the first call of each file, once.
fn model(two: &Gate, name: &Gate) -> impl Fn(&Received) -> Answer + Send + Sync + 'static {
    let gates = [("Write two.txt", two.clone()), ("Write name.txt", name.clone())];
    let passed = [("Write two.txt", AtomicBool::new(false)), ("Write name.txt", AtomicBool::new(false))];
    move |request: &Received| {
        let body = &request.body;
        if body.get("response_format").is_some() {
            return plans(&json!({"title": "Name", "steps": [
                {"id": "s1", "description": "Ask for the name", "stepType": "tool", "requiredTools": ["ask_user"]},
                {"id": "s2", "description": "Write two.txt", "stepType": "tool", "requiredTools": ["create_file"]},
                {"id": "s3", "description": "Write name.txt", "stepType": "tool", "requiredTools": ["create_file"],
                    "dependencies": ["s1"]},
            ]}));
        }
        let messages = body["messages"].as_array().unwrap();
        if messages.last().is_some_and(|last| last["role"] == "tool") {
            return says("It is done.");
        }
        let all = Value::from(messages.clone()).to_string();
        let Some((step, gate)) = gates.iter().find(|(step, _)| all.contains(&format!("Your step now: {step}"))) else {
            let asks = all.contains("Your step now: Ask");
            return if asks { calls("ask_user", &json!({"question": "Which name?"})) } else { says("All is done.") };
        };
        let file = step.trim_start_matches("Write ");
        let arguments = json!({"path": file, "content": file});
        let first = passed.iter().any(|(known, passed)| known == step && !passed.swap(true, Ordering::SeqCst));
        if first { calls_behind(gate, "create_file", &arguments) } else { calls("create_file", &arguments) }
    }
}

/// A run that was killed in the middle: a question is open, one call was about to be asked for, one builds on the answer.
fn killed_in_the_middle(name: &Gate) -> (Desk, String) {
    let two = Gate::default();
    let mut desk = Desk::new();
    desk.serve_by(model(&two, name));
    let mut asked = desk.start(&["ask", "--json", "--approve", "never-ask", "Write the files"]);
    asked.until("request_opened");
    desk.reached(&two);
    asked.kill();
    let request = desk.store().open_requests().unwrap().remove(0).request.id.to_string();
    (desk, request)
}

/// A run of one step that was killed before its call: whoever carries it on carries it to its end.
fn killed_before_its_only_call() -> Desk {
    let gate = Gate::default();
    let (first, held) = (AtomicBool::new(true), gate.clone());
    let mut desk = Desk::new();
    desk.serve_by(move |request: &Received| {
        if request.body.get("response_format").is_some() {
            return plans(&json!({"title": "Write", "steps": [
                {"id": "s1", "description": "Write two.txt", "stepType": "tool", "requiredTools": ["create_file"]}]}));
        }
        let messages = request.body["messages"].as_array().unwrap();
        if messages.last().is_some_and(|last| last["role"] == "tool") {
            return says("All is done.");
        }
        let arguments = json!({"path": "two.txt", "content": "two.txt"});
        let is_first = first.swap(false, Ordering::SeqCst);
        if is_first { calls_behind(&held, "create_file", &arguments) } else { calls("create_file", &arguments) }
    });
    let mut asked = desk.start(&["ask", "--json", "--approve", "never-ask", "Write the file"]);
    asked.until("step_started");
    desk.reached(&gate);
    asked.kill();
    desk
}

/// Processes that were started together. Each is read in a thread of its own, which ends when the process does.
struct Together {
    children: Vec<(&'static str, Child)>,
    ended: Receiver<(usize, String)>,
    said: HashMap<usize, String>,
}

impl Together {
    fn start<'a>(desk: &Desk, commands: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let (tell, ended) = channel();
        let mut children = Vec::new();
        for (number, arguments) in commands.into_iter().enumerate() {
            let mut child = desk.command(ASSENT).args(arguments).spawn().unwrap();
            let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
            let tell = tell.clone();
            std::thread::spawn(move || {
                let mut said = String::new();
                out.read_to_string(&mut said).unwrap();
                err.read_to_string(&mut said).unwrap();
                // Nobody listens any more when the test has failed already.
                let _ = tell.send((number, said));
            });
            children.push((if arguments[0] == "answer" { "answer" } else { "resume" }, child));
        }
        Self { children, ended, said: HashMap::new() }
    }

    /// Waits until all but so many have ended.
    fn wait(&mut self, but: usize) {
        while self.said.len() + but < self.children.len() {
            let (number, said) = self.ended.recv_timeout(PATIENCE).expect("a process ends");
            self.said.insert(number, said);
        }
    }

    /// Kills those that have not ended.
    fn kill(&mut self) {
        for (number, (_, child)) in self.children.iter_mut().enumerate() {
            if !self.said.contains_key(&number) {
                child.kill().unwrap();
            }
        }
        self.wait(0);
    }

    /// All of them have ended; those that were not killed ended well, and whoever did nothing said so.
    fn ended_well(mut self, killed: usize) {
        self.wait(0);
        let mut signals = 0;
        for (number, (command, mut child)) in self.children.into_iter().enumerate() {
            let (status, said): (ExitStatus, _) = (child.wait().unwrap(), &self.said[&number]);
            let Some(code) = status.code() else {
                signals += 1;
                continue;
            };
            assert!(code != 1 && !said.contains("assent:"), "{command} ended with {code}: {said}");
            // Who takes over in the middle of a step may tell of a call first, and of the answer that it waits for.
            let did = ["● s", "✓ s", "✓ Ada", "All is done.", "waits for your answer: "]
                .iter()
                .any(|words| said.contains(words));
            let told = ["another window or command carries run", "nothing was interrupted"];
            assert!(did || told.iter().any(|words| said.contains(words)), "{command} says nothing: {said:?}");
        }
        assert_eq!(signals, killed);
    }
}

/// Every call of the run was begun once, and it has one end.
fn done_once(desk: &Desk) {
    let store = desk.store();
    let session = store.sessions(&ListFilter::default()).unwrap().remove(0);
    let events = store.session_events(&session.id, 0).unwrap();
    let events: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let of_kind = |kind: &str| events.iter().filter(|event| event["kind"] == kind).collect::<Vec<_>>();
    let mut begun: Vec<&str> = of_kind("call_started").iter().map(|event| event["tool"].as_str().unwrap()).collect();
    begun.sort_unstable();
    assert_eq!(begun, ["ask_user", "create_file", "create_file"], "{events:#?}");
    let ended: Vec<_> = of_kind("run_ended").iter().map(|event| event["status"].clone()).collect();
    assert_eq!(ended, ["completed"], "{events:#?}");
    assert_eq!((of_kind("request_answered").len(), of_kind("answered").len()), (1, 1), "{events:#?}");
    assert_eq!(of_kind("step_ended").len(), 3, "{events:#?}");
    // The answer stands in the turn that the reply opened, and no turn is left open.
    assert_eq!(of_kind("answered")[0]["turn"], of_kind("request_answered")[0]["turn"], "{events:#?}");
    assert_eq!(store.unended_turns().unwrap(), [], "{events:#?}");
    assert!(of_kind("warned").is_empty(), "{:?}", of_kind("warned"));
    for file in ["two.txt", "name.txt"] {
        assert_eq!(desk.file(file).as_deref(), Some(file));
    }
}

/// The engine of a window on the same data folder.
fn window(desk: &Desk) -> Engine {
    let opening = Opening { guard: ASSENT.into(), model: None, live: Arc::new(Unwatched), notice: None };
    Engine::at(&Home::at(desk.home()).unwrap(), opening).unwrap().engine
}

/// Three that resume and one that answers, beginning with another one each round.
fn commands(request: &str, round: usize) -> Vec<Vec<&str>> {
    let mut commands = vec![vec!["resume"], vec!["answer", request, "--text", "Ada"], vec!["resume"], vec!["resume"]];
    commands.rotate_left(round % 4);
    commands
}

#[test]
fn whoever_comes_while_a_run_is_just_over_leaves_its_end_to_the_one_that_carried_it_on() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for _ in 0..ROUNDS {
        let desk = killed_before_its_only_call();
        let store = desk.store();
        let session = store.sessions(&ListFilter::default()).unwrap().remove(0).id;
        let window = window(&desk);
        let run = window.runs().list(&session).unwrap().remove(0).id.to_string();
        let resumes: [&[&str]; 5] = [&["resume"]; 5];
        let together = Together::start(&desk, resumes);
        // A window takes up turns and runs at once.
        let (turns, never) = (window.turns(), CancellationToken::new());
        let (took_up, resumed) =
            runtime.block_on(async { tokio::join!(turns.take_up(None, &never), turns.resume(Some(&run), &never)) });
        took_up.unwrap();
        resumed.unwrap();
        together.ended_well(0);
        let events = store.session_events(&session, 0).unwrap();
        let kinds: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        let of_kind = |kind: &str| kinds.iter().filter(|event| event["kind"] == kind).count();
        let counted = ["call_started", "run_ended", "answered", "turn_ended"].map(of_kind);
        assert_eq!(counted, [1, 1, 1, 1], "{kinds:#?}");
        assert_eq!(desk.file("two.txt").as_deref(), Some("two.txt"));
    }
}

#[test]
fn of_three_that_resume_and_one_that_answers_one_at_a_time_carries_the_run_on() {
    for round in 0..ROUNDS {
        let free = Gate::default();
        free.open();
        let (desk, request) = killed_in_the_middle(&free);
        let commands = commands(&request, round);
        Together::start(&desk, commands.iter().map(Vec::as_slice)).ended_well(0);
        done_once(&desk);
    }
}

#[test]
fn the_engine_of_a_window_and_three_processes_do_nothing_twice() {
    for round in 0..ROUNDS {
        let free = Gate::default();
        free.open();
        let (desk, request) = killed_in_the_middle(&free);
        let window = window(&desk);
        let commands = &commands(&request, round)[..3];
        let answers = commands.iter().any(|command| command[0] == "answer");
        let together = Together::start(&desk, commands.iter().map(Vec::as_slice));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(window.turns().resume(None, &CancellationToken::new())).unwrap();
        together.ended_well(0);
        if !answers {
            desk.run(&["answer", &request, "--text", "Ada"]).ends(0);
        }
        done_once(&desk);
    }
}

#[test]
fn when_the_one_that_carries_it_on_is_killed_another_takes_over_and_nothing_is_done_twice() {
    for round in 0..ROUNDS {
        let name = Gate::default();
        let (desk, request) = killed_in_the_middle(&name);
        let first = commands(&request, round);
        let mut first = Together::start(&desk, first.iter().map(Vec::as_slice));
        desk.reached(&name);
        // The others have nothing to wait for: whoever is left stands before the gate, with the run in hand.
        first.wait(1);
        let resumes: [&[&str]; 3] = [&["resume"], &["resume"], &["resume"]];
        let early = (round % 2 == 1).then(|| Together::start(&desk, resumes));
        first.kill();
        first.ended_well(1);
        if let Some(early) = early {
            early.ended_well(0);
        }
        Together::start(&desk, resumes).ended_well(0);
        done_once(&desk);
    }
}
