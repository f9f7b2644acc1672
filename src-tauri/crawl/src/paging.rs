//! How a list goes on: what a page shows of it, and where the next page is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::address::{join, key};
use crate::html::{Dom, Node, Pick, attribute, name_of, text_of};
use crate::links::{base_of, links, telling};

mod api;
mod more;
mod numbers;

pub use api::{Data, read as read_data};
pub(crate) use more::{elsewhere, needs_script};
use numbers::numbered;

/// The place of a number or a mark in an address.
pub const PLACE: &str = "{}";

/// How a list goes on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Paging {
    /// It is on one page.
    None,
    /// A link leads to the next page, until there is none.
    NextLink {
        /// The link and its attribute.
        selector: Pick,
    },
    /// A button names the address of what comes next; what that gives is read as a page.
    LoadMore {
        /// The button and its attribute.
        selector: Pick,
    },
    /// Pages have numbers, or begin after so many entries.
    Numbered {
        /// The address, with `{}` in the place of the number.
        template: String,
        /// The number of the first page.
        first: u64,
        /// From one page to the next.
        step: u64,
    },
    /// An endpoint gives data and a mark for the next request, as lists have them that grow while one scrolls.
    Cursor {
        /// The address, with `{}` in the place of the mark.
        template: String,
        /// The mark of the first request.
        first: String,
        /// Where the entries stand in the data, as a JSON Pointer.
        items: String,
        /// Where the address stands in an entry, as a JSON Pointer.
        link: String,
        /// Where the next mark stands in the data, as a JSON Pointer.
        next: String,
    },
    /// Links lead to the lists of months, years or days.
    Archive {
        /// The links and their attribute.
        selector: Pick,
    },
}

impl Paging {
    /// What it is called where it is told.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NextLink { .. } => "next link",
            Self::LoadMore { .. } => "load more",
            Self::Numbered { .. } => "numbered pages",
            Self::Cursor { .. } => "infinite scroll",
            Self::Archive { .. } => "date archive",
        }
    }

    /// The address of a page of numbers or marks; `None` where it has none.
    pub fn at(&self, mark: &str) -> Option<Url> {
        let (Self::Numbered { template, .. } | Self::Cursor { template, .. }) = self else {
            return None;
        };
        let mark: String = url::form_urlencoded::byte_serialize(mark.as_bytes()).collect();
        Url::parse(&template.replacen(PLACE, &mark, 1)).ok()
    }
}

/// The ways in which a page may go on, the surest first. Whether one does is seen by going it.
pub fn candidates(dom: &Dom, url: &Url) -> Vec<Paging> {
    let mut found = Vec::new();
    found.extend(next_link(dom, url).map(|selector| Paging::NextLink { selector }));
    found.extend(load_more(dom).map(|selector| Paging::LoadMore { selector }));
    found.extend(cursor(dom, url));
    found.extend(numbered(dom, url));
    found.extend(archive(dom, url).map(|selector| Paging::Archive { selector }));
    found
}

/// Where a pick leads from a page.
pub(crate) fn lead(pick: &Pick, dom: &Dom, url: &Url) -> Option<Url> {
    join(&base_of(dom, url), pick.values(dom).first()?)
}

/// Where a page says that it goes on.
fn next_page(dom: &Dom, url: &Url) -> Option<Url> {
    lead(&next_link(dom, url)?, dom, url)
}

/// What a link to the next page says.
const NEXT_WORDS: [&str; 17] = [
    "next",
    "next page",
    "older",
    "older posts",
    "older entries",
    "weiter",
    "nächste",
    "nächste seite",
    "ältere",
    "suivant",
    "page suivante",
    "siguiente",
    "volgende",
    "avanti",
    "next chapter",
    "older articles",
    "load more",
];
const NEXT_SIGNS: [&str; 6] = ["»", "›", ">", "→", ">>", "⟩"];

/// Whether what a link or a button says leads to the next page.
fn says_next(text: &str) -> bool {
    let text = text.to_lowercase();
    let plain = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let begins =
        ["older ", "next ", "load more "].iter().any(|start| plain.starts_with(start)) && plain.split(' ').count() <= 3;
    NEXT_WORDS.contains(&plain) || begins || NEXT_SIGNS.contains(&text.trim())
}

/// A link to the next page, by its relation, its class or its word.
fn next_link(dom: &Dom, url: &Url) -> Option<Pick> {
    for known in ["link[rel=next]@href", "a[rel~=next]@href"] {
        let pick: Pick = known.parse().ok()?;
        if lead(&pick, dom, url).is_some_and(|to| key(&to) != key(url)) {
            return Some(pick);
        }
    }
    let is_next = |node: &Node<'_>| {
        let class = attribute(node, "class").unwrap_or_default().to_lowercase();
        says_next(&text_of(node)) || class.split([' ', '-', '_']).any(|part| part == "next" || part == "older")
    };
    let links = dom.each("a[href]").into_iter().filter(is_next);
    links.take(4).find_map(|node| {
        let to = join(&base_of(dom, url), &attribute(&node, "href")?).filter(|to| key(to) != key(url))?;
        // The one before it is often called the same.
        let leads = |pick: &Pick| {
            let found = pick.values(dom);
            found.len() == 1 && lead(pick, dom, url).as_ref() == Some(&to)
        };
        telling(&node).into_iter().map(|selector| Pick::of(selector, "href")).find(leads)
    })
}

/// An element that names an address to be asked for more: a button, or the end of a list that grows.
fn load_more(dom: &Dom) -> Option<Pick> {
    const NAMES: [&str; 9] = [
        "data-next-url",
        "data-next-page",
        "data-next",
        "data-url",
        "data-href",
        "data-load-more",
        "data-more",
        "hx-get",
        "data-src",
    ];
    const WORDS: [&str; 8] = ["more", "mehr", "plus", "más", "scroll", "load", "next", "infinite"];
    /// Selectors that are tried, each on the whole page.
    const MOST_TRIED: usize = 60;
    let mut tried = BTreeSet::new();
    let is_address = |value: &str| value.starts_with(['/', '?', '.']) || value.starts_with("http");
    for node in dom.each("button, a, div, span, section, nav, ul, li").into_iter().take(20_000) {
        let Some(name) = NAMES.iter().find(|name| attribute(&node, name).is_some_and(|value| is_address(&value)))
        else {
            continue;
        };
        let said = [attribute(&node, "class"), attribute(&node, "id"), Some((*name).to_owned()), Some(short(&node))];
        let said = said.into_iter().flatten().collect::<Vec<_>>().join(" ").to_lowercase();
        if !said.split(|letter: char| !letter.is_alphabetic()).any(|word| WORDS.contains(&word)) {
            continue;
        }
        let one = |pick: &Pick| pick.values(dom).len() == 1;
        let ways = telling(&node).into_iter().chain([format!("{}[{name}]", name_of(&node))]);
        for pick in ways.map(|selector| Pick::of(selector, *name)) {
            if tried.len() < MOST_TRIED && tried.insert(pick.to_string()) && one(&pick) {
                return Some(pick);
            }
        }
    }
    None
}

fn short(node: &Node<'_>) -> String {
    let text = text_of(node);
    if text.chars().count() <= 40 { text } else { String::new() }
}

/// An endpoint and a mark that a page names for its script.
fn cursor(dom: &Dom, url: &Url) -> Option<Paging> {
    const ENDPOINTS: [&str; 5] = ["data-endpoint", "data-api", "data-api-url", "data-feed", "data-source"];
    const MARKS: [&str; 5] = ["data-cursor", "data-after", "data-next-cursor", "data-token", "data-since"];
    let each =
        ENDPOINTS.iter().flat_map(|name| dom.each(&format!("[{name}]")).into_iter().map(move |node| (*name, node)));
    each.take(10).find_map(|(name, node)| {
        let mut endpoint = join(&base_of(dom, url), &attribute(&node, name)?)?;
        let mark = MARKS.iter().find_map(|mark| Some((mark, node.attr(mark)?.to_string())));
        let (parameter, first) = match mark {
            Some((mark, first)) => {
                let own = attribute(&node, "data-cursor-param").or_else(|| attribute(&node, "data-param"));
                (own.unwrap_or_else(|| mark.trim_start_matches("data-").trim_start_matches("next-").to_owned()), first)
            }
            None => ("cursor".to_owned(), String::new()),
        };
        let others: Vec<(String, String)> = endpoint
            .query_pairs()
            .filter(|(name, _)| *name != parameter)
            .map(|(a, b)| (a.into_owned(), b.into_owned()))
            .collect();
        endpoint.set_query(None);
        let query: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(others).finish();
        let sign = if query.is_empty() { "" } else { "&" };
        let template = format!("{endpoint}?{query}{sign}{parameter}={PLACE}");
        Some(Paging::Cursor { template, first, items: String::new(), link: String::new(), next: String::new() })
    })
}

/// Links to lists by month or year: at least two whose address ends with one.
fn archive(dom: &Dom, url: &Url) -> Option<Pick> {
    let dated: Vec<_> = links(dom, url)
        .into_iter()
        .filter(|link| link.url.host() == url.host() && is_period(&link.url) && key(&link.url) != key(url))
        .collect();
    let wanted: BTreeSet<String> = dated.iter().map(|link| key(&link.url)).collect();
    if wanted.len() < 2 {
        return None;
    }
    let base = base_of(dom, url);
    let only_these = |pick: &Pick| {
        let found = pick.values(dom).iter().filter_map(|value| join(&base, value)).collect::<Vec<_>>();
        !found.is_empty()
            && found.iter().all(|found| is_period(found) || key(found) == key(url))
            && found.len() >= wanted.len()
    };
    telling(&dated.first()?.node).into_iter().map(|selector| Pick::of(selector, "href")).find(only_these)
}

/// Whether an address ends with a year and perhaps a month: `/2024/05/`, `?m=2024-05`.
fn is_period(url: &Url) -> bool {
    let is_year = |text: &str| {
        text.len() == 4
            && (text.starts_with("19") || text.starts_with("20"))
            && text.bytes().all(|b| b.is_ascii_digit())
    };
    let is_month = |text: &str| text.parse::<u32>().is_ok_and(|month| (1..=12).contains(&month)) && text.len() <= 2;
    let both = |text: &str| text.split_once(['-', '/']).is_some_and(|(year, month)| is_year(year) && is_month(month));
    let parts: Vec<&str> = url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let in_path = match parts.as_slice() {
        [.., year, month] if is_year(year) && is_month(month) => true,
        [.., last] => is_year(last) || both(last),
        [] => false,
    };
    in_path || url.query_pairs().any(|(_, value)| is_year(&value) || both(&value))
}

/// Whether an address ends with a year, a month and a day.
fn is_day(url: &Url) -> bool {
    let parts: Vec<&str> = url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let is_number = |text: &str, sizes: &[usize]| sizes.contains(&text.len()) && text.parse::<u32>().is_ok();
    matches!(parts.as_slice(), [.., year, month, day]
        if is_number(year, &[4]) && is_number(month, &[1, 2]) && is_number(day, &[1, 2]))
}

/// What an endpoint that was named by a page gives: the same way to go on with the places in its data; `None` where it
/// gives no list of addresses.
pub fn with_data(paging: &Paging, data: &Value, url: &Url) -> Option<Paging> {
    let Paging::Cursor { template, first, .. } = paging else {
        return None;
    };
    let Data { items, link, next } = api::places(data, url)?;
    Some(Paging::Cursor { template: template.clone(), first: first.clone(), items, link, next })
}

#[cfg(test)]
mod tests;
