//! How a step completes: with its result, and with a warning where something is not as it should be. What it says of
//! effects is held against the ledger here, whichever way it came to its end.

use assent_core::run::{Durability, EventKind, StepStatus, ValidationStatus};

use super::error::Stop;
use super::step::{Worker, ended};
use super::{caps, claims, reprompt, verify};

impl Worker<'_> {
    /// Completes the step, whose last words these are, with what is not as it should be.
    pub(super) async fn complete(
        &self,
        validation: ValidationStatus,
        warning: Option<String>,
        words: &str,
    ) -> Result<(), Stop> {
        self.complete_after(None, validation, warning, words).await
    }

    /// Completes a step that a limit has ended.
    pub(super) async fn complete_at(
        &self,
        reached: EventKind,
        warning: Option<String>,
        words: &str,
    ) -> Result<(), Stop> {
        let validation = verify::validation(&self.carrier.state(), self.at, self.plan_step());
        self.complete_after(Some(reached), validation, warning, words).await
    }

    async fn complete_after(
        &self,
        reached: Option<EventKind>,
        validation: ValidationStatus,
        warning: Option<String>,
        words: &str,
    ) -> Result<(), Stop> {
        let (mark, cut) = {
            let state = self.carrier.state();
            let mark = claims::unproven(self.carrier, &state, self.at, words).map(|unproven| unproven.why);
            (
                mark,
                reprompt::unwhole(&state, self.at).map(|fault| format!("its text may not be whole: {}", fault.message)),
            )
        };
        // It went back as often as it may, else it would not be taken as it is.
        let retries = self.carrier.plan().limits.output_retries;
        let spent = cut.is_some().then(|| caps::reached(reprompt::OUTPUT_RETRIES, retries)).filter(|_| retries > 0);
        let reached = reached.or(spent);
        let warning = both(both(warning, cut), mark);
        let result = self.result().await?;
        let mut events: Vec<EventKind> = reached.into_iter().collect();
        if let Some(message) = &warning {
            tracing::warn!("{message}");
            events.push(EventKind::Warned { message: message.clone() });
        }
        events.push(ended(StepStatus::Completed, validation, result, warning));
        self.write(events, Durability::Queued).await
    }
}

/// Two things that are not as they should be, as one.
pub(super) fn both(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}
