//! `crawl_fetch`: what kind of pages there are at some addresses.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use assent_crawl::fetch::{FetchError, Fetcher, Pages as _};
use assent_crawl::html::{Dom, text_of};
use assent_crawl::links::{canonical, links};
use assent_crawl::page::{Kind, Page};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{CallContext, Effects, LONGEST, Outcome, Reader, Tool, ToolStop, hosts, spec, work};
use crate::vault::Mask;

/// Fetches pages and says what they are.
pub struct FetchPages {
    spec: ToolSpec,
    reader: Arc<Reader>,
}

impl FetchPages {
    pub(super) fn new(reader: Arc<Reader>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "urls": {
                    "type": "array", "items": {"type": "string", "format": "uri"}, "minItems": 1, "maxItems": 20,
                    "description": "addresses of pages of one site"
                }
            },
            "required": ["urls"],
            "additionalProperties": false
        });
        let description = "Fetch pages and say what each is: content, empty, needs a login, needs a browser, forbidden by \
            robots.txt. Of a single page also its text and links.";
        Self { spec: spec("crawl_fetch", description, parameters), reader }
    }
}

#[derive(Deserialize)]
struct Arguments {
    urls: Vec<Url>,
}

#[async_trait]
impl Tool for FetchPages {
    fn spec(&self) -> &ToolSpec {
        &self.spec
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
        let mask = context.mask.clone();
        work(&self.reader, arguments, context, async |asked, fetcher| fetch(asked, fetcher, &mask).await).await
    }
}

async fn fetch(Arguments { urls }: Arguments, fetcher: Arc<Fetcher>, mask: &Mask) -> Result<Value, String> {
    if let [url] = urls.as_slice() {
        let page = fetcher.page(url).await.map_err(|error| error.to_string())?;
        return Ok(whole(&page, mask));
    }
    let mut pages = Vec::with_capacity(urls.len());
    for url in &urls {
        pages.push(match fetcher.page(url).await {
            Ok(page) => brief(&page),
            Err(FetchError::Robots { .. }) => json!({"url": url, "kind": "forbidden_by_robots"}),
            Err(error) => json!({"url": url, "kind": "not_fetched", "reason": error.to_string()}),
        });
    }
    let is_read = |page: &&Value| page["kind"] == "content" || page["kind"] == "data";
    let unreadable: Vec<&Value> = pages.iter().filter(|page| !is_read(page)).map(|page| &page["url"]).collect();
    let is = |kind: &str| pages.iter().filter(|page| page["kind"] == kind).count();
    let counted = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    // What seldom happens is told where it did, so that the numbers add up.
    let seldom = [
        ("forbidden", "is refused to programs", "are refused to programs"),
        ("proxy", "is behind a proxy that wants a login", "are behind a proxy that wants a login"),
        ("empty", "is empty", "are empty"),
        ("failed", "is not given by the server", "are not given by the server"),
        ("other", "is no text", "are no text"),
        ("not_fetched", "was not fetched", "were not fetched"),
    ];
    let others: Vec<(usize, &str, &str)> = seldom.into_iter().map(|(kind, one, many)| (is(kind), one, many)).collect();
    let told_of = others.iter().filter(|(count, ..)| *count > 0);
    let rest: String = told_of.map(|(count, one, many)| format!(", {}", counted(*count, one, many))).collect();
    let told = format!(
        "{} of {} pages can be read as they are; {} a browser, {} a login, {} forbidden by robots.txt{rest}.",
        is("content") + is("data"),
        pages.len(),
        counted(is("needs_browser"), "needs", "need"),
        counted(is("login"), "needs", "need"),
        counted(is("forbidden_by_robots"), "is", "are")
    );
    let summary = json!({
        "told": told,
        "readable": is("content") + is("data"),
        "needs_browser": is("needs_browser"),
        "requires_browser": is("needs_browser") > 0,
        "needs_login": is("login"),
        "forbidden_by_robots": is("forbidden_by_robots"),
        "otherwise": others.iter().map(|(count, ..)| count).sum::<usize>(),
        "unreadable": unreadable,
        "of": pages.len(),
    });
    Ok(json!({"pages": pages, "summary": summary}))
}

fn brief(page: &Page) -> Value {
    json!({"url": page.asked, "status": page.status, "kind": page.kind})
}

fn whole(page: &Page, mask: &Mask) -> Value {
    const MOST_TEXT: usize = 2_000;
    const MOST_LINKS: usize = 40;
    // What is cut could not be told for a secret any more.
    let begin = |text: &str, most: usize| mask.text(text).chars().take(most).collect::<String>();
    let mut output = brief(page);
    let (told, dom) = (page.kind.words(), Dom::parse(&page.text));
    output["means"] = json!(told);
    output["final_url"] = json!(page.url);
    output["redirects"] = json!(page.redirects);
    output["encoding"] = json!(page.lie.as_deref().unwrap_or(page.encoding));
    output["cut"] = json!(page.was_cut || dom.was_cut);
    if page.kind == Kind::Data {
        output["text"] = json!(begin(&page.text, MOST_TEXT));
        return output;
    }
    output["title"] = json!(dom.title());
    output["canonical"] = json!(canonical(&dom, &page.url));
    output["text"] = json!(begin(&text_of(&dom.body()), MOST_TEXT));
    let links = links(&dom, &page.url).into_iter().take(MOST_LINKS);
    output["links"] = links.map(|link| json!({"url": link.url, "text": begin(&link.text, 80)})).collect();
    output
}
