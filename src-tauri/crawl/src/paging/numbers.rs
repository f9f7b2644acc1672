//! Pages that have numbers, found by the links that show these.

use std::collections::{BTreeMap, VecDeque};

use url::Url;

use super::{PLACE, Paging};
use crate::html::Dom;
use crate::links::links;

/// Links with a number for a text that are looked at, and numbers of one address: a page may have thousands of both, and
/// each pair makes an address.
const MOST_NAMED: usize = 200;
const MOST_NUMBERS: usize = 8;

/// Pages with numbers, of several ways that which most links show.
pub(super) fn numbered(dom: &Dom, url: &Url) -> Option<Paging> {
    ways(dom, url).into_iter().max_by_key(|(links, _)| *links).map(|(_, paging)| paging)
}

/// Pages with numbers: links whose text is a number, and whose addresses differ in one number only; with how many links
/// show each.
pub(super) fn ways(dom: &Dom, url: &Url) -> Vec<(usize, Paging)> {
    let own = links(dom, url).into_iter().filter(|link| link.url.host() == url.host());
    let named: Vec<(u64, Url)> = own.filter_map(|link| Some((link.text.parse().ok()?, link.url))).collect();
    // They stand at the head of a page or at its end.
    let (last, mut found) = (named.len(), BTreeMap::<String, Vec<(u64, u64)>>::new());
    let ends = named.into_iter().enumerate().filter(|(at, _)| *at < MOST_NAMED / 2 || at + MOST_NAMED / 2 >= last);
    for (_, (shown, url)) in ends {
        for (template, number) in templates(&url) {
            found.entry(template).or_default().push((shown, number));
        }
    }
    let ways = found.into_iter().filter_map(|(template, mut pages)| {
        pages.sort_unstable();
        pages.dedup();
        // Equal steps of what is shown are equal steps of what is asked.
        let step = match pages.as_slice() {
            [(1, one), (shown, number), ..] | [(shown, number), (1, one)] if shown > &1 => {
                (number.checked_sub(*one)?).checked_div(shown - 1)?
            }
            [(shown, number), (other, next), ..] if other > shown => {
                next.checked_sub(*number)?.checked_div(other - shown)?
            }
            // The one page that is linked is the second: it begins with 2, or after as many entries as a page has.
            [(2, number)] => {
                if *number == 2 {
                    1
                } else {
                    *number
                }
            }
            _ => return None,
        };
        let (shown, number) = pages.first()?;
        let first = number.checked_sub(step.checked_mul(shown.checked_sub(1)?)?)?;
        let fits = |(shown, number): &(u64, u64)| {
            step.checked_mul(shown - 1).and_then(|far| far.checked_add(first)) == Some(*number)
        };
        (step > 0 && pages.iter().all(|page| page.0 > 0 && fits(page)))
            .then_some((pages.len(), Paging::Numbered { template, first, step }))
    });
    ways.collect()
}

/// An address with each of its last numbers taken out once.
fn templates(url: &Url) -> Vec<(String, u64)> {
    // What was in the address already must not be taken for the place.
    let text = url.as_str().replace(PLACE, "%7B%7D");
    let start =
        text.find("://").and_then(|at| text.get(at + 3..)?.find('/').map(|slash| at + 3 + slash)).unwrap_or(text.len());
    let bytes = text.as_bytes();
    let (mut found, mut at) = (VecDeque::new(), start);
    while at < bytes.len() {
        let length = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + length..).unwrap_or_default());
        let is_escape = before.ends_with('%')
            || before.get(before.len().saturating_sub(2)..).is_some_and(|end| end.starts_with('%'));
        if let Some(Ok(number)) = text.get(at..at + length).map(str::parse)
            && !is_escape
        {
            found.push_back((before, after, number));
            if found.len() > MOST_NUMBERS {
                found.pop_front();
            }
        }
        at += length;
    }
    found.into_iter().map(|(before, after, number)| (format!("{before}{PLACE}{after}"), number)).collect()
}
