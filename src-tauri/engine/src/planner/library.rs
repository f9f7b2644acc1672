//! Messages with the plans that were right for them: the nearest are put before a new message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PlanningError;
use crate::discovery::Index;

const SHIPPED: &str = include_str!("../../data/examples.json");

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
        let examples: Vec<Example> =
            serde_json::from_str(SHIPPED).map_err(|error| PlanningError::Examples(error.to_string()))?;
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
        self.index.add(&format!("{} {}", example.message, example.also));
        self.examples.push(example);
    }

    /// The examples.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The nearest examples to a message in a workspace with these files, after the `skip` nearest ones; the nearest
    /// last, next to the message. Fewer where the others are less than half as near.
    pub(super) fn nearest(&self, message: &str, files: &[String], skip: usize, count: usize) -> Vec<&Example> {
        let here = kinds(message, files);
        let wanted = |place: usize| self.examples[place].kind.as_deref().is_none_or(|kind| here.contains(&kind));
        let hits = self.index.search(message, skip + count, wanted);
        // One that is much further away than the best leads a small model astray.
        let near = hits.first().map_or(0.0, |best| best.score / 2.0);
        hits.iter().skip(skip).rev().filter(|hit| hit.score >= near).map(|hit| &self.examples[hit.place]).collect()
    }
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
