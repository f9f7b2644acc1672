//! Just enough of Rust's grammar to see which paths a file names: comments, strings and test modules are left out,
//! `use` groups are opened.

use std::iter::Peekable;
use std::vec::IntoIter;

/// Every path that starts with one of `roots`, a group as several paths: `use std::{fs, io::Read}` is two.
pub fn paths(source: &str, roots: &[&str]) -> Vec<Vec<String>> {
    let mut tokens = without_test_modules(tokens(source)).into_iter().peekable();
    let mut found = Vec::new();
    let mut previous = String::new();
    while let Some(token) = tokens.next() {
        let starts = roots.contains(&token.as_str()) && previous != "::" && previous != "$";
        previous = token.clone();
        if starts && tokens.peek().is_some_and(|next| next == "::") {
            follow(&mut tokens, vec![token], &mut found);
            previous.clear();
        }
    }
    found
}

/// Reads `::name::name`, `::{…}` or `::*` after `path`.
fn follow(tokens: &mut Peekable<IntoIter<String>>, mut path: Vec<String>, found: &mut Vec<Vec<String>>) {
    while tokens.next_if(|token| token == "::").is_some() {
        match tokens.peek().map(String::as_str) {
            Some("{") => {
                tokens.next();
                return follow_group(tokens, &path, found);
            }
            Some(name) if is_name(name) || name == "*" => path.extend(tokens.next()),
            _ => break,
        }
    }
    found.push(path);
}

fn follow_group(tokens: &mut Peekable<IntoIter<String>>, path: &[String], found: &mut Vec<Vec<String>>) {
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "}" => return,
            "{" => follow_group(tokens, path, found),
            name if is_name(name) => {
                let inner = if name == "self" { path.to_vec() } else { [path, &[token]].concat() };
                follow(tokens, inner, found);
                if tokens.next_if(|next| next == "as").is_some() {
                    tokens.next();
                }
            }
            _ => {}
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Cuts every item that stands under `#[cfg(test)]`: to the end of its braces, or to its semicolon.
fn without_test_modules(tokens: Vec<String>) -> Vec<String> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].iter().zip(MARK).filter(|(token, mark)| token == mark).count() == MARK.len() {
            at = end_of_item(&tokens, at + MARK.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

fn end_of_item(tokens: &[String], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth <= 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Names, `::`, and single signs; comments, texts and characters are dropped.
fn tokens(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_text(rest) {
            length
        } else if first == '"' {
            quoted(rest)
        } else if first == '\'' {
            character(rest)
        } else if is_name(rest) {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            found.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                found.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// The length of `r"…"` or `r#"…"#`, when `rest` starts with one.
fn raw_text(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close).map_or(body.len(), |end| end + close.len());
    Some(rest.len() - body.len() + end)
}

fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a character literal, or one for the tick of a lifetime.
fn character(rest: &str) -> usize {
    let mut inner = rest.char_indices().skip(1);
    match (inner.next(), inner.next()) {
        (Some((_, '\\')), Some(_)) => inner.find(|(_, c)| *c == '\'').map_or(1, |(at, _)| at + 1),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::paths;

    fn joined(source: &str, roots: &[&str]) -> Vec<String> {
        paths(source, roots).iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn groups_are_opened_and_what_is_not_code_is_left_out() {
        let source = r##"
            //! crate::comment
            use crate::{plan::{self, Step as S}, run};
            use std::collections::*;
            /* crate::block */
            fn f<'a>(x: &'a str) -> char { let _ = ("crate::text \" crate::more", r#"crate::"raw""#, '"', '\''); crate::heap::build(x) }
            macro_rules! m { () => { $crate::hidden } }
            #[cfg(test)]
            mod tests { use crate::tested; fn g() { crate::tested::again() } }
            #[cfg(test)]
            use crate::gone;
            fn h() { super::super::up::there() }
        "##;
        assert_eq!(
            joined(source, &["crate", "std", "super"]),
            [
                "crate::plan",
                "crate::plan::Step",
                "crate::run",
                "std::collections::*",
                "crate::heap::build",
                "super::super::up::there"
            ]
        );
    }

    #[test]
    fn an_unfinished_file_ends_the_scan() {
        for source in ["use crate::{", "\"open", "r#\"open", "/* open", "'", "#[cfg(test)] mod t {", "crate::"] {
            paths(source, &["crate"]);
        }
    }
}
