//! Hiding secrets in what comes back.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use assent_core::order::sort_by_key;
use serde_json::{Map, Value};

use super::forms::Form;
use crate::model::Secret;

/// Stands where a secret was: nobody writes that by chance, so that a call is known which would write it into a file.
pub const HIDDEN: &str = "⟦secret⟧";
/// A shorter line of a secret of several lines is not hidden where it stands alone.
const LEAST_LINE: usize = 16;

/// Hides secrets in texts: plain, in any case, escaped as in addresses, JSON and HTML, in base64 at any place of a longer
/// text, and in hexadecimal; of one that has several lines, each long one by itself too. What a program has disguised in
/// another way is not known for it.
#[derive(Clone, Default)]
pub struct Mask {
    secrets: Vec<Secret>,
    forms: Vec<Form>,
    /// Bytes of the longest form.
    longest: usize,
}

impl fmt::Debug for Mask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Mask of {}", self.secrets.len())
    }
}

impl Mask {
    /// A mask for these secrets.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut mask = Self::default();
        secrets.into_iter().for_each(|secret| mask.learn(secret));
        mask
    }

    /// Hides one more.
    pub fn learn(&mut self, secret: &Secret) {
        if secret.is_empty() || self.secrets.contains(secret) {
            return;
        }
        let text = secret.expose();
        let own = |line: &&str| line.len() >= LEAST_LINE && *line != text && !line.starts_with("-----");
        for part in std::iter::once(text).chain(text.lines().map(str::trim).filter(own)) {
            self.forms.extend(Form::all(part));
        }
        self.longest = self.forms.iter().map(Form::longest).max().unwrap_or(0);
        self.secrets.push(secret.clone());
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// So many bytes a secret takes at most in any of its forms.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// A text without secrets.
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    /// Bytes without secrets.
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.part(bytes, 0..bytes.len())
    }

    /// A part of a text without secrets, of which it may have cut some.
    pub fn part<'b>(&self, bytes: &'b [u8], part: Range<usize>) -> Cow<'b, [u8]> {
        let spans = self.spans(bytes);
        let inside = |span: &&Range<usize>| span.start < part.end && span.end > part.start;
        let mut hidden = Vec::new();
        let mut at = part.start;
        for span in spans.iter().filter(inside) {
            hidden.extend_from_slice(&bytes[at..span.start.max(at)]);
            hidden.extend_from_slice(HIDDEN.as_bytes());
            at = span.end.min(part.end);
        }
        if hidden.is_empty() {
            return Cow::Borrowed(&bytes[part]);
        }
        hidden.extend_from_slice(&bytes[at..part.end]);
        Cow::Owned(hidden)
    }

    /// How much of a text can be given away that goes on where it ends: the beginning of a secret at its end cannot.
    pub fn sure(&self, bytes: &[u8]) -> usize {
        let first = bytes.len().saturating_sub(self.longest);
        let begins = |at: &usize| self.forms.iter().any(|form| form.begins_with(&bytes[*at..]));
        let mut upto = (first..bytes.len()).find(begins).unwrap_or(bytes.len());
        // A whole one whose end may begin another stays whole.
        for span in self.spans(bytes).iter().rev() {
            if span.start < upto && upto < span.end {
                upto = span.start;
            }
        }
        upto
    }

    /// Where secrets stand, those that meet as one.
    fn spans(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = self.forms.iter().flat_map(|form| form.found(bytes)).collect();
        sort_by_key(&mut found, |span| (span.start, span.end));
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for span in found {
            match spans.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => spans.push(span),
            }
        }
        spans
    }

    /// A value in whose texts, keys and numbers there are no secrets.
    pub fn value(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Value::Object(fields) => {
                let hidden = fields.into_iter().map(|(name, value)| (self.text(&name), self.value(value)));
                Value::Object(hidden.collect::<Map<_, _>>())
            }
            Value::Number(number) => {
                let (text, hidden) = (number.to_string(), self.text(&number.to_string()));
                if text == hidden { Value::Number(number) } else { Value::String(hidden) }
            }
            other => other,
        }
    }
}
