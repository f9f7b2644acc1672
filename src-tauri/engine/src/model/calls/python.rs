//! Calls that a model writes as Python: `[read(path="a.txt"), list_files()]`.
//!
//! Only calls with named arguments and plain values are read; nothing is computed.

use serde_json::{Map, Number, Value};

use super::RawCall;
use super::json::Outcome;

/// Lists and dictionaries inside each other.
const DEPTH: usize = 40;

/// Why a text is not read to its end.
enum Stop {
    /// The text ends in the middle.
    Cut,
    /// It is no Python of this kind.
    Other,
}

type Read<T> = Result<T, Stop>;

/// The calls that a text begins with: a list of them, or where `alone` says so, some without a list.
pub(super) fn calls(text: &str, alone: bool) -> Outcome<Vec<RawCall>> {
    let mut reader = Reader { text, at: 0 };
    let listed = text.starts_with('[');
    if !listed && !alone {
        return Outcome::No;
    }
    let mut calls = Vec::new();
    let read = if listed { reader.list(&mut calls) } else { reader.row(&mut calls) };
    match read {
        Ok(()) => Outcome::Whole(calls, reader.at),
        Err(Stop::Cut) => Outcome::Cut(calls),
        Err(Stop::Other) => Outcome::No,
    }
}

/// What follows behind what may stand between two calls.
pub(super) fn between(text: &str) -> &str {
    text.trim_start_matches(|character: char| character.is_whitespace() || matches!(character, ',' | ';' | '\\'))
}

/// The name of the first call of a list, when a text begins with a list of calls.
pub(super) fn first_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?.trim_start();
    let end = inside.find(|character| !is_of_name(character))?;
    inside[end..].starts_with('(').then_some(&inside[..end])
}

/// Whether a character may stand in a tool's name.
pub(super) fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-./".contains(character)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character that is no white space; it is not taken.
    fn peek(&mut self) -> Read<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next().ok_or(Stop::Cut)
    }

    fn take(&mut self, wanted: char) -> Read<()> {
        if self.peek()? != wanted {
            return Err(Stop::Other);
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    /// Takes a comma, and says whether one stood here; else `end` has to.
    fn more(&mut self, end: char) -> Read<bool> {
        let found = self.peek()?;
        if found == end {
            return Ok(false);
        }
        self.take(',')?;
        Ok(self.peek()? != end)
    }

    fn list(&mut self, calls: &mut Vec<RawCall>) -> Read<()> {
        self.take('[')?;
        calls.push(self.call()?);
        while self.more(']')? {
            calls.push(self.call()?);
        }
        self.take(']')
    }

    /// Calls after each other, as far as there are any.
    fn row(&mut self, calls: &mut Vec<RawCall>) -> Read<()> {
        loop {
            let before = self.at;
            match self.call() {
                Ok(call) => calls.push(call),
                // What only looks like another call is none of them.
                Err(Stop::Other) if !calls.is_empty() => {
                    self.at = before;
                    return Ok(());
                }
                Err(stop) => return Err(stop),
            }
            let next = between(self.rest());
            let name = next.find(|character| !is_of_name(character)).filter(|end| *end > 0);
            if !name.is_some_and(|end| next[end..].starts_with('(')) {
                return Ok(());
            }
            self.at = self.text.len() - next.len();
        }
    }

    fn name(&mut self) -> Read<&'a str> {
        self.peek()?;
        let rest = self.rest();
        let end = rest.find(|character| !is_of_name(character)).ok_or(Stop::Cut)?;
        if end == 0 {
            return Err(Stop::Other);
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn call(&mut self) -> Read<RawCall> {
        let name = self.name()?.to_owned();
        self.take('(')?;
        let start = self.at;
        let mut named = Map::new();
        let mut all_named = true;
        if self.peek()? != ')' {
            loop {
                match self.argument()? {
                    (Some(name), value) => drop(named.insert(name, value)),
                    (None, _) => all_named = false,
                }
                if !self.more(')')? {
                    break;
                }
            }
        }
        let written = &self.text[start..self.at];
        self.take(')')?;
        let arguments = if all_named { Value::Object(named) } else { Value::String(written.trim().to_owned()) };
        Ok(RawCall { id: None, name, arguments })
    }

    fn argument(&mut self) -> Read<(Option<String>, Value)> {
        self.peek()?;
        let rest = self.rest();
        let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').ok_or(Stop::Cut)?;
        let behind = rest[end..].trim_start();
        if end > 0 && behind.starts_with('=') {
            self.at = self.text.len() - behind.len() + 1;
            return Ok((Some(rest[..end].to_owned()), self.value(0)?));
        }
        Ok((None, self.value(0)?))
    }

    fn value(&mut self, depth: usize) -> Read<Value> {
        if depth > DEPTH {
            return Err(Stop::Other);
        }
        match self.peek()? {
            '[' => self.values('[', ']', depth),
            '(' => self.values('(', ')', depth),
            '{' => self.dictionary(depth),
            '"' | '\'' => self.strings().map(Value::String),
            _ => self.word(),
        }
    }

    fn values(&mut self, open: char, close: char, depth: usize) -> Read<Value> {
        self.take(open)?;
        let mut values = Vec::new();
        if self.peek()? != close {
            loop {
                values.push(self.value(depth + 1)?);
                if !self.more(close)? {
                    break;
                }
            }
        }
        self.take(close)?;
        Ok(Value::Array(values))
    }

    fn dictionary(&mut self, depth: usize) -> Read<Value> {
        self.take('{')?;
        let mut fields = Map::new();
        if self.peek()? != '}' {
            loop {
                self.peek()?;
                let key = self.string()?;
                self.take(':')?;
                let value = self.value(depth + 1)?;
                fields.insert(key, value);
                if !self.more('}')? {
                    break;
                }
            }
        }
        self.take('}')?;
        Ok(Value::Object(fields))
    }

    /// A number or a constant.
    fn word(&mut self) -> Read<Value> {
        let rest = self.rest();
        let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && !"+-._".contains(character));
        let word = &rest[..end.ok_or(Stop::Cut)?];
        let value = match word {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" => Value::Null,
            number => Value::Number(without_groups(number).parse::<Number>().map_err(|_| Stop::Other)?),
        };
        self.at += word.len();
        Ok(value)
    }

    /// Texts after each other are one.
    fn strings(&mut self) -> Read<String> {
        let mut text = self.string()?;
        while matches!(self.peek()?, '"' | '\'') {
            text.push_str(&self.string()?);
        }
        Ok(text)
    }

    fn string(&mut self) -> Read<String> {
        let rest = self.rest();
        let quote =
            ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote)).ok_or(Stop::Other)?;
        let inside = &rest[quote.len()..];
        let mut text = String::new();
        let mut from = 0;
        loop {
            let next = inside[from..].find(['\\', '"', '\'', '\n']).map(|offset| from + offset).ok_or(Stop::Cut)?;
            text.push_str(&inside[from..next]);
            if inside[next..].starts_with(quote) {
                self.at += quote.len() + next + quote.len();
                return Ok(text);
            }
            from = match inside.as_bytes()[next] {
                b'\\' => next + 1 + escaped(&inside[next + 1..], &mut text)?,
                // Python itself takes no line break here; models mean one.
                plain => {
                    text.push(char::from(plain));
                    next + 1
                }
            };
        }
    }
}

/// A number without what parts its digits into groups.
fn without_groups(number: &str) -> String {
    let bytes = number.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let parts = |at: usize| bytes[at] == b'_' && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    number.char_indices().filter(|(at, _)| !parts(*at)).map(|(_, character)| character).collect()
}

/// What stands behind a backslash, and how many bytes that takes.
fn escaped(text: &str, into: &mut String) -> Read<usize> {
    let character = text.chars().next().ok_or(Stop::Cut)?;
    let digits = match character {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let Some(hex) = text.get(1..=digits) else {
            return Err(if text.len() <= digits { Stop::Cut } else { Stop::Other });
        };
        let code = u32::from_str_radix(hex, 16).map_err(|_| Stop::Other)?;
        into.push(char::from_u32(code).ok_or(Stop::Other)?);
        return Ok(1 + digits);
    }
    match character {
        'n' => into.push('\n'),
        't' => into.push('\t'),
        'r' => into.push('\r'),
        '\n' => {}
        '\\' | '\'' | '"' => into.push(character),
        other => {
            into.push('\\');
            into.push(other);
        }
    }
    Ok(character.len_utf8())
}
