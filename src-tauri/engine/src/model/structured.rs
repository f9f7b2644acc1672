//! One request from beginning to end: attempts, and for structured output the check and the one repair.

use std::sync::Arc;

use assent_core::contract::{Fault, Stage};
use assent_core::run::Purpose;
use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::calls::single_object;
use super::retry::Retries;
use super::{
    Delta, DeltaKind, Finish, Message, Model, ModelError, ModelProfile, OutputFormat, PLAN_FORM, Pause, Reply,
    ReplySchema, Request, RetryPolicy,
};

/// What an adapter does once, without looking at the result. Whatever does this is a [`Model`].
#[async_trait]
pub(crate) trait Attempt: Send + Sync {
    /// What the model behind it is and can do.
    fn profile(&self) -> &ModelProfile;

    /// How often it is tried.
    fn patience(&self) -> &Patience;

    /// One exchange.
    async fn attempt(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError>;

    /// The number of tokens of a text, where the endpoint can tell it.
    async fn count_tokens(&self, text: &str) -> Option<u32>;

    /// Whether calls are spelled out in replies.
    fn spells_calls(&self) -> bool;
}

#[async_trait]
impl<A: Attempt> Model for A {
    fn profile(&self) -> &ModelProfile {
        Attempt::profile(self)
    }

    async fn reply(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        complete(self, self.patience(), request, deltas, cancel).await
    }

    async fn count_tokens(&self, text: &str) -> Option<u32> {
        Attempt::count_tokens(self, text).await
    }

    fn spells_calls(&self) -> bool {
        Attempt::spells_calls(self)
    }
}

/// How often, and how time passes between.
#[derive(Clone)]
pub(crate) struct Patience {
    pub(crate) policy: RetryPolicy,
    pub(crate) pause: Arc<dyn Pause>,
}

/// Asks until there is a reply or an error that will stay.
async fn complete(
    adapter: &dyn Attempt,
    patience: &Patience,
    request: &Request,
    deltas: &UnboundedSender<Delta>,
    cancel: &CancellationToken,
) -> Result<Reply, ModelError> {
    let mut reply = persist(adapter, patience, request, deltas, cancel).await?;
    let OutputFormat::Json { name, schema } = &request.output else {
        return Ok(reply);
    };
    if !reply.calls.is_empty() || matches!(reply.finish, Finish::Refused) {
        return Ok(reply);
    }
    // Whoever plans reads whatever can be read and asks again with the faults, as often as a plan's limits say.
    if request.purpose == Purpose::Plan && name == PLAN_FORM {
        return Ok(reply);
    }
    let Err(faults) = settle(&mut reply, schema) else {
        return Ok(reply);
    };
    let second = repair_request(request, &reply, &faults);
    let _ = deltas.send(Delta { kind: DeltaKind::Again, text: "the reply does not have the asked form".to_owned() });
    let mut repaired = match persist(adapter, patience, &second, deltas, cancel).await {
        Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
        // What was there is told with what it cost, and that it could not be mended.
        Err(error) => {
            reply.faults.extend(faults);
            reply.faults.push(Fault::new(Stage::Parse, format!("it could not be asked for again: {error}")));
            return Ok(reply);
        }
        Ok(repaired) => repaired,
    };
    repaired.usage.input += reply.usage.input;
    repaired.usage.cached += reply.usage.cached;
    repaired.usage.output += reply.usage.output;
    repaired.before += 1;
    if let Err(faults) = settle(&mut repaired, schema) {
        repaired.faults.extend(faults);
    }
    Ok(repaired)
}

async fn persist(
    adapter: &dyn Attempt,
    patience: &Patience,
    request: &Request,
    deltas: &UnboundedSender<Delta>,
    cancel: &CancellationToken,
) -> Result<Reply, ModelError> {
    let mut retries = Retries::new(patience.policy, patience.pause.clone());
    loop {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        match adapter.attempt(request, deltas, cancel).await {
            Ok(reply) => return Ok(reply),
            Err(error) => retries.after(error, deltas, cancel).await?,
        }
    }
}

/// Leaves only the document in the text, when it fits the schema; else says what does not fit.
fn settle(reply: &mut Reply, schema: &ReplySchema) -> Result<(), Vec<Fault>> {
    let Some(document) = single_object(&reply.text) else {
        return Err(vec![Fault::new(Stage::Parse, "the reply holds no JSON object").hint("Reply with the JSON only.")]);
    };
    // A schema that cannot be compiled cannot be checked here; who made the request checks the document anyway.
    let faults = schema.compiled().map(|schema| schema.check(&document, Stage::OutputContract)).unwrap_or_default();
    if !faults.is_empty() {
        return Err(faults);
    }
    reply.text = document.to_string();
    Ok(())
}

fn repair_request(request: &Request, reply: &Reply, faults: &[Fault]) -> Request {
    let mut second = request.clone();
    let listed: Vec<String> = faults.iter().take(8).map(|fault| format!("- {fault}")).collect();
    let text =
        format!("That does not have the asked form:\n{}\nReply with the corrected JSON only.", listed.join("\n"));
    if !reply.text.is_empty() {
        second.messages.push(Message::Assistant { text: reply.text.clone(), calls: Vec::new() });
    }
    second.messages.push(Message::User { text });
    second
}
