//! Asking again, by what went wrong: never where a person has to act, never for longer than anybody waits.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{Delta, DeltaKind, ModelError};

/// Lets time pass. An argument, so that tests need none.
#[async_trait]
pub trait Pause: Send + Sync {
    /// Comes back after this time.
    async fn pause(&self, time: Duration);

    /// A number from 0 to 1 that spreads the waits of clients that failed at the same moment.
    fn spread(&self) -> f64 {
        0.0
    }
}

/// Time as the machine has it.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealPause;

#[async_trait]
impl Pause for RealPause {
    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn spread(&self) -> f64 {
        let mut chance = [0_u8; 4];
        // Without randomness the waits are those of the policy.
        let _unspread = getrandom::fill(&mut chance);
        f64::from(u32::from_le_bytes(chance)) / f64::from(u32::MAX)
    }
}

/// How often and after what time something is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts in all, the first one included.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles from there.
    pub first: Duration,
    /// An endpoint that asks for a longer wait than this is not asked again: the person decides.
    pub longest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 4, first: Duration::from_millis(500), longest: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// The wait before another attempt, or `None` where none makes sense. `attempt` counts from 1. `spread`, from 0 to
    /// 1, shortens it by up to a half, or lengthens one that the endpoint asks for by up to a tenth.
    pub fn wait(&self, error: &ModelError, attempt: u32, spread: f64) -> Option<Duration> {
        if !error.is_transient() || attempt >= self.attempts {
            return None;
        }
        let doubled = self.first.saturating_mul(1 << (attempt - 1).min(16));
        match error {
            ModelError::RateLimited { retry_after: Some(asked), .. }
            | ModelError::Unavailable { retry_after: Some(asked), .. } => {
                (*asked <= self.longest).then(|| asked.mul_f64(1.0 + spread / 10.0))
            }
            _ => Some(doubled.min(self.longest).mul_f64(1.0 - spread / 2.0)),
        }
    }
}

/// The attempts of one request.
pub(crate) struct Retries {
    policy: RetryPolicy,
    pause: Arc<dyn Pause>,
    attempt: u32,
}

impl Retries {
    pub(crate) fn new(policy: RetryPolicy, pause: Arc<dyn Pause>) -> Self {
        Self { policy, pause, attempt: 1 }
    }

    /// Waits before the next attempt; gives the error back when there is to be none.
    pub(crate) async fn after(
        &mut self,
        error: ModelError,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<(), ModelError> {
        let Some(time) = self.policy.wait(&error, self.attempt, self.pause.spread()) else {
            return Err(error);
        };
        self.attempt += 1;
        let _ = deltas.send(Delta { kind: DeltaKind::Again, text: error.to_string() });
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            () = self.pause.pause(time) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(retry_after: Option<u64>) -> ModelError {
        ModelError::RateLimited { endpoint: "e".into(), retry_after: retry_after.map(Duration::from_secs) }
    }

    fn overloaded(retry_after: Option<u64>) -> ModelError {
        let retry_after = retry_after.map(Duration::from_secs);
        ModelError::Unavailable { endpoint: "e".into(), reason: "overloaded".into(), retry_after }
    }

    #[test]
    fn waits_double_and_end_and_follow_what_the_endpoint_asks_for() {
        let policy = RetryPolicy::default();
        let waits = |error: &ModelError| (1..=4).map(|attempt| policy.wait(error, attempt, 0.0)).collect::<Vec<_>>();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(waits(&limited(None)), [millis(500), millis(1000), millis(2000), None]);
        assert_eq!(waits(&limited(Some(7))), [millis(7000), millis(7000), millis(7000), None]);
        assert_eq!(waits(&limited(Some(3600))), [None; 4]);
        assert_eq!(waits(&overloaded(None)), [millis(500), millis(1000), millis(2000), None]);
        assert_eq!(waits(&overloaded(Some(7))), [millis(7000), millis(7000), millis(7000), None]);
        assert_eq!(waits(&overloaded(Some(3600))), [None; 4]);
    }

    #[test]
    fn waits_are_spread_and_never_shorter_than_the_endpoint_asks_for() {
        let policy = RetryPolicy::default();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(policy.wait(&limited(None), 2, 0.5), millis(750));
        assert_eq!(policy.wait(&limited(None), 2, 1.0), millis(500));
        assert_eq!(policy.wait(&limited(Some(10)), 1, 1.0), millis(11_000));
        let spread = RealPause.spread();
        assert!((0.0..=1.0).contains(&spread), "{spread}");
    }

    #[test]
    fn what_a_person_must_settle_is_never_asked_again() {
        let (endpoint, reason) = ("e".to_owned(), "r".to_owned());
        let errors = [
            ModelError::Auth { endpoint: endpoint.clone(), reason: reason.clone() },
            ModelError::ContextTooLong { model: "m".into(), limit: 0 },
            ModelError::NoSuchModel { model: "m".into(), reason: reason.clone() },
            ModelError::BadRequest { endpoint: endpoint.clone(), reason: reason.clone() },
            ModelError::Nonsense { endpoint, reason },
            ModelError::Cancelled,
        ];
        assert!(errors.iter().all(|error| RetryPolicy::default().wait(error, 1, 0.0).is_none()));
    }
}
