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
    /// Pages that cannot be read as they are.
    pub barred: Vec<(Url, Barred)>,
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
/// Lists of a page that are tried.
const TRIED: usize = 4;

/// Looks at a site, from its start page on.
///
/// # Errors
/// The start page cannot be fetched.
pub async fn discover(site: &Url, pages: &dyn Pages, proposed: &Proposed) -> Result<Discovery, FetchError> {
    let start = pages.page(site).await?;
    let mut look = Look { pages, proposed, start: start.url.clone(), lists: Vec::new(), barred: Vec::new() };
    let home = {
        let dom = Dom::parse(&start.text);
        canonical(&dom, &start.url).filter(|url| url.host() == start.url.host()).unwrap_or_else(|| start.url.clone())
    };
    let mut open: Vec<Url> = proposed.listings.clone();
    open.push(start.url.clone());
    open.extend(sections(&start));
    let mut seen = BTreeSet::new();
    open.retain(|url| seen.insert(key(url)));
    open.truncate(MOST_SECTIONS + proposed.listings.len());
    for url in open {
        look.section(&url).await;
    }
    let Look { lists, mut barred, .. } = look;
    let mut told = BTreeSet::new();
    barred.retain(|(url, _)| told.insert(key(url)));
    Ok(Discovery { site: home, lists: distinct(lists), barred })
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
}

/// What a page shows that may be a list.
struct Shown {
    url: Url,
    /// Whether the page itself is an article: what it names are references.
    is_article: bool,
    chains: Vec<Shows>,
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

impl Look<'_> {
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
        let mut best: Option<(f64, &[Pick])> = None;
        for Shows { items, urls, worth, .. } in
            shown.chains.iter().take(TRIED).filter(|one| is_sure || one.score >= SURE)
        {
            if best.is_none_or(|(most, _)| *worth > most) && self.lead_to_articles(urls).await {
                best = Some((*worth, items));
            }
        }
        if let Some((_, items)) = best {
            let found = self.with_paging(&shown.url, items, &shown.ways).await;
            self.lists.push(found);
            return;
        }
        if !is_sure {
            return;
        }
        for way in &shown.ways {
            if let Some(found) = self.without_items(&page, way).await {
                self.lists.push(found);
                return;
            }
        }
        if page.kind != Kind::Content && page.kind != Kind::Data {
            self.barred.push((url.clone(), Barred::Kind(page.kind)));
        }
    }

    fn shown(&self, page: &Page) -> Shown {
        let dom = Dom::parse(&page.text);
        let proposed = self.proposed.items.iter().map(|pick| {
            let items = vec![pick.clone()];
            let urls = listing::found_by(&items, &dom, &page.url);
            Shows { items, urls, score: 1.0, worth: f64::INFINITY }
        });
        let seen = listing::candidates(&dom, &page.url).into_iter().filter(|one| one.score >= 0.2).map(|one| {
            let many = f64::from(u32::try_from(one.urls.len()).unwrap_or(u32::MAX));
            Shows { items: one.selectors, score: one.score, worth: one.score * many.sqrt(), urls: one.urls }
        });
        let chains = proposed.filter(|one| one.urls.len() > 1).chain(seen).collect();
        let (is_article, ways) = (is_article(&dom), paging::candidates(&dom, &page.url));
        Shown { url: page.url.clone(), is_article, chains, ways }
    }

    /// The first way to go on that leads to more articles; else all there is stands on one page.
    async fn with_paging(&self, url: &Url, items: &[Pick], ways: &[Paging]) -> Discovered {
        let listing = |pagination: Paging| Listing { url: url.clone(), items: items.to_vec(), pagination };
        let alone = follow_list(&listing(Paging::None), self.pages, bounds(1)).await;
        for way in ways {
            let Some(way) = self.understood(way).await else { continue };
            let tried = follow_list(&listing(way.clone()), self.pages, bounds(3)).await;
            if tried.articles.len() > alone.articles.len() && self.lead_to_articles(&tried.articles).await {
                let listing = listing(way);
                let read = follow_list(&listing, self.pages, bounds(SURVEY_PAGES)).await;
                return Discovered { listing, read };
            }
        }
        Discovered { listing: listing(Paging::None), read: alone }
    }

    /// A list whose own page names no article: months that do, or an endpoint that a script asks.
    async fn without_items(&self, page: &Page, way: &Paging) -> Option<Discovered> {
        let chains = match way {
            Paging::Archive { selector } => {
                let first = lead(selector, &Dom::parse(&page.text), &page.url)?;
                let below = self.pages.page(&first).await.ok().filter(|page| page.kind == Kind::Content)?;
                self.shown(&below).chains
            }
            Paging::Cursor { .. } => vec![Shows { items: Vec::new(), urls: Vec::new(), score: 0.0, worth: 0.0 }],
            _ => return None,
        };
        let way = self.understood(way).await?;
        for Shows { items, .. } in chains.into_iter().take(TRIED) {
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
        let places: BTreeSet<usize> = [0, last / 2, last].into();
        let (mut right, tried) = (0, places.len());
        for url in places.into_iter().filter_map(|place| urls.get(place)) {
            let is_one = |page: &Page| page.kind == Kind::Content && is_article(&Dom::parse(&page.text));
            right += usize::from(self.pages.page(url).await.is_ok_and(|page| is_one(&page)));
        }
        right * 2 > tried
    }

    async fn fetch(&mut self, url: &Url) -> Option<std::sync::Arc<Page>> {
        match self.pages.page(url).await {
            Ok(page) if matches!(page.kind, Kind::Login | Kind::Empty) => {
                self.barred.push((url.clone(), Barred::Kind(page.kind)));
                None
            }
            Ok(page) if matches!(page.kind, Kind::Failed | Kind::Other) => None,
            Ok(page) => Some(page),
            Err(FetchError::Robots { .. }) => {
                self.barred.push((url.clone(), Barred::Robots));
                None
            }
            Err(_) => None,
        }
    }
}

fn bounds(pages: usize) -> Bounds {
    Bounds { pages, articles: 1_000 }
}
