//! Credentials of the vault in a call: put in when everything about the call is written down, hidden in what it gives.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::calls::Ready;
use super::error::Stop;
use super::step::Worker;
use crate::tool::{CallContext, Effects, Progress};
use crate::vault::{Lending, Mask, Veil, aside, mentions};

impl Worker<'_> {
    /// The arguments with secrets in them; nothing where none are named. Why not, where they may not be had. A keyring that
    /// waits for a person to unlock it is waited for as long as the call may take.
    ///
    /// # Errors
    /// The run is stopped.
    pub(super) async fn lent(&self, ready: &Ready, limit: Duration) -> Result<Result<Option<Value>, String>, Stop> {
        if !mentions(&ready.arguments) {
            return Ok(Ok(None));
        }
        let (vault, tool) = (self.carrier.parts.vault.clone(), ready.tool.clone());
        let (arguments, effects) = (ready.arguments.clone(), ready.effects.clone());
        let lent = aside(move || {
            let lent = vault.lend(&arguments, &lending(tool.spec(), &effects))?;
            // With the secret in its place the call may lead elsewhere: then it does not get it.
            if let Some(filled) = &lent {
                let effects = tool.effects(filled);
                vault.allows(&arguments, &lending(tool.spec(), &effects))?;
            }
            Ok(lent)
        });
        tokio::select! {
            biased;
            () = self.carrier.cancel.cancelled() => Err(Stop::Cancelled),
            lent = lent => Ok(match lent {
                Ok(lent) => lent.map_err(|not_lent: crate::vault::NotLent| not_lent.to_string()),
                Err(_) => Err("the vault could not be asked for the credential, so the call was not made".to_owned()),
            }),
            () = tokio::time::sleep(limit) => Ok(Err(format!(
                "the keyring did not give the credential within {} s, so the call was not made: a person has to unlock it",
                limit.as_secs()
            ))),
        }
    }
}

/// A call as the vault looks at it.
pub(crate) fn lending<'a>(tool: &'a ToolSpec, effects: &'a Effects) -> Lending<'a> {
    Lending { tool, hosts: &effects.hosts, writes: !effects.writes.is_empty(), command: effects.command.is_some() }
}

/// A call that hides secrets in what it gives, and in its signs of life. Of one that has been lent one nobody sees any.
pub(super) fn hiding(context: CallContext, mask: Arc<Mask>) -> CallContext {
    let progress = match (context.lends, mask.is_empty()) {
        (true, _) => unbounded_channel().0,
        (false, true) => context.progress.clone(),
        (false, false) => veiled(context.progress.clone(), mask.clone()),
    };
    CallContext { mask, progress, ..context }
}

/// Signs of life in whose order no secret is seen, however it is cut into pieces.
fn veiled(signs: UnboundedSender<Progress>, mask: Arc<Mask>) -> UnboundedSender<Progress> {
    let (sender, mut pieces) = unbounded_channel::<Progress>();
    tokio::spawn(async move {
        let mut veil = Veil::new(mask);
        let tell = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // Nobody looking any more is no failure.
            let _ = if text.is_empty() { Ok(()) } else { signs.send(Progress { text }) };
        };
        while let Some(piece) = pieces.recv().await {
            tell(veil.take(piece.text.as_bytes()));
        }
        tell(veil.rest());
    });
    sender
}
