//! `crawl_discover`: where a site lists its articles.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use assent_crawl::discover::{Discovered, Discovery, discover};
use assent_crawl::fetch::Fetcher;
use assent_crawl::plan::Barred;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{CallContext, Effects, LONGEST, Outcome, Proposals, Reader, Tool, ToolStop, hosts, selector, spec, work};

/// Pages that were not looked at, of those that are named: enough to propose some of them.
const MOST_UNSEEN: usize = 20;
/// Pages that lead to other sites and are named in words.
const MOST_AWAY: usize = 10;

/// Looks at a site.
pub struct Discover {
    spec: ToolSpec,
    reader: Arc<Reader>,
}

impl Discover {
    pub(super) fn new(reader: Arc<Reader>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "url": {"type": "string", "format": "uri", "description": "start page of the site"},
                "listings": {
                    "type": "array", "items": {"type": "string", "format": "uri"}, "maxItems": 10,
                    "description": "further pages that may list articles"
                },
                "items": {
                    "type": "array", "items": selector(), "maxItems": 10,
                    "description": "CSS selectors of links to articles that may be right"
                }
            },
            "required": ["url"],
            "additionalProperties": false
        });
        let description = "Look at a web site and find its lists of articles: the selector of their links, how each list goes \
            on (next link, load more, numbered pages, infinite scroll, date archive), and articles. Proposals are tried.";
        Self { spec: spec("crawl_discover", description, parameters), reader }
    }
}

#[derive(Deserialize)]
struct Arguments {
    url: Url,
    #[serde(flatten)]
    proposals: Proposals,
}

#[async_trait]
impl Tool for Discover {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["url"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        hosts(arguments)
    }

    fn looks_anew(&self) -> bool {
        true
    }

    fn own_limit(&self, _: &Value) -> Option<Duration> {
        Some(LONGEST)
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        work(&self.reader, arguments, context, look).await
    }
}

async fn look(Arguments { url, proposals }: Arguments, fetcher: Arc<Fetcher>) -> Result<Value, String> {
    let (proposed, mut ignored) = proposals.lists();
    let found = discover(&url, fetcher.as_ref(), &proposed).await.map_err(|error| error.to_string())?;
    let mut output = json!({
        "told": told(&found),
        "site": found.site,
        "lists": found.lists.iter().map(shown).collect::<Vec<_>>(),
        "article_urls": articles(&found),
        "barred": found.barred,
    });
    if !found.unseen.is_empty() {
        output["not_looked_at"] = json!(found.unseen.iter().take(MOST_UNSEEN).collect::<Vec<_>>());
    }
    ignored.extend(found.ignored);
    if !ignored.is_empty() {
        output["ignored"] = json!(ignored);
    }
    Ok(output)
}

/// What was found, in a sentence.
fn told(found: &Discovery) -> String {
    let of = |list: &Discovered| {
        let (count, way) = (list.read.articles.len(), list.listing.pagination.name());
        format!("{} ({count} articles seen, {way})", list.listing.url)
    };
    let lists: Vec<String> = found.lists.iter().map(of).collect();
    let lists = match lists.len() {
        0 => "No list of articles was found.".to_owned(),
        1 => format!("One list of articles was found: {}.", lists[0]),
        count => format!("{count} lists of articles were found: {}.", lists.join(", ")),
    };
    let away = |(url, why): &(Url, Barred)| match why {
        Barred::Elsewhere(host) => Some(format!(" {url} leads to another site, {host}, and was not followed.")),
        _ => None,
    };
    found.barred.iter().filter_map(away).take(MOST_AWAY).fold(lists, |told, away| told + &away)
}

fn shown(list: &Discovered) -> Value {
    let mut shown = json!({
        "url": list.listing.url,
        "items": list.listing.items,
        "pagination": list.listing.pagination,
        "pages_read": list.read.pages,
        "articles": list.read.articles.len(),
    });
    if let Some(left_out) = &list.read.left_out {
        shown["left_out"] = json!(left_out);
    }
    shown
}

/// Some articles of each list.
fn articles(found: &Discovery) -> Vec<&Url> {
    found.lists.iter().flat_map(|list| list.read.articles.iter().take(3)).take(20).collect()
}
