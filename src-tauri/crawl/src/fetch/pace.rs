//! How often a host is asked. Time is an argument.

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
}

impl Pace {
    /// A pace by a clock, at which any host may be asked.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, next: Mutex::default() }
    }

    /// Waits for the turn of a request, after which the next one waits for so long. Requests of several callers take their
    /// turns one after the other.
    pub(super) async fn wait(&self, url: &Url, pause: Duration) {
        let host = url.host_str().unwrap_or_default().to_owned();
        let now = self.clock.now();
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = next.entry(host).or_insert(now);
            let turn = (*entry).max(now);
            *entry = turn + pause;
            turn
        };
        if turn > now {
            self.clock.sleep(turn - now).await;
        }
    }
}
