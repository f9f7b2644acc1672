//! From a site to its crawl plan: discovered, measured, written, and tried before it is given.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use url::Url;

use crate::address::key;
use crate::article::{Known, known};
use crate::discover::{Discovered, Discovery};
use crate::fetch::{FetchError, Pages};
use crate::follow::Bounds;
use crate::html::{Dom, Pick};
use crate::measure::{Property, share};
use crate::page::{Kind, Page};
use crate::plan::{
    Barred, Config, Dedupe, Detail, FORMAT, Given, Request, Sample, SampleKind, Survey, Surveyed, expected_of, write,
    write_samples, write_test,
};
use crate::supervise::{Verdict, supervise};

/// A plan with its test data, and how it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Made {
    /// `plan.md`.
    pub plan: String,
    /// `test.md`.
    pub test: String,
    /// `test_set.jsonl`.
    pub test_set: String,
    /// What a crawler that follows it found.
    pub verdict: Verdict,
    /// What was proposed and is not in it, with the reason.
    pub ignored: Vec<String>,
}

/// Articles of one list that are samples: fewer where there are many lists.
const SAMPLES_OF_LIST: (usize, usize) = (5, 10);
/// Articles that are samples.
const MOST_SAMPLES: usize = 30;
/// One in so many samples may be a page of another kind, of which nothing is known.
const MOST_ODD: usize = 5;
/// Pages that are named of many.
const MOST_NAMED: usize = 5;
/// Articles, and pages, that somebody may add.
const MOST_CHOSEN: usize = 20;

/// Articles of all lists, from all over each of them.
pub fn sample_urls(lists: &[Discovered]) -> Vec<(Url, Url)> {
    let (fewest, most) = SAMPLES_OF_LIST;
    let each = (MOST_SAMPLES / lists.len().max(1)).clamp(fewest, most);
    let of = |list: &Discovered| {
        let (urls, last) = (list.read.articles.clone(), list.read.articles.len().saturating_sub(1));
        let wanted = each.min(urls.len());
        let place = move |number: usize| if wanted < 2 { 0 } else { number * last / (wanted - 1) };
        let listing = list.listing.url.clone();
        (0..wanted).filter_map(move |number| Some((urls.get(place(number))?.clone(), listing.clone())))
    };
    let mut seen = BTreeSet::new();
    lists.iter().flat_map(of).filter(|(url, _)| seen.insert(key(url))).take(MOST_SAMPLES).collect()
}

/// An article that was asked for, once: one that does not answer costs its whole time.
#[derive(Debug, Clone)]
pub struct Looked {
    url: Url,
    /// The list that leads to it.
    listing: Url,
    read: Result<Arc<Page>, FetchError>,
}

/// Asks for articles, each with the list that leads to it.
pub async fn look_at(urls: Vec<(Url, Url)>, pages: &dyn Pages) -> Vec<Looked> {
    let mut looked = Vec::with_capacity(urls.len());
    for (url, listing) in urls {
        let read = pages.page(&url).await;
        looked.push(Looked { url, listing, read });
    }
    looked
}

impl Looked {
    /// What it says, where it can be read as it is.
    fn dom(&self) -> Option<Dom> {
        let page = self.read.as_ref().ok().filter(|page| page.kind == Kind::Content)?;
        Some(Dom::parse(&page.text))
    }
}

/// The selectors of articles, measured on those that can be read.
pub fn detail(looked: &[Looked], proposed: &[(Property, Pick)]) -> Vec<Known> {
    let doms: Vec<Dom> = looked.iter().filter_map(Looked::dom).collect();
    known(&doms.iter().collect::<Vec<_>>(), proposed)
}

/// The samples with the values that are read of them, and how many titles the page's own does not confirm.
fn samples(looked: &[Looked], detail: &[Known]) -> (Vec<Sample>, usize) {
    let (mut samples, mut unconfirmed) = (Vec::with_capacity(looked.len()), 0);
    for one in looked {
        let Some(dom) = one.dom() else { continue };
        let value = |known: &Known| {
            let chain: Vec<Pick> = known.chain.iter().map(|one| one.selector.clone()).collect();
            let value = known.property.by_chain(&chain, &dom)?;
            Some((known.property, expected_of(known.property, &value)))
        };
        let expected: BTreeMap<Property, String> = detail.iter().filter_map(value).collect();
        let whole = dom.title();
        unconfirmed += usize::from(expected.get(&Property::Title).is_some_and(|title| !whole.contains(title.as_str())));
        samples.push(Sample {
            kind: SampleKind::Article,
            url: one.url.clone(),
            given: Given { listing: one.listing.clone() },
            expected,
        });
    }
    (samples, unconfirmed)
}

/// What a plan is made with, beside what was discovered.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// What is wanted, in the person's words.
    pub task: &'a str,
    /// Selectors that are measured with those that are found.
    pub proposed: &'a [(Property, Pick)],
    /// Articles that are to be samples too; of those that no list leads to none is.
    pub articles: &'a [Url],
    /// Pages that may not be read as they are; each is looked at.
    pub unreadable: &'a [Url],
    /// How far it is followed before it is given.
    pub bounds: Bounds,
}

/// Writes the plan of a site that was discovered, and has it followed.
pub async fn make(discovery: &Discovery, wanted: &Wanted<'_>, pages: &dyn Pages) -> Made {
    let mut urls = sample_urls(&discovery.lists);
    let mut ignored = add_samples(&mut urls, wanted.articles, &discovery.lists);
    let looked = look_at(urls, pages).await;
    let detail = detail(&looked, wanted.proposed);
    for Known { property, declined, .. } in &detail {
        ignored.extend(declined.iter().map(|one| one.told(*property)));
    }
    let mut barred = discovery.barred.clone();
    ignored.extend(add_barred(&mut barred, wanted.unreadable, &discovery.site, pages).await);
    for Looked { url, read, .. } in &looked {
        if let Some(why) = Barred::of(url, read).filter(|_| !is_told(&barred, url)) {
            barred.push((url.clone(), why));
        }
    }
    let (mut samples, unconfirmed) = samples(&looked, &detail);
    let readable = samples.len();
    let odd = take_odd(&mut samples);
    let chosen = |known: &Known| Detail {
        property: known.property,
        selectors: known.chain.iter().map(|one| one.selector.clone()).collect(),
    };
    let config = Config {
        format: FORMAT.to_owned(),
        listings: discovery.lists.iter().map(|list| list.listing.clone()).collect(),
        detail: detail.iter().filter(|known| !known.chain.is_empty()).map(chosen).collect(),
        request: Request { wait_seconds: wait(discovery, pages).await, ..Request::default() },
        dedupe: Dedupe::Url,
    };
    let mut notes = notes(&detail, unconfirmed, readable);
    notes
        .extend(odd.iter().map(|url| format!("{url} has neither a title nor a text that was found; it is no sample.")));
    notes.extend(unseen(&discovery.unseen));
    let surveyed = |list: &Discovered| Surveyed {
        url: list.listing.url.clone(),
        pages: list.read.pages,
        articles: list.read.articles.len(),
        success_rate: share(list.read.with_articles, list.read.pages),
        left_out: list.read.left_out.clone(),
    };
    let mut survey = Survey {
        site: discovery.site.clone(),
        task: wanted.task.to_owned(),
        listings: discovery.lists.iter().map(surveyed).collect(),
        detail,
        looked_at: looked.len(),
        readable,
        barred,
        notes,
    };
    let (plan, test_set) = (write(&survey, &config, &samples), write_samples(&samples));
    let verdict = supervise(&plan, &test_set, pages, wanted.bounds).await;
    // What a program follows stays as it was tried.
    survey.notes.extend(verdict.left_out.iter().cloned());
    let plan = write(&survey, &config, &samples);
    Made { plan, test: write_test(&samples, &discovery.site), test_set, verdict, ignored }
}

/// Seconds between two requests: as many as the slowest of the sites wants, and no fewer than are usual.
async fn wait(discovery: &Discovery, pages: &dyn Pages) -> f64 {
    let mut seconds = Request::default().wait_seconds;
    let lists = discovery.lists.iter().map(|list| &list.listing.url);
    let sites: BTreeSet<&Url> = lists.chain([&discovery.site]).collect();
    for site in sites {
        seconds = pages.delay(site).await.map_or(seconds, |delay| seconds.max(delay.as_secs_f64()));
    }
    seconds
}

fn is_told(barred: &[(Url, Barred)], url: &Url) -> bool {
    barred.iter().any(|(known, _)| key(known) == key(url))
}

/// Takes out the few samples of which neither title nor text is known. Where they are many, the selectors are wrong: they
/// stay, and the check of the plan says so.
fn take_odd(samples: &mut Vec<Sample>) -> Vec<Url> {
    let is_odd = |sample: &&Sample| !sample.is_known();
    let odd: Vec<Url> = samples.iter().filter(is_odd).map(|sample| sample.url.clone()).collect();
    if odd.len() * MOST_ODD > samples.len() {
        return Vec::new();
    }
    samples.retain(Sample::is_known);
    odd
}

/// What was not looked at, in a sentence.
fn unseen(pages: &[Url]) -> Option<String> {
    let named: Vec<&str> = pages.iter().take(MOST_NAMED).map(Url::as_str).collect();
    let more = if pages.len() > named.len() { " and others" } else { "" };
    let told = "pages that menus name were not looked at, whether they list articles";
    (!named.is_empty()).then(|| format!("{} further {told}: {}{more}.", pages.len(), named.join(", ")))
}

/// Adds articles that somebody has chosen to the samples, each with its list; tells those that no list leads to.
fn add_samples(urls: &mut Vec<(Url, Url)>, chosen: &[Url], lists: &[Discovered]) -> Vec<String> {
    let mut ignored = Vec::new();
    for url in chosen.iter().take(MOST_CHOSEN) {
        let own = |list: &&Discovered| list.read.articles.iter().any(|article| key(article) == key(url));
        match lists.iter().find(own) {
            Some(_) if urls.iter().any(|(known, _)| key(known) == key(url)) => {}
            Some(list) => urls.push((url.clone(), list.listing.url.clone())),
            None => ignored.push(format!("{url} is no sample: no list that was read leads to it")),
        }
    }
    ignored
}

/// Adds pages of the site that somebody could not read to those that cannot be read, where that is so.
async fn add_barred(barred: &mut Vec<(Url, Barred)>, unreadable: &[Url], site: &Url, pages: &dyn Pages) -> Vec<String> {
    let mut ignored = Vec::new();
    for url in unreadable.iter().take(MOST_CHOSEN) {
        if is_told(barred, url) {
            continue;
        }
        let why = if url.host() == site.host() { Barred::of(url, &pages.page(url).await) } else { None };
        match why {
            Some(why) => barred.push((url.clone(), why)),
            None => ignored.push(format!("{url} is no page of the site that is there and cannot be read")),
        }
    }
    ignored
}

/// What whoever reads the plan should know: what no page says, and titles that nothing else confirms.
fn notes(detail: &[Known], unconfirmed: usize, titles: usize) -> Vec<String> {
    let mut notes: Vec<String> = detail
        .iter()
        .filter(|known| known.chain.is_empty())
        .map(|known| format!("No page says its {} in a way that was found; it is left out.", known.property.name()))
        .collect();
    if unconfirmed > 0 {
        notes.push(format!(
            "{unconfirmed} of {titles} titles do not stand in the title that the page has in a browser."
        ));
    }
    notes
}
