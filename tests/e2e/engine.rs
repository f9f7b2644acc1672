//! What stands behind the window: a data folder with what a person did before, and an endpoint that answers as written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Event, EventKind, TurnStatus};
use assent_engine::Engine;
use assent_engine::engine::{Opened, Opening};
use assent_engine::live::Unwatched;
use assent_engine::model::registry::{ModelRole, Protocol, Provider};
use assent_engine::store::{Home, ListFilter};
use assent_engine::turn::{ApprovalPolicy, Message};
use assent_tests::sse::{Answer, FakeServer, Received};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::desktop::process::until;

/// A fake endpoint with a runtime of its own.
pub struct Endpoint {
    server: FakeServer,
    runtime: Runtime,
}

impl Endpoint {
    /// Answers these in order.
    pub fn start(answers: impl IntoIterator<Item = Answer>) -> Result<Self> {
        let runtime = Runtime::new()?;
        let server = runtime.block_on(FakeServer::start(answers));
        Ok(Self { server, runtime })
    }

    /// Where it is.
    pub fn address(&self) -> &str {
        &self.server.address
    }

    /// Every request so far.
    pub fn received(&self) -> Vec<Received> {
        self.server.received()
    }

    /// Makes the endpoint the chosen model of a data folder, and `workspace` a folder of an earlier session.
    pub fn is_used_in(&self, data: &Path, workspace: &Path) -> Result<()> {
        let opened = open(data)?;
        opened.models.replace_provider(provider(&self.server.address))?;
        opened.models.choose(ModelRole::Default, Some(&"written/replies".parse()?))?;
        let sessions = opened.engine.sessions();
        let session = self.runtime.block_on(sessions.create(workspace))?;
        self.runtime.block_on(sessions.rename(&session, "An earlier session"))?;
        Ok(())
    }

    /// Goes, and stays named at a port that nobody is given who asks for any: a server of another test could get its own.
    pub fn goes(self, data: &Path) -> Result<()> {
        Ok(open(data)?.models.replace_provider(provider("http://127.0.0.1:1"))?)
    }

    /// Has a message answered before the window opens, as far as it goes without a person.
    pub fn has_answered(&self, data: &Path, workspace: &Path, text: &str, policy: ApprovalPolicy) -> Result<SessionId> {
        let opened = open(data)?;
        let session = self.runtime.block_on(opened.engine.sessions().create(workspace))?;
        let message = Message { session: session.clone(), text: text.to_owned(), policy: Some(policy), answers: None };
        self.runtime.block_on(opened.engine.turns().send(message, &CancellationToken::new()))?;
        Ok(session)
    }

    /// Answers a message in a session of its own, as another program on the same data folder; what it does ends at once
    /// when the task is aborted.
    pub fn answers_elsewhere(&self, data: &Path, workspace: &Path, text: &str) -> Result<JoinHandle<()>> {
        let opened = open(data)?;
        let session = self.runtime.block_on(opened.engine.sessions().create(workspace))?;
        let message = Message { session, text: text.to_owned(), policy: Some(ApprovalPolicy::NeverAsk), answers: None };
        Ok(self.runtime.spawn(async move {
            // How it ends is what the window shows.
            let _end = opened.engine.turns().send(message, &CancellationToken::new()).await;
        }))
    }
}

/// Puts a plan of these steps before the person, in a session of its own.
pub fn propose(data: &Path, workspace: &Path, title: &str, steps: &Value) -> Result<SessionId> {
    let (opened, runtime) = (open(data)?, Runtime::new()?);
    let session = runtime.block_on(opened.engine.sessions().create(workspace))?;
    runtime.block_on(opened.engine.sessions().rename(&session, title))?;
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": title, "userMessage": title, "steps": steps});
    let plan = import(&document.to_string()).map_err(|faults| anyhow!("{faults:?}"))?;
    runtime.block_on(opened.engine.plans().import(plan, &session))?;
    Ok(session)
}

/// The engine on a data folder, beside the window's own.
pub fn open(data: &Path) -> Result<Opened> {
    let opening = Opening { guard: PathBuf::new(), model: None, live: Arc::new(Unwatched), notice: None };
    Ok(Engine::at(&Home::at(data)?, opening)?)
}

/// Has closing the window stop what goes on.
pub fn closing_stops(data: &Path) -> Result<()> {
    Ok(open(data)?.engine.settings().set_setting("window.closing", Some(&json!("stop")))?)
}

/// Every event of the latest session.
fn latest_events(opened: &Opened) -> Result<Vec<Event>> {
    let sessions = opened.engine.sessions();
    let latest = sessions.list(&ListFilter { archived: true, limit: 1, offset: 0 })?;
    Ok(sessions.events(&latest.first().context("there is a session")?.id, 0)?)
}

/// How the last turn of the latest session ended; `None` while it goes on or waits.
pub fn last_end(data: &Path) -> Result<Option<TurnStatus>> {
    Ok(end_of(&latest_events(&open(data)?)?))
}

/// Waits until the last turn of the latest session has ended; how it did.
pub fn until_over(data: &Path) -> Result<TurnStatus> {
    // Opened once: the window has to do with the same database.
    let opened = open(data)?;
    until("the turn is over", || Ok(end_of(&latest_events(&opened)?)))
}

fn end_of(events: &[Event]) -> Option<TurnStatus> {
    let last = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::TurnEnded { status, .. } => Some(Some(*status)),
        EventKind::MessageReceived { .. } => Some(None),
        _ => None,
    });
    last.flatten()
}

/// How long after a moment, in milliseconds since 1970, the last run of the latest session was over by its own history:
/// how fast somebody looks at it does not count.
pub fn over_after(data: &Path, moment: i64) -> Result<Duration> {
    let events = latest_events(&open(data)?)?;
    let end = events.iter().rfind(|event| matches!(event.kind, EventKind::RunEnded { .. })).context("it is over")?;
    Ok(Duration::from_millis(u64::try_from(end.at - moment)?))
}

fn provider(address: &str) -> Provider {
    Provider {
        id: "written".to_owned(),
        base_url: format!("{address}/v1"),
        protocol: Protocol::Openai,
        context_tokens: 8192,
        plain: false,
    }
}
