//! Selectors of articles that somebody proposes beside those that code has found. They are measured like these, and taken
//! where they read what these do not; one that is not taken is told with the reason.

use serde::Serialize;

use crate::article::is_frame;
use crate::html::{Dom, Node, Pick, name_of};
use crate::measure::{LEAST_RATE, LEAST_UNIQUE, MOST_KEPT, Measured, Property, chain, is_of_the_site, measure, share};

/// A proposal that is not taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Declined {
    /// The selector.
    pub selector: Pick,
    /// Why not.
    pub reason: String,
}

impl Declined {
    /// It with its property, in a sentence.
    pub fn told(&self, property: Property) -> String {
        format!("{:?} is not taken for the {}: {}", self.selector.to_string(), property.name(), self.reason)
    }
}

/// Elements of a page that may be one value; a selector that finds more of them finds something else.
const MOST_OF_ONE: f64 = 2.0;

/// A chain of code's own with the proposals that make it better, and those that do not.
///
/// Where code's own reads most pages, a proposal is taken for pages on which that reads nothing, or beside it where both
/// read the same. Where it reads few, whichever reads more comes first.
pub(crate) fn extended(
    property: Property,
    own: Vec<Measured>,
    proposed: Vec<Pick>,
    pages: &[&Dom],
) -> (Vec<Measured>, Vec<Declined>) {
    let picks: Vec<Pick> = own.iter().map(|one| one.selector.clone()).collect();
    let values: Vec<Option<String>> = pages.iter().map(|dom| property.by_chain(&picks, dom)).collect();
    let is_strong = share(values.iter().flatten().count(), pages.len()) >= LEAST_RATE;
    let mut declined = Vec::new();
    let mut decline = |selector: &Pick, reason: String| declined.push(Declined { selector: selector.clone(), reason });
    let mut fit: Vec<Pick> = Vec::new();
    for pick in proposed {
        let measured = measure(property, &pick, pages);
        let doubt = doubt(property, &measured, pages).or_else(|| {
            let (both, same) = compared(property, &pick, pages, &values);
            (is_strong && same * 2 < both)
                .then(|| format!("on {} of {both} pages it reads something else than is found there", both - same))
        });
        match doubt {
            Some(reason) => decline(&pick, reason),
            None => fit.push(pick),
        }
    }
    if !is_strong {
        let whole = chain(property, picks.into_iter().chain(fit.iter().cloned()), pages);
        for pick in fit.iter().filter(|pick| whole.iter().all(|one| one.selector != **pick)) {
            decline(pick, "others read more".to_owned());
        }
        return (whole, declined);
    }
    let left: Vec<&Dom> = pages.iter().zip(&values).filter(|(_, value)| value.is_none()).map(|(dom, _)| *dom).collect();
    let (mut whole, room) = (own, MOST_KEPT / 2);
    // A selector of pages of one kind has to work on as many of all as one of code's own.
    let of_all = |one: &Measured| one.success_rate * share(left.len(), pages.len());
    let more = chain(property, fit.iter().cloned(), &left);
    let more: Vec<Pick> =
        more.into_iter().filter(|one| of_all(one) >= crate::measure::LEAST_OF_KIND).map(|one| one.selector).collect();
    for pick in fit {
        let is_more = more.contains(&pick) && whole.len() < MOST_KEPT;
        let measured = measure(property, &pick, pages);
        if is_more || (whole.len() < room && measured.success_rate >= LEAST_RATE) {
            whole.push(measured);
        } else {
            decline(&pick, "it reads nothing that is not read without it".to_owned());
        }
    }
    (whole, declined)
}

/// Pages on which both give a value, and those of them on which it is the same.
fn compared(property: Property, pick: &Pick, pages: &[&Dom], values: &[Option<String>]) -> (usize, usize) {
    let both = pages.iter().zip(values).filter_map(|(dom, own)| Some((property.value(pick, dom)?, own.as_ref()?)));
    both.fold((0, 0), |(both, same), (value, own)| (both + 1, same + usize::from(value == *own)))
}

/// Why what a selector reads is none of a property, whatever else is known.
fn doubt(property: Property, measured: &Measured, pages: &[&Dom]) -> Option<String> {
    let name = property.name();
    let is_text = matches!(property, Property::Title | Property::Body);
    if measured.success_rate == 0.0 {
        return Some(format!("it reads nothing there that can be the {name}"));
    }
    if is_of_the_site(measured) || (is_text && pages.len() > 1 && measured.uniqueness < LEAST_UNIQUE) {
        return Some("it reads the same on several pages".to_owned());
    }
    if property != Property::Body && measured.per_page > MOST_OF_ONE {
        return Some(format!("it finds {} elements a page", measured.per_page));
    }
    let Ok(selector) = measured.selector.compile() else { return None };
    let firsts = pages.iter().filter_map(|dom| dom.all(&selector).into_iter().next());
    let (mut all, mut framed, mut headings) = (0, 0, 0);
    for node in firsts {
        all += 1;
        framed += usize::from(is_frame(&node) || node.ancestors_it(None).any(|above| is_frame(&above)));
        headings += usize::from(is_heading(&node) || near(&node).any(|other| is_heading(&other)));
    }
    if framed * 2 > all {
        return Some("it stands in a menu, a foot, a margin or a form".to_owned());
    }
    (!is_text && headings * 2 > all).then(|| "it is a heading".to_owned())
}

fn near<'a>(node: &Node<'a>) -> impl Iterator<Item = Node<'a>> {
    node.ancestors_it(Some(3)).chain(node.descendants_it())
}

fn is_heading(node: &Node<'_>) -> bool {
    matches!(name_of(node).as_str(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

#[cfg(test)]
mod tests {
    use crate::article::known;
    use crate::html::{Dom, Pick};
    use crate::measure::Property;

    /// A page whose author stands in an element that says nothing, or in one that code knows.
    fn page(n: u32, byline: &str) -> Dom {
        let text = format!("Story {n} was told at length, in whole sentences, and to the end of it. ").repeat(4);
        Dom::parse(&format!(
            "<title>Story {n}</title><nav><i>Home</i></nav><article><h1>Story {n}</h1>{byline}<b>Share</b>\
             <u>Part {n}</u><time>{n} May 2024</time><div class=text><p>{text}</p></div></article>"
        ))
    }

    fn told(pages: &[Dom], selectors: &[&str]) -> (Vec<String>, Vec<(String, String)>) {
        let proposed: Vec<(Property, Pick)> =
            selectors.iter().map(|text| (Property::Author, text.parse().unwrap())).collect();
        let known = known(&pages.iter().collect::<Vec<_>>(), &proposed);
        let author = known.into_iter().find(|known| known.property == Property::Author).unwrap();
        let declined = author.declined.into_iter().map(|one| (one.selector.to_string(), one.reason));
        (author.chain.iter().map(|one| one.selector.to_string()).collect(), declined.collect())
    }

    #[test]
    fn a_proposal_is_taken_where_code_reads_nothing_and_garbage_is_not() {
        let quiet: Vec<Dom> = (1..=5).map(|n| page(n, &format!("<i class=q7>Ann {n}</i>"))).collect();
        let garbage = ["nav i", "h1", "b", "time", "div.text", "i.none"];
        let (chain, declined) = told(&quiet, &[&["i.q7"], &garbage[..]].concat());
        assert_eq!(chain, ["i.q7"]);
        let declined: Vec<(&str, &str)> =
            declined.iter().map(|(selector, reason)| (selector.as_str(), reason.as_str())).collect();
        let nothing = "it reads nothing there that can be the author";
        let expected = [
            ("nav i", "it reads the same on several pages"),
            ("h1", "it is a heading"),
            ("b", "it reads the same on several pages"),
            ("time", nothing),
            ("div.text", nothing),
            ("i.none", nothing),
        ];
        assert_eq!(declined, expected);
    }

    #[test]
    fn where_code_reads_most_pages_a_proposal_that_reads_otherwise_there_is_not_taken() {
        let of = |n: u32| {
            if n == 5 { format!("<i class=q7>Ann {n}</i>") } else { format!("<span class=by>By Bo {n}</span>") }
        };
        let pages: Vec<Dom> = (1..=5).map(|n| page(n, &of(n))).collect();
        let (alone, _) = told(&pages, &[]);
        assert_eq!(alone, [".by", "span.by", "article span.by"]);
        let (chain, declined) = told(&pages, &["u", "i.q7"]);
        assert_eq!(chain, [&alone[..], &["i.q7".to_owned()]].concat());
        let reason = "on 4 of 4 pages it reads something else than is found there";
        assert_eq!(declined, [("u".to_owned(), reason.to_owned())]);
    }

    #[test]
    fn where_code_reads_few_pages_what_reads_more_comes_first() {
        let of = |n: u32| {
            if n == 1 {
                "<span>By the way</span><i class=q7>Ann 1</i>".to_owned()
            } else {
                format!("<i class=q7>Ann {n}</i>")
            }
        };
        let pages: Vec<Dom> = (1..=5).map(|n| page(n, &of(n))).collect();
        let (alone, _) = told(&pages, &[]);
        assert_eq!(alone, ["article span"]);
        assert_eq!(told(&pages, &["i.q7"]).0, ["i.q7"]);
    }
}
