//! The tools of crawls: one a file. They look at a web site, measure what is proposed about it, and write its crawl plan;
//! what they find is decided by the crate `assent-crawl`.
//!
//! They are there for agents that name them and for nobody else. Each asks only the hosts that its call was allowed, also
//! after a redirect; pages that one run has read are not asked for again in it. Nothing that a site says is an error of
//! ours: what cannot be read is told with what to do.

mod discover;
mod fetch;
mod measure;
mod plan;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::RunId;
use assent_core::order::sort;
use assent_crawl::address::Reach;
use assent_crawl::discover::Proposed;
use assent_crawl::fetch::{Fetcher, Pace, Rules, SystemClock};
use assent_crawl::html::Pick;
use assent_crawl::measure::Property;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use url::Url;

pub use self::discover::Discover;
pub use self::fetch::FetchPages;
pub use self::measure::MeasureSelectors;
pub use self::plan::WritePlan;
use super::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Their names.
pub const CRAWL_TOOLS: [&str; 4] = ["crawl_fetch", "crawl_discover", "crawl_measure", "crawl_plan"];

/// So long a call looks at a site at most: one that wants long pauses between requests is never done.
const LONGEST: Duration = Duration::from_secs(540);

/// The tools of crawls, which share what they have read.
pub fn crawl_tools() -> Vec<Arc<dyn Tool>> {
    let session = Arc::new(Reader::default());
    vec![
        Arc::new(FetchPages::new(session.clone())),
        Arc::new(Discover::new(session.clone())),
        Arc::new(MeasureSelectors::new(session.clone())),
        Arc::new(WritePlan::new(session)),
    ]
}

/// The pages that the latest runs have read, the newest last. All of them together ask a site no more often than it wants.
pub(crate) struct Reader {
    pace: Arc<Pace>,
    kept: Mutex<Vec<Kept>>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { pace: Arc::new(Pace::new(Arc::new(SystemClock::default()))), kept: Mutex::default() }
    }
}

struct Kept {
    run: RunId,
    hosts: Vec<String>,
    fetcher: Arc<Fetcher>,
}

impl Reader {
    /// Runs, with the hosts of their calls, whose pages are kept.
    const MOST: usize = 4;

    /// What fetches pages in a call: that of the run, where it may ask the same hosts.
    fn of(&self, context: &CallContext) -> Result<Arc<Fetcher>, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_its = |known: &Kept| known.run == context.run && known.hosts == context.hosts;
        let known = match kept.iter().position(is_its) {
            Some(at) => kept.remove(at),
            None => {
                let reach = Reach::new(context.hosts.clone());
                let fetcher = Fetcher::at_pace(reach, Rules::default(), self.pace.clone());
                let fetcher = Arc::new(fetcher.map_err(|error| error.to_string())?);
                Kept { run: context.run.clone(), hosts: context.hosts.clone(), fetcher }
            }
        };
        let fetcher = known.fetcher.clone();
        kept.push(known);
        if kept.len() > Self::MOST {
            kept.remove(0);
        }
        Ok(fetcher)
    }
}

fn spec(name: &str, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec::new(name, description, parameters, Source::Core, Risk::Network)
}

/// The hosts of the addresses of a call.
fn hosts(arguments: &Value) -> Effects {
    let one = arguments.get("url").into_iter();
    let many = ["urls", "listings"].iter().filter_map(|name| arguments.get(name)?.as_array()).flatten();
    let urls = one.chain(many).filter_map(|url| Url::parse(url.as_str()?).ok());
    let mut hosts: Vec<String> = urls.filter_map(|url| url.host_str().map(str::to_owned)).collect();
    sort(&mut hosts);
    hosts.dedup();
    Effects { hosts, ..Effects::none(Risk::Network) }
}

/// What of arguments cannot be read.
fn unread(arguments: &Value) -> String {
    let is_none = |value: &Value| value.as_str().is_some_and(|text| Url::parse(text).is_err());
    let one = arguments.get("url").filter(|url| is_none(url)).map(|_| "url".to_owned());
    let many = ["urls", "listings", "articles", "unreadable"].iter().find_map(|name| {
        let at = arguments.get(name)?.as_array()?.iter().position(is_none)?;
        Some(format!("{name}[{at}]"))
    });
    let place = one.or(many).map(|place| format!("{place} is no address"));
    place.unwrap_or_else(|| "they are not of the form that the tool's parameters say".to_owned())
}

/// Does the work of a call, until a person stops it.
async fn work<A: DeserializeOwned, W: Future<Output = Result<Value, String>>>(
    reader: &Reader,
    arguments: Value,
    context: &CallContext,
    work: impl FnOnce(A, Arc<Fetcher>) -> W,
) -> Result<Outcome, ToolStop> {
    let failed = |message: String| Ok(Outcome::Error { message, output: Value::Null });
    // What is wrong is told by its place alone: an address may have a password in it.
    let Ok(arguments) = A::deserialize(&arguments) else {
        return failed(format!("the arguments cannot be read: {}; correct them and call again", unread(&arguments)));
    };
    let fetcher = match reader.of(context) {
        Ok(fetcher) => fetcher,
        Err(message) => return failed(message),
    };
    tokio::select! {
        biased;
        () = context.cancel.cancelled() => Err(ToolStop::Cancelled),
        () = tokio::time::sleep(context.limit) => failed(format!(
            "the site could not be looked at within {} s, because it is slow or wants pauses between requests; what was \
             read is kept: call again, or with fewer addresses",
            context.limit.as_secs()
        )),
        done = work(arguments, fetcher) => match done {
            Ok(output) => Ok(Outcome::Success(output)),
            Err(message) => failed(message),
        },
    }
}

/// What a model proposes about a site: measured with what is found.
#[derive(Debug, Default, Deserialize)]
struct Proposals {
    #[serde(default)]
    listings: Vec<Url>,
    #[serde(default)]
    items: Vec<Value>,
    #[serde(default)]
    selectors: Map<String, Value>,
}

/// What of proposals is no selector, and is told with its place.
type Ignored = Vec<String>;

/// The parameter of one selector: its text, or the object in which `crawl_measure` gives it.
fn selector() -> Value {
    json!({"type": ["string", "object"], "properties": {"selector": {"type": "string"}}, "required": ["selector"]})
}

/// What is proposed at a place.
fn pick_of(value: &Value, place: &str) -> Result<Pick, String> {
    let text = value.as_str().or_else(|| value.get("selector")?.as_str());
    let Some(text) = text else {
        return Err(format!("{place} is neither a selector nor an object with one in its \"selector\""));
    };
    text.parse().map_err(|bad| format!("{place}: {bad}"))
}

impl Proposals {
    /// Lists and links to articles.
    fn lists(&self) -> (Proposed, Ignored) {
        let (mut items, mut ignored) = (Vec::new(), Vec::new());
        for (number, value) in self.items.iter().enumerate() {
            match pick_of(value, &format!("items.{number}")) {
                Ok(Pick { selector, attribute }) => {
                    items.push(Pick::of(selector, attribute.unwrap_or_else(|| "href".to_owned())));
                }
                Err(reason) => ignored.push(reason),
            }
        }
        (Proposed { listings: self.listings.clone(), items }, ignored)
    }

    /// Selectors of properties.
    fn properties(&self) -> (Vec<(Property, Pick)>, Ignored) {
        let (mut picks, mut ignored) = (Vec::new(), Vec::new());
        for (name, texts) in &self.selectors {
            let Some(property) = Property::ALL.into_iter().find(|property| property.name() == name) else {
                ignored.push(format!("{name:?} is none of title, date, author and body"));
                continue;
            };
            let many = texts.as_array().map_or_else(|| std::slice::from_ref(texts), Vec::as_slice);
            for (number, value) in many.iter().enumerate() {
                match pick_of(value, &format!("selectors.{name}.{number}")) {
                    Ok(pick) => picks.push((property, pick)),
                    Err(reason) => ignored.push(reason),
                }
            }
        }
        (picks, ignored)
    }
}

#[cfg(test)]
mod tests;
