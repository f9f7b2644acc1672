//! Files that a person means without naming them: by a pattern (`docs/*.md`) or by their ending ("every .md file",
//! "all CSV files").

use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::Regex;

/// Patterns in a text beyond this many are not looked at.
const MOST: usize = 20;

type Pattern = LazyLock<Option<Regex>>;

static GLOB: Pattern = LazyLock::new(|| Regex::new(r#"(?:^|[\s"'`(,;])([\w./-]*\*[\w./*?-]*)"#).ok());
static ENDING: Pattern = LazyLock::new(|| Regex::new(r#"(?:^|[\s"'`(,;])\.([A-Za-z][A-Za-z0-9]{0,7})\b"#).ok());
static KIND: Pattern = LazyLock::new(|| Regex::new(r"(?i)\b([a-z][a-z0-9]{1,5})[ -]files?\b").ok());

/// Which files a text describes.
#[derive(Debug, Clone, Default)]
pub struct Meant(GlobSet);

impl Meant {
    /// Reads what a person said.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut patterns: Vec<String> = Vec::new();
        for text in texts {
            let found = |pattern: &Pattern| -> Vec<String> {
                let all = pattern.iter().flat_map(|pattern| pattern.captures_iter(text));
                all.filter_map(|captures| Some(captures.get(1)?.as_str().to_owned())).collect()
            };
            let tells = |glob: &String| glob.contains(|sign: char| sign.is_alphanumeric());
            patterns.extend(found(&GLOB).into_iter().filter(tells).map(|glob| glob.trim_end_matches('.').to_owned()));
            let endings = found(&ENDING).into_iter().chain(found(&KIND));
            patterns.extend(endings.map(|ending| format!("*.{}", ending.to_lowercase())));
        }
        let mut set = GlobSetBuilder::new();
        for pattern in patterns.iter().take(MOST) {
            let inside = pattern.strip_prefix("./").unwrap_or(pattern);
            let anywhere = if inside.contains('/') { inside.to_owned() } else { format!("**/{inside}") };
            // What is no pattern describes no file.
            if let Ok(glob) = GlobBuilder::new(&anywhere).literal_separator(true).case_insensitive(true).build() {
                set.add(glob);
            }
        }
        Self(set.build().unwrap_or_default())
    }

    /// Whether it describes any file at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a path from the workspace is one of them.
    pub fn covers(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::Meant;

    #[test]
    fn a_pattern_or_an_ending_in_a_persons_words_describes_its_files() {
        for (text, path, meant) in [
            ("Add a line to every .md file", "docs/a.md", true),
            ("Add a line to every .md file", "a.txt", false),
            ("Add a line to every .md file", "a.md.bak", false),
            ("Fix the headers of all CSV files.", "data/Sales.csv", true),
            ("Change docs/*.txt, please", "docs/a.txt", true),
            ("Change docs/*.txt, please", "docs/deep/a.txt", false),
            ("Change docs/*.txt, please", "other/a.txt", false),
            ("Change \"**/*.rs\"", "src/main.rs", true),
            ("Everything in here: *", "a.txt", false),
            ("**Important**: read the notes", "a.txt", false),
            ("Write a.md", "b.md", false),
            ("All files", "a.txt", false),
        ] {
            assert_eq!(Meant::of([text]).covers(path), meant, "{text} {path}");
        }
        assert!(Meant::of(["Write a.md"]).is_empty() && Meant::of([]).is_empty());
        assert!(Meant::of(["[*{", "*]x"]).is_empty() || !Meant::of(["[*{", "*]x"]).covers("a"));
    }
}
