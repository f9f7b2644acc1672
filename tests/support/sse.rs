//! A fake HTTP server whose test decides when every piece of a reply leaves it.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use assent_engine::model::scripted::Gate;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What is sent of a reply's body, in order.
#[derive(Clone)]
pub enum Part {
    /// Bytes, as a chunk of their own.
    Bytes(Vec<u8>),
    /// Waits for the test.
    Gate(Gate),
    /// The same bytes again and again until the client goes.
    Forever(String),
    /// Waits until the client goes; the gate is then passed.
    UntilGone(Gate),
    /// Closes the connection without the end of the body.
    Break,
}

/// One reply.
#[derive(Clone)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    parts: Vec<Part>,
}

impl Answer {
    /// A stream of events with these data.
    pub fn events<'a>(data: impl IntoIterator<Item = &'a str>) -> Self {
        let mut answer = Self::status(200, "").header("content-type", "text/event-stream");
        answer.parts.clear();
        data.into_iter().fold(answer, Self::event)
    }

    /// A whole body with a status.
    pub fn status(status: u16, body: &str) -> Self {
        Self { status, headers: Vec::new(), parts: vec![Part::Bytes(body.as_bytes().to_vec())] }
    }

    /// A JSON body with a status.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::status(status, &body.to_string()).header("content-type", "application/json")
    }

    /// A recorded stream, byte for byte.
    pub fn recorded(body: &str) -> Self {
        Self::status(200, body).header("content-type", "text/event-stream")
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// One more event.
    #[must_use]
    pub fn event(self, data: &str) -> Self {
        self.part(Part::Bytes(format!("data: {data}\n\n").into_bytes()))
    }

    /// One more part.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

/// What a client sent.
#[derive(Debug, Clone)]
pub struct Received {
    /// Method and path.
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON body; null without one.
    pub body: Value,
}

impl Received {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered: by the number of requests before, and the request.
type Choose = dyn Fn(usize, &Received) -> Option<Answer> + Send + Sync;

/// The server. Answers are used in order, the last one again and again.
pub struct FakeServer {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    received: Arc<Mutex<Vec<Received>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeServer {
    /// A server on a free loopback port.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers: Vec<Answer> = answers.into_iter().collect();
        Self::answering(move |count, _| answers.get(count.min(answers.len().saturating_sub(1))).cloned()).await
    }

    /// A server whose answers follow from how many requests came before, and from the request. It has no tokenizer, as
    /// most: who asks for a count is told so, and is not among the requests.
    pub async fn answering(answer: impl Fn(usize, &Received) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self::open(Arc::new(answer), false).await
    }

    /// The same, which is asked for counts of tokens too.
    pub async fn with_tokenizer(answer: impl Fn(usize, &Received) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self::open(Arc::new(answer), true).await
    }

    async fn open(answer: Arc<Choose>, counts: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let seen = received.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen) = (answer.clone(), seen.clone());
                tokio::spawn(async move {
                    // A client that goes away in the middle is what some tests are about.
                    let _ = serve(stream, &*answer, &seen, counts).await;
                });
            }
        });
        Self { address, received, task }
    }

    /// Every request so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic under the lock").clone()
    }
}

async fn serve(stream: TcpStream, answer: &Choose, seen: &Mutex<Vec<Received>>, counts: bool) -> Result<()> {
    let mut stream = BufReader::new(stream);
    let request = receive(&mut stream).await?;
    let answer = if !counts && is_count(&request) {
        Answer::json(404, &serde_json::json!({"detail": "Not Found"}))
    } else {
        let mut seen = seen.lock().expect("no panic under the lock");
        let answer = answer(seen.len(), &request);
        seen.push(request);
        answer.context("no answer was given")?
    };
    let mut head =
        format!("HTTP/1.1 {} Whatever\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await?;
    for part in answer.parts {
        match part {
            Part::Bytes(bytes) => chunk(&mut stream, &bytes).await?,
            Part::Gate(gate) => gate.pass().await,
            Part::Forever(text) => loop {
                chunk(&mut stream, text.as_bytes()).await?;
            },
            Part::UntilGone(gate) => {
                let gone = stream.read(&mut [0; 1]).await.unwrap_or(0) == 0;
                if gone {
                    gate.open();
                    gate.pass().await;
                }
                return Ok(());
            }
            Part::Break => return Ok(()),
        }
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.shutdown().await?;
    Ok(())
}

fn is_count(request: &Received) -> bool {
    ["/tokenize", "/count_tokens"].iter().any(|path| request.line.ends_with(path))
}

async fn chunk(stream: &mut BufReader<TcpStream>, bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
    stream.write_all(bytes).await?;
    stream.write_all(b"\r\n").await?;
    stream.flush().await?;
    Ok(())
}

async fn receive(stream: &mut BufReader<TcpStream>) -> Result<Received> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    anyhow::ensure!(!line.is_empty(), "the client has gone");
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        anyhow::ensure!(stream.read_line(&mut header).await? > 0, "the client has gone");
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    Ok(Received { line, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}
