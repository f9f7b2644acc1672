//! What a step leaves behind, held against what was asked for: a file that is expected and not there, and one that is not
//! of the form that was asked for. A small model writes its rows with commas into a file that is to hold a table, and
//! says that it is done.
//!
//! Only what can be told for certain is told: JSON that cannot be read, a Markdown table without a row, a heading whose
//! columns the person has named.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use assent_core::contract::{Fault, Stage};
use assent_core::plan::{Plan, Step, StepType, ValidationMode};
use assent_core::run::{RunState, ValidationStatus};
use regex::Regex;

use super::aim::Unwritten;
use super::reprompt::reprompts;
use super::step::Worker;
use super::verify::{Judgement, mode};
use super::words;
use crate::planner::named_files;
use crate::store::StoreError;
use crate::tool::workspace::{Kind, Workspace};
use crate::vault::Mask;

/// Bytes of a file that are looked at; a longer one is not judged.
const READ: u64 = 1 << 20;
/// What a step is to do that has not left behind what it should.
const WRITE: &str = "Call a tool that writes it.";
/// Characters of a first line that are told.
const TOLD: usize = 80;

/// "the columns number,total", "header: region,total", "the columns name, start and end". Commas with blanks alone end
/// in the rest of the sentence: "the columns name, end, the earliest first".
static COLUMNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:columns|header|heading)(?: line| row)?(?: is| are)?:?\s+([a-z]\w*(?:,\w+)+|[a-z]\w*(?:, \w+)*,? and \w+)\b",
    )
    .ok()
});

/// Words that no column is called.
const NO_NAMES: [&str; 8] = ["the", "a", "an", "its", "their", "of", "for", "in"];

/// What a step should have left behind and has not, in sentences.
#[derive(Debug, Default)]
pub(super) struct Lacking {
    /// What the step says that it writes, and what is not there: it is not done without.
    named: Vec<String>,
    /// What is expected of it otherwise.
    expected: Vec<String>,
}

impl Lacking {
    /// What is expected and not as it should be, and what the step has named and not written.
    fn of(mut expected: Vec<String>, unwritten: &Unwritten) -> Self {
        let is_told = |file: &&String| expected.iter().any(|one| one.contains(file.as_str()));
        let untouched = unwritten.untouched.iter().filter(|file| !is_told(file));
        let untouched: Vec<String> = untouched.map(|file| format!("{file} was not changed")).collect();
        expected.extend(untouched);
        Self { named: unwritten.absent.iter().map(|file| format!("{file} is not there")).collect(), expected }
    }

    /// The same in other words.
    fn map(&self, word: impl Fn(&str) -> String) -> Self {
        let all = |sentences: &[String]| sentences.iter().map(|one| word(one)).collect();
        Self { named: all(&self.named), expected: all(&self.expected) }
    }

    fn all(&self) -> Option<String> {
        let all: Vec<&str> = self.named.iter().chain(&self.expected).map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// A step that its calls settle. What it should have left behind and has not is told once, where that can still be
/// mended; then it is a warning, and a failure where the step itself names it and is strict.
pub(super) fn settled(
    plan: &Plan,
    state: &RunState,
    at: usize,
    lacking: &Lacking,
    can_mend: bool,
    validation: ValidationStatus,
) -> Judgement {
    let Some(all) = lacking.all() else {
        return Judgement::Complete { validation, warning: None };
    };
    if !can_mend || reprompts(state, at, is_left_behind) > 0 {
        let step = state.document(plan, at);
        if !lacking.named.is_empty() && mode(plan, step) == ValidationMode::Strict {
            let reason = format!("Step {} has not written what it names: {}", step.id, lacking.named.join("; "));
            return Judgement::Fail { validation, reason, limit: None };
        }
        return Judgement::Complete { validation, warning: Some(format!("not as expected: {all}")) };
    }
    let fault = Fault::new(Stage::OutputContract, format!("the step is not done: {all}"));
    let fault = fault.hint(WRITE);
    Judgement::Reprompt(Fault { attempt: Some(1), retries_remaining: Some(0), ..fault })
}

/// Whether a fault tells what a step should have left behind. Of the same stage is what tells that a result does not fit
/// its contract.
pub(super) fn is_left_behind(fault: &Fault) -> bool {
    fault.stage == Stage::OutputContract && fault.hint == WRITE
}

/// A step whose calls had nothing to do with what it names is told which file is not there, where one is not.
pub(super) fn beside_it(plan: &Plan, state: &RunState, at: usize, fault: Fault, lacking: &Lacking) -> Judgement {
    let is_beside = fault.stage == Stage::RequiredTools && state.entries_of(at).any(|entry| entry.missed().is_some());
    let told = is_beside.then(|| settled(plan, state, at, lacking, true, ValidationStatus::Passed));
    match told {
        Some(Judgement::Reprompt(told)) => Judgement::Reprompt(told),
        _ => Judgement::Reprompt(fault),
    }
}

impl Worker<'_> {
    /// What the step should have left behind, without what is secret.
    pub(super) fn lacking(&self, state: &RunState, mask: &Mask) -> Result<Lacking, StoreError> {
        let carrier = self.carrier;
        let (folder, hidden) = (&carrier.job.workspace, &carrier.parts.hidden);
        let unwritten = self.unwritten(state)?;
        let expected = lacking(folder, hidden, &carrier.plan().user_message, self.plan_step(), &unwritten.absent);
        Ok(Lacking::of(expected, &unwritten).map(|one| mask.text(one)))
    }
}

/// What a tool step should have left behind, in sentences, but for these files, which are told apart; nothing where all
/// is well.
fn lacking(folder: &Path, hidden: &[PathBuf], message: &str, step: &Step, apart: &[String]) -> Vec<String> {
    let expected = step.expected_outcome.as_deref().unwrap_or_default();
    if step.effective_type() == StepType::Reasoning || words::speaks_of_absence(expected) {
        return Vec::new();
    }
    let files = named_files(expected);
    if files.is_empty() {
        return Vec::new();
    }
    // A folder that is gone is told where something is to be done in it.
    let Ok(workspace) = Workspace::at(folder, hidden) else { return Vec::new() };
    let absent: Vec<&str> = files.iter().filter(|file| !is_there(&workspace, file)).map(String::as_str).collect();
    if !absent.is_empty() {
        let told: Vec<&str> = absent.into_iter().filter(|file| !apart.iter().any(|other| other == file)).collect();
        return if told.is_empty() { Vec::new() } else { vec![format!("{} is not there, or empty", told.join(", "))] };
    }
    files
        .iter()
        .filter_map(|file| wrong_form(&workspace, file, message, &format!("{} {expected}", step.description)))
        .collect()
}

/// An empty file is what `touch` leaves where a result was wanted. The name is a model's: what it leads to outside is not
/// looked at.
fn is_there(workspace: &Workspace, file: &str) -> bool {
    let kind = workspace.existing(file).and_then(|place| workspace.kind(&place));
    kind.is_ok_and(|kind| !matches!(kind, None | Some(Kind::File(0))))
}

/// What is wrong with the form of a file, as far as the person or the step has named one.
fn wrong_form(workspace: &Workspace, file: &str, message: &str, task: &str) -> Option<String> {
    let text = text_of(workspace, file)?;
    let first = || text.lines().next().unwrap_or_default().chars().take(TOLD).collect::<String>();
    let speaks_of_table = |text: &str| text.to_lowercase().contains("table");
    match Path::new(file).extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "json" => {
            let error = serde_json::from_str::<serde::de::IgnoredAny>(&text).err()?;
            Some(format!("{file} is not valid JSON: {error}"))
        }
        "md" if speaks_of_table(message) && speaks_of_table(task) => {
            let is_row = |line: &str| line.contains('|');
            let has_rule = text.lines().any(|line| is_row(line) && line.contains("--"));
            (!has_rule).then(|| {
                format!(
                    "{file} holds no Markdown table (rows like | a | b | below a line | --- | --- |); it begins: {}",
                    first()
                )
            })
        }
        "csv" if first().contains('|') && !first().contains([',', ';', '\t']) => Some(format!(
            "{file} is not CSV, there is | between its values (sqlite3 -header -csv writes CSV); it begins: {}",
            first()
        )),
        "csv" if text.lines().nth(1).is_none() && columns(message).is_some() => {
            Some(format!("{file} has no row below its first line: {}", first()))
        }
        "csv" => {
            let wanted = columns(message)?;
            let has: Vec<String> =
                first().split([',', ';', '\t']).map(|cell| cell.trim().trim_matches('"').to_lowercase()).collect();
            let lower = |name: &String| name.to_lowercase();
            (!wanted.iter().map(lower).eq(has))
                .then(|| format!("the first line of {file} is not {}; it is: {}", wanted.join(","), first()))
        }
        _ => None,
    }
}

fn text_of(workspace: &Workspace, file: &str) -> Option<String> {
    let place = workspace.existing(file).ok()?;
    let (bytes, size) = workspace.read(&place, READ).ok()?;
    (size < READ).then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The columns that a message names for a file that it wants.
fn columns(message: &str) -> Option<Vec<String>> {
    let mut all = COLUMNS.as_ref()?.captures_iter(message);
    let (one, more) = (all.next()?, all.next());
    // Of two lists one is that of another file.
    if more.is_some() || named_files(message).iter().filter(|file| file.ends_with(".csv")).count() > 2 {
        return None;
    }
    let names = one[1].replace(" and ", ",");
    let names: Vec<String> =
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    (!names.iter().any(|name| NO_NAMES.contains(&name.to_lowercase().as_str()))).then_some(names)
}

#[cfg(test)]
mod tests {
    use assent_core::ids::StepId;

    use super::*;

    fn lacks(message: &str, expected: &str, file: &str, text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), text).unwrap();
        let mut step = Step::new(StepId::new("s1"), message);
        step.required_tools = vec!["bash".to_owned()];
        step.expected_outcome = Some(expected.to_owned());
        lacking(folder.path(), &[], message, &step, &[])
    }

    #[test]
    fn a_file_of_another_form_than_was_asked_for_is_told() {
        let table = "Make a Markdown table of the planets in planets.md";
        let wrong = lacks(table, "planets.md", "planets.md", "name,moons\nMars,2\n");
        assert!(
            wrong[0].starts_with("planets.md holds no Markdown table") && wrong[0].ends_with("it begins: name,moons")
        );
        let json = lacks("Convert a.csv to b.json", "b.json", "b.json", "{'a': 1}");
        assert!(json[0].starts_with("b.json is not valid JSON: "), "{json:?}");
        let csv = "Write moons.csv with the columns planet, name and radius.";
        let wrong = lacks(csv, "moons.csv", "moons.csv", "name,radius\nPhobos,11\n");
        assert_eq!(wrong, ["the first line of moons.csv is not planet,name,radius; it is: name,radius"]);
        let bars = lacks("Write moons.csv", "moons.csv", "moons.csv", "Mars|2\n");
        assert!(bars[0].starts_with("moons.csv is not CSV") && bars[0].ends_with("it begins: Mars|2"), "{bars:?}");
        let empty = lacks(csv, "moons.csv", "moons.csv", "planet,name,radius\n");
        assert_eq!(empty, ["moons.csv has no row below its first line: planet,name,radius"]);
        assert_eq!(lacks(csv, "moons.csv", "other.csv", "x\n"), ["moons.csv is not there, or empty"]);
    }

    #[test]
    fn nothing_outside_of_the_workspace_is_looked_at() {
        let outside = tempfile::tempdir().unwrap();
        let key = outside.path().join("key.json");
        std::fs::write(&key, "no JSON").unwrap();
        for away in
            [key.display().to_string(), format!("../{}/key.json", outside.path().file_name().unwrap().display())]
        {
            let told = lacks(&format!("Convert a.csv to {away}"), &away, "a.csv", "x\n").join("");
            assert!(!told.contains("JSON"), "{told}");
        }
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(&key, folder.path().join("link.json")).unwrap();
        let mut step = Step::new(StepId::new("s1"), "Convert a.csv to link.json");
        step.required_tools = vec!["bash".to_owned()];
        step.expected_outcome = Some("link.json".to_owned());
        let told = lacking(folder.path(), &[], "Convert a.csv to link.json", &step, &[]);
        assert_eq!(told, ["link.json is not there, or empty"]);
    }

    #[test]
    fn what_has_its_form_or_has_none_is_well() {
        let table = "| name | moons |\n|---|:-:|\n| Mars | 2 |\n";
        for (message, file, text) in [
            ("Make a Markdown table of the planets in planets.md", "planets.md", table),
            ("List the tables of the database in tables.md", "tables.md", table),
            ("Write a summary to planets.md", "planets.md", "Mars has two moons.\n"),
            ("moons.csv (header: planet,name)", "moons.csv", "\"Planet\",\"Name\"\nMars,Phobos\n"),
            ("moons.csv with the columns planet and name", "moons.csv", "planet,name\r\nMars,Phobos\r\n"),
            ("moons.csv, sorted by name", "moons.csv", "Mars;Phobos\n"),
            ("b.json with the columns a and b", "b.json", "[]"),
            ("Write all to notes", "notes.bin", "\u{0}"),
        ] {
            assert_eq!(lacks(message, file, file, text), Vec::<String>::new(), "{message}");
        }
    }

    #[test]
    fn columns_are_taken_where_a_message_names_one_list() {
        for (message, expected) in [
            ("with the columns number,total.", Some("number,total")),
            ("the columns name,end, the earliest first", Some("name,end")),
            ("the columns name, end, the earliest first", None),
            ("(columns name,end) sorted", Some("name,end")),
            ("the columns region and the total", None),
            ("Header line: person,hours", Some("person,hours")),
            ("with the columns x, y, and z", Some("x,y,z")),
            ("add the columns up", None),
            ("the columns a,b of x.csv become the columns c,d", None),
            ("the column total", None),
        ] {
            assert_eq!(columns(message).map(|names| names.join(",")).as_deref(), expected, "{message}");
        }
    }
}
