//! How often a host is asked, and when not. Time is an argument.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use url::Url;

/// Time, as a crawl needs it.
#[async_trait]
pub trait Clock: Send + Sync {
    /// How long it is since some moment that stays the same.
    fn now(&self) -> Duration;

    /// Comes back when so much time has passed.
    async fn sleep(&self, time: Duration);
}

/// The time of this machine.
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// When which host may be asked again, whoever asks.
pub struct Pace {
    clock: Arc<dyn Clock>,
    next: Mutex<HashMap<String, Duration>>,
    /// Until when hosts want to be left alone.
    alone: Mutex<HashMap<String, Duration>>,
}

/// So long is waited for a host that wants to be left alone; one that wants it for longer is not asked.
const LONGEST_ALONE: Duration = Duration::from_secs(30);

impl Pace {
    /// A pace by a clock, at which any host may be asked.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, next: Mutex::default(), alone: Mutex::default() }
    }

    /// How long it is since some moment that stays the same.
    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Waits for the turn of a request, after which the next one waits for so long. Requests of several callers take their
    /// turns one after the other.
    ///
    /// # Errors
    /// How long the host wants to be left alone, where that is longer than is waited.
    pub(super) async fn wait(&self, url: &Url, pause: Duration) -> Result<(), Duration> {
        let host = host_of(url);
        let now = self.clock.now();
        let alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner).get(&host).copied().unwrap_or_default();
        let left = alone.saturating_sub(now);
        if left > LONGEST_ALONE {
            return Err(left);
        }
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = next.entry(host).or_insert(now);
            let turn = (*entry).max(now).max(alone);
            *entry = turn + pause;
            turn
        };
        if turn > now {
            self.clock.sleep(turn - now).await;
        }
        Ok(())
    }

    /// Leaves a host alone for so long, whoever asks.
    ///
    /// # Errors
    /// That time, where it is longer than is waited.
    pub(super) fn leave_alone(&self, url: &Url, time: Duration) -> Result<(), Duration> {
        let until = self.clock.now().saturating_add(time);
        self.alone.lock().unwrap_or_else(PoisonError::into_inner).insert(host_of(url), until);
        if time > LONGEST_ALONE { Err(time) } else { Ok(()) }
    }
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
