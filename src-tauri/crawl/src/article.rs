//! Articles: whether a page is one, and by which selectors its properties are found.

use std::collections::HashMap;

use serde::Serialize;

use crate::html::{Dom, Node, NodeId, Pick, attribute, name_of, one_line, prose_of, text_of};
use crate::links::{placed, selectors};
use crate::measure::{Measured, Property, chain};
use crate::proposal::{Declined, extended};

/// Characters of running text that an article has at least.
const LEAST_TEXT: usize = 200;
/// Pages on which selectors are looked for.
const LOOKED_AT: usize = 12;

/// What is known about a property: its selectors, the best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Known {
    /// The property.
    pub property: Property,
    /// Selectors that work, as they were measured; none: no page says it.
    pub chain: Vec<Measured>,
    /// Proposals that are not among them.
    pub declined: Vec<Declined>,
}

/// Whether a page is an article: it has running text in one place, and more of it than of links.
pub fn is_article(dom: &Dom) -> bool {
    let Some(text) = main_text(dom) else {
        return false;
    };
    let chars = text_of(&text).chars().count();
    let in_links: usize =
        text.descendants_it().filter(|node| node.has_name("a")).map(|a| text_of(&a).chars().count()).sum();
    let has_title = !dom.each("h1, h2").is_empty() || !dom.title().is_empty();
    has_title && chars >= LEAST_TEXT && in_links * 2 < chars
}

/// The selectors of all properties, measured on pages of articles. What a model or a person proposes is taken where it
/// is better than what is found here.
pub fn known(pages: &[&Dom], proposed: &[(Property, Pick)]) -> Vec<Known> {
    let of = |property: Property| {
        // Pages of all kinds that there may be, which often stand side by side.
        let every = pages.len().div_ceil(LOOKED_AT).max(1);
        let found: Vec<Pick> = pages.iter().step_by(every).flat_map(|dom| proposals(property, dom)).collect();
        let mut theirs: Vec<Pick> = Vec::new();
        for (_, pick) in proposed.iter().filter(|(wanted, pick)| *wanted == property && !found.contains(pick)) {
            if !theirs.contains(pick) {
                theirs.push(pick.clone());
            }
        }
        let (chain, declined) = extended(property, chain(property, found, pages), theirs, pages);
        Known { property, chain, declined }
    };
    Property::ALL.into_iter().map(of).collect()
}

/// Selectors by which a property may be found on a page, the most telling first: what the page says to programs, what
/// it names, and where it stands.
fn proposals(property: Property, dom: &Dom) -> Vec<Pick> {
    let named: &[&str] = match property {
        Property::Title => {
            &["[itemprop=headline]", "article h1", "h1", "meta[property='og:title']@content", "article h2"]
        }
        Property::Date => &[
            "meta[property='article:published_time']@content",
            "[itemprop=datePublished]@datetime",
            "[itemprop=datePublished]@content",
            "[itemprop=datePublished]",
            "article time@datetime",
            "time@datetime",
            "article time",
            "time",
            "meta[name=date]@content",
            ".published",
            ".date",
        ],
        Property::Author => &[
            "meta[name=author]@content",
            "[itemprop=author] [itemprop=name]",
            "[itemprop=author]",
            "[rel=author]",
            ".author",
            ".byline",
            ".by",
        ],
        Property::Body => &["[itemprop=articleBody]"],
    };
    let mut picks: Vec<Pick> =
        named.iter().filter_map(|text| text.parse().ok()).filter(|pick: &Pick| !pick.values(dom).is_empty()).collect();
    let nodes: Vec<Node<'_>> = match property {
        Property::Body => main_text(dom).into_iter().collect(),
        Property::Title => titles(dom),
        Property::Date => days(dom),
        Property::Author => bylines(dom),
    };
    // A selector that finds something else first is none of an element.
    let finds = |node: &Node<'_>, pick: &Pick| {
        let text = if property == Property::Body { prose_of(node) } else { text_of(node) };
        let wanted = property.read(&text);
        wanted.is_some() && property.value(pick, dom) == wanted
    };
    for node in &nodes {
        picks.extend(ways(node).into_iter().map(Pick::text).filter(|pick| finds(node, pick)));
    }
    // A place says nothing of what stands there: on pages of another kind that is something else.
    if picks.is_empty() {
        let placed = nodes.iter().filter_map(|node| Some((node, Pick::text(placed(node)?))));
        picks.extend(placed.filter(|(node, pick)| finds(node, pick)).map(|(_, pick)| pick).take(1));
    }
    if picks.is_empty() && property == Property::Title {
        picks.push(Pick::text("title"));
    }
    picks
}

/// Selectors of one element of a page, those that name it first.
fn ways(node: &Node<'_>) -> Vec<String> {
    selectors(node)
        .into_iter()
        .filter(|way| !["div", "span", "p", "section", "a", "td"].contains(&way.as_str()))
        .collect()
}

/// Parts of a text that are looked at.
const MOST_PARAGRAPHS: usize = 2_000;

/// The smallest element that has most of the running text of a page.
fn main_text(dom: &Dom) -> Option<Node<'_>> {
    let told = told(dom);
    let is_enough = |node: &Node<'_>| text_of(node).chars().count() >= LEAST_TEXT;
    if told.as_ref().is_some_and(is_enough) { told } else { untold(dom).or(told) }
}

/// The smallest element that has most of the text that a page calls one.
fn told(dom: &Dom) -> Option<Node<'_>> {
    let mut held = Held::default();
    for paragraph in dom.each("p, pre, blockquote").into_iter().take(MOST_PARAGRAPHS) {
        let above = paragraph.ancestors(None);
        // What stands in another one is counted there.
        let is_inner = |node: &Node<'_>| matches!(name_of(node).as_str(), "pre" | "blockquote");
        if above.iter().any(|node| is_frame(node) || is_inner(node)) {
            continue;
        }
        held.add(text_of(&paragraph).chars().count(), above);
    }
    held.most()
}

/// The smallest element that has most of the text that stands in a page without being called one, in cells, entries and
/// lines, as old pages have it. Where each few lines have a link, they are a list.
fn untold(dom: &Dom) -> Option<Node<'_>> {
    /// Characters of a line; fewer are a label.
    const LEAST_LINE: usize = 20;
    const LEAST_BETWEEN: usize = 300;
    const FEW_LINKS: usize = 3;
    let mut held = Held::default();
    for node in
        dom.each("body, div, section, article, main, center, td, li, dd, font, span").into_iter().take(MOST_PARAGRAPHS)
    {
        let above = node.ancestors(None);
        let texts = node.children_it(false).filter(Node::is_text);
        let chars: usize = texts.map(|text| one_line(&text.text()).chars().count()).sum();
        let is_aside = |node: &Node<'_>| is_frame(node) || node.has_name("a");
        if chars >= LEAST_LINE && !is_frame(&node) && !above.iter().any(is_aside) {
            held.add(chars, above.into_iter().chain([node]));
        }
    }
    let text = held.most()?;
    let links = text.descendants_it().filter(|node| node.has_name("a")).take(MOST_PARAGRAPHS).count();
    let is_list = links >= FEW_LINKS && text_of(&text).chars().count() < links * LEAST_BETWEEN;
    (!is_list).then_some(text)
}

/// How much text stands in which elements.
#[derive(Default)]
struct Held<'a> {
    by: HashMap<NodeId, (usize, Node<'a>)>,
    total: usize,
}

impl<'a> Held<'a> {
    /// Adds text to all elements that have it.
    fn add(&mut self, chars: usize, nodes: impl IntoIterator<Item = Node<'a>>) {
        self.total += chars;
        for node in nodes.into_iter().filter(Node::is_element) {
            self.by.entry(node.id).or_insert((0, node)).0 += chars;
        }
    }

    /// The smallest element that has most of it.
    fn most(self) -> Option<Node<'a>> {
        let most = self.by.into_values().filter(|(chars, _)| *chars > 0 && chars * 5 >= self.total * 3);
        // Those that have so much lie in one another.
        most.max_by_key(|(_, node)| node.ancestors_it(None).count()).map(|(_, node)| node)
    }
}

pub(crate) fn is_frame(node: &Node<'_>) -> bool {
    matches!(name_of(node).as_str(), "nav" | "footer" | "aside" | "form")
}

/// Headings, and elements that are called a title, whose text stands in the title of the page; where there are none, what
/// is written in bold or big letters.
fn titles<'a>(dom: &'a Dom) -> Vec<Node<'a>> {
    /// Characters of the title of a page.
    const MOST_TITLE: usize = 1_000;
    let whole = dom.title().chars().take(MOST_TITLE).collect::<String>().to_lowercase();
    let is_in = |node: &Node<'_>| {
        let text = text_of(node).to_lowercase();
        text.chars().count() > 3 && whole.contains(&text)
    };
    let named = dom.each("h1, h2, h3, [class*=title], [class*=headline]").into_iter().filter(is_in);
    let named: Vec<Node<'_>> = named.take(4).collect();
    if !named.is_empty() {
        return named;
    }
    let bold = dom.each("h4, h5, h6, b, strong, big, font, center, caption").into_iter().take(3_000);
    bold.filter(|node| is_small(node) && is_in(node)).take(4).collect()
}

/// Small elements whose text is a day.
fn days<'a>(dom: &'a Dom) -> Vec<Node<'a>> {
    let small = dom.each("time, span, p, div, td, li, small, em, i, b").into_iter().take(3_000);
    small.filter(|node| is_small(node) && Property::Date.read(&text_of(node)).is_some()).take(3).collect()
}

/// Small elements that are called, or begin, like the name of an author.
fn bylines<'a>(dom: &'a Dom) -> Vec<Node<'a>> {
    let is_one = |node: &Node<'_>| {
        let text = text_of(node);
        let class = attribute(node, "class").unwrap_or_default().to_lowercase();
        text.starts_with("By ") || text.starts_with("by ") || class.contains("author") || class.contains("byline")
    };
    let small = dom.each("span, p, div, a, address, small, em").into_iter().take(3_000).filter(is_small);
    small.filter(is_one).take(3).collect()
}

fn is_small(node: &Node<'_>) -> bool {
    node.descendants_it().take(8).count() < 8 && text_of(node).chars().count() <= 80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(n: u32) -> Dom {
        let text = "It was said at length, and in whole sentences, what there is to say. ".repeat(3);
        Dom::parse(&format!(
            "<title>Story {n} - The Site</title><h1>The Site</h1><div id=main><div class=head><h2>Story {n}</h2>\
             <span class=when>{n}. May 2024</span> <span class=who>By Ann Lee</span></div>\
             <div class=text><p>{n} {text}</p><p>{text}</p></div></div><footer><p>{text}{text}{text}</p></footer>"
        ))
    }

    #[test]
    fn without_a_word_to_programs_properties_are_found_where_they_stand() {
        let pages: Vec<Dom> = (1..=4).map(plain).collect();
        let pages: Vec<&Dom> = pages.iter().collect();
        assert!(pages.iter().all(|dom| is_article(dom)));
        let known = known(&pages, &[]);
        let best: Vec<(Property, String, f64)> = known
            .iter()
            .map(|known| (known.property, known.chain[0].selector.to_string(), known.chain[0].success_rate))
            .collect();
        let expected = [
            (Property::Title, "h2", 1.0),
            (Property::Date, "span.when", 1.0),
            (Property::Author, "span.who", 1.0),
            (Property::Body, "div.text", 1.0),
        ];
        assert_eq!(best, expected.map(|(property, text, rate)| (property, text.to_owned(), rate)));
    }

    #[test]
    fn what_a_page_says_to_programs_comes_first_and_proposals_are_measured() {
        let page = |n: u32| {
            let text = "Words in a row, as they are written for readers. ".repeat(6);
            Dom::parse(&format!(
                "<meta name=author content='Bo Ek'><article><h1>T {n}</h1><time datetime=2024-01-0{n}>then</time>\
                 <div itemprop=articleBody><p>{n}{text}</p></div><i class=q>x</i></article>"
            ))
        };
        let pages = [page(1), page(2)];
        let pages: Vec<&Dom> = pages.iter().collect();
        let proposed = [(Property::Title, Pick::text("i.q")), (Property::Title, Pick::text("article > h1"))];
        let known = known(&pages, &proposed);
        let texts = |at: usize| -> Vec<String> { known[at].chain.iter().map(|one| one.selector.to_string()).collect() };
        assert!(
            texts(0).contains(&"article > h1".to_owned()) && !texts(0).contains(&"i.q".to_owned()),
            "{:?}",
            texts(0)
        );
        assert_eq!(
            (texts(1)[0].as_str(), texts(2)[0].as_str()),
            ("article time@datetime", "meta[name=author]@content")
        );
        assert_eq!(texts(3)[0], "[itemprop=articleBody]");
    }

    #[test]
    fn text_that_stands_in_cells_lines_and_entries_is_an_article() {
        let line = "It was said at length, and in whole sentences, what there is to say. ";
        let menu = "<td><a href=/>Home</a><br><a href=/old>Old</a></td>";
        for (page, body) in [
            (
                format!("<table><tr>{menu}<td class=text>{line}<br><br>{line}{line}<b>No</b>{line}</td></table>"),
                "td.text",
            ),
            (format!("<table><tr>{menu}<td><font class=t>{line}<br>{line}{line}{line}</font></td></table>"), "font.t"),
            (format!("<ul class=steps><li>{line}<li>{line}<li>{line}<li>{line}</ul>"), "ul.steps"),
            (format!("<div id=text><div>{line}{line}</div><div>{line}{line}</div></div>"), "#text"),
        ] {
            let dom = Dom::parse(&format!("<title>Story</title>{page}"));
            assert!(is_article(&dom), "{page}");
            let known = known(&[&dom], &[]);
            let body_of = known.iter().find(|known| known.property == Property::Body).unwrap();
            assert_eq!(body_of.chain[0].selector.to_string(), body, "{page}");
        }
    }

    #[test]
    fn where_nothing_has_a_name_or_a_class_places_are_found() {
        let line = "It was said at length, and in whole sentences, what there is to say. ".repeat(4);
        let page = |n: u32, bold: &str| {
            Dom::parse(&format!(
                "<title>Story {n}</title><table><tr><td><a href=/>Home</a></td><td>{bold}</td></tr>\
                 <tr><td>{n} May 2024</td><td>{n}. {line}</td></tr></table>"
            ))
        };
        let best = |pages: [Dom; 2]| {
            let known = known(&pages.iter().collect::<Vec<_>>(), &[]);
            let of = |property| known.iter().find(|known| known.property == property).unwrap().chain[0].clone();
            let told = [Property::Title, Property::Date, Property::Body].map(of);
            assert!(told.iter().all(|one| one.success_rate == 1.0), "{told:?}");
            told.map(|one| one.selector.to_string())
        };
        let [title, date, body] = best([page(1, "<b>Story 1</b>"), page(2, "<b>Story 2</b>")]);
        let cell = |row: u32, column: u32| {
            format!("body > table:nth-of-type(1) tr:nth-of-type({row}) > td:nth-of-type({column})")
        };
        assert_eq!((title.as_str(), date, body), ("b", cell(2, 1), cell(2, 2)));
        assert_eq!(best([page(1, "x"), page(2, "x")])[0], "title", "what a browser shows of a page without a heading");
    }

    #[test]
    fn lists_and_empty_pages_are_no_articles() {
        let links: String = (0..30).map(|n| format!("<p><a href=/{n}>A link with words in it {n}</a></p>")).collect();
        let teaser = "What the story is about is told here in a few words, and more of it on its page.";
        let of = |open: &str, close: &str| -> String {
            (0..10).map(|n| format!("{open}<a href=/{n}>Story {n}</a>{close}")).collect()
        };
        let entries = of("<li>", &format!("<br>{teaser}</li>"));
        let cells = of("<tr><td>", &format!("</td><td>{teaser} {teaser}</td></tr>"));
        let boxes = of("<div><h2>", &format!("</h2><div>{teaser}</div></div>"));
        for page in [
            "",
            "<title>x</title><p>short",
            &format!("<title>x</title><main>{links}</main>"),
            &format!("<title>x</title><ul>{entries}</ul>"),
            &format!("<title>x</title><table>{cells}</table>"),
            &format!("<title>x</title>{boxes}"),
        ] {
            assert!(!is_article(&Dom::parse(page)), "{page:.60}");
        }
    }
}
