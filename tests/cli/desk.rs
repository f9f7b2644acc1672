//! A data folder, a workspace and an endpoint of a test's own, and the program run on them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use assent_engine::clock::SystemClock;
use assent_engine::model::scripted::Gate;
use assent_engine::store::{Home, Store};
use assent_tests::sse::{Answer, FakeServer, Received};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::replies::{MESSAGE, count_and_write};
use crate::text::Names;

/// The program under test.
pub const ASSENT: &str = env!("CARGO_BIN_EXE_assent");

/// A gate that is not reached in this time is never reached: the test fails and does not hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The key that the program is given for the fake endpoint; it must never be seen.
pub const KEY: &str = "sk-test-very-secret-0123456789";

/// The program's surroundings.
pub struct Desk {
    folder: TempDir,
    /// What differs from run to run.
    pub names: Names,
    runtime: Runtime,
    server: Option<FakeServer>,
}

/// How a process ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output, comparable.
    pub out: String,
    /// Standard error, comparable.
    pub err: String,
    /// Standard output as it was.
    pub raw: String,
}

impl Ran {
    /// All of it, for comparing.
    pub fn shown(&self) -> String {
        let part = |name: &str, text: &str| if text.is_empty() { String::new() } else { format!("--- {name}\n{text}") };
        let code = self.code.map_or_else(|| "signal".to_owned(), |code| code.to_string());
        format!("exit {code}\n{}{}", part("out", &self.out), part("err", &self.err))
    }

    /// Standard output as JSON, a value a line.
    pub fn values(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.raw.lines().map(parse).collect()
    }

    /// The names of the events on standard output.
    pub fn kinds(&self) -> Vec<String> {
        self.values().iter().map(|event| event["kind"].as_str().unwrap_or("?").to_owned()).collect()
    }

    /// Nothing but the exit code, which has to be this one.
    #[track_caller]
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.shown());
        self
    }
}

/// Outputs below each other.
pub fn all(ran: impl IntoIterator<Item = Ran>) -> String {
    ran.into_iter().map(|ran| ran.shown()).collect::<Vec<_>>().join("\n")
}

/// A process that has not ended yet.
pub struct Running<'a> {
    child: Child,
    /// Where lines are typed; closed by dropping.
    typing: Option<ChildStdin>,
    desk: &'a Desk,
}

impl Running<'_> {
    /// Ends it as a crash would.
    pub fn kill(mut self) -> Ran {
        self.child.kill().unwrap();
        self.end()
    }

    /// Reads so many lines of its standard output.
    pub fn lines(&mut self, count: usize) {
        let out = self.child.stdout.as_mut().unwrap();
        for _ in 0..count {
            let mut byte = [0];
            while out.read(&mut byte).unwrap() == 1 && byte != *b"\n" {}
        }
    }

    /// Reads its standard output to the end of the first line that begins like this.
    pub fn until_line(&mut self, beginning: &str) {
        let out = self.child.stdout.as_mut().unwrap();
        let (mut line, mut byte) = (Vec::new(), [0]);
        while out.read(&mut byte).unwrap() == 1 {
            match byte {
                [b'\n'] if line.starts_with(beginning.as_bytes()) => return,
                [b'\n'] => line.clear(),
                [other] => line.push(other),
            }
        }
        panic!("no line begins with {beginning}");
    }

    /// Reads JSON lines of its standard output up to an event of this kind.
    pub fn until(&mut self, kind: &str) {
        let mut out = BufReader::with_capacity(1, self.child.stdout.as_mut().unwrap());
        let mut line = String::new();
        while out.read_line(&mut line).unwrap() > 0 {
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["kind"] == kind {
                return;
            }
            line.clear();
        }
        panic!("no {kind} came");
    }

    /// Reads the first line of its standard error.
    pub fn complaint(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        line
    }

    /// Presses Ctrl-C.
    pub fn interrupt(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    }

    /// Types something.
    pub fn say(&mut self, text: &str) {
        self.typing.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Waits for its end.
    pub fn end(self) -> Ran {
        self.desk.ran(self.child.wait_with_output().unwrap())
    }
}

impl Desk {
    /// A workspace with two notes, and nobody to ask.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let desk = Self {
            folder,
            names: Names::default(),
            runtime: tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap(),
            server: None,
        };
        std::fs::create_dir(desk.workspace()).unwrap();
        std::fs::create_dir(desk.user()).unwrap();
        desk.write("a.txt", "Berlin\nin berlin\n");
        desk.write("b.txt", "Hamburg\n");
        let mut fixed = desk.names.fixed.borrow_mut();
        for (path, name) in [(desk.workspace(), "/workspace"), (desk.home(), "/home"), (desk.user(), "/user")] {
            fixed.push((path.display().to_string(), name.to_owned()));
        }
        drop(fixed);
        desk
    }

    /// The same, with an endpoint that gives these answers in their order, and the last one again and again.
    pub fn with(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut desk = Self::new();
        desk.serve(answers);
        desk
    }

    /// The same with the plan of the usual message, which waits for a word, and its id; the answers are to what comes after.
    pub fn planned(answers: impl IntoIterator<Item = Answer>) -> (Self, String) {
        let desk = Self::with([count_and_write()].into_iter().chain(answers));
        desk.run(&["plan", "new", MESSAGE]).ends(0);
        let plan = desk.plan();
        (desk, plan)
    }

    /// A desk of its own with the data folder of this one as it is now, spoken to by the same endpoint.
    pub fn twin(&self) -> Self {
        let desk = Self::new();
        copy(&self.home(), &desk.home());
        desk
    }

    /// Another endpoint in the place of the one before.
    pub fn serve(&mut self, answers: impl IntoIterator<Item = Answer>) {
        let server = self.runtime.block_on(FakeServer::start(answers));
        let address = format!("{}/v1", server.address);
        self.server = Some(server);
        self.connect(&address);
    }

    /// An endpoint whose answers follow from the requests.
    pub fn serve_by(&mut self, answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) {
        let server = self.runtime.block_on(FakeServer::answering(move |_, request| Some(answer(request))));
        let address = format!("{}/v1", server.address);
        self.server = Some(server);
        self.connect(&address);
    }

    /// Makes the model of an endpoint the chosen one.
    pub fn connect(&self, address: &str) {
        self.run(&["model", "add", "desk", "--url", address, "--replace"]).ends(0);
        self.run(&["model", "use", "desk/test"]).ends(0);
    }

    /// The folder that is worked in.
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// The data folder.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The person's own folder, where the platform's settings and models would be.
    pub fn user(&self) -> PathBuf {
        self.folder.path().join("user")
    }

    /// What a file of the workspace holds.
    pub fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace().join(name)).ok()
    }

    /// Puts a file into the workspace.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.workspace().join(name), text).unwrap();
    }

    /// What the endpoint was asked.
    pub fn asked(&self) -> Vec<Received> {
        self.server.as_ref().map(FakeServer::received).unwrap_or_default()
    }

    /// The endpoint's address.
    pub fn asked_at(&self) -> String {
        format!("{}/v1", self.server.as_ref().unwrap().address)
    }

    /// Waits until a process stands before a gate.
    pub fn reached(&self, gate: &Gate) {
        let reached = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, gate.reached()).await });
        reached.expect("the gate is reached");
    }

    /// The command, with nothing of this machine around it but its programs.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.user())
            .env("ASSENT_HOME", self.home())
            .env("ASSENT_KEY_DESK", KEY)
            .current_dir(self.workspace())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.start(arguments).end()
    }

    /// Runs the program with lines on its standard input.
    pub fn run_with(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut child = self.command(ASSENT).args(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A program that does not want its input is not wrong.
        let _unread = child.stdin.take().unwrap().write_all(input.as_ref());
        self.ran(child.wait_with_output().unwrap())
    }

    /// Starts the program.
    pub fn start(&self, arguments: &[&str]) -> Running<'_> {
        self.running(None, self.command(ASSENT).args(arguments).spawn().unwrap())
    }

    /// A process of this desk.
    pub fn running(&self, typing: Option<ChildStdin>, child: Child) -> Running<'_> {
        Running { child, typing, desk: self }
    }

    /// An ended process, comparable.
    pub fn ran(&self, output: Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let raw = text(&output.stdout);
        let (out, err) = (self.names.replace(&raw), self.names.replace(&text(&output.stderr)));
        Ran { code: output.status.code(), out, err, raw }
    }

    /// The database, for who has to look often: a process of its own for each look takes its time.
    pub fn store(&self) -> Store {
        Store::open(&Home::at(self.home()).unwrap(), Arc::new(SystemClock)).unwrap()
    }

    /// The first plan there is.
    pub fn plan(&self) -> String {
        let listed = self.run(&["plan", "list", "--json"]).ends(0).values();
        listed.first().expect("a plan")["id"].as_str().unwrap().to_owned()
    }

    /// The requests that are open: their ids, oldest first.
    pub fn requests(&self) -> Vec<String> {
        let listed = self.run(&["requests", "--json"]).ends(0).values();
        listed.iter().map(|row| row["request"]["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The events of the only session.
    pub fn events(&self) -> Vec<Value> {
        let sessions = self.run(&["sessions", "--json"]).ends(0).values();
        let id = sessions.first().expect("a session")["id"].as_str().unwrap().to_owned();
        self.run(&["sessions", "show", &id, "--json"]).ends(0).values()
    }

    /// How often each tool was begun in the only session, in the order of beginning.
    pub fn begun(&self) -> Vec<String> {
        let started = self.events().into_iter().filter(|event| event["kind"] == "call_started");
        started.map(|event| event["tool"].as_str().unwrap().to_owned()).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}
