//! Records what the real `llama-server` answers with the starter model, for the tests that play it back.
//!
//! `cargo nextest run -p assent-tests --test suite --run-ignored only record` writes `tests/cassettes/llama-server/starter`
//! anew; it takes a few minutes and nothing else should run. What is asked is what the adapter sends: it speaks to a
//! server here, which passes each request on and keeps the answer byte for byte, but for the model's path.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assent_engine::model::local::{Places, manifest};
use assent_engine::model::{Dialect, Request, ToolChoice};
use assent_tests::model::{ask, openai, request, ruled};
use assent_tests::sse::{Answer, FakeServer};
use serde_json::Value;

use super::cassettes::tools;

/// Loading takes this long at most.
const PATIENCE: Duration = Duration::from_secs(180);

/// The rules of a step on a small model, in short.
const RULES: &str = "You work in a folder of notes.";

/// A server that ends with this.
struct Server {
    child: Child,
    port: u16,
    model: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Self {
        let places = Places::usual(Path::new("/nonexistent"), |name| std::env::var_os(name));
        let file = manifest().iter().find(|model| model.id == "starter").expect("the starter model").clone();
        let (program, model) = (places.server().expect("the server"), places.model(&file).expect("the model's file"));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--ctx-size", "8192", "--parallel", "1"])
            .args(["--no-webui", "--offline", "--jinja", "--model"])
            .arg(&model)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port, model: model.display().to_string() };
        let began = Instant::now();
        while server.answer("GET /health", "").is_none_or(|(status, _)| status != 200) {
            assert!(began.elapsed() < PATIENCE, "the model is loaded");
            // It is asked rarely while it loads: this is no test, and every core is needed for that.
            std::thread::sleep(Duration::from_millis(300));
        }
        server
    }

    /// Status and body of one exchange; nothing where nobody listens yet.
    fn answer(&self, line: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let head = format!(
            "{line} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let answer = String::from_utf8(answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Some((status, if chunked { whole(body) } else { body.to_owned() }))
    }
}

/// A body without the lengths of its chunks.
fn whole(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).expect("a length");
        body.push_str(&rest[..length]);
        chunks = rest[length..].trim_start_matches("\r\n");
    }
    body
}

fn asks(dialect: Dialect, choice: ToolChoice, max_tokens: u32, text: &str) -> (Dialect, Request) {
    let asked = if dialect == Dialect::COMPATIBLE { ruled(RULES, text) } else { request(text) };
    (dialect, Request { tools: tools().into(), choice, max_tokens, ..asked })
}

#[tokio::test]
#[ignore = "minutes, with the starter model and a machine for itself: writes the cassettes anew"]
async fn the_starter_model_is_recorded() {
    let both = "Read a.txt and b.txt.";
    let recordings = [
        ("native", asks(Dialect::COMPATIBLE, ToolChoice::Auto, 128, both)),
        ("native-required", asks(Dialect::COMPATIBLE, ToolChoice::Required, 128, both)),
        ("native-text", asks(Dialect::COMPATIBLE, ToolChoice::Auto, 96, "What is a plain text file? Call nothing.")),
        ("protocol", asks(Dialect::PLAIN, ToolChoice::Auto, 128, both)),
        (
            "protocol-grammar",
            asks(Dialect::LLAMA, ToolChoice::Required, 128, "Look for \"say \\\"hi\\\"\" in all notes."),
        ),
        (
            "length",
            asks(Dialect::PLAIN, ToolChoice::Auto, 10, "Read the file with the long name minutes-of-march.txt."),
        ),
        ("length-native", asks(Dialect::COMPATIBLE, ToolChoice::Required, 14, "Read the file minutes-of-march.txt.")),
    ];
    let server = std::sync::Arc::new(Server::start());
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/llama-server/starter"));
    std::fs::create_dir_all(folder).unwrap();
    for (name, (dialect, request)) in recordings {
        let (real, file) = (server.clone(), folder.join(format!("{name}.sse")));
        let proxy = FakeServer::answering(move |_, received| {
            let mut body = received.body.clone();
            body["model"] = Value::from("starter");
            let (status, answer) = real.answer("POST /v1/chat/completions", &body.to_string()).expect("an answer");
            assert_eq!(status, 200, "{answer}");
            let answer = answer.replace(&real.model, "starter");
            std::fs::write(&file, &answer).unwrap();
            Some(Answer::recorded(&answer))
        })
        .await;
        let reply = ask(&openai(&proxy.address, dialect).0, &request).await;
        eprintln!("{name}: {reply:?}");
    }
}
