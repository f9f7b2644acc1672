//! The sentences of a text that report an effect, by their form alone: in the first person ("I have saved it"), without a
//! person ("Saved the table to out.md"), or of a named file ("out.md was created").
//!
//! Prose that tells what others did has the same verbs. So a verb counts only in one of these forms, with a file as its
//! object or destination where the verb alone is not an effect, and never beside a date, a doer or a condition.

/// What has to stand behind a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something went out: a call that talks to others.
    Sent,
    /// A file of the workspace is another: a call that writes.
    ChangedFile,
    /// Something was changed, nobody says where.
    Changed,
}

/// A sentence that reports an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Report<'t> {
    pub(super) sentence: &'t str,
    pub(super) kind: Kind,
}

/// Verbs of what goes out.
const SENDS: [&str; 5] = ["sent", "posted", "published", "uploaded", "emailed"];
/// Verbs that name an effect by themselves.
const EFFECTS: [&str; 4] = ["saved", "deleted", "installed", "overwritten"];
/// Verbs that name an effect where a file is their object: a summary, too, is written.
const ON_FILES: [&str; 15] = [
    "created",
    "wrote",
    "written",
    "updated",
    "edited",
    "changed",
    "renamed",
    "moved",
    "removed",
    "added",
    "replaced",
    "copied",
    "appended",
    "exported",
    "generated",
];
/// Verbs by which a file that is their subject comes to be what it is: "notes.md was moved" may be what somebody read.
const MAKES: [&str; 8] = ["created", "written", "saved", "updated", "deleted", "overwritten", "exported", "generated"];
/// Words that make a report something else.
const NOT_A_REPORT: [&str; 22] = [
    "not", "no", "never", "nothing", "would", "could", "should", "can", "cannot", "will", "if", "need", "unable",
    "please", "must", "may", "might", "whether", "failed", "tried", "unless", "until",
];
/// Words beside which a form without an "I" tells of another time, or of somebody else.
const ELSEWHERE: [&str; 24] = [
    "by",
    "ago",
    "yesterday",
    "last",
    "since",
    "when",
    "earlier",
    "previously",
    "originally",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "commit",
    "version",
    "often",
    "usually",
];
/// What leads from a verb to where its work is.
const INTO: [&str; 8] = ["to", "into", "as", "in", "under", "at", "called", "named"];
/// What leads from a verb to something that it does not change.
const OF: [&str; 9] = ["of", "from", "about", "with", "for", "between", "on", "than", "against"];
/// What goes out, and is not called by a file name.
const MESSAGES: [&str; 12] = [
    "email",
    "emails",
    "e-mail",
    "mail",
    "message",
    "messages",
    "invitation",
    "invitations",
    "notification",
    "reply",
    "report",
    "it",
];
/// What begins the object of a verb.
const DETERMINERS: [&str; 12] =
    ["the", "a", "an", "your", "this", "that", "these", "all", "both", "its", "new", "every"];

impl Report<'_> {
    /// The files that it names as changed; none where it says only that there is one.
    pub(super) fn files(&self) -> Vec<String> {
        let said = without_quotes(&self.sentence.to_lowercase());
        let words = words(&said);
        if self.kind != Kind::ChangedFile || words.iter().any(|word| says_file(word)) {
            return Vec::new();
        }
        let named = words.iter().enumerate().filter(|(at, word)| names_file(word) && !is_of(&words[..*at]));
        named.map(|(_, word)| word.trim_end_matches(['.', ':']).to_owned()).collect()
    }
}

/// The sentences of a text that report an effect, in their order.
pub(super) fn reports(text: &str) -> impl Iterator<Item = Report<'_>> {
    let mut fenced = false;
    let lines = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        // What is quoted, code or a table is shown, not said.
        !(fenced || is_fence || line.trim_start().starts_with('>') || line.contains('|'))
    });
    lines.flat_map(sentences).filter_map(|sentence| Some(Report { sentence, kind: kind(sentence)? }))
}

/// The sentences of a line, without the marks of lists and headings before them; no questions.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let ends = |(at, character): &(usize, char)| {
                let next = rest[at + character.len_utf8()..].chars().next();
                matches!(character, '.' | '!' | '?' | ';') && next.is_none_or(char::is_whitespace)
            };
            let end = rest.char_indices().find(ends);
            let (sentence, after) = end.map_or((rest, ""), |(at, _)| (&rest[..at], &rest[at + 1..]));
            rest = after;
            let listed = sentence.trim_start_matches(|each: char| each.is_ascii_digit() || ".)".contains(each));
            let sentence = if listed.starts_with(' ') { listed } else { sentence };
            let sentence =
                sentence.trim_start_matches(|each: char| !each.is_alphanumeric() && !"`\"'/~_.".contains(each));
            if !sentence.trim().is_empty() && !matches!(end, Some((_, '?'))) {
                return Some(sentence.trim());
            }
        }
        None
    })
}

/// What a sentence reports, if it reports anything.
fn kind(sentence: &str) -> Option<Kind> {
    let said = without_quotes(&sentence.to_lowercase().replace('\u{2019}', "'"));
    let words = words(&said);
    if words.iter().any(|word| NOT_A_REPORT.contains(word) || word.ends_with("n't")) {
        return None;
    }
    let spoken = words.iter().position(|word| matches!(*word, "i" | "i've" | "we" | "we've"));
    if let Some(kind) = spoken.and_then(|i| in_person(&words[i + 1..])) {
        return Some(kind);
    }
    if spoken.is_some() || words.iter().any(|word| ELSEWHERE.contains(word) || is_year(word)) {
        return None;
    }
    without_a_person(&words).or_else(|| of_a_file(&words))
}

fn words(said: &str) -> Vec<&str> {
    let words = said.split(|each: char| each.is_whitespace() || ",;\"`*()".contains(each));
    words.map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).collect()
}

/// What is said after an "I": a verb of effects, of files only with one.
fn in_person(words: &[&str]) -> Option<Kind> {
    words.iter().enumerate().find_map(|(at, verb)| {
        let after = &words[at + 1..];
        // "I added up the amounts in a.csv."
        if after.first() == Some(&"up") {
            return None;
        }
        let file = has_file(after);
        match *verb {
            verb if SENDS.contains(&verb) => Some(Kind::Sent),
            verb if file && (EFFECTS.contains(&verb) || ON_FILES.contains(&verb)) => Some(Kind::ChangedFile),
            verb if EFFECTS.contains(&verb) => Some(Kind::Changed),
            _ => None,
        }
    })
}

/// "Saved the table to out.md", "Email sent to Anna", "Report saved to report.md".
fn without_a_person(words: &[&str]) -> Option<Kind> {
    let is_verb = |word: &&str| {
        let word = word.trim_end_matches(':');
        SENDS.contains(&word) || EFFECTS.contains(&word) || ON_FILES.contains(&word)
    };
    let words = words.strip_prefix(&["done:"]).or_else(|| words.strip_prefix(&["successfully"])).unwrap_or(words);
    let at = words.iter().position(is_verb)?;
    let (before, verb, after) = (&words[..at], words[at], &words[at + 1..]);
    let next = *after.first().unwrap_or(&"");
    // "Updated: 3 May", "Sent items: 3": a label.
    let labels = verb.ends_with(':') || next.ends_with(':');
    if before.is_empty() {
        // "Generated files are large" is about files.
        let named = names_file(next) && !says_file(next);
        let has_object = DETERMINERS.contains(&next) || named || MESSAGES.contains(&next);
        return match (labels, has_object, has_file(after)) {
            (false, true, true) => Some(if SENDS.contains(&verb) { Kind::Sent } else { Kind::ChangedFile }),
            (false, true, false) if SENDS.contains(&verb) && after.iter().any(|word| MESSAGES.contains(word)) => {
                Some(Kind::Sent)
            }
            _ => None,
        };
    }
    // A noun before the verb, and nothing else: with more, somebody else does it.
    let noun = before.strip_prefix(&["the"]).or_else(|| before.strip_prefix(&["your"])).unwrap_or(before);
    let [noun] = noun else { return None };
    let bare_verb = verb.trim_end_matches(':');
    let goes_on = next.is_empty() || matches!(next, "to" | "into" | "as" | "successfully");
    match (SENDS.contains(&bare_verb), has_file(after)) {
        (true, _) if goes_on && !labels && (MESSAGES.contains(noun) || names_file(noun)) => Some(Kind::Sent),
        (false, true) if noun.len() > 2 && (goes_on || labels) && (!names_file(noun) || says_file(noun)) => {
            Some(Kind::ChangedFile)
        }
        _ => None,
    }
}

/// "out.md has been created with 3 lines", "The report was saved to report.md".
fn of_a_file(words: &[&str]) -> Option<Kind> {
    let perfect = words.windows(2).position(|pair| matches!(pair, ["has" | "have", "been"])).map(|at| (at, at + 2));
    let past = words.iter().position(|word| matches!(*word, "was" | "were")).map(|at| (at, at + 1));
    let (be, then) = perfect.or(past)?;
    let is_between = |word: &&str| matches!(*word, "successfully" | "now" | "also");
    let skipped = words[then..].iter().take_while(|word| is_between(word)).count();
    let (verb, after) = (*words.get(then + skipped)?, &words[then + skipped + 1..]);
    let is_sent = SENDS.contains(&verb);
    if !is_sent && !EFFECTS.contains(&verb) && !ON_FILES.contains(&verb) {
        return None;
    }
    let kind = if is_sent { Kind::Sent } else { Kind::ChangedFile };
    // "The script that was changed in out.md": of something else.
    if words[..be].iter().any(|word| matches!(*word, "that" | "which" | "who" | "it")) && perfect.is_none() {
        return None;
    }
    let (next, counted) = (after.first().copied().unwrap_or_default(), after.get(1).copied().unwrap_or_default());
    let leads_to_file = matches!(next, "to" | "into" | "as" | "in" | "under") && has_file(after);
    let ends = match next {
        "" | "successfully" | "now" => true,
        // With so many rows, and not with an editor.
        "with" => perfect.is_some() || counted.starts_with(|each: char| each.is_ascii_digit()),
        _ => false,
    };
    let made = ends && (perfect.is_some() || MAKES.contains(&verb)) && is_subject_file(&words[..be]);
    let gone = ends && perfect.is_some() && is_sent && words[..be].last().is_some_and(|word| MESSAGES.contains(word));
    (leads_to_file || made || gone).then_some(kind)
}

/// Whether a file is the subject before a verb: it stands there, and nothing leads to it from something else.
fn is_subject_file(words: &[&str]) -> bool {
    let leads = |word: &&str| INTO.contains(word) || OF.contains(word);
    words.iter().any(|word| names_file(word)) && !words.iter().any(leads)
}

/// Whether a file is the object or the destination of the verb before these words.
fn has_file(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| names_file(word) && !is_of(&words[..at]))
}

/// Whether the words before a file lead to something that is not changed.
fn is_of(before: &[&str]) -> bool {
    let leads = before.iter().rev().find(|word| INTO.contains(word) || OF.contains(word));
    leads.is_some_and(|word| OF.contains(word))
}

/// Whether a word is the name of a file, or says that there is one.
fn names_file(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':']);
    let named = word.rsplit_once('.').is_some_and(|(name, ending)| {
        let letters = ending.chars().all(|each| each.is_ascii_alphanumeric()) && ending.len() <= 5;
        let has_letter = |text: &str| text.chars().any(char::is_alphabetic);
        letters && has_letter(ending) && has_letter(name) && !(name.len() == 1 && ending.len() == 1)
    });
    let elsewhere = word.contains('@') || word.contains("://") || DOMAINS.iter().any(|domain| word.ends_with(domain));
    (named && !elsewhere) || says_file(word)
}

fn says_file(word: &str) -> bool {
    matches!(word, "file" | "files" | "folder" | "folders")
}

/// Endings of what is an address and no file.
const DOMAINS: [&str; 6] = [".com", ".org", ".net", ".edu", ".gov", ".de"];

fn is_year(word: &str) -> bool {
    let word = word.trim_matches(|each: char| !each.is_ascii_digit());
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20"))
}

/// A text without what stands in quotation marks, where that is more than a name.
fn without_quotes(text: &str) -> String {
    let text = text.replace(['\u{201c}', '\u{201d}'], "\"");
    let pieces = text.split('"').enumerate();
    let said = pieces.filter(|(at, piece)| at % 2 == 0 || !piece.trim().contains(' '));
    said.map(|(_, piece)| piece).collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests;
