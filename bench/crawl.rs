//! What a crawl plan finds: a site of this machine with five kinds of lists is looked at, its plan is written, and a
//! crawler follows nothing else.
//!
//! Run with `cargo run --release -p assent-tests --example bench-crawl`; prints one JSON object.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use assent_crawl::address::{Reach, key};
use assent_crawl::discover::{Proposed, discover};
use assent_crawl::fetch::{Fetcher, Rules, SystemClock};
use assent_crawl::follow::{Bounds, follow};
use assent_crawl::make::{Wanted, make};
use assent_crawl::plan::read;
use assent_site::{Site, articles, made};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let site = Site::serve(made::answer).await;
    let fetcher = || Fetcher::new(Reach::new(["127.0.0.1"]), Rules::default(), Arc::new(SystemClock::default()));
    let (maker, began) = (fetcher()?, Instant::now());
    let found = discover(&site.url("/").parse()?, &maker, &Proposed::default()).await?;
    let wanted =
        Wanted { task: "All articles", proposed: &[], articles: &[], unreadable: &[], bounds: Bounds::default() };
    let made = make(&found, &wanted, &maker).await;
    let seconds = began.elapsed().as_secs_f64();
    let asked = site.asked().len();
    let config = read(&made.plan).context("the plan that was written cannot be read")?;
    let followed = follow(&config, &fetcher()?, Bounds::default()).await;
    let known: BTreeSet<String> =
        articles().iter().map(|article| Ok(key(&site.url(&article.path).parse()?))).collect::<Result<_>>()?;
    let right = followed.articles.keys().filter(|article| known.contains(*article)).count();
    let figures = json!({
        "articles": known.len(), "found": right, "others": followed.articles.len() - right,
        "values": made.verdict.values, "valuesRight": made.verdict.right, "seconds": seconds, "requests": asked,
        "planBytes": made.plan.len(),
    });
    println!("{figures}");
    Ok(())
}
