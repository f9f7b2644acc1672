//! Where a page leads, and how its elements are named by selectors.

use std::collections::HashMap;

use url::Url;

use crate::address::join;
use crate::html::{Dom, Node, NodeId, attribute, name_of, text_of};

/// Links that are read of a page.
pub const MOST_LINKS: usize = 5_000;

/// Classes of an element that are looked at.
const MOST_CLASSES: usize = 40;

/// A link of a page.
#[derive(Clone)]
pub struct Link<'a> {
    /// The element.
    pub node: Node<'a>,
    /// Where it leads.
    pub url: Url,
    /// What is read of it.
    pub text: String,
    /// Whether it stands in what frames a page: menus, heads, feet, margins.
    pub is_frame: bool,
}

/// The address that the links of a page are relative to.
pub fn base_of(dom: &Dom, url: &Url) -> Url {
    let base = dom.first("base[href]").and_then(|base| join(url, &attribute(&base, "href")?));
    base.unwrap_or_else(|| url.clone())
}

/// The address by which a page wants to be known.
pub fn canonical(dom: &Dom, url: &Url) -> Option<Url> {
    let link = dom.first("link[rel=canonical][href]")?;
    join(&base_of(dom, url), &attribute(&link, "href")?)
}

/// The links of a page.
pub fn links<'a>(dom: &'a Dom, url: &Url) -> Vec<Link<'a>> {
    let base = base_of(dom, url);
    let found = dom.each("a[href]").into_iter().take(MOST_LINKS);
    let mut frames = HashMap::new();
    let link = |node: Node<'a>| {
        let url = join(&base, &attribute(&node, "href")?)?;
        Some(Link { node, url, text: text_of(&node), is_frame: is_in_frame(&node, &mut frames) })
    };
    found.filter_map(link).collect()
}

/// Whether an element stands in what frames a page. Of elements above it is kept whether they or what they stand in do: they
/// may say much of themselves, and all links of a page may stand below them.
pub(crate) fn is_in_frame(node: &Node<'_>, known: &mut HashMap<NodeId, bool>) -> bool {
    let (mut open, mut is_in) = (Vec::new(), false);
    for above in node.ancestors_it(None) {
        if let Some(known) = known.get(&above.id) {
            is_in = *known;
            break;
        }
        open.push(above);
    }
    for above in open.into_iter().rev() {
        is_in = is_in || is_frame(&above);
        known.insert(above.id, is_in);
    }
    is_in
}

fn is_frame(node: &Node<'_>) -> bool {
    const WORDS: [&str; 10] =
        ["nav", "menu", "sidebar", "footer", "breadcrumb", "pagination", "pager", "share", "social", "related"];
    let name = name_of(node);
    // The head of an article is none of a page.
    let is_frame = matches!(name.as_str(), "nav" | "footer" | "aside")
        || (name == "header" && !node.ancestors_it(None).any(|above| above.has_name("article")));
    let class = attribute(node, "class").unwrap_or_default().to_lowercase();
    let mut parts = class.split_whitespace().take(MOST_CLASSES).flat_map(|class| class.split(['-', '_']));
    is_frame || (name != "body" && parts.any(|part| WORDS.contains(&part)))
}

/// An element as a step of a selector: its name with the classes that are likely to stay.
pub(crate) fn step(node: &Node<'_>) -> String {
    let classes = attribute(node, "class").unwrap_or_default();
    let stays = classes.split_whitespace().take(MOST_CLASSES).filter(|class| is_stable(class)).take(2);
    stays.fold(name_of(node), |step, class| step + "." + class)
}

/// The id of an element as a selector, where it is likely to stay.
pub(crate) fn id_step(node: &Node<'_>) -> Option<String> {
    let id = attribute(node, "id").filter(|id| is_stable(id))?;
    Some(format!("#{id}"))
}

/// Whether a class or id says what something is, and not how it is at the moment or how a program has numbered it.
fn is_stable(name: &str) -> bool {
    const STATES: [&str; 14] = [
        "active", "current", "selected", "first", "last", "odd", "even", "open", "closed", "hidden", "visible", "new",
        "hover", "clearfix",
    ];
    let is_plain = name.len() <= 40
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    let is_state = |part: &str| STATES.contains(&part) || part == "is" || part == "has" || part == "js";
    // `css-1x2y3z`, `post-4711`, `Card_title__3Fk2p`: the next build or the next page has another.
    let is_number = |part: &str| part.bytes().filter(u8::is_ascii_digit).count() >= 2;
    is_plain && !name.split(['-', '_']).next().is_some_and(is_state) && !name.split(['-', '_']).any(is_number)
}

/// Selectors of an element from the shortest to the most exact, by up to four elements above it. Those that say nothing
/// (a `div` without a class) are passed over.
pub(crate) fn selectors(node: &Node<'_>) -> Vec<String> {
    const PLAIN: [&str; 8] = ["div", "span", "tbody", "body", "html", "p", "center", "font"];
    let mut path = step(node);
    let mut found = Vec::new();
    found.extend(id_step(node));
    found.push(path.clone());
    for above in node.ancestors_it(None) {
        let (step, id) = (step(&above), id_step(&above));
        if !above.is_element() || found.len() > 6 {
            break;
        }
        if let Some(id) = &id {
            found.push(format!("{id} {path}"));
        }
        if PLAIN.contains(&step.as_str()) {
            continue;
        }
        path = format!("{step} {path}");
        found.push(path.clone());
    }
    found
}

/// A selector of an element by its place below what has an id, or else below the body of the page.
pub(crate) fn placed(node: &Node<'_>) -> Option<String> {
    const DEEPEST: usize = 7;
    let (mut path, mut below) = (numbered(node), " > ");
    for above in node.ancestors_it(Some(DEEPEST)) {
        match name_of(&above).as_str() {
            "body" => return Some(format!("body{below}{path}")),
            // Some readers put one into each table, others do not.
            "tbody" => below = " ",
            _ => {
                if let Some(id) = id_step(&above) {
                    return Some(format!("{id}{below}{path}"));
                }
                path = format!("{}{below}{path}", numbered(&above));
                below = " > ";
            }
        }
    }
    None
}

/// An element by its number among those of its name beside it.
fn numbered(node: &Node<'_>) -> String {
    let name = name_of(node);
    let before = std::iter::successors(node.prev_sibling(), Node::prev_sibling).filter(|other| other.has_name(&name));
    format!("{name}:nth-of-type({})", before.count() + 1)
}

/// Those of its selectors that say more than the name of the element.
pub(crate) fn telling(node: &Node<'_>) -> Vec<String> {
    selectors(node).into_iter().filter(|one| one.contains(['.', '#', ' '])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_with_their_base_and_their_place() {
        let url = Url::parse("https://a.org/x/y").unwrap();
        let dom = Dom::parse(
            "<base href='/news/'><link rel=canonical href=z><nav><a href=1>Menu</a></nav>\
             <article><header><h2><a href='2#c'>Two  words</a></h2></header></article><div class='main-menu'><a href=3>x</a>\
             </div><a href='javascript:x()'>no</a><a href='mailto:x@y'>no</a><a>no</a>",
        );
        let found: Vec<(String, String, bool)> =
            links(&dom, &url).into_iter().map(|link| (link.url.to_string(), link.text, link.is_frame)).collect();
        let link = |path: &str, text: &str, is_frame| (format!("https://a.org/news/{path}"), text.to_owned(), is_frame);
        assert_eq!(found, [link("1", "Menu", true), link("2", "Two words", false), link("3", "x", true)]);
        assert_eq!(canonical(&dom, &url).map(String::from), Some("https://a.org/news/z".to_owned()));
    }

    #[test]
    fn selectors_name_what_stays() {
        let dom = Dom::parse(
            "<div id=list><ul class='items css-1x2y3z odd'><li class='item post-4711 is-open'><div><a class='t active'>x</a>",
        );
        let a = dom.first("a").unwrap();
        assert_eq!(selectors(&a), ["a.t", "li.item a.t", "ul.items li.item a.t", "#list ul.items li.item a.t"]);
    }

    #[test]
    fn a_place_names_what_has_no_name() {
        let dom =
            Dom::parse("<p>x</p><table><tr><td>1</td><td><b>2</b></td></tr></table><div id=in><i>3</i><i>4</i></div>");
        for (text, place) in [
            ("2", "body > table:nth-of-type(1) tr:nth-of-type(1) > td:nth-of-type(2) > b:nth-of-type(1)"),
            ("4", "#in > i:nth-of-type(2)"),
        ] {
            let node = dom.each("b, i").into_iter().find(|node| text_of(node) == text).unwrap();
            assert_eq!(placed(&node).as_deref(), Some(place));
            assert_eq!(dom.each(place).iter().map(text_of).collect::<Vec<_>>(), [text]);
        }
        let deep = Dom::parse(&format!("{}<b>x</b>", "<div>".repeat(20)));
        assert_eq!(placed(&deep.first("b").unwrap()), None);
    }

    #[test]
    fn of_a_billion_links_so_many_are_read() {
        let page: String = (0..20_000).map(|n| format!("<a href=/{n}>x</a>")).collect();
        assert_eq!(links(&Dom::parse(&page), &Url::parse("https://a.org/").unwrap()).len(), MOST_LINKS);
    }
}
