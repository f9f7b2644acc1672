//! A small crawler that follows a written plan and nothing else. Bounded by the plan's own limits and those it is given.

use std::collections::{BTreeSet, HashSet, VecDeque};

use indexmap::IndexMap;
use serde::Serialize;
use url::Url;

use crate::address::key;
use crate::fetch::Pages;
use crate::html::{Dom, MOST_TAGS};
use crate::listing::found_by;
use crate::page::{Kind, Page};
use crate::paging::{Data, Paging, elsewhere, needs_script, read_data};
use crate::plan::{Config, Listing};

/// How far a crawl goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Pages that are read of each list.
    pub pages: usize,
    /// Articles after which it ends.
    pub articles: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { pages: 200, articles: 20_000 }
    }
}

/// What a crawl found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Followed {
    /// Articles by their keys, with the list in which each was found first.
    pub articles: IndexMap<String, Url>,
    /// The lists, in the order of the plan.
    pub lists: Vec<ListRead>,
}

/// What a crawl found in one list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListRead {
    /// Where it begins.
    pub url: Url,
    /// Pages that were read of it.
    pub pages: usize,
    /// Those of them that had articles.
    pub with_articles: usize,
    /// Articles in it, in order.
    pub articles: Vec<Url>,
    /// Why it cannot be followed as it is described.
    pub trouble: Option<String>,
    /// What is not in it, once there was a page of it: what the site did not give, and what lies beyond the bounds of the
    /// plan itself. The first of it.
    pub left_out: Option<String>,
    /// The bound at which it was left, although it may go on.
    pub bound: Option<String>,
}

/// Follows a plan through all of its lists. Where it is followed as far as it goes itself, a list that may go on beyond that
/// says so; a shorter look at it takes nothing back of the plan.
pub async fn follow(config: &Config, pages: &dyn Pages, bounds: Bounds) -> Followed {
    let mut followed = Followed::default();
    let is_whole = bounds.pages >= config.request.max_pages;
    let bounds = Bounds { pages: bounds.pages.min(config.request.max_pages), ..bounds };
    for listing in &config.listings {
        let mut list = follow_list(listing, pages, bounds).await;
        for url in &list.articles {
            let key = key(url);
            if followed.articles.contains_key(&key) {
                continue;
            }
            if followed.articles.len() == bounds.articles {
                list.bound.get_or_insert(articles(bounds));
                break;
            }
            followed.articles.insert(key, listing.url.clone());
        }
        if let Some(bound) = list.bound.as_ref().filter(|_| is_whole) {
            list.left_out.get_or_insert_with(|| bound.clone());
        }
        followed.lists.push(list);
    }
    followed
}

/// Follows one list.
pub async fn follow_list(listing: &Listing, pages: &dyn Pages, bounds: Bounds) -> ListRead {
    let read = ListRead {
        url: listing.url.clone(),
        pages: 0,
        with_articles: 0,
        articles: Vec::new(),
        trouble: None,
        left_out: None,
        bound: None,
    };
    let mut walk = Walk { listing, pages, bounds, read, known: BTreeSet::new(), asked: HashSet::new() };
    walk.go().await;
    walk.read
}

/// A crawl through one list.
struct Walk<'a> {
    listing: &'a Listing,
    pages: &'a dyn Pages,
    bounds: Bounds,
    read: ListRead,
    known: BTreeSet<String>,
    asked: HashSet<String>,
}

/// What a page of a list had.
struct Had {
    /// Articles that it names.
    articles: Vec<Url>,
    /// Where it says that the list goes on.
    next: Vec<Url>,
    /// Where a list of an archive goes on itself, which no plan follows.
    more: Vec<Url>,
    /// Whether it goes on by a script, where nothing else leads on.
    needs_script: bool,
    /// Whether it has more tags than are read.
    is_cut: bool,
}

impl Walk<'_> {
    async fn go(&mut self) {
        let Some(first) = self.page(&self.listing.url.clone()).await else {
            return;
        };
        match self.listing.pagination.clone() {
            Paging::None if first.needs_script => self.leave_out(by_script(&self.listing.url)),
            Paging::None => {}
            Paging::NextLink { .. } | Paging::LoadMore { .. } => {
                self.leads(first.next).await;
            }
            Paging::Archive { .. } => self.archive(first.next).await,
            Paging::Numbered { first, step, .. } => self.numbers(first, step).await,
            Paging::Cursor { first, items, link, next, .. } => self.marks(first, Data { items, link, next }).await,
        }
    }

    /// Pages to which pages lead, each once: what leads on from one may lead back from another, to the page before it or
    /// to the first by another address.
    async fn leads(&mut self, first: Vec<Url>) {
        let mut open = VecDeque::from(first);
        while let Some(url) = open.pop_front() {
            if self.asked.contains(&key(&url)) {
                continue;
            }
            match self.page(&url).await {
                Some(had) => open.extend(had.next),
                None if self.read.bound.is_some() => break,
                None => {}
            }
        }
    }

    /// The lists of an archive. One that cannot be read says nothing of the others.
    async fn archive(&mut self, lists: Vec<Url>) {
        let known: HashSet<String> = lists.iter().chain([&self.listing.url]).map(key).collect();
        for url in lists {
            if self.asked.contains(&key(&url)) {
                continue;
            }
            match self.page(&url).await {
                Some(had) => match had.more.iter().find(|more| !known.contains(&key(more))) {
                    Some(more) => self.leave_out(format!("{url} goes on at {more}, where nobody looks")),
                    None if had.needs_script => self.leave_out(by_script(&url)),
                    None => {}
                },
                None if self.read.bound.is_some() => break,
                None => self.leave_out(format!("{url} is not there")),
            }
        }
    }

    /// Pages of numbers, until one has nothing that those before it had not. The first may be the list itself, and often
    /// is not there by its number.
    async fn numbers(&mut self, first: u64, step: u64) {
        let (mut number, mut seen) = (first, BTreeSet::new());
        while let Some(url) = self.listing.pagination.at(&number.to_string()) {
            let (articles, before) = (self.page(&url).await.map(|had| had.articles), seen.len());
            seen.extend(articles.iter().flatten().map(key));
            match number.checked_add(step) {
                Some(next) if seen.len() > before || number == first => number = next,
                _ => break,
            }
        }
    }

    /// Requests of an endpoint, each with the mark that the one before it gave.
    async fn marks(&mut self, first: String, places: Data) {
        let (mut mark, mut seen) = (Some(first), HashSet::new());
        while let Some(now) = mark.take() {
            let Some(url) = self.listing.pagination.at(&now).filter(|_| seen.insert(now)) else { break };
            let Some(page) = self.fetch(&url).await else { break };
            let data = serde_json::from_str(&page.text).ok();
            let Some((urls, next)) = data.and_then(|data| read_data(&data, &places, &page.url)) else {
                self.read.trouble = Some(format!("{url} gave no list of entries at {:?}", places.items));
                break;
            };
            self.take(urls);
            mark = next;
        }
    }

    /// Reads a page of the list.
    async fn page(&mut self, url: &Url) -> Option<Had> {
        let page = self.fetch(url).await?;
        let had = had(self.listing, &page);
        if had.is_cut {
            self.leave_out(format!("{url} has more than the {MOST_TAGS} tags that are read of a page"));
        }
        self.take(had.articles.clone());
        Some(had)
    }

    /// Fetches a page, as long as there is room. One that is not there ends a list; one that the site fails to give ends it
    /// as well, and that is told; that there is no first one is a trouble.
    async fn fetch(&mut self, url: &Url) -> Option<std::sync::Arc<Page>> {
        if self.known.len() >= self.bounds.articles {
            self.read.bound.get_or_insert(articles(self.bounds));
            return None;
        }
        if self.read.pages >= self.bounds.pages {
            self.read.bound.get_or_insert(format!("only the first {} pages of a list are read", self.bounds.pages));
            return None;
        }
        self.asked.insert(key(url));
        let failed = match self.pages.page(url).await {
            Ok(page) if page.is_gone() && self.read.pages > 0 => return None,
            Ok(page) if page.kind.is_withheld() || matches!(page.kind, Kind::Failed | Kind::Other) => {
                format!("{url} is {} (status {})", page.kind.words(), page.status)
            }
            Ok(page) => {
                self.read.pages += 1;
                if page.was_cut {
                    self.leave_out(format!("{url} is longer than what is read of a page"));
                }
                return Some(page);
            }
            Err(error) => error.to_string(),
        };
        match self.read.pages {
            0 => self.read.trouble = Some(failed),
            _ => self.leave_out(failed),
        }
        None
    }

    fn leave_out(&mut self, what: String) {
        self.read.left_out.get_or_insert(what);
    }

    fn take(&mut self, urls: Vec<Url>) {
        self.read.with_articles += usize::from(!urls.is_empty());
        for url in urls {
            let key = key(&url);
            if self.known.contains(&key) {
                continue;
            }
            if self.known.len() >= self.bounds.articles {
                self.read.bound.get_or_insert(articles(self.bounds));
                break;
            }
            self.known.insert(key);
            self.read.articles.push(url);
        }
    }
}

/// The bound of articles, as it is told.
fn articles(bounds: Bounds) -> String {
    format!("only the first {} articles are taken", bounds.articles)
}

/// That a list goes on where only a browser can go, as it is told.
fn by_script(url: &Url) -> String {
    format!("{url} goes on by a script, for which a browser is needed")
}

/// What a page of a list has.
fn had(listing: &Listing, page: &Page) -> Had {
    let dom = Dom::parse(&page.text);
    let articles = found_by(&listing.items, &dom, &page.url);
    let next = match &listing.pagination {
        Paging::NextLink { selector } | Paging::LoadMore { selector } | Paging::Archive { selector } => {
            found_by(std::slice::from_ref(selector), &dom, &page.url)
        }
        Paging::None | Paging::Numbered { .. } | Paging::Cursor { .. } => Vec::new(),
    };
    let is_archive = matches!(listing.pagination, Paging::Archive { .. });
    let mut more = if is_archive { elsewhere(&dom, &page.url) } else { Vec::new() };
    // How often an article was answered is a number as well.
    more.retain(|more| !articles.iter().any(|article| key(article) == key(more)));
    let needs_script = (is_archive || listing.pagination == Paging::None) && needs_script(&dom);
    Had { articles, next, more, needs_script, is_cut: dom.has_more_tags }
}
