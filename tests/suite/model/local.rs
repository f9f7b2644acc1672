//! The embedded model: the real server with the smoke model; its deaths; its sharing; its missing parts.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assent_engine::model::local::{FileState, Loading, LocalModel, LocalParts};
use assent_engine::model::{DeltaKind, Finish, Message, Model, ModelError};
use assent_tests::model::{ask, drain, request, said, smoke};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// The program that becomes the guard.
pub(super) fn guard() -> PathBuf {
    env!("CARGO_BIN_EXE_assent-test-guard").into()
}

/// A data folder whose server ends with the test.
pub(super) struct Home(pub(super) TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(super) fn parts(&self) -> Option<LocalParts> {
        smoke(self.0.path(), guard())
    }

    fn state(&self) -> Value {
        let path = self.0.path().join("local-model/smoke/server.json");
        serde_json::from_slice(&std::fs::read(path).unwrap_or_default()).unwrap_or_default()
    }

    fn pid(&self, key: &str) -> u64 {
        self.state().pointer(key).and_then(Value::as_u64).unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(pid) = self.state()["guardPid"].as_u64() {
            kill(pid);
        }
    }
}

fn kill(pid: u64) {
    Command::new("kill").args(["-9", &pid.to_string()]).output().unwrap();
}

fn lives(pid: u64) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// Waits for another process to get somewhere.
async fn until(what: &str, mut reached: impl FnMut() -> bool) {
    for _ in 0..600 {
        if reached() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} within 30 seconds");
}

#[tokio::test]
async fn it_is_started_on_demand_answers_and_keeps_its_prefix() {
    let home = Home::new();
    let Some(mut parts) = home.parts() else { return };
    let told: Arc<Mutex<Vec<Loading>>> = Arc::default();
    let tell = told.clone();
    parts.notice = Some(Arc::new(move |loading| tell.lock().unwrap().push(loading)));
    let model = LocalModel::new(parts);
    assert_eq!(home.state(), Value::Null, "nothing runs before the first request");
    let long = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    let first = ask(&model, &request(&format!("{long} Say hello."))).await.unwrap();
    assert!(!first.text.is_empty() && first.usage.input > 150 && first.usage.output > 0, "{first:?}");
    let second = ask(&model, &request(&format!("{long} Say goodbye."))).await.unwrap();
    assert!(second.usage.cached > 150, "the prefix is kept: {:?}", second.usage);
    let told = told.lock().unwrap().clone();
    assert!(matches!((told.first(), told.last()), (Some(Loading::Starting), Some(Loading::Ready(_)))), "{told:?}");
    assert_eq!(model.count_tokens("Hello world").await, Some(2));
    let file = home.0.path().join("local-model/smoke/server.json");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn roles_that_take_turns_each_find_their_own_prefix_again() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    // All begin alike, as steps with different tools do, so that each would write over the end of the one before.
    let rules = "The quick brown fox jumps over the lazy dog. ".repeat(15);
    let roles =
        ["cat", "cow", "hen", "pig"].map(|animal| format!("{rules}{}", format!("A {animal} is here. ").repeat(20)));
    for (round, order) in ["Say hello.", "Say goodbye.", "Say nothing."].iter().enumerate() {
        for role in &roles {
            let mut request = request(order);
            request.messages.insert(0, Message::System { text: role.clone() });
            request.max_tokens = 4;
            let usage = ask(&model, &request).await.unwrap().usage;
            assert!(round == 0 || usage.input - usage.cached < 64, "round {round}: {usage:?}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_reaches_its_limit_says_so() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let mut request = request("Tell a very long story.");
    request.max_tokens = 5;
    let reply = ask(&LocalModel::new(parts), &request).await.unwrap();
    assert_eq!((reply.finish, reply.usage.output, reply.faults.len()), (Finish::Length, 5, 1));
}

#[tokio::test]
async fn a_request_beyond_the_context_is_refused_with_the_limit() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let limit = parts.file.context_tokens;
    let error = ask(&LocalModel::new(parts), &request(&"word ".repeat(3000))).await.unwrap_err();
    assert_eq!(error, ModelError::ContextTooLong { model: "smoke".into(), limit });
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_of_an_answer_is_replaced_and_the_call_is_made_again() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let mut request = request("Tell a very long story about a river.");
    request.max_tokens = 200;
    let (deltas, mut seen) = unbounded_channel();
    let cancel = CancellationToken::new();
    let asked = model.reply(&request, &deltas, &cancel);
    let test = async {
        seen.recv().await;
        let old = home.pid("/phase/pid");
        kill(old);
        old
    };
    let (reply, old) = tokio::join!(asked, test);
    let reply = reply.unwrap();
    let deltas = drain(&mut seen);
    let again = deltas.iter().rposition(|delta| delta.kind == DeltaKind::Again).expect("it was asked again");
    assert_eq!(said(&deltas[again..], DeltaKind::Text), reply.text, "{}", said(&deltas, DeltaKind::Again));
    assert_ne!(home.pid("/phase/pid"), old);
}

#[tokio::test]
async fn the_server_dies_with_its_guard_and_both_come_back() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    ask(&model, &request("Hello.")).await.unwrap();
    let (guard, server) = (home.pid("/guardPid"), home.pid("/phase/pid"));
    kill(guard);
    until("the server ends with its guard", || !lives(server)).await;
    ask(&model, &request("Hello again.")).await.unwrap();
    assert_ne!(home.pid("/guardPid"), guard);
}

#[tokio::test]
async fn several_processes_share_one_server() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let data = home.0.path().to_owned();
    let other = || {
        let data = data.clone();
        tokio::task::spawn_blocking(move || Command::new(guard()).arg(data).output().unwrap())
    };
    let request = request("Hello.");
    let (mine, theirs, more) = tokio::join!(ask(&model, &request), other(), other());
    mine.unwrap();
    for output in [theirs.unwrap(), more.unwrap()] {
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    }
    assert_eq!(servers(home.0.path()), 1);
}

/// How many servers run for a data folder.
fn servers(data: &Path) -> usize {
    let Output { stdout, .. } = Command::new("ps").args(["-eo", "pid,args"]).output().unwrap();
    let listed = String::from_utf8_lossy(&stdout).into_owned();
    let pids = listed.lines().filter(|line| line.contains("llama-server") && !line.contains("model-guard"));
    let pids = pids.filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    pids.filter(|pid| {
        let folder = std::fs::read_link(format!("/proc/{pid}/cwd"));
        folder.is_ok_and(|folder| folder.starts_with(data))
    })
    .count()
}

#[tokio::test]
async fn it_is_stopped_when_nobody_has_used_it_for_a_while() {
    let home = Home::new();
    let Some(mut parts) = home.parts() else { return };
    parts.settings.idle = Duration::from_millis(100);
    parts.settings.grace = Duration::from_secs(3);
    let model = LocalModel::new(parts);
    ask(&model, &request("Hello.")).await.unwrap();
    let server = home.pid("/phase/pid");
    until("an idle server is stopped", || !lives(server) && home.state().is_null()).await;
    ask(&model, &request("Hello again.")).await.unwrap();
}

/// Parts with a script in the place of the server.
fn with_script(home: &Home, script: &str) -> Option<LocalParts> {
    let mut parts = home.parts()?;
    let path = home.0.path().join("llama-server");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    parts.places.named_server = Some(path);
    Some(parts)
}

async fn failure(parts: LocalParts) -> String {
    let mut request = request("Hello.");
    request.max_tokens = 1;
    let error = LocalModel::new(parts).warm_up(&CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. } | ModelError::NoSuchModel { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn a_server_that_cannot_live_says_why() {
    let cases = [
        ("echo 'the graphics driver is missing' >&2; exit 3", "the graphics driver is missing"),
        ("echo 'ggml: failed to allocate buffer of size 9999999999' >&2; exit 1", "lack of memory"),
        ("kill -9 $$", "lack of memory or was killed"),
        (
            "echo 'llama_model_load: error loading model: invalid magic' >&2; exit 1",
            "`assent model test`, checks the file",
        ),
    ];
    for (script, words) in cases {
        let home = Home::new();
        let Some(parts) = with_script(&home, script) else { return };
        let error = failure(parts).await;
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_never_gets_ready_is_given_up() {
    let home = Home::new();
    let Some(mut parts) = with_script(&home, "exec sleep 600") else { return };
    parts.settings.ready_within = Duration::from_millis(300);
    let told: Arc<Mutex<Vec<Loading>>> = Arc::default();
    let tell = told.clone();
    parts.notice = Some(Arc::new(move |loading| tell.lock().unwrap().push(loading)));
    let error = failure(parts).await;
    assert!(error.contains("not loaded within"), "{error}");
    let told = told.lock().unwrap().clone();
    assert_eq!((told.first(), told.last()), (Some(&Loading::Starting), Some(&Loading::Ended)), "{told:?}");
}

#[tokio::test]
async fn missing_and_damaged_parts_are_named_with_what_to_do() {
    let home = Home::new();
    let Some(whole) = home.parts() else { return };
    let mut parts = whole.clone();
    parts.places.named_server = Some("/no/such/llama-server".into());
    assert!(failure(parts).await.contains("/no/such/llama-server"));
    let mut parts = whole.clone();
    parts.places.models = vec![home.0.path().join("models")];
    assert!(failure(parts.clone()).await.contains("assent model pull smoke"));
    std::fs::create_dir(home.0.path().join("models")).unwrap();
    std::fs::write(home.0.path().join("models").join(&parts.file.file), "half a file").unwrap();
    assert!(matches!(parts.places.state(&parts.file), FileState::Corrupt { .. }));
    let error = failure(parts).await;
    assert!(error.contains("11 bytes instead of") && error.contains("assent model pull smoke"), "{error}");
    let mut parts = whole.clone();
    parts.guard = "/no/such/assent".into();
    assert!(failure(parts).await.contains("/no/such/assent"));
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_written_is_named() {
    let home = Home::new();
    let Some(mut parts) = home.parts() else { return };
    parts.places.data = "/proc/no-such-folder".into();
    assert!(failure(parts).await.contains("/proc/no-such-folder"));
}

#[tokio::test]
async fn cancelling_stops_the_server_from_writing_on() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    ask(&model, &request("Hello.")).await.unwrap();
    let began = Instant::now();
    let usual = ask(&model, &request("Count from one to ten.")).await.unwrap();
    let (usual, usual_time) = (usual.usage.output, began.elapsed());
    let mut endless = request("Count from one to ten thousand.");
    endless.max_tokens = 1500;
    let (deltas, mut seen) = unbounded_channel();
    let cancel = CancellationToken::new();
    let asked = model.reply(&endless, &deltas, &cancel);
    let test = async {
        seen.recv().await;
        cancel.cancel();
    };
    assert_eq!(tokio::join!(asked, test).0, Err(ModelError::Cancelled));
    let began = Instant::now();
    ask(&model, &request("Hello.")).await.unwrap();
    // Writing on would take as many times longer as there would be more tokens.
    let writing_on = usual_time * (1500 / usual.max(1));
    assert!(began.elapsed() < writing_on / 2, "{:?} of {writing_on:?}", began.elapsed());
}
