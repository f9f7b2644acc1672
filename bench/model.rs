//! What stands between a person and the embedded model: decoding through Assent against `llama-bench` on the same file,
//! what a grammar costs, and how many tokens are read anew when the planner and steps take turns.
//!
//! Run with `cargo run --release -p assent-tests --example bench-model -- decode|prefix` on a quiet machine; prints one
//! JSON object. Decoding needs the starter model, the prefix the smoke model (`scripts/fetch-model starter smoke`).

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use assent_core::plan::import;
use assent_core::run::Decider;
use assent_engine::model::local::{LocalModel, LocalParts, LocalSettings, Places, guard_main, manifest};
use assent_engine::model::{Message, Model, OutputFormat, Reply, Request, ToolChoice};
use assent_engine::turn::ApprovalPolicy;
use assent_tests::desk::Desk;
use assent_tests::model::{ask, request};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// Times that both sides of a ratio are measured, in turns: one round's ratio is off by a tenth even on a quiet machine.
const ROUNDS: usize = 9;
/// Tokens of a measured reply.
const TOKENS: u32 = 96;
/// Turns of the planner and two specialists, each in a step.
const TURNS: usize = 10;
/// Tokens beyond what had to be read anew that a call may take.
const ALLOWED: i64 = 64;

fn main() -> ExitCode {
    if let Some(code) = guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    let runtime = tokio::runtime::Runtime::new().map_err(anyhow::Error::from);
    let figures = runtime.and_then(|runtime| match std::env::args().nth(1).as_deref() {
        Some("decode") => runtime.block_on(decode()),
        Some("prefix") => runtime.block_on(prefix()),
        _ => bail!("say what to measure: decode or prefix"),
    });
    match figures {
        Ok(figures) => {
            println!("{}", serde_json::to_string_pretty(&figures).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A model of the manifest on a data folder, its threads as many as the machine has.
fn parts(id: &str, data: &Path) -> Result<LocalParts> {
    let file = manifest().iter().find(|file| file.id == id).context("no such model in the manifest")?.clone();
    let places = Places::usual(data, |name| std::env::var_os(name));
    let threads = u32::try_from(std::thread::available_parallelism()?.get()).ok();
    let settings = LocalSettings { threads, ..LocalSettings::default() };
    Ok(LocalParts { file, places, guard: std::env::current_exe()?, settings, notice: None })
}

async fn decode() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let parts = parts("starter", folder.path())?;
    let (file, threads) = (parts.places.model(&parts.file)?, parts.settings.threads.unwrap_or(2));
    let bench = parts.places.server()?.with_file_name("llama-bench");
    let model = LocalModel::new(parts);
    let story = long_request();
    let depth = ask(&model, &story).await?.usage.input;
    let held = held(&story);
    let (mut bare, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut shares: Vec<Vec<f64>> = vec![Vec::new(); held.len()];
    // In turns and compared within a round, so that a machine that grows slower is slower for all.
    for _ in 0..ROUNDS {
        let alone = llama_bench(&bench, &file, depth, threads)?;
        let free = speed(&model, &story).await?;
        for ((_, request), shares) in held.iter().zip(&mut shares) {
            shares.push(speed(&model, request).await? / free);
        }
        bare.push(alone);
        ours.push(free);
        ratios.push(free / alone);
    }
    let grammar: serde_json::Map<_, _> =
        held.iter().zip(&mut shares).map(|((name, _), shares)| ((*name).to_owned(), rounded(median(shares)))).collect();
    let (lowest, highest) =
        ratios.iter().fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(*one), high.max(*one)));
    Ok(json!({"depth": depth, "threads": threads, "llamaBenchTokensPerSecond": rounded(median(&mut bare)),
        "tokensPerSecond": rounded(median(&mut ours)), "ratio": rounded(median(&mut ratios)),
        "lowestRatio": rounded(lowest), "highestRatio": rounded(highest), "grammarAgainstFree": grammar}))
}

/// A reply as long as it may be, after a prompt of some hundred tokens.
fn long_request() -> Request {
    let facts = "The harbour lies north of the town; ships come in with the tide and leave before dawn. ".repeat(10);
    let mut request = request(&format!("{facts}\nWrite a story of a thousand words about this harbour."));
    request.max_tokens = TOKENS;
    request
}

/// The same length of reply under grammars: a JSON text, and calls of one, five and ten tools.
fn held(story: &Request) -> Vec<(&'static str, Request)> {
    let schema = json!({"type": "object", "properties": {"story": {"type": "string"}}, "required": ["story"]});
    let structured =
        Request { output: OutputFormat::Json { name: "story".to_owned(), schema: schema.into() }, ..story.clone() };
    let desk = Desk::with(&[]);
    let specs: Vec<_> = desk.engine.tools().list().into_iter().cloned().collect();
    let mut all = vec![("jsonText", structured)];
    for (name, count) in [("oneTool", 1), ("fiveTools", 5), ("tenTools", 10)] {
        let mut request = story.clone();
        let form = "Reply with {\"tool\":\"create_file\",\"args\":{\"path\":\"story.md\"}} and the text as a block.";
        request.messages.insert(0, Message::System { text: format!("{form} {{\"tool\":\"python\"}} runs a script.") });
        let (first, others): (Vec<_>, Vec<_>) = specs.clone().into_iter().partition(|spec| spec.name == "create_file");
        request.tools = first.into_iter().chain(others).take(count).collect();
        request.choice = ToolChoice::Required;
        all.push((name, request));
    }
    all
}

/// Tokens a second from the first piece of a reply to its last.
async fn speed(model: &LocalModel, request: &Request) -> Result<f64> {
    let (deltas, mut seen) = unbounded_channel();
    let cancel = CancellationToken::new();
    let watch = async {
        let (mut first, mut last, mut pieces) = (None, None, 0_u32);
        while seen.recv().await.is_some() {
            let now = Instant::now();
            first.get_or_insert(now);
            last = Some(now);
            pieces += 1;
        }
        (first, last, pieces)
    };
    let reply = async {
        let reply: Reply = model.reply(request, &deltas, &cancel).await?;
        drop(deltas);
        anyhow::Ok(reply)
    };
    let (reply, (first, last, pieces)) = tokio::join!(reply, watch);
    let tokens = reply?.usage.output;
    let (Some(first), Some(last)) = (first, last) else { bail!("the model said nothing") };
    if pieces < tokens / 2 {
        bail!("{tokens} tokens came in {pieces} pieces: their times say nothing");
    }
    Ok(f64::from(tokens.saturating_sub(1)) / last.duration_since(first).as_secs_f64())
}

fn llama_bench(program: &Path, file: &Path, depth: u32, threads: u32) -> Result<f64> {
    let numbers = [TOKENS, depth, threads].map(|number| number.to_string());
    let done = Command::new(program)
        .args(["-p", "0", "-r", "1", "-o", "json", "-n", &numbers[0], "-d", &numbers[1], "-t", &numbers[2], "-m"])
        .arg(file)
        .output()
        .context("llama-bench stands beside llama-server")?;
    let rows: Value = serde_json::from_slice(&done.stdout).context("llama-bench printed no JSON")?;
    rows.pointer("/0/avg_ts").and_then(Value::as_f64).context("llama-bench printed no speed")
}

/// Requests as the engine makes them, replayed against the real server. What a cache can keep does not depend on the
/// weights, so the small model serves.
async fn prefix() -> Result<Value> {
    let requests = alternating().await?;
    let folder = tempfile::tempdir()?;
    let model = LocalModel::new(parts("smoke", folder.path())?);
    let mut before: HashMap<String, String> = HashMap::new();
    let (mut read, mut needed, mut most) = (0, 0, i64::MIN);
    for request in &requests {
        let short = Request { max_tokens: 4, choice: ToolChoice::None, output: OutputFormat::Text, ..request.clone() };
        let usage = ask(&model, &short).await?.usage;
        let text = told(request);
        let tools: Vec<_> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        let role = format!("{:?} {}", request.purpose, tools.join(" "));
        let same = before.get(&role).map_or(0, |earlier| common(earlier, &text));
        let anew = i64::from(usage.input) - i64::from(usage.cached);
        // Of texts alone, so that this is rather too little: what messages have around them is taken for read needlessly.
        let known = counted(&model, &text[..same]).await?;
        let had_to = counted(&model, &text).await? - known;
        read += anew;
        needed += had_to;
        most = most.max(anew - had_to);
        before.insert(role, text);
    }
    Ok(json!({"calls": requests.len(), "tokensRead": read, "hadToBeRead": needed,
        "mostBeyondInOneCall": most, "allowed": ALLOWED, "kept": most <= ALLOWED}))
}

/// The tokens of a text; of none, none are asked for.
async fn counted(model: &LocalModel, text: &str) -> Result<i64> {
    if text.is_empty() {
        return Ok(0);
    }
    let tokens = model.count_tokens(text).await;
    Ok(tokens.with_context(|| format!("the server did not count a text of {} bytes", text.len()))?.into())
}

/// The requests of some turns: the planner's, and those of the two specialists that do the steps.
async fn alternating() -> Result<Vec<Request>> {
    let desk = Desk::with(&[("note.txt", "hello\n"), ("log.txt", "one\ntwo\n")]);
    let session = desk.session().await;
    for turn in 0..TURNS {
        let message = format!("What do note.txt and log.txt say about subject number {turn}?");
        desk.plans(&json!({"title": "Subject", "answer": "Nothing yet."}));
        desk.send(&session, &message, ApprovalPolicy::AlwaysAsk).await;
        let look = json!({"id": "s1", "description": format!("Look into log.txt for subject {turn}"), "stepType": "tool",
            "requiredTools": ["grep"], "executor": {"kind": "specialist", "id": "workspace"}});
        let say = json!({"id": "s2", "description": format!("Say in a sentence what is known of subject {turn}"),
            "stepType": "reasoning", "dependencies": ["s1"], "executor": {"kind": "specialist", "id": "general"}});
        let document = json!({"format": "assent.plan/1", "id": format!("p{turn}"), "version": 1, "sessionId": session.as_str(),
            "title": "Read", "userMessage": message, "steps": [look, say]});
        let plan = import(&document.to_string()).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
        let plan = desk.engine.plans().import(plan, &session).await?;
        desk.calls("grep", json!({"pattern": "two", "path": "log.txt"}));
        desk.says("One line has it.");
        desk.says("One line of log.txt is about it.");
        desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await?;
    }
    Ok(desk.model.requests())
}

/// A request's texts in their order.
fn told(request: &Request) -> String {
    let texts = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => text.clone(),
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| format!("{}{}", call.name, call.arguments));
            calls.fold(text.clone(), |all, call| all + &call)
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Bytes that two texts begin with alike.
fn common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(each, _)| each.len_utf8()).sum()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn rounded(value: f64) -> Value {
    json!((value * 1000.0).round() / 1000.0)
}
