//! `assent model …`

use anyhow::bail;
use assent_core::run::Purpose;
use assent_engine::model::local::{FileState, LocalModel, ModelFile, manifest};
use assent_engine::model::{Message, Model, OutputFormat, Request, ToolChoice};
use assent_engine::store::Home;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::args::ModelCommand;
use crate::exit::Exit;
use crate::models;
use crate::terminal::{Style, Terminal};

/// Carries out `assent model …`.
pub async fn run(home: &Home, terminal: &Terminal, command: ModelCommand) -> anyhow::Result<Exit> {
    match command {
        ModelCommand::List => list(home, terminal),
        ModelCommand::Use { name } => {
            let file = named(&name)?;
            models::choose(home, &file.model_id())?;
            if !terminal.json {
                terminal.line(&format!("new turns use {}", file.model_id()));
            }
            Ok(Exit::Done)
        }
        ModelCommand::Test { name } => {
            let name = match name {
                Some(name) => name,
                None => models::chosen(home)?,
            };
            test(home, terminal, named(&name)?).await
        }
    }
}

fn named(name: &str) -> anyhow::Result<&'static ModelFile> {
    let found = manifest().iter().find(|file| file.model_id() == name || file.id == name);
    match found {
        Some(file) => Ok(file),
        None => {
            let known: Vec<String> = manifest().iter().map(ModelFile::model_id).collect();
            bail!("there is no model {name:?}; there are {}", known.join(", "))
        }
    }
}

fn list(home: &Home, terminal: &Terminal) -> anyhow::Result<Exit> {
    let chosen = models::chosen(home)?;
    for file in manifest() {
        let id = file.model_id();
        let (state, place) = match models::places(home).state(file) {
            FileState::Ready(path) => ("ready", path.display().to_string()),
            FileState::Missing => {
                ("missing", "run scripts/fetch-model, or put the file into the models folder".to_owned())
            }
            FileState::Corrupt { path, reason } => ("damaged", format!("{}: {reason}", path.display())),
        };
        if terminal.json {
            let (is_chosen, name) = (id == chosen, &file.name);
            terminal.value(&json!({"id": id, "name": name, "state": state, "place": place, "chosen": is_chosen}))?;
            continue;
        }
        let mark = if id == chosen { "*" } else { " " };
        let style = if state == "ready" { Style::Good } else { Style::Warn };
        terminal.line(&format!("{mark} {id:<16} {:<9} {}", terminal.paint(style, state), file.name));
        terminal.line(&format!("    {}", terminal.paint(Style::Quiet, &place)));
    }
    Ok(Exit::Done)
}

/// Checks the whole file, loads it and asks for a word.
async fn test(home: &Home, terminal: &Terminal, file: &'static ModelFile) -> anyhow::Result<Exit> {
    terminal.note(&format!("checking {} …", file.file));
    models::places(home).check(file)?;
    let model: LocalModel = models::local(home, file)?;
    let question = "Answer with one word: what colour is the sky on a clear day?";
    let request = Request {
        purpose: Purpose::Plan,
        cache_key: "test".to_owned(),
        messages: vec![Message::User { text: question.to_owned() }],
        tools: Vec::new(),
        choice: ToolChoice::None,
        output: OutputFormat::Text,
        max_tokens: 16,
        temperature: 0.0,
        seed: Some(1),
    };
    let (deltas, _unheard) = tokio::sync::mpsc::unbounded_channel();
    let began = std::time::Instant::now();
    let reply = model.reply(&request, &deltas, &CancellationToken::new()).await?;
    let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let id = file.model_id();
    if terminal.json {
        terminal.value(&json!({"id": id, "reply": reply.text, "usage": reply.usage, "durationMs": millis}))?;
    } else {
        let text = crate::terminal::clip(&reply.text, 60);
        terminal.line(&format!("{id} answered {text:?} after {}", crate::show::duration(millis)));
    }
    Ok(Exit::Done)
}
