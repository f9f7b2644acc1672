//! Where a page says that its list goes on although nobody follows it there, and signs that only a script can.

use std::collections::BTreeSet;

use url::Url;

use super::{Paging, is_day, lead, load_more, next_page, numbers, says_next};
use crate::address::key;
use crate::html::{Dom, Node, attribute, one_line};
use crate::links::links;

/// Buttons and links that are looked at.
const MOST_LOOKED_AT: usize = 20_000;

/// Addresses at which a page says that its list goes on: its next page, the second of its numbered pages, and what its
/// button loads.
pub(crate) fn elsewhere(dom: &Dom, url: &Url) -> Vec<Url> {
    let linked: BTreeSet<String> = links(dom, url).iter().map(|link| key(&link.url)).collect();
    let second = numbers::ways(dom, url).into_iter().filter_map(|(_, way)| {
        let Paging::Numbered { first, step, .. } = &way else { return None };
        way.at(&first.checked_add(*step)?.to_string())
    });
    // A calendar numbers its days, and what years make of numbers is no page.
    let second = second.filter(|second| linked.contains(&key(second)) && !is_day(second));
    let loaded = load_more(dom).and_then(|pick| lead(&pick, dom, url));
    let all = next_page(dom, url).into_iter().chain(second).chain(loaded);
    all.filter(|to| key(to) != key(url)).collect()
}

/// Whether a page shows that its list goes on, in a way that only a script goes: a button that loads more, or pages whose
/// numbers lead nowhere.
pub(crate) fn needs_script(dom: &Dom) -> bool {
    let mut shows_more = 0;
    for node in dom.each("button, a, input[type=button], [role=button]").into_iter().take(MOST_LOOKED_AT) {
        if is_off(&node) {
            continue;
        }
        let label = label(&node);
        match asks_for_more(&label) {
            Some(Asks::ToLoad) => return true,
            Some(Asks::ToShow) if !has_address(&node) => shows_more += 1,
            _ => {}
        }
        let leads_on = says_next(&label) || label.parse::<u64>().is_ok_and(|number| number > 1);
        if leads_on && !has_address(&node) && is_in_pager(&node) {
            return true;
        }
    }
    // Where there are several, each of them unfolds a text.
    shows_more == 1
}

/// What a button asks for.
enum Asks {
    /// More is loaded.
    ToLoad,
    /// More is shown: it may be of a list or of a text.
    ToShow,
}

fn asks_for_more(label: &str) -> Option<Asks> {
    const LOAD: [&str; 9] = ["load", "laden", "charger", "cargar", "carica", "carregar", "laad", "ladda", "fetch"];
    const SHOW: [&str; 10] =
        ["show", "view", "see", "anzeigen", "afficher", "voir", "ver", "mostrar", "mostra", "toon"];
    const MORE: [&str; 13] =
        ["more", "older", "mehr", "weitere", "ältere", "plus", "más", "mas", "altri", "altro", "mais", "meer", "fler"];
    let label = label.to_lowercase();
    let words: Vec<&str> =
        label.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    match words.len() <= 5 && has(&MORE) {
        true if has(&LOAD) => Some(Asks::ToLoad),
        true if has(&SHOW) => Some(Asks::ToShow),
        _ => None,
    }
}

/// What is read on a button, or what it says to those who cannot see it; nothing where it holds more than a few words.
fn label(node: &Node<'_>) -> String {
    const MOST_CHARS: usize = 60;
    let inside: Vec<Node<'_>> = node.descendants_it().take(12).collect();
    let read: String =
        inside.iter().filter(|inner| inner.is_text()).map(|inner| inner.text().to_string() + " ").collect();
    let read = if inside.len() < 12 { one_line(&read) } else { String::new() };
    let told = || attribute(node, "aria-label").or_else(|| attribute(node, "value")).unwrap_or_default();
    let label = if read.is_empty() { told() } else { read };
    if label.chars().count() <= MOST_CHARS { label } else { String::new() }
}

fn has_address(node: &Node<'_>) -> bool {
    let href = attribute(node, "href").filter(|_| node.has_name("a"));
    href.is_some_and(|href| !href.starts_with('#') && !href.to_lowercase().starts_with("javascript:"))
}

/// Whether an element is shown as one that does nothing, or not at all.
fn is_off(node: &Node<'_>) -> bool {
    let is_true = |name: &str| attribute(node, name).is_some_and(|value| value == "true");
    let style = attribute(node, "style").unwrap_or_default().replace(' ', "");
    node.has_attr("disabled")
        || node.has_attr("hidden")
        || is_true("aria-disabled")
        || is_true("aria-hidden")
        || style.contains("display:none")
        || has_part(node, &["disabled", "hidden"])
}

/// Whether an element stands among the pages of a list, and none that holds it is off.
fn is_in_pager(node: &Node<'_>) -> bool {
    const PAGERS: [&str; 6] = ["pagination", "pager", "paginator", "paginate", "paging", "pages"];
    for above in node.ancestors_it(Some(6)).filter(Node::is_element) {
        if is_off(&above) {
            return false;
        }
        let told = attribute(&above, "aria-label").unwrap_or_default().to_lowercase();
        if has_part(&above, &PAGERS) || told.contains("pagina") {
            return true;
        }
    }
    false
}

/// Whether a class of an element has one of these words as a part.
fn has_part(node: &Node<'_>, words: &[&str]) -> bool {
    const MOST_CLASSES: usize = 40;
    let class = attribute(node, "class").unwrap_or_default();
    let mut parts = class.split_whitespace().take(MOST_CLASSES).flat_map(|class| class.split(['-', '_']));
    parts.any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
}
