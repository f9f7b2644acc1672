//! Processes that are killed at random moments of a run with effects: no event and no request is lost, no effect
//! happens twice without a person's word, and every run ends or waits.
//!
//! Every scenario follows from its seed, and so does the moment at which a process dies, unless it is to die some
//! microseconds later: where it is then varies, so that a seed that has failed may have to be played several times. A
//! failure names the seed and the deaths. `ASSENT_KILLS=500 cargo test -p assent-tests --test recovery` kills as often as
//! that; without it, often enough to see that it still holds. `ASSENT_SEED=7` plays that seed alone, until it has killed
//! as often.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "everything here is a test")]

mod scenario;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use assent_core::ids::{RequestId, StepId};
use assent_core::run::{Answer, Event, EventKind, Request, RequestKind, RunStatus, StepStatus};
use assent_engine::clock::SystemClock;
use assent_engine::executor::AGAIN;
use assent_engine::store::{Home, ListFilter, Requests as _, Runs as _, Sessions as _, Store};
use assent_engine::tool::sandbox;
use assent_tests::needs::missing;
use scenario::{LEAVER, LINES, Person, Scenario, scenario};

/// The process that is killed.
const WORKER: &str = env!("CARGO_BIN_EXE_assent-test-worker");

/// A server that counts: `add MARK`, `count MARK`.
struct Counter {
    address: String,
    counts: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Counter {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let counts: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
        let kept = counts.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut question = String::new();
                let mut reader = BufReader::new(stream);
                // A client that has died has asked nothing.
                if reader.read_line(&mut question).is_err() || !question.ends_with('\n') {
                    continue;
                }
                let mut counts = kept.lock().unwrap();
                let count = match question.trim().split_once(' ') {
                    Some(("add", mark)) => {
                        let count = counts.entry(mark.to_owned()).or_default();
                        *count += 1;
                        *count
                    }
                    Some((_, mark)) => counts.get(mark).copied().unwrap_or_default(),
                    None => continue,
                };
                let _ = reader.get_mut().write_all(format!("{count}\n").as_bytes());
            }
        });
        Self { address, counts }
    }

    /// How often each mark was left, and none from now on.
    fn take(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.counts.lock().unwrap())
    }
}

/// What the processes of a scenario have told before they ended.
#[derive(Default)]
struct Told {
    kills: usize,
    events: Vec<Event>,
}

fn work(seed: u64, folder: &Path, counter: &Counter, number: usize) -> Output {
    let (seed, number) = (seed.to_string(), number.to_string());
    Command::new(WORKER).arg(seed).arg(folder).arg(&counter.address).arg(number).output().unwrap()
}

/// A scenario as a failure names it.
fn named(seed: u64, scenario: &Scenario) -> String {
    let Scenario { deaths, limits, .. } = scenario;
    format!("seed {seed} with limits {limits}, deaths after so many moments and microseconds: {deaths:?}")
}

/// Plays a scenario to where nobody dies any more.
fn play(seed: u64, scenario: &Scenario, folder: &Path, counter: &Counter) -> Told {
    let which = named(seed, scenario);
    let mut told = Told::default();
    for number in 0..=scenario.deaths.len() {
        let output = work(seed, folder, counter, number);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // A line without its end was not yet told.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        told.events.extend(whole.lines().map(|line| serde_json::from_str::<Event>(line).unwrap()));
        if output.status.success() {
            break;
        }
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let killed = output.status.code().is_none() && number < scenario.deaths.len();
        assert!(killed, "{which}: process {number}: {}: {complaint}", output.status);
        told.kills += 1;
    }
    told
}

/// How often each mark was left: in the file and at the counter.
fn left(folder: &Path, counter: &Counter) -> BTreeMap<String, usize> {
    let mut left = counter.take();
    let lines = std::fs::read_to_string(folder.join("workspace").join(LINES)).unwrap_or_default();
    for line in lines.lines() {
        *left.entry(line.to_owned()).or_default() += 1;
    }
    left
}

/// The calls of unknown outcome that a person had made again: their arguments.
fn made_again(events: &[Event]) -> Vec<String> {
    let asked: HashMap<&RequestId, &Request> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::RequestOpened { request } => Some((&request.id, request.as_ref())),
            _ => None,
        })
        .collect();
    let again = events.iter().filter_map(|event| match &event.kind {
        EventKind::RequestAnswered { request, answer: Answer::Value { value }, .. } if value == AGAIN => Some(request),
        _ => None,
    });
    again.map(|id| asked[id].arguments.as_ref().unwrap().to_string()).collect()
}

/// How many calls with effects a model asked for although a person had said that they were made.
fn repeated(events: &[Event]) -> usize {
    let mut by_person = Vec::new();
    let mut planned = HashMap::new();
    let mut repeated = 0;
    for event in events {
        match &event.kind {
            EventKind::ModelReplied { calls, .. } => {
                for call in calls {
                    let same = (event.place.step.clone(), call.tool.clone(), call.arguments.clone());
                    repeated += usize::from(by_person.contains(&same));
                    planned.insert(call.id.clone(), same);
                }
            }
            EventKind::CallEnded { call, by: Some(_), .. } => by_person.extend(planned.get(call).cloned()),
            _ => {}
        }
    }
    repeated
}

/// Whether a person has stopped the run: it is over, and nothing begins after its end.
fn is_stopped(which: &str, events: &[Event], status: RunStatus) -> bool {
    // One that nobody carries on is ended at once.
    let stops = |event: &Event| {
        matches!(event.kind, EventKind::RunStopAsked | EventKind::RunEnded { status: RunStatus::Cancelled })
    };
    if !events.iter().any(stops) {
        return false;
    }
    let end = events.iter().position(|event| matches!(event.kind, EventKind::RunEnded { .. }));
    let end = end.unwrap_or_else(|| panic!("{which}: the run was stopped and is {status:?}"));
    for event in &events[end..] {
        assert!(!matches!(event.kind, EventKind::CallStarted { .. }), "{which}: after the end: {event:?}");
    }
    true
}

/// Whether a person has refused something: what was refused is not made, and after a refused confirmation no later step of
/// the plan begins an effect.
fn is_refused(which: &str, scenario: &Scenario, events: &[Event]) -> bool {
    let mut asked = HashMap::new();
    let (mut refused, mut barred) = (Vec::new(), scenario.steps.len());
    let mut any = false;
    for event in events {
        let place = event.place.step.as_ref().map(|step| step.as_str().split('/').next().unwrap_or_default());
        let step = scenario.steps.iter().position(|step| step["id"].as_str() == place);
        match &event.kind {
            EventKind::RequestOpened { request } => drop(asked.insert(&request.id, (request.as_ref(), step))),
            EventKind::RequestAnswered { request, answer: Answer::Reject { .. }, .. } => {
                let (request, step) = asked[request];
                any = true;
                match request.kind {
                    RequestKind::Permit => refused.extend(request.call.as_ref()),
                    _ => barred = barred.min(step.unwrap()),
                }
            }
            EventKind::CallStarted { call, risk, .. } => {
                assert!(!refused.contains(&call), "{which}: it was refused and made: {event:?}");
                let is_later = risk.has_effects() && step.is_some_and(|step| step > barred);
                assert!(!is_later, "{which}: after a refused confirmation: {event:?}");
            }
            _ => {}
        }
    }
    any
}

/// Whether a mark is one that a step of the plan leaves.
fn is_of(mark: &str, step: &str) -> bool {
    let number = step.trim_start_matches('s');
    mark.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim_end_matches(['a', 'b']) == number
}

/// What there was in a history that is as it has to be.
struct Found {
    /// How often a person was asked, by the kind of request.
    kinds: BTreeMap<String, usize>,
    /// Calls that a model asked for although a person had said that they were made.
    repeated: usize,
    /// Steps that a specialist handed on.
    handed_on: usize,
    /// Agents that were called.
    agents: usize,
    /// Whether a person has stopped the run, whether one has refused something, and wanted a step done once more.
    stopped: bool,
    refused: bool,
    done_again: bool,
    /// Whether one has left a call of unknown outcome out.
    left_out: bool,
}

/// Holds what is there in the end against what was told on the way and what was done.
fn judge(seed: u64, scenario: &Scenario, told: &Told, folder: &Path, counter: &Counter) -> Found {
    let which = named(seed, scenario);
    let store = Store::open(&Home::at(folder.join("home")).unwrap(), Arc::new(SystemClock)).unwrap();
    let sessions = store.sessions(&ListFilter::default()).unwrap();
    let [session] = &sessions[..] else { panic!("{which}: {} sessions", sessions.len()) };
    let events = store.session_events(&session.id, 0).unwrap();
    for event in &told.events {
        assert!(events.contains(event), "{which}: an event is lost: {event:?}");
    }
    let runs = store.runs_of(&session.id).unwrap();
    let [run] = &runs[..] else { panic!("{which}: {} runs", runs.len()) };
    for event in &events {
        if let EventKind::RequestOpened { request } = &event.kind {
            assert_eq!(store.request(request.id.as_str()).unwrap().request, **request, "{which}");
        }
    }
    let open = store.open_requests().unwrap();
    assert_eq!(run.status.is_waiting(), !open.is_empty(), "{which}: {:?}, {open:?}", run.status);
    assert!(run.status.is_waiting() || run.status.is_final(), "{which}: the run is {:?}", run.status);
    assert!(open.is_empty() || scenario.person == Person::Absent, "{which}: {open:?}");
    assert_eq!(store.unended_turns().unwrap(), [], "{which}");

    let leaves_out = matches!(scenario.person, Person::LeavesOut(_));
    let (is_stopped, is_refused) = (is_stopped(&which, &events, run.status), is_refused(&which, scenario, &events));
    let ended = |event: &&Event| match &event.kind {
        EventKind::StepEnded { status: StepStatus::Completed, .. } => true,
        EventKind::StepEnded { .. } => {
            assert!(is_stopped || is_refused || leaves_out, "{which}: {event:?}");
            // What was left out because of a step comes along when that is done once more.
            !leaves_out
        }
        _ => false,
    };
    let reset: Vec<_> = events.iter().filter(|event| matches!(event.kind, EventKind::StepReset { .. })).collect();
    // A person wants it done once more.
    let done_again = reset.first().and_then(|event| event.place.step.clone());
    let wants_again = matches!(scenario.person, Person::Retries(_) | Person::LeavesOut(_));
    assert_eq!(reset.len(), usize::from(wants_again), "{which}: {reset:?}");
    // What a step that is done once more has below it is new each time.
    let mut ended: Vec<_> = events.iter().filter(ended).map(|event| event.place.step.clone()).collect();
    ended.sort();
    let is_twice = |pair: &[Option<StepId>]| pair[0] == pair[1] && pair[0] != done_again;
    assert!(!ended.windows(2).any(is_twice), "{which}: a step has ended twice: {ended:?}");
    ended.dedup();
    let of_plan = ended.iter().flatten().filter(|step| !step.as_str().contains('/')).count();
    let may_end_early = run.status.is_waiting() || is_stopped || leaves_out;
    assert!(may_end_early || of_plan == scenario.steps.len(), "{which}: {of_plan} steps");

    let (left, again) = (left(folder, counter), made_again(&events));
    for mark in &scenario.marks {
        let times = left.get(mark).copied().unwrap_or_default();
        let words = again.iter().filter(|arguments| arguments.contains(mark.as_str())).count();
        let words = words + usize::from(done_again.as_ref().is_some_and(|step| is_of(mark, step.as_str())));
        assert!(times <= 1 + words, "{which}: {mark} was left {times} times, with {words} words of a person");
        let may_lack = run.status.is_waiting() || is_stopped || is_refused || leaves_out;
        assert!(times >= 1 || may_lack, "{which}: {mark} was never left");
        let may_be_twice = matches!(scenario.person, Person::Careless | Person::Retries(_) | Person::LeavesOut(_));
        assert!(times <= 1 || may_be_twice, "{which}: {mark} was left {times} times");
    }
    assert!(left.keys().all(|mark| scenario.marks.contains(mark)), "{which}: {left:?}");
    let mut kinds = BTreeMap::new();
    for event in &events {
        if let EventKind::RequestOpened { request } = &event.kind {
            *kinds.entry(format!("{:?}", request.kind)).or_default() += 1;
        }
    }
    let left_out = leaves_out && kinds.contains_key("UnknownOutcome");
    let handed_on = events.iter().filter(|event| matches!(event.kind, EventKind::StepDelegated { .. })).count();
    let calls_agent = |event: &&Event| matches!(&event.kind, EventKind::CallStarted { tool, .. } if tool == LEAVER);
    Found {
        kinds,
        repeated: repeated(&events),
        handed_on,
        agents: events.iter().filter(calls_agent).count(),
        stopped: is_stopped,
        refused: is_refused,
        left_out,
        done_again: done_again.is_some(),
    }
}

// covers: T6 T13 T15 T17 T56 T63 T65
#[test]
fn wherever_a_process_is_killed_nothing_is_lost_and_nothing_is_done_twice() {
    let wanted = std::env::var("ASSENT_KILLS").map_or(20, |kills| kills.parse().expect("a number"));
    let walls = sandbox::available();
    if let Err(why) = &walls {
        missing(format!("commands cannot be shut in here: {why}"));
    }
    let commands = walls.is_ok();
    let counter = Counter::start();
    let only = std::env::var("ASSENT_SEED").ok().map(|seed| seed.parse::<u64>().expect("a number"));
    let (mut kills, mut events, mut repeated, mut handed_on, mut runs) = (0, 0, 0, 0, 0);
    let (mut agents, mut stopped, mut refused, mut retried, mut left_out) = (0, 0, 0, 0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    // Where a death falls is also up to the machine: a few seeds more may be needed until one is in the middle of an effect.
    let is_short = |kills: usize, kinds: &BTreeMap<String, usize>| {
        kills < wanted || (only.is_none() && kills < 5 * wanted && !kinds.contains_key("UnknownOutcome"))
    };
    while is_short(kills, &kinds) {
        let seed = only.unwrap_or(runs);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        std::fs::write(folder.path().join("workspace/note.txt"), "a note\n").unwrap();
        let scenario = scenario(seed, commands);
        let told = play(seed, &scenario, folder.path(), &counter);
        let found = judge(seed, &scenario, &told, folder.path(), &counter);
        for (kind, times) in found.kinds {
            *kinds.entry(kind).or_default() += times;
        }
        repeated += found.repeated;
        handed_on += found.handed_on;
        stopped += usize::from(found.stopped);
        refused += usize::from(found.refused);
        agents += found.agents;
        retried += usize::from(found.done_again);
        left_out += usize::from(found.left_out);
        kills += told.kills;
        events += told.events.len();
        runs += 1;
    }
    let asked = |kind: &str| kinds.get(kind).copied().unwrap_or_default();
    let (unknown, permits, caps) = (asked("UnknownOutcome"), asked("Permit"), asked("Cap"));
    // `bench/run recovery` reads this line.
    eprintln!(
        "{kills} kills, {runs} runs, {events} events, {unknown} asked, {repeated} repeated, {handed_on} handed on, \
         {permits} permits, {caps} caps, {stopped} stopped, {refused} refused, {agents} agents, {retried} retried, \
         {left_out} left out"
    );
    if only.is_some() {
        return;
    }
    assert!(unknown > 0, "no process died in the middle of an effect");
    assert!(handed_on > 0, "no step was handed on");
    assert!(agents > 0, "no agent was called");
    let rare = [stopped, refused, retried, left_out];
    let named = "runs stopped, with a refusal, done again, with something left out";
    assert!(wanted < 200 || rare.iter().all(|runs| *runs > 0), "{named}: {rare:?}");
    for kind in ["Confirm", "Question", "Permit", "Cap"] {
        assert!(asked(kind) > 0, "nobody was asked: {kind}");
    }
    assert!(wanted < 200 || repeated > 0, "no model doubted a person's word");
}
