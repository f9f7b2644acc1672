//! Where a site lists its articles, and how the lists go on. Proposed by what pages look like or by a model, decided by
//! going there.

use std::collections::BTreeSet;

use serde::Serialize;
use url::Url;

use crate::address::key;
use crate::article::is_article;
use crate::fetch::{FetchError, Pages};
use crate::follow::{Bounds, ListRead, follow_list};
use crate::html::{Dom, Pick};
use crate::links::{canonical, links};
use crate::listing;
use crate::measure::share;
use crate::page::{Kind, Page};
use crate::paging::{self, Data, Paging, lead, read_data, with_data};
use crate::plan::{Barred, Listing};

/// What is proposed beside what is seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposed {
    /// Pages that may be lists of articles.
    pub listings: Vec<Url>,
    /// Selectors of links to articles.
    pub items: Vec<Pick>,
}

/// What was found out about the lists of a site.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Discovery {
    /// Where it began; the canonical address, where the page names one.
    pub site: Url,
    /// The lists that lead to articles.
    pub lists: Vec<Discovered>,
    /// Pages that cannot be read as they are, and those that the site did not give.
    pub barred: Vec<(Url, Barred)>,
    /// Pages that menus name beyond those that are looked at.
    pub unseen: Vec<Url>,
    /// What was proposed and is not taken, with the reason.
    pub ignored: Vec<String>,
}

/// A list that leads to articles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Discovered {
    /// How it is followed.
    pub listing: Listing,
    /// What its first pages have.
    pub read: ListRead,
}

/// Sections of a site that are looked at.
const MOST_SECTIONS: usize = 16;
/// Pages of a list that are read to know it.
const SURVEY_PAGES: usize = 6;
/// A list on a page that is an article itself has to look so much like one.
const SURE: f64 = 0.6;
/// Lists of a page that are tried, of those that are seen and of those that are proposed.
const TRIED: usize = 4;
/// Links that are looked at to compare two lists.
const PROBES: usize = 8;

/// Looks at a site, from its start page on.
///
/// # Errors
/// The start page cannot be fetched.
pub async fn discover(site: &Url, pages: &dyn Pages, proposed: &Proposed) -> Result<Discovery, FetchError> {
    let start = pages.page(site).await?;
    let mut look = Look::new(pages, proposed, start.url.clone());
    let home = {
        let dom = Dom::parse(&start.text);
        canonical(&dom, &start.url).filter(|url| url.host() == start.url.host()).unwrap_or_else(|| start.url.clone())
    };
    let mut open: Vec<Url> = proposed.listings.clone();
    open.push(start.url.clone());
    open.extend(sections(&start));
    let mut seen = BTreeSet::new();
    open.retain(|url| seen.insert(key(url)));
    let unseen = open.split_off(open.len().min(MOST_SECTIONS + proposed.listings.len()));
    for url in open {
        look.section(&url).await;
    }
    let ignored = look.ignored();
    let Look { lists, mut barred, .. } = look;
    let mut told = BTreeSet::new();
    barred.retain(|(url, _)| told.insert(key(url)));
    Ok(Discovery { site: home, lists: distinct(lists), barred, unseen, ignored })
}

/// Pages that a page leads to and that may be lists: what its menus name, and what is named in few words.
fn sections(page: &Page) -> Vec<Url> {
    let dom = Dom::parse(&page.text);
    let all = links(&dom, &page.url);
    let own = all.iter().filter(|link| link.url.host() == page.url.host() && !link.text.is_empty());
    let few = |most: usize| move |text: &str| text.split_whitespace().count() <= most;
    let (menus, others): (Vec<_>, Vec<_>) = own.partition(|link| link.is_frame);
    let menus = menus.into_iter().filter(|link| few(4)(&link.text));
    let others = others.into_iter().filter(|link| few(3)(&link.text));
    menus.chain(others).map(|link| link.url.clone()).collect()
}

/// Without lists all of whose articles stand in others: teasers of the start page, lists of the newest.
fn distinct(mut lists: Vec<Discovered>) -> Vec<Discovered> {
    lists.sort_by_key(|list| std::cmp::Reverse((list.read.articles.len(), list.listing.pagination != Paging::None)));
    let mut known: BTreeSet<String> = BTreeSet::new();
    lists.retain(|list| {
        let own: BTreeSet<String> = list.read.articles.iter().map(key).collect();
        let is_more = !own.is_subset(&known);
        known.extend(own);
        is_more
    });
    lists
}

struct Look<'a> {
    pages: &'a dyn Pages,
    proposed: &'a Proposed,
    start: Url,
    lists: Vec<Discovered>,
    barred: Vec<(Url, Barred)>,
    /// Proposed pages that are lists.
    taken: BTreeSet<String>,
}

/// What a page shows that may be a list.
struct Shown {
    url: Url,
    /// Whether the page itself is an article: what it names are references.
    is_article: bool,
    /// What looks like a list.
    chains: Vec<Shows>,
    /// What somebody takes for one.
    proposed: Vec<Shows>,
    ways: Vec<Paging>,
}

/// Links of a page.
struct Shows {
    items: Vec<Pick>,
    /// Where they lead.
    urls: Vec<Url>,
    score: f64,
    /// The longer a list, the likelier it is the one that is meant.
    worth: f64,
}

impl<'a> Look<'a> {
    fn new(pages: &'a dyn Pages, proposed: &'a Proposed, start: Url) -> Self {
        Self { pages, proposed, start, lists: Vec::new(), barred: Vec::new(), taken: BTreeSet::new() }
    }

    /// Whether a page is one that somebody has named.
    fn is_asked_for(&self, url: &Url) -> bool {
        *url == self.start || self.proposed.listings.contains(url)
    }

    /// Looks at a page that may be a list, and keeps what it is. What a list leads to is an article.
    async fn section(&mut self, url: &Url) {
        let is_known = |list: &Discovered| list.read.articles.iter().any(|article| key(article) == key(url));
        if !self.is_asked_for(url) && self.lists.iter().any(is_known) {
            return;
        }
        let Some(page) = self.fetch(url).await else { return };
        let shown = self.shown(&page);
        let is_sure = self.is_asked_for(url) || !shown.is_article;
        let seen = self.seen(&shown, is_sure).await;
        let mut found = self.better(&shown, seen).await;
        if found.is_none() && is_sure {
            for way in &shown.ways {
                found = self.without_items(&page, way).await;
                if found.is_some() {
                    break;
                }
            }
        }
        match found {
            Some(found) => {
                self.taken.insert(key(url));
                self.lists.push(found);
            }
            None if is_sure && page.kind != Kind::Content && page.kind != Kind::Data => {
                self.barred.push((url.clone(), Barred::Kind(page.kind)));
            }
            None => {}
        }
    }

    fn shown(&self, page: &Page) -> Shown {
        let dom = Dom::parse(&page.text);
        let seen = listing::candidates(&dom, &page.url).into_iter().filter(|one| one.score >= 0.2).map(|one| {
            let many = f64::from(u32::try_from(one.urls.len()).unwrap_or(u32::MAX));
            Shows { items: one.selectors, score: one.score, worth: one.score * many.sqrt(), urls: one.urls }
        });
        let chains: Vec<Shows> = seen.collect();
        let is_seen = |pick: &Pick| chains.iter().any(|one| one.items.first() == Some(pick));
        let proposed = self.proposed.items.iter().filter(|pick| !is_seen(pick)).map(|pick| {
            let items = vec![pick.clone()];
            let urls = listing::found_by(&items, &dom, &page.url);
            Shows { items, urls, score: 0.0, worth: 0.0 }
        });
        let proposed = proposed.filter(|one| one.urls.len() > 1).take(TRIED).collect();
        let (is_article, ways) = (is_article(&dom), paging::candidates(&dom, &page.url));
        Shown { url: page.url.clone(), is_article, chains, proposed, ways }
    }

    /// The list that code sees on a page.
    async fn seen(&self, shown: &Shown, is_sure: bool) -> Option<Discovered> {
        let mut best: Option<(f64, &[Pick])> = None;
        for Shows { items, urls, worth, .. } in
            shown.chains.iter().take(TRIED).filter(|one| is_sure || one.score >= SURE)
        {
            if best.is_none_or(|(most, _)| *worth > most) && self.lead_to_articles(urls).await {
                best = Some((*worth, items));
            }
        }
        let (_, items) = best?;
        Some(self.with_paging(&shown.url, items, &shown.ways).await)
    }

    /// The list of a page: what somebody has proposed in the place of what code sees, where it leads to more articles and to
    /// nothing else, or to the very same.
    async fn better(&self, shown: &Shown, mut best: Option<Discovered>) -> Option<Discovered> {
        for Shows { items, urls, .. } in &shown.proposed {
            if !self.lead_to_articles(urls).await {
                continue;
            }
            let mut found = self.with_paging(&shown.url, items, &shown.ways).await;
            let Some(own) = &best else {
                best = Some(found);
                continue;
            };
            let keys = |list: &Discovered| list.read.articles.iter().map(key).collect::<BTreeSet<String>>();
            let is_more = found.read.articles.len() > own.read.articles.len();
            if keys(&found) == keys(own)
                || (is_more && self.precision(&found.read.articles).await >= self.precision(&own.read.articles).await)
            {
                let known = own.listing.items.iter().filter(|pick| !items.contains(pick)).take(2).cloned();
                found.listing.items.extend(known);
                best = Some(found);
            }
        }
        best
    }

    /// What was proposed and is part of no list.
    fn ignored(&self) -> Vec<String> {
        let listings = self.proposed.listings.iter().filter(|url| !self.taken.contains(&key(url)));
        let listings = listings.map(|url| format!("{url} is no list of articles, as far as it can be read"));
        let is_used = |pick: &Pick| self.lists.iter().any(|list| list.listing.items.contains(pick));
        let items = self.proposed.items.iter().filter(|pick| !is_used(pick));
        listings
            .chain(items.map(|pick| format!("\"{pick}\" leads to no more articles than what is found without it")))
            .collect()
    }

    /// The way to go on that leads to the most articles, of equal ones the surest; else one whose next page the site does
    /// not give, which is told wherever the plan is followed; else all there is stands on one page.
    async fn with_paging(&self, url: &Url, items: &[Pick], ways: &[Paging]) -> Discovered {
        let listing = |pagination: Paging| Listing { url: url.clone(), items: items.to_vec(), pagination };
        let alone = follow_list(&listing(Paging::None), self.pages, bounds(1)).await;
        let (mut most, mut best, mut refused) = (alone.articles.len(), None, None);
        for way in ways {
            let Some(way) = self.understood(way).await else { continue };
            let tried = follow_list(&listing(way.clone()), self.pages, bounds(3)).await;
            if tried.articles.len() > most && self.lead_to_articles(&tried.articles).await {
                most = tried.articles.len();
                best = Some(way);
                // One that came to an end already may miss what another finds.
                if tried.bound.is_some() {
                    break;
                }
            } else if tried.left_out.is_some() && tried.left_out != alone.left_out && !is_archive(&way) {
                refused.get_or_insert(way);
            }
        }
        let Some(way) = best.or(refused) else {
            return Discovered { listing: listing(Paging::None), read: alone };
        };
        let listing = listing(way);
        let read = follow_list(&listing, self.pages, bounds(SURVEY_PAGES)).await;
        Discovered { listing, read }
    }

    /// A list whose own page names no article: months that do, or an endpoint that a script asks.
    async fn without_items(&self, page: &Page, way: &Paging) -> Option<Discovered> {
        let chains = match way {
            Paging::Archive { selector } => {
                let first = lead(selector, &Dom::parse(&page.text), &page.url)?;
                let below = self.pages.page(&first).await.ok().filter(|page| page.kind == Kind::Content)?;
                let Shown { chains, proposed, .. } = self.shown(&below);
                chains.into_iter().take(TRIED).chain(proposed).collect()
            }
            Paging::Cursor { .. } => vec![Shows { items: Vec::new(), urls: Vec::new(), score: 0.0, worth: 0.0 }],
            _ => return None,
        };
        let way = self.understood(way).await?;
        for Shows { items, .. } in chains {
            let listing = Listing { url: page.url.clone(), items, pagination: way.clone() };
            let read = follow_list(&listing, self.pages, bounds(SURVEY_PAGES)).await;
            if self.lead_to_articles(&read.articles).await {
                return Some(Discovered { listing, read });
            }
        }
        None
    }

    /// A way to go on with all that its requests need: what an endpoint gives is looked at.
    async fn understood(&self, way: &Paging) -> Option<Paging> {
        let Paging::Cursor { first, .. } = way else {
            return Some(way.clone());
        };
        let page = self.pages.page(&way.at(first)?).await.ok().filter(|page| page.kind == Kind::Data)?;
        let data = serde_json::from_str(&page.text).ok()?;
        let whole = with_data(way, &data, &page.url)?;
        let Paging::Cursor { items, link, next, .. } = &whole else { return None };
        let places = Data { items: items.clone(), link: link.clone(), next: next.clone() };
        read_data(&data, &places, &page.url).filter(|(urls, _)| !urls.is_empty()).map(|_| whole)
    }

    /// Whether links lead to articles: of the first, the middle and the last most are one.
    async fn lead_to_articles(&self, urls: &[Url]) -> bool {
        let Some(last) = urls.len().checked_sub(1) else { return false };
        self.articles_at(urls, [0, last / 2, last].into()).await > 0.5
    }

    /// The share of links that lead to articles, of some from all over them.
    async fn precision(&self, urls: &[Url]) -> f64 {
        let last = urls.len().saturating_sub(1);
        self.articles_at(urls, (0..PROBES).map(|number| number * last / (PROBES - 1)).collect()).await
    }

    async fn articles_at(&self, urls: &[Url], places: BTreeSet<usize>) -> f64 {
        let (mut right, tried) = (0, places.len());
        for url in places.into_iter().filter_map(|place| urls.get(place)) {
            let is_one = |page: &Page| page.kind == Kind::Content && is_article(&Dom::parse(&page.text));
            right += usize::from(self.pages.page(url).await.is_ok_and(|page| is_one(&page)));
        }
        share(right, tried)
    }

    async fn fetch(&mut self, url: &Url) -> Option<std::sync::Arc<Page>> {
        let read = self.pages.page(url).await;
        match Barred::of(url, &read) {
            // What its scripts ask may be a list.
            None | Some(Barred::Kind(Kind::NeedsBrowser)) => {}
            Some(why) => {
                self.barred.push((url.clone(), why));
                return None;
            }
        }
        read.ok().filter(|page| !matches!(page.kind, Kind::Failed | Kind::Other))
    }
}

/// Months that are not there say nothing of the list that names them.
fn is_archive(way: &Paging) -> bool {
    matches!(way, Paging::Archive { .. })
}

fn bounds(pages: usize) -> Bounds {
    Bounds { pages, articles: 1_000 }
}
