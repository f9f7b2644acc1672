//! What goes wrong with a model, by meaning: each kind says who has to act.

use std::time::Duration;

use thiserror::Error;

/// Why there is no reply. No text holds a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// Nobody answers at the address.
    #[error("{endpoint} cannot be reached: {reason}; check that it runs and that the address is right")]
    Offline {
        /// The address without credentials.
        endpoint: String,
        /// What the connection said.
        reason: String,
    },
    /// The key is missing, wrong or not allowed to do this.
    #[error(
        "{endpoint} refused the key: {reason}; set another one in the settings, or with `assent model key PROVIDER`"
    )]
    Auth {
        /// The address.
        endpoint: String,
        /// What the endpoint said.
        reason: String,
    },
    /// Too many requests or tokens.
    #[error("{endpoint} asks to slow down; try again {}", when(.retry_after))]
    RateLimited {
        /// The address.
        endpoint: String,
        /// When to come back, where it says so.
        retry_after: Option<Duration>,
    },
    /// The endpoint is overloaded or broke in the middle.
    #[error("{endpoint} could not answer: {reason}; try again {}", when(.retry_after))]
    Unavailable {
        /// The address.
        endpoint: String,
        /// What happened.
        reason: String,
        /// When to come back, where it says so.
        retry_after: Option<Duration>,
    },
    /// The request does not fit.
    #[error("{}; start a new session or choose a larger model", too_long(.model, *.limit))]
    ContextTooLong {
        /// The model.
        model: String,
        /// Its limit in tokens; 0 where the endpoint does not say.
        limit: u32,
    },
    /// There is no such model at the endpoint, or its file is missing or not what it should be.
    #[error("{model} cannot be used: {reason}")]
    NoSuchModel {
        /// The model.
        model: String,
        /// What is missing and what to do.
        reason: String,
    },
    /// The endpoint does not take this request.
    #[error("{endpoint} does not accept the request: {reason}")]
    BadRequest {
        /// The address.
        endpoint: String,
        /// What it said.
        reason: String,
    },
    /// What came back makes no sense.
    #[error("{endpoint} answered something that is no reply: {reason}; check that it is a model endpoint")]
    Nonsense {
        /// The address.
        endpoint: String,
        /// What was wrong with it.
        reason: String,
    },
    /// A person stopped it.
    #[error("stopped")]
    Cancelled,
}

impl ModelError {
    /// What is said of a request that is made once more, shorter.
    pub fn shortened(&self) -> String {
        match self {
            Self::ContextTooLong { model, limit } => format!("{}; it is shortened", too_long(model, *limit)),
            other => other.to_string(),
        }
    }

    /// Whether the same request may well succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Offline { .. } | Self::RateLimited { .. } | Self::Unavailable { .. })
    }
}

fn when(retry_after: &Option<Duration>) -> String {
    match retry_after.map(|wait| wait.as_secs()) {
        None => "in a while".to_owned(),
        Some(seconds @ 0..120) => format!("in {seconds} seconds"),
        Some(seconds) => format!("in {} minutes", seconds.div_ceil(60)),
    }
}

fn too_long(model: &str, limit: u32) -> String {
    match limit {
        0 => format!("the request is longer than {model} can take"),
        limit => format!("the request is longer than the {limit} tokens that {model} can take"),
    }
}
