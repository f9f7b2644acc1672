//! The little HTTP that a WebDriver server on the loopback needs: one request a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

/// Longer than any command of a test takes.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Sends `body` (nothing, when it is null) and reads the whole answer.
pub fn send(address: SocketAddr, method: &str, path: &str, body: &Value) -> Result<Answer> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let length = body.len();
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )?;

    // The server keeps the connection open whatever it was asked, so the length decides where the answer ends.
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).context("an answer has a status")?;
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            None => break,
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse()?,
            Some(_) => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Answer { status, body })
}
