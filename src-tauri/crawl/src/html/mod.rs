//! A page as a tree of elements, and what is asked of it. Made within bounds of what anybody sent.

mod select;
mod tame;

use dom_query::{Document, NodeRef};

pub(crate) use dom_query::NodeId;

pub use select::{BadSelector, Pick, Selector};
use tame::Tamed;

/// Tags that are read of a page; what comes after them is left out.
pub const MOST_TAGS: usize = 60_000;

/// A page as a tree.
pub struct Dom {
    document: Document,
    /// Whether anything was left out because there was too much of it.
    pub was_cut: bool,
    /// Whether the page has more than [`MOST_TAGS`]: what comes after them was left out.
    pub has_more_tags: bool,
}

/// An element of a page.
pub type Node<'a> = NodeRef<'a>;

impl Dom {
    /// Reads a page. Nothing is an error: what is broken is read as browsers read it.
    pub fn parse(html: &str) -> Self {
        let Tamed { text, was_cut, has_more_tags } = tame::tame(html);
        Self { document: Document::from(text), was_cut, has_more_tags }
    }

    /// All elements that a selector matches, in the order of the page.
    pub fn all(&self, selector: &Selector) -> Vec<Node<'_>> {
        self.document.select_matcher(selector.matcher()).nodes().to_vec()
    }

    /// All elements that a selector of this program matches.
    pub(crate) fn each(&self, selector: &str) -> Vec<Node<'_>> {
        Selector::parse(selector).map(|selector| self.all(&selector)).unwrap_or_default()
    }

    /// The first element that a selector of this program matches.
    pub(crate) fn first(&self, selector: &str) -> Option<Node<'_>> {
        self.each(selector).into_iter().next()
    }

    /// The body, or all there is.
    pub fn body(&self) -> Node<'_> {
        self.document.body().unwrap_or_else(|| self.document.root())
    }

    /// The text of the title.
    pub fn title(&self) -> String {
        self.first("title").map(|title| text_of(&title)).unwrap_or_default()
    }
}

/// The name of an element in small letters; empty for what is none.
pub fn name_of(node: &Node<'_>) -> String {
    node.node_name().map(|name| name.to_string()).unwrap_or_default()
}

/// An attribute that is not empty.
pub fn attribute(node: &Node<'_>, name: &str) -> Option<String> {
    node.attr(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// What a reader sees of an element, with single spaces.
pub fn text_of(node: &Node<'_>) -> String {
    read(node, &UNSEEN)
}

/// What a reader reads of an article: its text without menus, feet, margins and forms that stand in it.
pub fn prose_of(node: &Node<'_>) -> String {
    read(node, &[&UNSEEN[..], &["nav", "footer", "aside", "form", "button"]].concat())
}

const UNSEEN: [&str; 4] = ["script", "style", "noscript", "template"];

fn read(node: &Node<'_>, without: &[&str]) -> String {
    let mut out = String::new();
    let mut hidden: Option<Node<'_>> = None;
    for node in std::iter::once(*node).chain(node.descendants_it()) {
        if let Some(above) = hidden {
            if node.ancestors_it(None).any(|ancestor| ancestor.id == above.id) {
                continue;
            }
            hidden = None;
        }
        if node.is_text() {
            out.push_str(&node.text());
        } else if without.iter().any(|name| node.has_name(name)) {
            hidden = Some(node);
        } else if is_block(&node) {
            out.push(' ');
        }
    }
    one_line(&out)
}

/// A text with single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_block(node: &Node<'_>) -> bool {
    const INLINE: [&str; 14] =
        ["a", "abbr", "b", "cite", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup"];
    node.is_element() && !INLINE.iter().any(|name| node.has_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_pages_are_read_as_browsers_read_them() {
        let dom =
            Dom::parse("<title>A  &amp;\nb</title><ul><li>One<li>Two <b>bold</ul></p><td>x<p>y<script>no</script>");
        let items: Vec<String> = dom.each("li").iter().map(text_of).collect();
        assert_eq!((dom.title().as_str(), items), ("A & b", vec!["One".to_owned(), "Two bold".to_owned()]));
        assert_eq!(text_of(&dom.body()), "One Two bold x y");
    }

    #[test]
    fn hostile_pages_are_read_in_bounded_time() {
        let begun = std::time::Instant::now();
        let pages = [
            "<div>".repeat(200_000),
            (0..50_000).map(|n| format!("<b id={n}><p>")).collect(),
            (0..60_000).map(|n| format!("<a href=/{n}>x")).collect(),
            "<table>".repeat(50_000),
            format!("<p {}>", (0..200_000).map(|n| format!("a{n} ")).collect::<String>()),
            "<select><option><svg><td>".repeat(20_000),
            "<".repeat(1_000_000),
            "<!--".repeat(300_000),
            format!("<script>{}", "x</".repeat(500_000)),
        ];
        for page in pages {
            let dom = Dom::parse(&page);
            drop(text_of(&dom.body()));
        }
        // Unbounded, any one of them takes minutes; a slow machine has room.
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    }

    #[test]
    fn hostile_pages_of_tags_that_nothing_ends_are_read_in_bounded_time() {
        let begun = std::time::Instant::now();
        // Each of their tags could go on to the end of the page.
        let long = "x".repeat(1_000_000);
        let pages = [
            "<a ".repeat(20_000) + &long,
            "<a<".repeat(20_000) + &long,
            "</ ".repeat(20_000) + &long,
            "<a b=\"x ".repeat(20_001) + &long,
            "<a b='\" c=\"' ".repeat(20_001) + &long,
            "<a ".repeat(20_000) + &long + "=\">",
            "<title>".to_owned() + &"<a ".repeat(20_000) + &long,
            format!("{}{}", " ".repeat(1_000_000), "<!doctype>".repeat(200_000)),
        ];
        for page in pages {
            let dom = Dom::parse(&page);
            drop(text_of(&dom.body()));
            // Where each is read to the end, each page takes minutes; a slow machine has room.
            assert!(begun.elapsed().as_secs() < 60, "{:?}, {page:.20}", begun.elapsed());
        }
    }
}
