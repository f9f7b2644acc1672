//! Whether a message wants something done again and again, as a workflow, or an agent made and run: "every morning", "on a
//! schedule", "save it as a workflow", "create an agent for this and run it". Code reads it, so that the specialist who makes workflows has a part in the plan whatever a model makes
//! of the message.
//!
//! A part of a text is not a time: "the sum of every month" wants a table. A question about what runs is none of it.

use std::sync::LazyLock;

use assent_core::contract::{Fault, Stage};
use assent_core::heap::Registry;
use assent_core::ids::StepId;
use assent_core::plan::{Executor, ExecutorKind, Known, Origin, Plan, Step, StepType, steps_to_route};
use regex::Regex;

/// Who makes workflows.
pub(super) const WORKFLOW: &str = "workflow";

/// What it is told where the planner has told it nothing.
const INSTRUCTIONS: &str = "Make one workflow that does what the message wants run, once or again and again, with the agents of \
     this plan as the specialists of its steps. Run it only if the message asks for a run now. Say what starts it.";

/// What is looked for in a message.
pub(super) type Pattern = LazyLock<Option<Regex>>;

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
pub(super) fn says(pattern: &Pattern, text: &str) -> bool {
    pattern.iter().any(|pattern| pattern.is_match(text))
}

/// Whether a message wants something done again and again, or as a workflow.
pub(super) fn wants_workflow(message: &str) -> bool {
    let text = message.to_lowercase();
    sentences(&text).any(|sentence| {
        let asks_only =
            sentence.ends_with('?') && !REQUESTS.contains(&sentence.split_whitespace().next().unwrap_or(""));
        let meant = says(&MEANT, sentence) || says(&RUN, sentence);
        !asks_only && (meant || comes_again(sentence) || is_often(sentence))
    })
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

/// Gives a plan the step that it lacks, and says so: where the message wants a workflow, somebody makes them, and no step
/// is theirs.
pub(super) fn with_workflow(plan: &mut Plan, known: &Known, registry: Option<&Registry>) -> Option<Fault> {
    let root = |id: &str| registry.and_then(|registry| registry.root_of(id)).unwrap_or(id).to_owned();
    let is_theirs = |step: &Step| step.executor.kind == ExecutorKind::Specialist && root(&step.executor.id) == WORKFLOW;
    if !known.runs(WORKFLOW) || plan.steps.is_empty() || plan.steps.iter().any(is_theirs) {
        return None;
    }
    if !wants_workflow(&plan.user_message) {
        return None;
    }
    let followed = |id: &StepId| plan.steps.iter().any(|step| step.dependencies.contains(id));
    let last: Vec<StepId> = plan.steps.iter().map(|step| step.id.clone()).filter(|id| !followed(id)).collect();
    let mut number = plan.steps.len() + 1;
    while plan.steps.iter().any(|step| step.id.as_str() == format!("s{number}")) {
        number += 1;
    }
    let is_route = plan.steps.iter().all(|step| step.origin == Origin::Route);
    plan.steps.push(Step {
        origin: if is_route { Origin::Route } else { Origin::Todo },
        step_type: Some(StepType::Tool),
        executor: Executor { kind: ExecutorKind::Specialist, id: WORKFLOW.to_owned() },
        dependencies: last,
        ..Step::new(StepId::new(format!("s{number}")), "Save it as a workflow, as the message asks")
    });
    plan.instructions.entry(WORKFLOW.to_owned()).or_insert_with(|| INSTRUCTIONS.to_owned());
    plan.route = steps_to_route(&plan.steps);
    let message = "the message wants something run, once or again and again, and no step makes a workflow of it";
    let fault = Fault::new(Stage::Plan, message).at(["steps"]);
    Some(
        fault.hint(
            "Give the specialist workflow a step after the others, and say in instructionsForWorkflow what to make.",
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::wants_workflow;

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
}
