//! Messages with the plans that were right for them: the nearest are put before a new message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PlanningError;
use super::values::named_files;
use crate::discovery::Index;
use crate::texts::text;

/// Kinds of data and what gives them away, in a message or in the names of the workspace's files.
const KINDS: &[(&str, &[&str])] = &[
    ("csv", &[".csv", ".tsv"]),
    ("json", &[".json", ".jsonl"]),
    ("sqlite", &[".db", ".sqlite", ".sqlite3"]),
    ("git", &[".git", "repository", "commit", "branch"]),
];

/// A message and its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The message.
    pub message: String,
    /// Words by which it is also found.
    #[serde(default)]
    pub also: String,
    /// The kind of data it works on; shown only where there is such data. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The plan in the compact shape.
    pub plan: Value,
}

/// Examples that can be searched.
pub struct Library {
    examples: Vec<Example>,
    index: Index,
}

impl Library {
    /// The examples that are shipped.
    ///
    /// # Errors
    /// [`PlanningError::Examples`] when the file is damaged; a test proves that it is not.
    pub fn shipped() -> Result<Self, PlanningError> {
        let examples: Vec<Example> = serde_json::from_str(text!("data/examples.json"))
            .map_err(|error| PlanningError::Examples(error.to_string()))?;
        Ok(Self::of(examples))
    }

    /// A library of these.
    pub fn of(examples: impl IntoIterator<Item = Example>) -> Self {
        let mut library = Self { examples: Vec::new(), index: Index::default() };
        for example in examples {
            library.add(example);
        }
        library
    }

    /// Adds an example, such as a plan that the user has approved.
    pub fn add(&mut self, example: Example) {
        self.index.add(&format!("{} {}", without_names(&example.message), example.also));
        self.examples.push(example);
    }

    /// The examples.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The nearest examples to a message in a workspace with these files, after the `skip` nearest ones; the nearest
    /// last, next to the message. Fewer where the others are less than half as near. A message that names a data file
    /// of the workspace is only shown what is done with such a file.
    pub(super) fn nearest(&self, message: &str, files: &[String], skip: usize, count: usize) -> Vec<&Example> {
        let here = kinds(message, files);
        let named = named_data(message, files);
        let wanted = |place: usize| match self.examples[place].kind.as_deref() {
            Some(kind) if named.is_empty() => here.contains(&kind),
            Some(kind) => named.contains(&kind),
            None => named.is_empty(),
        };
        let hits = self.index.search(&without_names(message), skip + count, wanted);
        // One that is much further away than the best leads a small model astray.
        let near = hits.first().map_or(0.0, |best| best.score / 2.0);
        hits.iter().skip(skip).rev().filter(|hit| hit.score >= near).map(|hit| &self.examples[hit.place]).collect()
    }
}

/// A message with only the endings of the files that it names: what a file is called says nothing of what is to be done,
/// and `notes.txt` is otherwise near to everything about notes.
fn without_names(message: &str) -> String {
    let names = named_files(message).into_iter();
    names.fold(message.to_owned(), |text, name| {
        let ending = name.rsplit('.').next().unwrap_or_default().to_owned();
        text.replace(&name, &ending)
    })
}

/// The kinds of the data files that a message names and that are there: what rows, fields or tables are made of is
/// worked on by a script, whatever is to be done with it.
pub(super) fn named_data(message: &str, files: &[String]) -> Vec<&'static str> {
    let is_there = |name: &str| {
        let path = files.iter().map(|line| line.split_once(": ").map_or(line.as_str(), |(path, _)| path));
        path.into_iter().any(|path| path == name || path.ends_with(&format!("/{name}")))
    };
    let named: Vec<String> = named_files(message).into_iter().filter(|name| is_there(name)).collect();
    let ends = |marks: &[&str]| named.iter().any(|name| marks.iter().any(|mark| name.to_lowercase().ends_with(mark)));
    KINDS.iter().filter(|(_, marks)| ends(marks)).map(|(kind, _)| *kind).collect()
}

fn kinds(message: &str, files: &[String]) -> Vec<&'static str> {
    let seen = |mark: &str| {
        message.to_lowercase().contains(mark) || files.iter().any(|file| file.to_lowercase().contains(mark))
    };
    KINDS.iter().filter(|(_, marks)| marks.iter().any(|mark| seen(mark))).map(|(kind, _)| *kind).collect()
}

#[cfg(test)]
mod tests {
    use assent_core::plan::{PlannerOutput, parse_value};
    use serde_json::json;

    use super::*;

    fn example(message: &str, kind: Option<&str>) -> Example {
        Example {
            message: message.to_owned(),
            also: String::new(),
            kind: kind.map(str::to_owned),
            plan: json!({"title": message}),
        }
    }

    #[test]
    fn every_shipped_example_is_a_plan_without_faults() {
        let library = Library::shipped().unwrap();
        assert!(library.examples().len() >= 30);
        for example in library.examples() {
            let (output, faults) = parse_value(&example.plan);
            assert!(matches!(output, Some(PlannerOutput::Plan(_) | PlannerOutput::Answer(_))), "{}", example.message);
            assert_eq!(faults, [], "{}", example.message);
            assert!(example.kind.as_deref().is_none_or(|kind| KINDS.iter().any(|(known, _)| *known == kind)));
        }
    }

    #[test]
    fn a_data_file_that_is_there_brings_examples_of_its_kind_alone() {
        let library = Library::of([
            example("Find the lines with a word in all texts", None),
            example("Add up a column of sales.csv", Some("csv")),
            example("Count the rows of a table in stock.db", Some("sqlite")),
        ]);
        let messages = |message: &str, files: &[&str]| -> Vec<String> {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            library.nearest(message, &files, 0, 3).iter().map(|one| one.message.clone()).collect()
        };
        let there = ["data/a.csv: 3 lines, first line: x", "b.db: SQLite"];
        let rows = "Find the rows of a.csv and add up the column";
        assert_eq!(messages(rows, &there), ["Add up a column of sales.csv"]);
        assert_eq!(
            named_data("rows of b.db and a.csv into c.json", &["a.csv".into(), "b.db: SQLite".into()]),
            ["csv", "sqlite"]
        );
        let texts = "Find the lines with a word and write them to a.csv";
        assert_eq!(messages(texts, &["one.txt: 3 lines"]), ["Find the lines with a word in all texts"]);
        assert!(named_data(texts, &["one.txt: 3 lines".into()]).is_empty(), "it is only the result");
    }

    #[test]
    fn the_names_of_files_bring_no_example() {
        let library = Library::of([
            example("Undo what you did to notes.txt", None),
            example("Which files mention a word?", None),
            example("Put the numbers into a txt file", None),
        ]);
        let messages = |message: &str| -> Vec<String> {
            library.nearest(message, &[], 0, 2).iter().map(|one| one.message.clone()).collect()
        };
        assert_eq!(messages("Which of the notes mention Berlin?"), ["Which files mention a word?"]);
        assert!(messages("undo.db").is_empty(), "only the ending is a word");
    }

    #[test]
    fn the_nearest_stands_last_and_other_kinds_of_data_are_left_out() {
        let library = Library::of([
            example("Count the words of every chapter", None),
            example("Average of a column of sales.csv", Some("csv")),
            example("The average per chapter", None),
        ]);
        let messages = |files: &[String]| -> Vec<String> {
            let found = library.nearest("the average of every column, please", files, 0, 2);
            found.into_iter().map(|one| one.message.clone()).collect()
        };
        assert_eq!(messages(&[]), ["The average per chapter", "Count the words of every chapter"]);
        assert_eq!(
            messages(&["data/orders.CSV: 12 lines".to_owned()]),
            ["Count the words of every chapter", "Average of a column of sales.csv"]
        );
        let far = library.nearest("average of a column", &["x.csv".to_owned()], 0, 2);
        assert_eq!(far.len(), 1, "what is less than half as near is left out");
        assert_eq!(library.nearest("quantum", &[], 0, 2), Vec::<&Example>::new());
    }
}
