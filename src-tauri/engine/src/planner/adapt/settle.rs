//! Which values of a saved plan are other ones in a new message, as far as code can tell.
//!
//! A value of the plan counts as one of its message's where that says it, or where the plan's contexts hold it. What else
//! stands in the plan was the planner's own, and stays.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use assent_core::discovery::is_stop_word;
use assent_core::plan::Plan;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::literal::{Literal, ValueKind, ending, literals};
use super::put::{is_said, leaves, said_in};
use super::{Replaced, Slot};
use crate::planner::forms::singular;

/// Values of a plan that are looked at.
const MOST_SLOTS: usize = 40;
/// Values of a message that may take the place of one.
const MOST_OFFERED: usize = 12;
/// Words that name something together.
const MOST_WORDS: usize = 4;
/// Words of a message that are compared.
const MOST_COMPARED: usize = 400;

/// A value of which code cannot tell what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) slot: Slot,
    /// A text of the plan that says it.
    pub(super) said_in: String,
    /// What the message offers.
    pub(super) offered: Vec<String>,
    /// What takes its place where nobody can be asked: the one at the same place of the message.
    pub(super) guess: Option<String>,
}

/// What is known of the values of a plan by a new message.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) replaced: Vec<Replaced>,
    pub(super) open: Vec<Open>,
}

/// The values of a plan that may be others for another message, in the order of its message.
pub(super) fn slots(plan: &Plan) -> Vec<Slot> {
    let told = leaves(plan.extracted_context.values());
    let given: Vec<String> = plan.steps.iter().flat_map(|step| leaves(step.input.context.values())).collect();
    let of_contexts = told.iter().chain(&given).flat_map(|text| literals(text));
    let of_contexts = of_contexts.filter(|one| matches!(one.kind, ValueKind::Url | ValueKind::Path | ValueKind::Id));
    let mut seen = HashSet::new();
    let all: Vec<Slot> = literals(&plan.user_message)
        .into_iter()
        .chain(of_contexts)
        .map(|one| Slot { kind: one.kind, value: one.text.to_owned() })
        .filter(|slot| seen.insert(slot.value.clone()))
        .take(MOST_SLOTS)
        .collect();
    let said = said_in(plan, &all);
    all.into_iter().zip(said).filter(|(_, said)| said.is_some()).map(|(slot, _)| slot).collect()
}

/// What takes the place of which value, for a new message.
pub(super) fn settle(plan: &Plan, message: &str) -> Settled {
    let (old, new) = (literals(&plan.user_message), literals(message));
    let slots: Vec<Slot> = slots(plan).into_iter().filter(|slot| !is_said(message, slot.kind, &slot.value)).collect();
    let mut settled = Settled::default();
    for kind in [ValueKind::Url, ValueKind::Path, ValueKind::Quoted, ValueKind::Id, ValueKind::Number] {
        let wanted: Vec<&Slot> = slots.iter().filter(|slot| slot.kind == kind).collect();
        let offered = offered(&new, kind, &plan.user_message);
        let messages = Messages { old: (&plan.user_message, &old), new: (message, &new) };
        of_kind(&wanted, &offered, &messages, &mut settled);
    }
    words(plan, message, (&old, &new), &mut settled);
    let open: Vec<Slot> = settled.open.iter().map(|open| open.slot.clone()).collect();
    for (open, said) in settled.open.iter_mut().zip(said_in(plan, &open)) {
        open.said_in = said.unwrap_or_default();
    }
    settled
}

/// The values of a kind that only the new message says.
fn offered<'t>(new: &[Literal<'t>], kind: ValueKind, before: &str) -> Vec<&'t str> {
    let mut seen = HashSet::new();
    let of_kind = new.iter().filter(|one| one.kind == kind && !is_said(before, kind, one.text));
    of_kind.map(|one| one.text).filter(|text| seen.insert(*text)).take(MOST_OFFERED).collect()
}

struct Messages<'t> {
    old: (&'t str, &'t [Literal<'t>]),
    new: (&'t str, &'t [Literal<'t>]),
}

impl Messages<'_> {
    /// Whether two values stand behind the same word, one in each message.
    fn agree(&self, from: &str, to: &str) -> bool {
        let (old, new) = (cue(self.old, from), cue(self.new, to));
        old.is_some() && old == new
    }
}

/// The word before a value in a message, in small letters.
fn cue((text, all): (&str, &[Literal<'_>]), value: &str) -> Option<String> {
    let at = all.iter().find(|one| one.text == value)?.at;
    let before = text[..at].trim_end_matches(|letter: char| !letter.is_alphanumeric());
    before
        .rsplit(|letter: char| !letter.is_alphanumeric())
        .next()
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty())
}

/// Values that could stand for each other: files of one ending, numbers that look alike.
fn class(kind: ValueKind, value: &str) -> String {
    match kind {
        ValueKind::Path => ending(value.rsplit('/').next().unwrap_or_default()).unwrap_or("/").to_lowercase(),
        // A year or a day is no count.
        ValueKind::Number if value.len() >= 4 => {
            value.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect()
        }
        _ => String::new(),
    }
}

/// Settles the values of one kind. One is certain where it has only one other to stand for it, or where as many of both
/// stand behind the same words.
fn of_kind(wanted: &[&Slot], offered: &[&str], messages: &Messages<'_>, settled: &mut Settled) {
    let classes: BTreeSet<String> = wanted.iter().map(|slot| class(slot.kind, &slot.value)).collect();
    let mut rest = Vec::new();
    let mut taken = Vec::new();
    for name in classes {
        let slots: Vec<&&Slot> = wanted.iter().filter(|slot| class(slot.kind, &slot.value) == name).collect();
        let values: Vec<&&str> = offered.iter().filter(|value| class(slots[0].kind, value) == name).collect();
        let pairs: Vec<(&Slot, &str)> = slots.iter().zip(&values).map(|(slot, value)| (**slot, **value)).collect();
        let is_even = slots.len() == values.len();
        let is_certain =
            is_even && (pairs.len() == 1 || pairs.iter().all(|(slot, value)| messages.agree(&slot.value, value)));
        if is_certain {
            taken.extend(pairs.iter().map(|(_, value)| *value));
            settled.replaced.extend(pairs.into_iter().map(|(slot, value)| Replaced::new(slot, value)));
        } else {
            let guesses = slots.iter().enumerate().map(|(at, slot)| {
                (**slot, is_even.then(|| values.get(at).map(|value| (**value).to_owned())).flatten())
            });
            rest.extend(guesses);
        }
    }
    let left: Vec<String> =
        offered.iter().filter(|value| !taken.contains(value)).map(|one| (*one).to_owned()).collect();
    if left.is_empty() {
        return;
    }
    settled.open.extend(rest.into_iter().map(|(slot, guess)| Open {
        slot: slot.clone(),
        said_in: String::new(),
        offered: left.clone(),
        guess,
    }));
}

/// A word of a message, or a value in it as a whole.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    at: usize,
    is_value: bool,
    /// Whether a sentence begins with it.
    first: bool,
}

/// Words that one message has in the place of others. What begins a sentence is an order, and no name of anything, unless
/// the plan quotes it.
fn words(plan: &Plan, message: &str, (old, new): (&[Literal<'_>], &[Literal<'_>]), settled: &mut Settled) {
    let (before, after) = (tokens(&plan.user_message, old), tokens(message, new));
    let keys = |tokens: &[Token<'_>]| -> Vec<String> {
        let key = |token: &Token<'_>| if token.is_value { "\u{0}".to_owned() } else { token.text.to_lowercase() };
        tokens.iter().map(key).collect()
    };
    let ops = capture_diff_slices(Algorithm::Myers, &keys(&before), &keys(&after));
    let mut changes = Vec::new();
    for op in ops {
        let DiffOp::Replace { old_index, old_len, new_index, new_len } = op else { continue };
        let from = named(&plan.user_message, &before, old_index..old_index + old_len);
        let to = named(message, &after, new_index..new_index + new_len);
        changes.extend(from.zip(to));
    }
    let slots: Vec<Slot> =
        changes.iter().map(|((from, _), _)| Slot { kind: ValueKind::Word, value: (*from).to_owned() }).collect();
    let said = said_in(plan, &slots);
    let others: Vec<String> = changes.iter().map(|(_, (to, _))| (*to).to_owned()).take(MOST_OFFERED).collect();
    for ((slot, said), ((_, first), (to, _))) in slots.into_iter().zip(said).zip(changes) {
        let Some(said) = said else { continue };
        let is_quoted = quotes(plan, &slot.value);
        let has_capitals = slot.value.split(' ').all(|word| word.starts_with(char::is_uppercase));
        if is_quoted || (has_capitals && !first) {
            settled.replaced.push(Replaced::new(&slot, to));
        } else if !first {
            settled.open.push(Open { slot, said_in: said, offered: others.clone(), guess: None });
        }
    }
}

/// Whether the plan has a value in quotes, as something to be looked for.
fn quotes(plan: &Plan, value: &str) -> bool {
    let quoted: Vec<Slot> = ['"', '\'', '`', '“']
        .iter()
        .map(|mark| Slot { kind: ValueKind::Word, value: format!("{mark}{value}") })
        .chain(singular(value).map(|one| Slot { kind: ValueKind::Word, value: format!("\"{one}\"") }))
        .collect();
    said_in(plan, &quoted).iter().any(Option::is_some)
}

/// What a stretch of a message names: its words without those that say nothing at both of its ends, and whether it begins a
/// sentence. Nothing where there is a value among them, or too many words.
fn named<'t>(text: &'t str, tokens: &[Token<'t>], range: Range<usize>) -> Option<(&'t str, bool)> {
    let mut part = &tokens[range];
    let says = |token: &Token<'_>| !token.is_value && !is_stop_word(&token.text.to_lowercase());
    while part.first().is_some_and(|token| !says(token)) {
        part = &part[1..];
    }
    while part.last().is_some_and(|token| !says(token)) {
        part = &part[..part.len() - 1];
    }
    let (first, last) = (part.first()?, part.last()?);
    if part.len() > MOST_WORDS || part.iter().any(|token| token.is_value) {
        return None;
    }
    Some((&text[first.at..last.at + last.text.len()], first.first && part.len() == 1))
}

fn tokens<'t>(text: &'t str, literals: &[Literal<'t>]) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut begins = true;
    let mut at = 0;
    while at < text.len() && tokens.len() < MOST_COMPARED {
        if let Some(value) = literals.iter().find(|one| one.at == at) {
            tokens.push(Token { text: value.text, at, is_value: true, first: begins });
            (at, begins) = (at + value.text.len(), false);
            continue;
        }
        let next = literals.iter().map(|one| one.at).find(|place| *place > at).unwrap_or(text.len());
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '\'' || letter == '’';
        let length: usize = text[at..next].chars().take_while(|letter| is_letter(*letter)).map(char::len_utf8).sum();
        if length > 0 {
            tokens.push(Token { text: &text[at..at + length], at, is_value: false, first: begins });
            (at, begins) = (at + length, false);
        } else if let Some(sign) = text[at..].chars().next() {
            begins |= matches!(sign, '.' | '!' | '?' | ':' | '\n' | ';');
            at += sign.len_utf8();
        }
    }
    tokens
}
