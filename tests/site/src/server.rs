//! A small HTTP server: one answer a connection.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What is answered.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The body so many times, and whether the connection then stays open without a word.
    pub times: usize,
    pub hangs: bool,
}

impl Answer {
    /// A page.
    pub fn page(html: impl Into<String>) -> Self {
        Self::of("text/html; charset=utf-8", html.into().into_bytes())
    }

    /// Bytes of a type.
    pub fn of(content_type: &str, body: Vec<u8>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self { status: 200, headers, body, times: 1, hangs: false }
    }

    /// The same with another status.
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Sends on to another address.
    pub fn to(location: impl Into<String>) -> Self {
        let headers = vec![("Location".to_owned(), location.into())];
        Self { status: 302, headers, body: Vec::new(), times: 1, hangs: false }
    }

    /// Nothing is there.
    pub fn missing() -> Self {
        Self::page("<h1>Not found</h1>").status(404)
    }
}

/// A site that is served until it is dropped.
pub struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Site {
    /// Serves what a function answers to paths with their queries.
    pub async fn serve(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (answer, log) = (Arc::new(answer), asked.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, answer.clone(), log.clone()));
            }
        });
        Self { port, asked, task }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The paths that were asked for, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request. Who hangs up is not told anything.
async fn talk(mut stream: TcpStream, answer: Arc<impl Fn(&str) -> Answer>, log: Arc<Mutex<Vec<String>>>) {
    let (mut head, mut piece) = (Vec::new(), [0; 2048]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 && head.len() < 64 << 10 => head.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
    log.lock().unwrap().push(path.clone());
    let Answer { status, headers, body, times, hangs } = answer(&path);
    let mut start = format!("HTTP/1.1 {status} OK\r\nConnection: close\r\n");
    for (name, value) in headers {
        start.push_str(&format!("{name}: {value}\r\n"));
    }
    if !hangs {
        start.push_str(&format!("Content-Length: {}\r\n", body.len() * times));
    }
    start.push_str("\r\n");
    let mut sent = stream.write_all(start.as_bytes()).await;
    for _ in 0..times {
        if sent.is_err() {
            return;
        }
        sent = stream.write_all(&body).await;
    }
    if hangs {
        std::future::pending::<()>().await;
    }
}
