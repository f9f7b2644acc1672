//! What the words of a step name: files that it changes, files that it looks at, addresses, texts that it looks for.
//!
//! Only what is certain by its form counts: a file right behind a verb that changes ("edit out.md"), or behind "to" after
//! one ("write the table to out.md"). "Fix the bug described in issue.md" names nothing here: nobody can tell from its
//! form which file is to be another. What is missed costs little; what is wrongly seen refuses right work.

use crate::planner::named_files;

/// What a step names for certain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Files that it makes or changes.
    pub(super) changes: Vec<String>,
    /// Files that it looks at.
    pub(super) reads: Vec<String>,
    /// Hosts that it talks to.
    pub(super) hosts: Vec<String>,
    /// Texts that it looks for.
    pub(super) sought: Vec<String>,
    /// Whether it is to do what it says only where something holds.
    pub(super) is_conditional: bool,
}

/// Verbs whose object is another afterwards.
const CHANGES: &str = "write create edit update change append save rewrite overwrite modify extend generate make produce delete \
    remove undo revert correct format fill";
/// Verbs that put their object somewhere.
const PUTS: &str = "add put store export convert copy move rename print output redirect extract merge collect insert \
    translate transform record list";
/// Verbs that change something in a file.
const IN_PLACE: &str = "replace change set rename insert add remove delete edit";
/// Verbs that look at their object.
const READS: &str = "read open view show check inspect parse load summarise summarize analyse analyze examine review print \
    search count list scan look at validate";
/// Verbs that talk to an address, and what leads to one.
const TALKS: &str = "to from at fetch get download open read load visit post send crawl check request query call";
/// What leads to a text that is looked for.
const SEEKS: &str = "mention mentions mentioning contain contains containing say says saying with word words text string \
    phrase term pattern for match matching";
/// What stands between a verb and a name.
const FILLERS: &str = "the a an new file files named called existing your this its text empty page pages url address site \
    website exact out";
/// Beside these a name may be what the step is not about.
const NEGATES: &str = "not no except excluding without besides other others instead unlike similar like than never unless leave \
    don't";
const NEGATES_CHANGES: &str = "not never don't except instead unless leave unlike";
/// A file behind "to" is no destination beside these.
const COMPARES: &str = "compare compares compared comparing similar relative according refer refers referring link links \
    reference references path paths pointer pointers equal belongs";
const CONDITIONS: &str = "if when unless whether only needed necessary missing";
/// Words before "in" that make what follows a place where something is told, beside those on "-ed".
const TOLD: &str = "given shown written found known as said told set";
/// Steps that begin so put one text in the place of another.
const SWAPS: &str = "replace rename change swap substitute convert translate";
/// Characters of a text that is looked for.
const SOUGHT: usize = 60;

impl Named {
    /// What a description names.
    pub(super) fn of(description: &str) -> Self {
        let words: Vec<&str> = description.split_whitespace().map(bare).collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let has = |list: &str| lower.iter().any(|word| is_among(list, word));
        let is_conditional = has(CONDITIONS);
        let mut named = Self { is_conditional, ..Self::default() };
        let (looks, changes) = (!has(NEGATES), !has(NEGATES_CHANGES));
        let files = named_files(description);
        for (at, word) in words.iter().enumerate().filter(|(_, word)| files.iter().any(|file| file == *word)) {
            if is_changed(&lower, at) {
                named.changes.extend(changes.then(|| (*word).to_owned()));
            } else if looks && is_read(&lower, at) {
                named.reads.push((*word).to_owned());
            }
        }
        if looks {
            named.hosts = hosts(description);
            let swaps = lower.first().is_some_and(|first| is_among(SWAPS, first));
            named.sought = if swaps { Vec::new() } else { sought(description) };
        }
        named
    }
}

/// Files that an expectation begins with, or says to have been written: what has to be there afterwards.
pub(super) fn expected(outcome: &str) -> Vec<String> {
    let words: Vec<String> = outcome.split_whitespace().map(|word| bare(word).to_owned()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_made = |at: usize| match lead(&lower, at) {
        None => true,
        Some(before) => {
            let put = ["written", "saved", "stored", "exported", "added", "appended"];
            let then = before.checked_sub(1).map_or("", |at| lower[at].as_str());
            matches!(lower[before].as_str(), "to" | "in" | "into" | "as") && put.contains(&then)
        }
    };
    let files = named_files(outcome);
    let named = words.iter().enumerate().filter(|(at, word)| files.contains(word) && is_made(*at));
    named.map(|(_, word)| word.clone()).collect()
}

/// Whether a list of words with blanks between has this one.
pub(super) fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// A word without the signs around it.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|each: char| !each.is_alphanumeric() && !"/_~-.'".contains(each));
    word.trim_matches('\'').trim_end_matches(['.', ':', '-'])
}

/// The word that leads to the one at a place.
fn lead(words: &[String], at: usize) -> Option<usize> {
    (0..at).rev().find(|before| !words[*before].is_empty() && !is_among(FILLERS, &words[*before]))
}

fn is_changed(words: &[String], at: usize) -> bool {
    let Some(before) = lead(words, at) else { return false };
    let (word, earlier) = (words[before].as_str(), &words[..before]);
    let among = |list: &str| earlier.iter().any(|word| is_among(list, word));
    match word {
        word if is_among(CHANGES, word) => true,
        "to" | "into" | "as" => (among(CHANGES) || among(PUTS)) && !among(COMPARES),
        "in" => earlier.first().is_some_and(|first| is_among(IN_PLACE, first)) && !is_told(earlier.last()),
        _ => false,
    }
}

fn is_read(words: &[String], at: usize) -> bool {
    let Some(before) = lead(words, at) else { return false };
    let word = words[before].as_str();
    let leads = matches!(word, "in" | "of" | "from" | "through" | "within" | "inside");
    is_among(READS, word) || leads && !is_told(before.checked_sub(1).map(|at| &words[at]))
}

/// "The rows that are listed in b.txt" are not in b.txt.
fn is_told(word: Option<&String>) -> bool {
    word.is_some_and(|word| word.ends_with("ed") || is_among(TOLD, word))
}

fn hosts(description: &str) -> Vec<String> {
    let words: Vec<&str> = description.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word).to_lowercase()).collect();
    let talks = |at: usize| lead(&lower, at).is_some_and(|before| is_among(TALKS, &lower[before]));
    let led = words.iter().enumerate().filter(|(at, word)| word.contains("://") && talks(*at));
    led.filter_map(|(_, word)| host(word)).collect()
}

/// The host of an address in a word.
pub(super) fn host(word: &str) -> Option<String> {
    let (_, rest) = word.split_once("://")?;
    let authority = rest.split(|each: char| "/?#\\\"'`)>,;".contains(each)).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then(|| host.strip_prefix("www.").unwrap_or(&host).to_owned())
}

/// The texts in quotation marks behind a word that says that they are looked for. An apostrophe is none.
fn sought(description: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some((open, sign)) = description[rest..].char_indices().find(|(_, each)| "\"'`“‘«".contains(*each)) {
        let (open, begin) = (rest + open, rest + open + sign.len_utf8());
        rest = begin;
        let before = description[..open].chars().next_back();
        if before.is_some_and(|each| !each.is_whitespace() && each != '(') {
            continue;
        }
        let close = match sign {
            '“' => '”',
            '‘' => '’',
            '«' => '»',
            same => same,
        };
        let ends = |(at, each): &(usize, char)| {
            let next = description[begin + at + each.len_utf8()..].chars().next();
            *each == close && next.is_none_or(|next| !next.is_alphanumeric())
        };
        let Some((end, _)) = description[begin..].char_indices().find(ends) else { continue };
        let text = &description[begin..begin + end];
        rest = begin + end + close.len_utf8();
        let words: Vec<String> = description[..open].split_whitespace().map(|word| bare(word).to_lowercase()).collect();
        let led = words.iter().rev().find(|word| !matches!(word.as_str(), "the" | "a" | "an" | "exact"));
        let is_text = !text.contains(['/', '*', '\n']) && named_files(text).is_empty() && stems(text).next().is_some();
        if is_text && text.chars().count() <= SOUGHT && led.is_some_and(|word| is_among(SEEKS, word)) {
            found.push(text.to_owned());
        }
    }
    found
}

/// The beginnings of the words of a text, by which other forms of them are found.
pub(super) fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|each: char| !each.is_alphanumeric()).filter(|word| word.chars().count() >= 3);
    words.map(|word| word.to_lowercase().chars().take(5).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a description names: files that it changes, files that it looks at.
    fn files(description: &str) -> (Vec<String>, Vec<String>) {
        let named = Named::of(description);
        (named.changes, named.reads)
    }

    #[test]
    fn a_file_behind_what_changes_it_is_seen() {
        for (description, changed) in [
            ("Edit out.md", "out.md"),
            ("Write a table, highest first, to patents.md.", "patents.md"),
            ("Create the file `docs/out.md` with three rows", "docs/out.md"),
            ("Create a file called out.md", "out.md"),
            ("Append a line to log.txt", "log.txt"),
            ("Convert in.csv to JSON and save it as out.json", "out.json"),
            ("Rename draft.md to final.md", "final.md"),
            ("Replace 'red' with 'blue' in paint.txt", "paint.txt"),
            ("Delete old.log", "old.log"),
            ("Read notes.md and write summary.md", "summary.md"),
        ] {
            assert_eq!(files(description).0, [changed], "{description}");
        }
    }

    #[test]
    fn a_file_that_may_be_anything_to_a_step_is_not_taken_for_one_that_it_changes() {
        for description in [
            "Fix the bug described in issue.md",
            "Fix the errors in lint.txt",
            "Create a summary of notes.md",
            "Compare a.txt to b.txt and write the differences",
            "Update the links to old.md",
            "Do not edit a.txt, write the result elsewhere",
            "Add the functions that are listed in api.md",
            "Write what notes.md says about ports",
            "Create a list of files as in example.md",
            "Use the template letter.txt for every guest",
            "Count the lines of a.txt",
        ] {
            assert_eq!(files(description).0, Vec::<String>::new(), "{description}");
        }
    }

    #[test]
    fn a_file_that_is_looked_at_is_seen_and_no_other() {
        assert_eq!(files("Read note.txt").1, ["note.txt"]);
        assert_eq!(files("Count the words in the file a.txt").1, ["a.txt"]);
        assert_eq!(files("Show the first line of a.txt, then of b.txt").1, ["a.txt", "b.txt"]);
        assert_eq!(files("Read notes.md and write summary.md").1, ["notes.md"]);
        for description in [
            "Find the files that are not named in index.txt",
            "Look through the sources for what README.md says about ports",
            "Read the files listed in list.txt",
            "Find files like a.txt",
            "Read everything except notes.txt",
        ] {
            assert_eq!(files(description).1, Vec::<String>::new(), "{description}");
        }
    }

    #[test]
    fn texts_that_are_looked_for_are_seen_and_other_quotes_are_not() {
        for (description, texts) in [
            ("Find the lines that mention 'Berlin'", vec!["Berlin"]),
            ("Search for \"out of memory\" in the logs", vec!["out of memory"]),
            ("Count the lines with the word `error` in each file", vec!["error"]),
            ("Lines containing “Töchter” or 'Söhne'", vec!["Töchter"]),
            ("Find the user's files and the guests' names", vec![]),
            ("Call the column 'total'", vec![]),
            ("Replace lines with 'old' by nothing", vec![]),
            ("Find the files without 'Berlin'", vec![]),
            ("Search for '*.md'", vec![]),
            ("Look for 'a'", vec![]),
        ] {
            assert_eq!(Named::of(description).sought, texts, "{description}");
        }
    }

    #[test]
    fn addresses_that_are_talked_to_are_seen() {
        for (description, hosts) in [
            ("Post the table to https://www.drop.example/in", vec!["drop.example"]),
            ("Fetch https://user@a.example:8080/x.", vec!["a.example"]),
            ("Fetch the first link of https://a.example", vec![]),
            ("Write about http://a.example in out.md", vec![]),
        ] {
            assert_eq!(Named::of(description).hosts, hosts, "{description}");
        }
    }

    #[test]
    fn what_has_to_be_there_afterwards_is_seen_in_an_expectation() {
        for (outcome, files) in [
            ("out.md with a table", vec!["out.md"]),
            ("The file out.md", vec!["out.md"]),
            ("The table is written to out.md", vec!["out.md"]),
            ("A summary of notes.md", vec![]),
            ("The number of lines in a.txt", vec![]),
            ("All links to old.md are gone", vec![]),
        ] {
            assert_eq!(expected(outcome), files, "{outcome}");
        }
    }
}
