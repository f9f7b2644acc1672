//! Committing what a person answered: once, where it fits, and for the file that they saw.

use assent_core::contract::{AgentCall, Fault, InputRefused, Stage};
use assent_core::ids::{Digest, RequestId, RunId, TurnId};
use assent_core::run::{
    Answer, Batch, Draft, Durability, EventKind, InputKind, JournalError, Place, Request, RequestKind, RequestStatus,
};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::answer::{Unfitting, fits};
use super::suspend::AGAIN;
use super::{Executor, ExecutorError, ExecutorParts};
use crate::store::{RequestRow, StoreError};
use crate::tool::arguments::fit_call;
use crate::tool::look::Look;
use crate::tool::workspace::Workspace;

impl Executor {
    /// Commits a person's answer and returns the run that can now be carried on, if the request belongs to one. `turn`
    /// is the turn whose message carries the answer.
    ///
    /// # Errors
    /// [`ExecutorError::Settled`] for a second answer, [`ExecutorError::Answer`] for one that does not fit, or whose
    /// changed arguments lead out of the workspace: the request stays as it is.
    pub async fn answer(
        &self,
        request: &RequestId,
        answer: Answer,
        turn: Option<TurnId>,
    ) -> Result<Option<RunId>, ExecutorError> {
        self.answer_as_seen(request, answer, turn, None).await
    }

    /// As [`Executor::answer`], for a person who has [looked](Executor::look) at what an approval, or making a call once
    /// more, lets happen to a file.
    ///
    /// # Errors
    /// As there, and [`ExecutorError::FileChanged`] where the file is not as it was `seen`.
    pub async fn answer_as_seen(
        &self,
        request: &RequestId,
        answer: Answer,
        turn: Option<TurnId>,
        seen: Option<&Digest>,
    ) -> Result<Option<RunId>, ExecutorError> {
        let row = self.open_request(request)?;
        fits(&row.request, &answer)?;
        self.finds(&row, &answer)?;
        let mut file = None;
        if let Some(changed) = lets_happen(&row.request, &answer) {
            let (parts, asked) = (self.parts.clone(), row.clone());
            let looked = spawn_blocking(move || {
                if let Some(changed) = &changed {
                    fit_the_call(&parts, &asked, changed)?;
                }
                look(&parts, &asked, changed)
            })
            .await;
            let look = looked.map_err(|error| StoreError::Other(error.to_string()))??;
            if seen.is_some_and(|seen| *seen != look.digest) {
                return Err(ExecutorError::FileChanged);
            }
            file = look.file;
        }
        self.settle(row, answer, turn, None, file).await
    }

    /// Commits an answer that is also the next message of the chat: both or neither.
    ///
    /// # Errors
    /// As [`Executor::answer`].
    pub async fn answer_by_message(
        &self,
        request: &RequestId,
        answer: Answer,
        turn: TurnId,
        message: String,
    ) -> Result<Option<RunId>, ExecutorError> {
        let row = self.open_request(request)?;
        fits(&row.request, &answer)?;
        self.finds(&row, &answer)?;
        self.settle(row, answer, Some(turn), Some(message), None).await
    }

    /// What the call of a request would make of a file, as that is now; with other arguments where a person changes
    /// them.
    ///
    /// # Errors
    /// The run cannot be read, or its folder is gone.
    pub fn look(&self, row: &RequestRow, arguments: Option<Value>) -> Result<Look, ExecutorError> {
        look(&self.parts, row, arguments)
    }

    /// A request that is open.
    ///
    /// # Errors
    /// [`ExecutorError::Settled`] with what became of it, or there is none of this name.
    pub fn open_request(&self, request: &RequestId) -> Result<RequestRow, ExecutorError> {
        let row = self.parts.requests.request(request.as_str())?;
        match row.status {
            RequestStatus::Open => Ok(row),
            status => Err(ExecutorError::Settled { request: row.request.id, status }),
        }
    }

    async fn settle(
        &self,
        row: RequestRow,
        answer: Answer,
        turn: Option<TurnId>,
        message: Option<String>,
        file: Option<Digest>,
    ) -> Result<Option<RunId>, ExecutorError> {
        let request = row.request.id;
        let at = self.parts.clock.now();
        let place = Place { session: row.session, turn: turn.or(row.turn), run: row.run.clone(), step: row.step };
        let said = message.map(|text| Draft {
            place: Place { run: None, step: None, ..place.clone() },
            at,
            kind: EventKind::MessageReceived { text, answers: Some(request.clone()), replans: None },
        });
        let answered = Draft { place, at, kind: EventKind::RequestAnswered { request: request.clone(), answer, file } };
        let batch = Batch { events: said.into_iter().chain([answered]).collect(), ..Batch::default() };
        match self.parts.journal.append(batch, Durability::Synced).await {
            Err(JournalError::Conflict(_)) => {
                let status = self.parts.requests.request(request.as_str())?.status;
                Err(ExecutorError::Settled { request, status })
            }
            other => Ok(other.map(|()| row.run)?),
        }
    }

    /// Whether a path that a person names is there and inside the workspace of the run that asks, by the rules that
    /// hold for tools.
    fn finds(&self, row: &RequestRow, answer: &Answer) -> Result<(), ExecutorError> {
        let (InputKind::File, Answer::Value { value }, Some(run)) = (row.request.input.kind, answer, &row.run) else {
            return Ok(());
        };
        let folder = self.parts.jobs.folder(&self.parts.runs.run(run)?)?;
        let written = value.as_str().unwrap_or_default().trim();
        let unfit = |reason: String| ExecutorError::Answer(Unfitting::Path(reason));
        let workspace = Workspace::at(&folder, &self.parts.hidden).map_err(|error| unfit(error.to_string()))?;
        workspace.existing(written).map(drop).map_err(|error| unfit(error.to_string()))
    }
}

/// With which other arguments an answer lets a call happen, where it lets it happen: it is allowed, or made once more.
fn lets_happen(request: &Request, answer: &Answer) -> Option<Option<Value>> {
    match answer {
        Answer::Approve { arguments, .. } => Some(arguments.clone()),
        Answer::Value { value } if request.kind == RequestKind::UnknownOutcome && value == AGAIN => Some(None),
        Answer::Value { .. } | Answer::Reject { .. } => None,
    }
}

/// Whether arguments that a person has changed fit the tool, and keep the call inside the workspace of the run.
fn fit_the_call(parts: &ExecutorParts, row: &RequestRow, changed: &Value) -> Result<(), ExecutorError> {
    let Some(tool) = row.request.tool.as_ref().and_then(|name| parts.catalogue.get(name)) else {
        return Ok(());
    };
    let fitting = parts.rules.arguments(tool.spec(), changed.clone()).map_err(Unfitting::Arguments)?;
    if let Some(broken) = breaks_the_contract(parts, row, &tool.spec().name, &fitting) {
        return Err(Unfitting::Arguments(Box::new(broken)).into());
    }
    let effects = tool.effects(&fitting);
    let Some(run) = row.run.as_ref().filter(|_| !effects.reads.is_empty() || !effects.writes.is_empty()) else {
        return Ok(());
    };
    let folder = parts.jobs.folder(&parts.runs.run(run)?)?;
    let unfit = |reason: String| Unfitting::Arguments(Box::new(Fault::new(Stage::ToolArguments, reason)));
    let workspace = Workspace::at(&folder, &parts.hidden)
        .map_err(|error| unfit(format!("the workspace {} cannot be used: {error}", folder.display())))?;
    Ok(effects.stay_in(&workspace).map_err(|error| unfit(error.to_string()))?)
}

/// What changed arguments lack for the contract of the agent that they call. Where those that were asked for lacked the
/// same, it is filled in when the agent is called.
fn breaks_the_contract(parts: &ExecutorParts, row: &RequestRow, tool: &str, changed: &Value) -> Option<Fault> {
    let agent = parts.heap.agent_of(tool)?;
    let refused = |arguments: &Value| -> Option<Box<InputRefused>> {
        fit_call(agent.input.as_ref(), AgentCall::of(arguments.as_object()?)).err()
    };
    let now = refused(changed)?;
    let before = row.request.arguments.as_ref().and_then(refused);
    let is_new = |field: &String| before.as_ref().is_none_or(|before| !before.missing_fields.contains(field));
    if before.is_some() && !now.missing_fields.iter().any(is_new) {
        return None;
    }
    Some(Fault::new(Stage::ToolArguments, now.validation_message).at(now.path).hint(now.hint))
}

fn look(parts: &ExecutorParts, row: &RequestRow, arguments: Option<Value>) -> Result<Look, ExecutorError> {
    let Request { tool, arguments: asked, .. } = &row.request;
    let tool = tool.as_ref().and_then(|name| parts.catalogue.get(name));
    let (Some(tool), Some(arguments), Some(run)) = (tool, arguments.or_else(|| asked.clone()), &row.run) else {
        return Ok(Look::at_no_file(None));
    };
    if !tool.spec().risk.writes() {
        return Ok(Look::at_no_file(tool.effects(&arguments).command));
    }
    let folder = parts.jobs.folder(&parts.runs.run(run)?)?;
    Ok(Look::at(&folder, &parts.hidden, tool.as_ref(), &arguments))
}
