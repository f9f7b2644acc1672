//! Whether a model mends the call of an agent whose input lacks required values, and with the right ones: told by the error
//! of the contract, or only that the input is invalid; its calls held by a grammar, or read from what it writes.
//!
//! Run with `cargo run --release -p assent-tests --example bench-repair -- ours|bare [--url URL] [--from N] [--to N]`. Without
//! an address the embedded model answers, held by grammars; with one a `llama-server` there, as a plain endpoint. Each of
//! the cases in `cases.json` is a step of a plan whose first call is given; after it the model has three tries. Prints one
//! JSON object a case.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use assent_core::plan::import;
use assent_core::run::{Decider, EventKind};
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::model::local::{LocalModel, LocalParts, LocalSettings, Places, guard_main, manifest};
use assent_engine::model::{
    Delta, Dialect, Endpoint, Finish, Message, Model, ModelError, ModelProfile, OpenAi, PlannerProfile, Reply, Request,
    ToolCall,
};
use assent_engine::store::{Home, Store};
use assent_tests::desk::{Only, engine_with};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Replies in which the model may mend the call.
const TRIES: u32 = 3;
/// What the agents are told: their steps are not what is measured.
const AGENT: &str = "You are the agent that was called.";

fn main() -> ExitCode {
    if let Some(code) = guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    let runtime = tokio::runtime::Runtime::new().map_err(anyhow::Error::from);
    match runtime.and_then(|runtime| runtime.block_on(measure(&std::env::args().collect::<Vec<_>>()))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(words: &[String]) -> Result<()> {
    let option = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let number = |name: &str, usual: usize| option(name).map_or(Ok(usual), |text| text.parse());
    let bare = match words.get(1).map(String::as_str) {
        Some("ours") => false,
        Some("bare") => true,
        _ => bail!("say what the model is told: ours or bare"),
    };
    let known: Value = serde_json::from_str(include_str!("cases.json"))?;
    let cases = known["cases"].as_array().context("there are no cases")?;
    let folder = tempfile::tempdir()?;
    let model: Arc<dyn Model> = match option("--url") {
        Some(url) => Arc::new(plain(url)?),
        None => Arc::new(LocalModel::new(starter(folder.path())?)),
    };
    let last = number("--to", cases.len())?.min(cases.len());
    for at in number("--from", 1)?.max(1)..=last {
        let result = one(&known, &cases[at - 1], bare, model.clone()).await?;
        println!("{}", json!({"case": at, "told": if bare { "bare" } else { "ours" }, "result": result}));
    }
    Ok(())
}

/// The starter model on a data folder, held by grammars.
fn starter(data: &Path) -> Result<LocalParts> {
    let file = manifest().iter().find(|file| file.id == "starter").context("no starter model")?.clone();
    let places = Places::usual(data, |name| std::env::var_os(name));
    let threads = u32::try_from(std::thread::available_parallelism()?.get()).ok();
    let settings = LocalSettings { threads, ready_within: Duration::from_secs(300), ..LocalSettings::default() };
    Ok(LocalParts { file, places, guard: std::env::current_exe()?, settings, notice: None })
}

/// The same model at an address, of which nothing is known.
fn plain(url: &str) -> Result<OpenAi> {
    let profile = ModelProfile {
        id: "free/starter".to_owned(),
        context_tokens: 8192,
        planner: PlannerProfile::Compact,
        parallel: 1,
        local: true,
    };
    let (base_url, model) = (format!("{url}/v1"), "starter".to_owned());
    let endpoint = Endpoint { base_url, model, key: None, dialect: Dialect::PLAIN, silence: Duration::from_secs(600) };
    Ok(OpenAi::usual(profile, endpoint)?)
}

/// One case: what the agent began with, and after how many tries.
async fn one(known: &Value, case: &Value, bare: bool, model: Arc<dyn Model>) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let (workspace, home) = (folder.path().join("workspace"), Home::at(folder.path().join("home"))?);
    fs::create_dir(&workspace)?;
    write_pack(&home.packs(), &known["agents"])?;
    let text = |value: &Value| value.as_str().map(str::to_owned).context("a case lacks a text");
    let (agent, message) = (text(&case["agent"])?, text(&case["message"])?);
    let mut arguments = case["first"].as_object().cloned().unwrap_or_default();
    arguments.insert("task".to_owned(), json!(message));
    let tool = format!("run_{agent}");
    let first = ToolCall { id: "first".to_owned(), name: tool.clone(), arguments: Value::Object(arguments) };
    let asked = Arc::new(Given { model, first, bare, asked: AtomicU32::new(0) });
    let store = Store::open(&home, Arc::new(SystemClock))?;
    let engine = engine_with(store, &home, Arc::new(Only(asked.clone())), Vec::new(), Arc::new(Unwatched));
    engine.tools().sources()?;
    let session = engine.sessions().create(&workspace).await?;
    let step = json!({"id": "s1", "description": message, "stepType": "tool", "requiredTools": [tool],
        "executor": {"kind": "self"}});
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A call", "userMessage": message, "steps": [step]});
    let plan = import(&document.to_string()).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    let plan = engine.plans().import(plan, &session).await?;
    engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await?;
    let events = engine.sessions().events(&session, 0)?;
    let began = events.into_iter().find_map(|event| match event.kind {
        EventKind::StepDelegated { steps, .. } => steps.first().map(|step| step.input.context.clone()),
        _ => None,
    });
    let right = began.as_ref().is_some_and(|context| is_right(context, case));
    let tries = asked.asked.load(Ordering::Relaxed).saturating_sub(1).min(TRIES);
    Ok(json!({"agent": agent, "repaired": began.is_some(), "right": right, "tries": tries, "gave": began}))
}

/// The agents, each with its contract.
fn write_pack(packs: &Path, agents: &Value) -> Result<()> {
    let folder = packs.join("desk/agents");
    fs::create_dir_all(&folder)?;
    fs::write(packs.join("desk/agent.md"), AGENT)?;
    for (name, agent) in agents.as_object().into_iter().flatten() {
        let properties = agent["properties"].as_object().context("an agent without values")?;
        let required: Vec<&String> = properties.keys().collect();
        let contract =
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        fs::write(packs.join(format!("desk/{name}.json")), contract.to_string())?;
        let file =
            format!("description = {}\ntools = []\nprompt = \"agent.md\"\ninput = \"{name}.json\"\n", agent["does"]);
        fs::write(folder.join(format!("{name}.toml")), file)?;
    }
    Ok(())
}

/// Whether all values are those of the message. Of a text that a person would say in several ways, its words have to be
/// there.
fn is_right(given: &Map<String, Value>, case: &Value) -> bool {
    let loose = |name: &str| case["loose"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let words = |text: &str| text.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    case["want"].as_object().into_iter().flatten().all(|(name, wanted)| match (wanted, given.get(name)) {
        (Value::String(wanted), Some(Value::String(given))) if loose(name) => {
            let given = words(given);
            words(wanted).iter().all(|word| given.iter().any(|one| one.trim_matches(['.', ',', '!']) == word))
        }
        (Value::String(wanted), Some(Value::String(given))) => wanted.eq_ignore_ascii_case(given.trim()),
        (Value::Number(wanted), Some(given)) => given.as_f64() == wanted.as_f64(),
        (wanted, given) => Some(wanted) == given,
    })
}

/// A model whose first reply is given. What it is asked beside mending that call has an answer at once.
struct Given {
    model: Arc<dyn Model>,
    first: ToolCall,
    bare: bool,
    asked: AtomicU32,
}

#[async_trait]
impl Model for Given {
    fn profile(&self) -> &ModelProfile {
        self.model.profile()
    }

    async fn reply(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let is_agents = |message: &Message| matches!(message, Message::System { text } if text.contains(AGENT));
        let over = Reply { text: "It is done.".to_owned(), ..Reply::default() };
        if request.tools.is_empty() || request.messages.iter().any(is_agents) {
            return Ok(over);
        }
        match self.asked.load(Ordering::Relaxed) {
            0 => {
                self.asked.store(1, Ordering::Relaxed);
                Ok(Reply { calls: vec![self.first.clone()], finish: Finish::Calls, ..Reply::default() })
            }
            asked if asked <= TRIES && !has_worked(request) => {
                self.asked.store(asked + 1, Ordering::Relaxed);
                self.model.reply(&self.told(request), deltas, cancel).await
            }
            _ => Ok(over),
        }
    }

    async fn count_tokens(&self, text: &str) -> Option<u32> {
        self.model.count_tokens(text).await
    }

    fn spells_calls(&self) -> bool {
        self.model.spells_calls()
    }
}

impl Given {
    /// A request in which nothing says what was wrong, if that is how it is told.
    fn told(&self, request: &Request) -> Request {
        let mut request = request.clone();
        if self.bare {
            for message in &mut request.messages {
                if let Message::Tool { text, .. } | Message::User { text } = message {
                    *text = without_reasons(text);
                }
            }
        }
        request
    }
}

/// Whether the agent has begun, and given something.
fn has_worked(request: &Request) -> bool {
    let says = |message: &Message| matches!(message, Message::Tool { text, .. } if text.contains("It is done."));
    request.messages.iter().any(says)
}

/// A text in which the object of a refused input is two words, also where only its end is told of a repeated call.
fn without_reasons(text: &str) -> String {
    const EARLIER: &str = "An earlier try failed: ";
    if let Some((before, rest)) = text.split_once(EARLIER)
        && let Some((_, after)) = rest.split_once('\n')
    {
        return format!("{}{EARLIER}invalid input\n{after}", without_reasons(before));
    }
    let is_refusal = |value: &Value| value["error"] == "Input contract validation failed";
    for (start, _) in text.match_indices('{') {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        if let Some(Ok(value)) = values.next()
            && is_refusal(&value)
        {
            let end = start + values.byte_offset();
            return format!("{}invalid input{}", &text[..start], without_reasons(&text[end..]));
        }
    }
    text.to_owned()
}
