//! The paths and hosts that a text names literally: what a person could have read in it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Texts longer than this are looked through only so far.
const MAX_TEXT: usize = 200_000;
/// Longer words are no path.
const MAX_PATH: usize = 300;
/// Endings of host names that are taken for a host without `https://`, never for a file.
const HOST_ENDINGS: &[&str] = &["com", "org", "net", "io", "dev", "gov", "edu", "app", "ai", "eu", "de", "uk", "info"];

/// What was named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Literals {
    /// Relative to the workspace, in normal form; those that lead out of it are left out.
    pub(super) paths: BTreeSet<String>,
    /// In lower case, without port.
    pub(super) hosts: BTreeSet<String>,
}

impl Literals {
    /// Adds what a text names. A path in quotes may hold blanks.
    pub(super) fn add_text(&mut self, text: &str, workspace: Option<&str>) {
        let end = (0..=MAX_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let text = &text[..end];
        for quoted in quoted_spans(text) {
            if looks_like_path(quoted) {
                self.add_path(quoted, workspace);
            }
        }
        for word in text.split(|c: char| c.is_whitespace() || "\"'`<>()[]{}|,;“”‘’«»".contains(c)) {
            self.add_word(word, workspace);
        }
    }

    /// Adds what the texts of a value name; a whole text that looks like a path counts as one.
    pub(super) fn add_value(&mut self, value: &Value, workspace: Option<&str>) {
        match value {
            Value::String(text) => {
                if looks_like_path(text.trim()) {
                    self.add_path(text.trim(), workspace);
                }
                self.add_text(text, workspace);
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item, workspace)),
            Value::Object(fields) => fields.values().for_each(|item| self.add_value(item, workspace)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_word(&mut self, word: &str, workspace: Option<&str>) {
        let word =
            word.trim_end_matches(['.', ':', '!', '?', '*', '_']).trim_start_matches("**").trim_start_matches('@');
        if word.contains("://") {
            self.hosts.extend(host_of_url(word));
        } else if is_bare_host(word) {
            self.hosts.insert(word.to_ascii_lowercase());
        } else if !word.contains('@') && looks_like_path(word) {
            self.add_path(word, workspace);
        }
    }

    fn add_path(&mut self, path: &str, workspace: Option<&str>) {
        self.paths.extend(inside_workspace(path, workspace));
    }
}

/// The text between two equal quotes of one line.
fn quoted_spans(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        ['"', '`', '\''].into_iter().flat_map(move |quote| line.split(quote).skip(1).step_by(2).map(str::trim))
    })
}

/// A slash or an ending makes a path; a number, an abbreviation or a fraction does not.
fn looks_like_path(word: &str) -> bool {
    if word.is_empty() || word.len() > MAX_PATH || word.contains("://") || word.contains(['\n', '\0', '*', '?']) {
        return false;
    }
    let name = word.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let letters = ending.chars().any(|c| c.is_ascii_alphabetic());
        letters
            && ending.len() <= 8
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && !stem.ends_with('.')
            && (!stem.is_empty() || ending.len() > 1)
    });
    let has_folder = word.contains('/')
        && !word.starts_with("//")
        && word.chars().any(char::is_alphanumeric)
        && !word.split('/').all(|part| part.chars().all(|c| c.is_ascii_digit()))
        && !word.contains(' ');
    let abbreviation =
        !word.contains(['/', '\\']) && name.split('.').all(|part| part.chars().count() <= 1) && !word.starts_with('.');
    (has_ending && !abbreviation && !is_bare_host(word)) || has_folder
}

/// A path relative to the workspace without `.` and `..`, or nothing when it leads out.
fn inside_workspace(path: &str, workspace: Option<&str>) -> Option<String> {
    let path = path.replace('\\', "/");
    let is_absolute = path.starts_with('/') || path.starts_with('~') || path.as_bytes().get(1) == Some(&b':');
    let relative = if is_absolute {
        let root = workspace?.replace('\\', "/");
        let rest = path.strip_prefix(root.trim_end_matches('/'))?;
        if !rest.is_empty() && !rest.starts_with('/') {
            return None;
        }
        rest.to_owned()
    } else {
        path
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

fn host_of_url(word: &str) -> Option<String> {
    let (scheme, rest) = word.split_once("://")?;
    let scheme = scheme.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next().unwrap_or_default();
    if !["http", "https", "ws", "wss", "ftp", "ssh", "git"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let valid = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '.');
    valid.then_some(host)
}

fn is_bare_host(word: &str) -> bool {
    let mut labels = word.split('.');
    let ending = labels.next_back().unwrap_or_default().to_ascii_lowercase();
    let mut count = 0;
    let valid = labels.all(|label| {
        count += 1;
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    });
    valid && count > 0 && HOST_ENDINGS.contains(&ending.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Literals;

    fn of(text: &str) -> (Vec<String>, Vec<String>) {
        let mut found = Literals::default();
        found.add_text(text, Some("/home/ann/work"));
        (found.paths.into_iter().collect(), found.hosts.into_iter().collect())
    }

    fn paths(text: &str) -> Vec<String> {
        of(text).0
    }

    #[test]
    fn files_and_folders_are_found_in_prose() {
        assert_eq!(paths("Write a table, highest first, to patents.md."), ["patents.md"]);
        assert_eq!(
            paths("Compare src/a.rs, ./docs// and `my notes.txt`!"),
            ["docs", "my notes.txt", "notes.txt", "src/a.rs"]
        );
        assert_eq!(paths("(see .env and x.tar.gz)"), [".env", "x.tar.gz"]);
        assert_eq!(paths("Look into /home/ann/work/sub/b.csv and /home/ann/work"), [".", "sub/b.csv"]);
    }

    #[test]
    fn what_is_no_path_or_leads_out_is_left_out() {
        for text in [
            "Add 3.14 to 1/2, e.g. by 10.5 %, i.e. quickly.",
            "../secret.txt or a/../../b.txt or /etc/passwd or ~/x.txt or /home/ann/worker/x.txt",
            "Write to ann@example.com about version 2.0 and *.txt",
        ] {
            assert_eq!(paths(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn hosts_are_found_with_and_without_a_scheme() {
        let (paths, hosts) =
            of("Fetch https://user:pw@API.Example.com:8443/v1/a.json?x=1#y, docs.rs/x.rs and example.org.");
        assert_eq!(hosts, ["api.example.com", "example.org"]);
        assert_eq!(paths, ["docs.rs/x.rs"]);
        assert_eq!(of("file:///etc/passwd javascript://x").1, Vec::<String>::new());
    }

    #[test]
    fn values_count_like_texts() {
        let mut found = Literals::default();
        let value = json!({"filePaths": ["in put/a b.csv", 7], "url": "https://a.example.net/x.html"});
        found.add_value(&value, None);
        assert_eq!(found.paths.into_iter().collect::<Vec<_>>(), ["b.csv", "in put/a b.csv", "put/a"]);
        assert_eq!(found.hosts.into_iter().collect::<Vec<_>>(), ["a.example.net"]);
    }
}
