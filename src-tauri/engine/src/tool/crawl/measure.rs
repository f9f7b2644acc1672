//! `crawl_measure`: by which selectors articles are read.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::ToolSpec;
use assent_crawl::article::Known;
use assent_crawl::fetch::Fetcher;
use assent_crawl::make::{detail, look_at};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::{CallContext, Effects, LONGEST, Outcome, Proposals, Reader, Tool, ToolStop, hosts, selector, spec, work};

/// Measures selectors.
pub struct MeasureSelectors {
    spec: ToolSpec,
    reader: Arc<Reader>,
}

/// The parameter in which selectors are proposed.
pub(super) fn selectors() -> Value {
    let many = json!({"type": "array", "items": selector(), "maxItems": 8});
    json!({
        "type": "object",
        "properties": {"title": many, "date": many, "author": many, "body": many},
        "additionalProperties": false,
        "description": "CSS selectors that may be right, by property; an attribute is written time@datetime"
    })
}

impl MeasureSelectors {
    pub(super) fn new(reader: Arc<Reader>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "urls": {
                    "type": "array", "items": {"type": "string", "format": "uri"}, "minItems": 2, "maxItems": 20,
                    "description": "addresses of articles, from all over the site"
                },
                "selectors": selectors()
            },
            "required": ["urls"],
            "additionalProperties": false
        });
        let description = "Find the CSS selectors of title, date, author and body on some articles, and measure them on all of \
            these: success rate, matches a page, uniqueness. Proposals are measured too; what works best comes first.";
        Self { spec: spec("crawl_measure", description, parameters), reader }
    }
}

#[derive(Deserialize)]
struct Arguments {
    urls: Vec<Url>,
    #[serde(flatten)]
    proposals: Proposals,
}

#[async_trait]
impl Tool for MeasureSelectors {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["urls"]
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
        work(&self.reader, arguments, context, measure).await
    }
}

async fn measure(Arguments { urls, proposals }: Arguments, fetcher: Arc<Fetcher>) -> Result<Value, String> {
    let (proposed, mut ignored) = proposals.properties();
    let looked = look_at(urls.iter().map(|url| (url.clone(), url.clone())).collect(), fetcher.as_ref()).await;
    let known = detail(&looked, &proposed);
    let pages = known.iter().flat_map(|known| known.chain.iter()).map(|one| one.pages).max().unwrap_or_default();
    if pages == 0 {
        return Err("none of these pages has anything that is read as a title, a date, an author or a text; look at one with crawl_fetch".to_owned());
    }
    for Known { property, declined, .. } in &known {
        ignored.extend(declined.iter().map(|one| one.told(*property)));
    }
    let chains: Map<String, Value> =
        known.iter().map(|known| (known.property.name().to_owned(), json!(known.chain))).collect();
    let rates = known.iter().filter_map(|known| {
        let best = known.chain.first()?;
        Some((known.property.name().to_owned(), json!(best.success_rate)))
    });
    let rates: Map<String, Value> = rates.collect();
    let shares: Vec<String> = rates.iter().map(|(name, rate)| format!("{name} {rate}")).collect();
    let told = format!("On {pages} pages, the best selector of each works on this share: {}.", shares.join(", "));
    let mut output = json!({"told": told, "pages": pages, "urls": urls, "selectors": chains, "success_rates": rates});
    if !ignored.is_empty() {
        output["ignored"] = json!(ignored);
    }
    Ok(output)
}
