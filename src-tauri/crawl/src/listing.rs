//! Lists of links: what is repeated on a page, and by which selectors it is found again.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::Serialize;
use url::Url;

use crate::address::key;
use crate::html::{Dom, Pick, name_of};
use crate::links::{Link, base_of, links, selectors, step};
use crate::measure::share;

/// A list on a page that may lead to articles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Selectors that find just these links, the best first.
    pub selectors: Vec<Pick>,
    /// Where they lead, each once, in order.
    pub urls: Vec<Url>,
    /// Words of a link, in the mean.
    pub words: f64,
    /// How much it looks like a list of articles: 0 to 1.
    pub score: f64,
}

/// Fewer links are no list.
const FEWEST: usize = 2;
/// Lists that are told of a page.
const MOST: usize = 8;

/// The lists of links of a page, the one that looks most like articles first.
pub fn candidates(dom: &Dom, url: &Url) -> Vec<Candidate> {
    let all = links(dom, url);
    let own = key(url);
    let mut groups: IndexMap<String, Vec<&Link<'_>>> = IndexMap::new();
    for link in all.iter().filter(|link| link.url.host() == url.host() && key(&link.url) != own) {
        groups.entry(signature(link)).or_default().push(link);
    }
    let mut found: Vec<(Candidate, &Link<'_>)> = groups.values().filter_map(|group| candidate(url, group)).collect();
    found.sort_by(|(one, _), (other, _)| other.score.total_cmp(&one.score));
    // Each selector is tried on the whole page, and a page may have thousands of lists.
    let named = found.into_iter().take(MOST).map(|(one, link)| {
        let wanted = one.urls.iter().map(key).collect();
        Candidate { selectors: exact(dom, url, link, &wanted), ..one }
    });
    named.filter(|one| !one.selectors.is_empty()).collect()
}

/// The links of a page that a chain finds: those of the first selector that finds any.
pub fn found_by(chain: &[Pick], dom: &Dom, url: &Url) -> Vec<Url> {
    let base = base_of(dom, url);
    let of = |pick: &Pick| {
        let mut seen = BTreeSet::new();
        let joined = pick.values(dom).into_iter().filter_map(|value| crate::address::join(&base, &value));
        joined.filter(|url| seen.insert(key(url))).collect::<Vec<Url>>()
    };
    chain.iter().map(of).find(|urls| !urls.is_empty()).unwrap_or_default()
}

/// What links of one list have in common: what they stand in, near by, and whether that frames the page.
fn signature(link: &Link<'_>) -> String {
    let above = link.node.ancestors_it(Some(3)).filter(|node| node.is_element()).map(|node| step(&node));
    let whole = std::iter::once(step(&link.node)).chain(above).collect::<Vec<_>>().join("<");
    format!("{}{whole}", if link.is_frame { "frame:" } else { "" })
}

/// A list without its selectors, and the link by which they are found.
fn candidate<'a, 'b>(url: &Url, group: &[&'a Link<'b>]) -> Option<(Candidate, &'a Link<'b>)> {
    let mut seen = BTreeSet::new();
    let urls: Vec<Url> = group.iter().map(|link| link.url.clone()).filter(|url| seen.insert(key(url))).collect();
    if urls.len() < FEWEST {
        return None;
    }
    let words = group.iter().map(|link| link.text.split_whitespace().count()).sum::<usize>();
    let words = share(words, group.len());
    let numbers = group.iter().filter(|link| link.text.chars().all(|letter| !letter.is_alphabetic())).count();
    let frames = group.iter().filter(|link| link.is_frame).count();
    let in_heading = group.iter().filter(|link| is_heading(link)).count();
    let deeper = urls.iter().filter(|found| depth(found) > depth(url)).count();
    let many = share(urls.len().min(10), 10) / 2.0 + share(urls.len().min(100), 100) / 2.0;
    let score = 0.35 * (words / 6.0).min(1.0)
        + 0.2 * (1.0 - share(frames, group.len()))
        + 0.15 * share(in_heading, group.len())
        + 0.1 * share(deeper, urls.len())
        + 0.2 * many;
    let score = score * (1.0 - share(numbers, group.len())) * (1.0 - 0.6 * share(frames, group.len()));
    Some((Candidate { selectors: Vec::new(), urls, words, score: (score * 100.0).round() / 100.0 }, group.first()?))
}

fn is_heading(link: &Link<'_>) -> bool {
    let is_one = |name: String| matches!(name.as_str(), "h1" | "h2" | "h3" | "h4");
    link.node.ancestors_it(Some(2)).any(|node| is_one(name_of(&node)))
}

fn depth(url: &Url) -> usize {
    url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).count()
}

/// Selectors that find all of these links and no others, the shortest first; else the one that finds the fewest others.
fn exact(dom: &Dom, url: &Url, link: &Link<'_>, wanted: &BTreeSet<String>) -> Vec<Pick> {
    let picks: Vec<Pick> = selectors(&link.node)
        .into_iter()
        .filter(|one| !one.starts_with("#") || one.contains(' '))
        .map(|one| Pick::of(one, "href"))
        .collect();
    let mut nearly: Option<(usize, &Pick)> = None;
    let mut exact = Vec::new();
    for pick in &picks {
        let found: BTreeSet<String> = found_by(std::slice::from_ref(pick), dom, url).iter().map(key).collect();
        if found == *wanted {
            exact.push(pick.clone());
        } else if found.is_superset(wanted) && nearly.is_none_or(|(size, _)| found.len() < size) {
            nearly = Some((found.len(), pick));
        }
    }
    // The name alone would find whatever else a later page has.
    let says_more = |pick: &Pick| pick.selector.contains(['.', '#', ' ']);
    if exact.iter().any(says_more) {
        exact.retain(says_more);
    }
    if exact.is_empty() {
        exact.extend(nearly.map(|(_, pick)| pick.clone()));
    }
    exact.truncate(3);
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let items: String = (1..=6)
            .map(|n| format!("<li class='post odd'><h3><a class=read href='/news/story-{n}'>A story about number {n}</a></h3><a href='/tag/{n}'>tag</a></li>"))
            .collect();
        format!(
            "<nav><a href=/>Home</a><a href=/news>News of the whole wide world of cats</a><a href=/about>About</a></nav>\
             <main><ul class=posts>{items}</ul><div class=pagination><a href='?page=2'>2</a><a href='?page=3'>3</a></div></main>\
             <footer><a href=/imprint>Imprint</a><a href=/privacy>Privacy</a></footer>"
        )
    }

    #[test]
    fn the_list_of_articles_is_told_from_menus_tags_and_numbers() {
        let (dom, url) = (Dom::parse(&page()), Url::parse("https://a.org/news").unwrap());
        let found = candidates(&dom, &url);
        assert_eq!(found[0].urls.len(), 6);
        assert_eq!(found[0].urls[0].as_str(), "https://a.org/news/story-1");
        assert!(found[0].score > 0.6 && found[1].score < 0.5, "{found:#?}");
        let texts: Vec<String> = found[0].selectors.iter().map(Pick::to_string).collect();
        assert_eq!(texts[0], "a.read@href", "{texts:?}");
        for chain in &found[0].selectors {
            assert_eq!(found_by(std::slice::from_ref(chain), &dom, &url), found[0].urls);
        }
    }

    #[test]
    fn a_page_without_a_list_has_none() {
        let url = Url::parse("https://a.org/").unwrap();
        for page in ["", "<p>Words", "<a href=/x>One</a>", "<a href=https://b.org/1>b</a><a href=https://b.org/2>c</a>"]
        {
            assert_eq!(candidates(&Dom::parse(page), &url), [], "{page}");
        }
    }

    #[test]
    fn where_nothing_has_a_name_the_place_is_the_selector() {
        let items: String =
            (1..=4).map(|n| format!("<tr><td><a href='{n}.html'>Chapter {n} of it</a></td><td>x</td></tr>")).collect();
        let dom = Dom::parse(&format!("<p><a href=top.html>Up</a></p><table>{items}</table>"));
        let found = candidates(&dom, &Url::parse("https://a.org/doc/index.html").unwrap());
        assert_eq!((found.len(), found[0].urls.len()), (1, 4));
        assert_eq!(found[0].selectors[0].to_string(), "td a@href");
    }
}
