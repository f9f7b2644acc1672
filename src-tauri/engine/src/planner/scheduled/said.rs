//! What the words of a message say of when something is to be done, in the two languages that are read here.
//!
//! A part of a text is not a time: "the sum of every month" wants a table. A question about what runs is none of it.

use std::sync::LazyLock;

use regex::Regex;

use super::WORKFLOW;

/// Characters of what a message says of it.
const WHEN_CHARS: usize = 300;

/// The commonest words of the languages that are read here.
const COMMON: &str = "a all an and are at be do every for from have i in is it me my of on or our please run show some that the \
    them there these this those to what when where which who will with you your \
    alle als am auf bei bitte das dem den der ein eine einen für ich im ist jeden mein meine meinen mir mit nach oder sie sind und \
    von was welche welcher wenn wer wie wo zu";

/// What is looked for in a message.
pub(in crate::planner) type Pattern = LazyLock<Option<Regex>>;

/// A time that comes again.
static AGAIN: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:every|each|jeden|jede|jedes)\s+(?:\w+\s+)?(?:minute|hour|day|morning|noon|afternoon|evening|night|week|weekday|weekend|month|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tag|morgen|mittag|abend|nacht|woche|monat|stunde|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?:s|n|en)?\b",
    )
    .ok()
});

/// Words that mean it by themselves.
static MEANT: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:(?:daily|hourly|weekly|nightly|monthly)\s+(?:at|on)|periodically|at regular intervals|on a (?:regular )?schedule|schedule (?:it|this|that|them|an?)|scheduled (?:run|task|job|workflow)s?|(?:create|make|build|save|set up|add|run|start|execute|erstelle|baue|starte)\b[^.!?\n]{0,40}\bworkflows?|as a workflow|als workflow|nach (?:einem )?zeitplan|täglich|stündlich|wöchentlich|monatlich|regelmäßig)\b",
    )
    .ok()
});

/// A time that comes again, in one word or by how often: "run it daily", "twice a week".
static OFTEN: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:daily|hourly|weekly|nightly|monthly|(?:once|twice|three times) (?:an?|every|each|per) (?:minute|hour|day|night|week|month))\b",
    )
    .ok()
});

/// An agent that is made in order to run.
static RUN: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:create|make|build|set up|add|erstelle|baue)\b.{0,60}\bagent(?:s|en)?\b.*\b(?:run|start|execute|launch|starte|führe) (?:it|them|ihn|sie)\b",
    )
    .ok()
});

/// What is done by somebody who is told how often.
const DONE: [&str; 9] = ["it", "them", "this", "that", "these", "those", "ihn", "sie", "es"];
/// Words before a time that tell how something is.
const STATES: [&str; 6] = ["is", "are", "was", "were", "be", "not"];
/// Words before a time that make a part of something of it.
const PARTS: [&str; 14] =
    ["of", "for", "in", "per", "from", "by", "between", "within", "about", "than", "für", "von", "pro", "aus"];
/// Words behind a time that do the same.
const OWNERS: [&str; 19] = [
    "of", "in", "from", "that", "which", "last", "column", "entry", "row", "has", "have", "gets", "get", "is", "are",
    "was", "were", "should", "with",
];
/// Questions that ask for something to be done.
const REQUESTS: [&str; 12] =
    ["can", "could", "would", "will", "please", "may", "kannst", "könntest", "würdest", "bitte", "and", "then"];

/// Whether a text has what is looked for.
pub(in crate::planner) fn says(pattern: &Pattern, text: &str) -> bool {
    pattern.iter().any(|pattern| pattern.is_match(text))
}

/// Whether a message is in a language that is read here: a quarter of its words are among the commonest.
pub(super) fn is_read(message: &str) -> bool {
    let lower = message.to_lowercase();
    let words: Vec<&str> = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let common = words.iter().filter(|word| COMMON.split_ascii_whitespace().any(|one| one == **word)).count();
    common > 0 && common * 4 >= words.len()
}

/// Whether a message plainly wants something done again and again, or as a workflow.
pub(super) fn wants_workflow(message: &str) -> bool {
    orders(message)
        .any(|(_, order)| says(&RUN, &order) || says(&MEANT, &order) || comes_again(&order) || is_often(&order))
}

/// The sentence of a message that says when something is to be done.
pub(super) fn time_of(message: &str) -> Option<&str> {
    let is_time =
        |order: &str| comes_again(order) || is_often(order) || says(&MEANT, order) && !order.contains(WORKFLOW);
    let said = orders(message).find(|(_, order)| is_time(order)).map(|(sentence, _)| sentence);
    said.filter(|sentence| sentence.chars().nth(WHEN_CHARS).is_none())
}

/// The sentences of a message that are no mere questions, as they stand and in small letters.
fn orders(message: &str) -> impl Iterator<Item = (&str, String)> {
    let lower = sentences(message).map(|sentence| (sentence, sentence.to_lowercase()));
    lower
        .filter(|(_, order)| !order.ends_with('?') || REQUESTS.contains(&order.split_whitespace().next().unwrap_or("")))
}

/// Each with the sign that ends it. Inside an address no sign ends one.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |(at, sign): (usize, char)| {
        let behind = &text[at + sign.len_utf8()..];
        let is_end = sign == '\n' || ".?!".contains(sign) && behind.chars().next().is_none_or(char::is_whitespace);
        is_end.then(|| text.len() - behind.len())
    };
    let mut from = 0;
    let ends = text.char_indices().filter_map(ends).chain([text.len()]);
    ends.map(move |end| text[std::mem::replace(&mut from, end)..end].trim()).filter(|part| !part.is_empty())
}

/// Whether something is to be done so often: "run it daily", "check the folder weekly." A "weekly report" is a report.
fn is_often(sentence: &str) -> bool {
    OFTEN.iter().flat_map(|often| often.find_iter(sentence)).any(|found| {
        let (before, after) = (word_before(sentence, found.start()), sentence[found.end()..].trim_start());
        let ends = after.is_empty() || after.starts_with([',', '.', ';', '!', '?']);
        DONE.contains(&before) || ends && !STATES.contains(&before) && !tells(sentence)
    })
}

fn word_before(sentence: &str, at: usize) -> &str {
    sentence[..at].split_whitespace().next_back().unwrap_or("")
}

/// Whether it tells of something that does what it does: "the jobs that run twice a day".
fn tells(sentence: &str) -> bool {
    sentence.split_whitespace().any(|word| ["that", "which", "who"].contains(&word))
}

fn comes_again(sentence: &str) -> bool {
    let found = AGAIN.iter().flat_map(|again| again.find_iter(sentence));
    let word =
        |text: &str, words: &[&str]| words.contains(&text.trim_matches(|letter: char| !letter.is_alphanumeric()));
    found.into_iter().any(|found| {
        let before = word_before(sentence, found.start());
        let after = sentence[found.end()..].split_whitespace().next().unwrap_or("");
        !word(before, &PARTS) && !word(after, &OWNERS)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_read, time_of, wants_workflow};

    #[test]
    fn what_is_to_be_done_again_and_again_wants_a_workflow() {
        for message in [
            "Create an agent that watches https://example.com/feed and run it every morning",
            "Every Monday, send me the list of new files.",
            "Check the folder each hour and tell me what is new",
            "Could you do this every second week?",
            "Save it as a workflow",
            "Make me a small workflow for the report",
            "Run the workflow now",
            "Fetch the page periodically.",
            "Look at it daily at 8.",
            "Write the report. Then schedule it.",
            "Prüfe den Ordner jeden Morgen",
            "Schicke mir täglich die neuen Dateien",
            "Create an agent for https://example.com/careers and run it daily",
            "Every morning look at https://example.com/s?q=1 and tell me what is new",
            "Run it at https://example.com/s?q=1 every day",
            "Schedule a daily check of the folder",
            "Check the folder twice a day.",
            "Crawl the page weekly, and write what is new to news.md",
            "Create an agent that reads the feed, and run it",
            "Make two agents for these sites, then start them now",
        ] {
            assert!(wants_workflow(message), "{message}");
        }
    }

    #[test]
    fn a_part_of_a_text_is_no_time_and_a_question_is_no_order() {
        for message in [
            "Count the entries of each day in log.txt",
            "Write a table with the sum for every month",
            "What runs every day on this machine?",
            "List the mean of every week that is in data.csv",
            "Which workflow is the latest?",
            "Read schedule.md and tell me what is in it",
            "Create an agent that counts the words of each line",
            "Summarise my weekly report",
            "Sort the photos so that each month has a folder",
            "Write report.md where every week is a heading",
            "Each month should have a file of its own",
            "Read the weekly report, and the daily log",
            "List the jobs that run twice a day",
            "The report is weekly. Say what is in it",
            "Find the agent in log.txt and say who made it run",
            "",
        ] {
            assert!(!wants_workflow(message), "{message}");
        }
    }

    #[test]
    fn the_sentence_that_says_when_is_told_as_it_stands() {
        let message = "Look at https://example.com/Feed?q=1. Run it every Monday at 8! Thank you.";
        assert_eq!(time_of(message), Some("Run it every Monday at 8!"));
        assert_eq!(time_of("Save it as a workflow."), None);
        assert_eq!(time_of("What runs every day?"), None);
    }

    #[test]
    fn a_language_is_known_by_its_commonest_words() {
        for read in [
            "Fix my agent",
            "Which agents are there?",
            "Zeige mir alle Agenten",
            "Show all agents that run on the server",
        ] {
            assert!(is_read(read), "{read}");
        }
        for foreign in [
            "Crée un agent qui surveille le flux et lance-le chaque lundi à 8 h",
            "Crea un agente para la búsqueda",
            "Maak een agent die de feed bekijkt",
            "Crie um agente para a pesquisa",
            "每天早上运行它",
            "",
        ] {
            assert!(!is_read(foreign), "{foreign}");
        }
    }
}
