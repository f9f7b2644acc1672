//! Language models behind one trait: what is asked, what comes back, what can go wrong.
//!
//! How an endpoint does tool calls and structured output (native fields, a JSON Schema, a grammar, plain text and
//! repair) is settled in here by a wrapper; nothing outside sees the difference.

mod anthropic;
mod calls;
mod counted;
mod error;
mod grammar;
mod http;
pub(crate) mod keys;
pub mod local;
mod openai;
pub mod pull;
mod refused;
pub mod registry;
mod reply_schema;
mod request;
mod retry;
mod rounds;
pub mod scripted;
mod secret;
mod structured;

pub use assent_core::contract::estimate_tokens;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

pub use anthropic::Anthropic;
pub use calls::CallForm;
pub(crate) use counted::tokens_of;
pub use error::ModelError;
pub use keys::{KeySource, Keyring, Keys, NoVault, Vault, key_variable};
pub use openai::{Dialect, Endpoint, JsonForm, OpenAi};
pub use reply_schema::ReplySchema;
pub(crate) use request::is_held_to_shapes;
pub(crate) use request::not_whole_answer;
pub use request::{
    Delta, DeltaKind, Finish, Message, ModelProfile, OutputFormat, PLAN_FORM, PlannerProfile, Reply, Request, Role,
    ToolCall, ToolChoice,
};
pub use retry::{Pause, RealPause, RetryPolicy};
pub use secret::Secret;

/// A model at an endpoint.
#[async_trait]
pub trait Model: Send + Sync {
    /// What this model is and can do.
    fn profile(&self) -> &ModelProfile;

    /// Asks once. Pieces of the reply go to `deltas` as they come; a full or closed receiver never stops the call.
    ///
    /// # Errors
    /// [`ModelError`] by meaning; [`ModelError::Cancelled`] soon after `cancel` is triggered. Transient failures have
    /// already been retried when an error comes out.
    async fn reply(
        &self,
        request: &Request,
        deltas: &tokio::sync::mpsc::UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError>;

    /// The number of tokens of a text, counted by the endpoint's own tokenizer; `None` where it has none or does not tell.
    /// What was counted once is not asked again.
    async fn count_tokens(&self, text: &str) -> Option<u32>;

    /// Whether calls are spelled out in replies, so that a request has no field with the definitions of its tools.
    fn spells_calls(&self) -> bool {
        false
    }
}
