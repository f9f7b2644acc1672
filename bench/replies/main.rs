//! Recorded replies of real models, read as calls: each is sent as a stream by a server of its own, at an endpoint that
//! is called by the protocol, and what is read is compared with the calls that are known to stand in it.
//!
//! Run with `cargo run --release -p assent-tests --example bench-replies FILE`, where each line of FILE is
//! `[MODEL,TEXT,[[NAME,ARGUMENTS],…]]`; prints one JSON object. With `--wrong N` also the first N replies
//! of each model that were read otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use assent_engine::model::{Dialect, Model};
use assent_tests::model::{Recorded, ask, open_to, openai};
use assent_tests::replies::says;
use assent_tests::sse::FakeServer;
use serde_json::{Value, json};

/// Calls that are taken from one reply; what is beyond is no matter of reading.
const MOST: usize = 32;

#[derive(Default)]
struct Tally {
    replies: usize,
    alike: usize,
    /// Read as some calls, but not as these.
    otherwise: usize,
    wrong: Vec<Value>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().context("a file with recorded replies")?;
    let shown = match (arguments.next().as_deref(), arguments.next()) {
        (Some("--wrong"), Some(count)) => count.parse()?,
        _ => 0,
    };
    let lines = std::fs::read_to_string(file)?;
    let recorded: Arc<[Recorded]> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let texts = Arc::clone(&recorded);
    let server = FakeServer::answering(move |count, _| texts.get(count).map(|(_, text, _)| says(text))).await;
    let model = openai(&server.address, Dialect::PLAIN).0;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (name, text, calls) in recorded.iter() {
        let read = read(&model, calls).await?;
        let known: Vec<Value> = calls.iter().take(MOST).map(|(name, given)| json!([name, given])).collect();
        let tally = tallies.entry(name).or_default();
        tally.replies += 1;
        let is_alike = read.len() == known.len() && read.iter().zip(&known).all(|(read, known)| same(read, known));
        tally.alike += usize::from(is_alike);
        tally.otherwise += usize::from(!is_alike && !read.is_empty());
        if !is_alike && tally.wrong.len() < shown {
            tally.wrong.push(json!({"text": text, "read": read, "known": known}));
        }
    }
    let models: serde_json::Map<String, Value> = tallies
        .into_iter()
        .map(|(model, tally)| {
            let told = json!({
                "replies": tally.replies, "alike": tally.alike, "otherwise": tally.otherwise, "wrong": tally.wrong,
            });
            (model.to_owned(), told)
        })
        .collect();
    println!("{}", json!({"models": models}));
    Ok(())
}

/// The calls that a model's reply is read as.
async fn read(model: &dyn Model, calls: &[(String, Value)]) -> Result<Vec<Value>> {
    let reply = ask(model, &open_to(calls)).await?;
    Ok(reply.calls.iter().map(|call| json!([call.name, call.arguments])).collect())
}

/// Whether two values say the same, whether or not a whole number is written with a point.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|known| same(value, known)))
        }
        _ => one == other,
    }
}
