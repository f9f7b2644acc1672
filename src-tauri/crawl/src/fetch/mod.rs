//! Pages from servers that nobody vouches for: every hop is checked, everything is bounded, and a site is asked no more
//! often than it wants. What a site forbids to programs is not fetched.

mod later;
mod pace;
mod refresh;
mod wire;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;
use url::Url;

pub use self::later::retry_after;
pub use self::pace::{Clock, Pace, SystemClock};
use self::wire::{Answer, Wire};
use crate::address::{Reach, Refused, join, key};
use crate::charset::decode;
use crate::page::{Kind, Page, is_text, judge};
use crate::robots::{self, Robots};

/// What this program is called where a site speaks of programs.
pub const PRODUCT: &str = "assent";

/// Why a page was not fetched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    /// It may not be asked.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The site forbids it.
    #[error("the robots.txt of {host} does not let programs fetch {path}")]
    Robots {
        /// The host.
        host: String,
        /// The path with its query.
        path: String,
    },
    /// It sends on for ever.
    #[error("{url} was sent on {hops} times and led nowhere")]
    Redirects {
        /// Where it began.
        url: String,
        /// How often it was followed.
        hops: usize,
    },
    /// It took too long.
    #[error("{host} did not answer within {seconds} seconds")]
    TimedOut {
        /// The host.
        host: String,
        /// How long it had.
        seconds: u64,
    },
    /// It wants to be left alone for longer than is waited.
    #[error("{host} wants to be asked again in {seconds} seconds and not before, because it has too much to do")]
    Later {
        /// The host.
        host: String,
        /// How long.
        seconds: u64,
    },
    /// The server could not be talked to.
    #[error("{host} could not be asked: {reason}")]
    Network {
        /// The host.
        host: String,
        /// What the system says.
        reason: String,
    },
}

/// Where pages come from.
#[async_trait]
pub trait Pages: Send + Sync {
    /// The page of an address.
    ///
    /// # Errors
    /// Why there is none.
    async fn page(&self, url: &Url) -> Result<Arc<Page>, FetchError>;

    /// How long the site of an address wants programs to wait between two requests; `None` where it does not say.
    async fn delay(&self, _url: &Url) -> Option<Duration> {
        None
    }
}

/// How pages are fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Bytes that are read of an answer; what comes after them is left out.
    pub most_bytes: usize,
    /// How often one address may be sent on.
    pub most_redirects: usize,
    /// How long one request may take, with its answer.
    pub time: Duration,
    /// How long to wait between two requests to one public host, if it does not ask for longer.
    pub pause: Duration,
}

impl Default for Rules {
    fn default() -> Self {
        Self { most_bytes: 4 << 20, most_redirects: 10, time: Duration::from_secs(20), pause: Duration::from_secs(1) }
    }
}

/// Fetches pages, each once: what was read is kept within bounds. What a site failed to give is asked for again.
pub struct Fetcher {
    wire: Wire,
    reach: Reach,
    rules: Rules,
    pace: Arc<Pace>,
    robots: Mutex<HashMap<String, Said>>,
    kept: Mutex<Kept>,
}

/// What a site lets programs fetch.
struct Said {
    robots: Arc<Robots>,
    /// Until when that is taken for true, where the site failed to say it.
    until: Option<Duration>,
}

/// So long a site is left alone that failed to say what it lets programs fetch.
const CLOSED_FOR: Duration = Duration::from_secs(30);

/// Pages that were read, the newest last.
#[derive(Default)]
struct Kept {
    pages: HashMap<String, Arc<Page>>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Fetcher {
    /// Fetches pages of these hosts.
    ///
    /// # Errors
    /// The system's TLS cannot be used.
    pub fn new(reach: Reach, rules: Rules, clock: Arc<dyn Clock>) -> Result<Self, FetchError> {
        Self::at_pace(reach, rules, Arc::new(Pace::new(clock)))
    }

    /// Fetches pages of these hosts, at a pace that others keep too.
    ///
    /// # Errors
    /// The system's TLS cannot be used.
    pub fn at_pace(reach: Reach, rules: Rules, pace: Arc<Pace>) -> Result<Self, FetchError> {
        let wire = Wire::new(reach.clone())
            .map_err(|reason| FetchError::Network { host: "this machine".to_owned(), reason })?;
        Ok(Self { wire, reach, rules, pace, robots: Mutex::default(), kept: Mutex::default() })
    }

    /// What a site lets programs fetch. A site without such a file lets them fetch all, one that fails nothing for a moment.
    ///
    /// # Errors
    /// The site may not be asked, or does not answer.
    pub async fn robots(&self, url: &Url) -> Result<Arc<Robots>, FetchError> {
        self.reach.admits(url)?;
        let origin = url.origin().ascii_serialization();
        let is_so = |said: &&Said| said.until.is_none_or(|until| self.pace.now() < until);
        if let Some(known) = self.robots.lock().unwrap_or_else(PoisonError::into_inner).get(&origin).filter(is_so) {
            return Ok(known.robots.clone());
        }
        let mut at = url.clone();
        at.set_path("/robots.txt");
        at.set_query(None);
        let mut until = None;
        let robots = match self.answer(&at, robots::MOST_BYTES, false).await {
            Ok((_, Answer { status: 200..300, bytes, .. }, _)) => {
                Robots::parse(&String::from_utf8_lossy(&bytes), PRODUCT)
            }
            Ok((_, Answer { status: 429 | 500.., .. }, _)) => {
                until = Some(self.pace.now() + CLOSED_FOR);
                Robots::closed()
            }
            // Sent round and round is as good as not there (RFC 9309, 2.3.1.2).
            Ok(_) | Err(FetchError::Redirects { .. }) => Robots::open(),
            // Who does not answer here answers nowhere, and what stands where nobody may ask is not known. It is not kept,
            // since it may be another way later.
            Err(error) => return Err(error),
        };
        let robots = Arc::new(robots);
        let said = Said { robots: robots.clone(), until };
        self.robots.lock().unwrap_or_else(PoisonError::into_inner).insert(origin, said);
        Ok(robots)
    }

    /// Follows an address to what answers in the end: where, what, and after how many hops.
    async fn answer(&self, url: &Url, most: usize, asks: bool) -> Result<(Url, Answer, usize), FetchError> {
        let (mut at, mut seen) = (url.clone(), HashSet::new());
        for hops in 0..=self.rules.most_redirects {
            self.reach.admits(&at)?;
            if asks {
                self.may(&at).await?;
            }
            if !seen.insert(key(&at)) && hops > 1 {
                break;
            }
            let mut answer = self.ask(&at, most).await?;
            if answer.retry_after.is_some() {
                answer = self.ask(&at, most).await?;
            }
            let sent_on = match answer.location.as_deref().filter(|_| (300..400).contains(&answer.status)) {
                // The last word of whoever sends to what is no page.
                Some(location) => Some(
                    join(&at, location)
                        .ok_or_else(|| Refused::Scheme(location.split(':').next().unwrap_or_default().to_owned()))?,
                ),
                // Rules for programs are no page.
                None => refresh::target(&at, &answer).filter(|_| asks),
            };
            match sent_on {
                Some(next) => at = next,
                None => return Ok((at, answer, hops)),
            }
        }
        Err(FetchError::Redirects { url: url.to_string(), hops: seen.len() })
    }

    /// One request in its turn. Where the site wants to be left alone, the next one waits, or is not made.
    async fn ask(&self, url: &Url, most: usize) -> Result<Answer, FetchError> {
        let later = |time: Duration| {
            let host = url.host_str().unwrap_or_default().to_owned();
            FetchError::Later { host, seconds: time.as_secs() }
        };
        self.pace.wait(url, self.pause_of(url)).await.map_err(later)?;
        let answer = self.wire.ask(url, most, self.rules.time).await?;
        if let Some(time) = answer.retry_after {
            self.pace.leave_alone(url, time).map_err(later)?;
        }
        Ok(answer)
    }

    async fn may(&self, url: &Url) -> Result<(), FetchError> {
        // It calls `answer` without asking, so that this ends.
        let robots = Box::pin(self.robots(url)).await?;
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        match robots.allows(&path) {
            true => Ok(()),
            false => Err(FetchError::Robots { host: url.host_str().unwrap_or_default().to_owned(), path }),
        }
    }

    /// One's own machine is asked without a pause, unless it wants one.
    fn pause_of(&self, url: &Url) -> Duration {
        let origin = url.origin().ascii_serialization();
        let wanted = self
            .robots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&origin)
            .and_then(|said| said.robots.delay());
        let is_own = Reach::new(["*"]).admits(url).is_err();
        wanted.unwrap_or_default().max(if is_own { Duration::ZERO } else { self.rules.pause })
    }
}

#[async_trait]
impl Pages for Fetcher {
    async fn page(&self, url: &Url) -> Result<Arc<Page>, FetchError> {
        let known = key(url);
        if let Some(page) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).pages.get(&known) {
            return Ok(page.clone());
        }
        let (at, answer, redirects) = self.answer(url, self.rules.most_bytes, true).await?;
        let page = Arc::new(read(url, at, answer, redirects));
        // What failed may be another way the next time.
        if page.status < 400 || page.is_gone() {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).put(known, page.clone());
        }
        Ok(page)
    }

    async fn delay(&self, url: &Url) -> Option<Duration> {
        self.robots(url).await.ok()?.delay()
    }
}

/// What an answer says.
fn read(asked: &Url, url: Url, answer: Answer, redirects: usize) -> Page {
    let Answer { status, content_type, bytes, was_cut, .. } = answer;
    let kind_of_text = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let looks_like_text =
        is_text(&kind_of_text) && !bytes.iter().take(512).any(|byte| *byte == 0 && !kind_of_text.contains("html"));
    let read = if looks_like_text { decode(&bytes, Some(&content_type)) } else { decode(&[], None) };
    let kind = if looks_like_text { judge(status, &kind_of_text, &read.text) } else { Kind::Other };
    Page {
        asked: asked.clone(),
        url,
        redirects,
        status,
        content_type: kind_of_text,
        text: read.text,
        encoding: read.encoding,
        lie: read.lie,
        was_cut,
        kind,
    }
}

impl Kept {
    /// Pages and bytes of text that are kept.
    const MOST_PAGES: usize = 400;
    const MOST_BYTES: usize = 32 << 20;

    fn put(&mut self, key: String, page: Arc<Page>) {
        self.bytes += page.text.len();
        if self.pages.insert(key.clone(), page).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > Self::MOST_PAGES || (self.bytes > Self::MOST_BYTES && self.order.len() > 1) {
            let oldest = self.order.pop_front().and_then(|oldest| self.pages.remove(&oldest));
            self.bytes = self.bytes.saturating_sub(oldest.map_or(0, |page| page.text.len()));
        }
    }
}
