//! The spellings under which a model, a seed or a file may write the fields of a plan: the one place that knows them.
//!
//! Spellings are compared without case, `_`, `-` and blanks, so `priority_order` is `priorityOrder`.

use serde_json::{Map, Value};

pub(super) const ROUTE: &[&str] = &["priorityorder", "route"];
pub(super) const TASK: &[&str] = &["refinedtask", "task"];
pub(super) const CONTEXT: &[&str] = &["extractedcontext", "context"];
pub(super) const STEPS: &[&str] = &["todolist", "steps", "todos"];
pub(super) const TITLE: &[&str] = &["title"];
pub(super) const INTENT: &[&str] = &["intent"];
pub(super) const WHEN: &[&str] = &["when"];
pub(super) const PLAN_TEXT: &[&str] = &["plan"];
pub(super) const ANSWER: &[&str] = &["answer"];
pub(super) const INSTRUCTIONS: &[&str] = &["instructions"];

pub(super) const STEP_ID: &[&str] = &["id"];
pub(super) const STEP_TEXT: &[&str] = &["description", "do", "task"];
pub(super) const STEP_TYPE: &[&str] = &["steptype", "type"];
pub(super) const STEP_TOOLS: &[&str] = &["requiredtools", "tool", "tools"];
pub(super) const TOOL_NAME: &[&str] = &["toolname", "tool", "name"];
pub(super) const STEP_OUTCOME: &[&str] = &["expectedoutcome", "expect"];
pub(super) const STEP_MODE: &[&str] = &["toolvalidationmode"];
pub(super) const STEP_AFTER: &[&str] = &["dependencies", "after", "dependson"];
pub(super) const STEP_WHO: &[&str] = &["specialist", "who"];
pub(super) const STEP_INSTRUCTIONS: &[&str] = &["instructions"];

/// In place of a tool: the step only thinks.
pub(super) const NO_TOOL: &str = "none";
/// In place of a tool: no shown tool fits, the step looks for one.
pub(super) const FIND_TOOL: &str = "find";

const INSTRUCTIONS_FOR: &str = "instructionsFor";

/// A key or a name without case and separators.
pub(super) fn bare(key: &str) -> String {
    letters(key).collect()
}

fn letters(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase)
}

/// The first field that has one of these spellings and is not null, with the spelling that was used.
pub(super) fn field<'a>(object: &'a Map<String, Value>, spellings: &[&str]) -> Option<(&'a str, &'a Value)> {
    spellings.iter().find_map(|spelling| {
        let mut fields = object.iter().map(|(key, value)| (key.as_str(), value));
        fields.find(|(key, value)| !value.is_null() && letters(key).eq(spelling.chars()))
    })
}

/// All fields that have one of these spellings, in their order in the object.
pub(super) fn fields<'a>(
    object: &'a Map<String, Value>,
    spellings: &'a [&'a str],
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let is_one = |key: &str| spellings.iter().any(|spelling| letters(key).eq(spelling.chars()));
    object.iter().map(|(key, value)| (key.as_str(), value)).filter(move |(key, _)| is_one(key))
}

/// The specialist that `instructionsForImproveRun` speaks to (`improve_run`); the older names of the seeds are mapped.
pub(super) fn instructed(key: &str) -> Option<String> {
    let rest = key.strip_prefix(INSTRUCTIONS_FOR).filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))?;
    let mut id = String::with_capacity(rest.len() + 4);
    for (index, letter) in rest.chars().enumerate() {
        if letter.is_uppercase() && index > 0 && !id.ends_with('_') {
            id.push('_');
        }
        id.extend(letter.to_lowercase());
    }
    Some(match id.as_str() {
        "improvement_session" => "improve_run".to_owned(),
        "improvement_heap" => "improve_heap".to_owned(),
        _ => id,
    })
}

/// The seeds' key for the instructions of a specialist: `improve_run` is `instructionsForImproveRun`.
pub(super) fn instructions_key(specialist: &str) -> String {
    let mut key = INSTRUCTIONS_FOR.to_owned();
    for part in specialist.split('_').filter(|part| !part.is_empty()) {
        let mut letters = part.chars();
        key.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        key.push_str(letters.as_str());
    }
    key
}

#[cfg(test)]
mod tests {
    use super::{instructed, instructions_key};

    #[test]
    fn a_key_and_its_specialist_belong_together() {
        for id in ["general", "improve_run", "improve_agents_workflows"] {
            assert_eq!(instructed(&instructions_key(id)).as_deref(), Some(id));
        }
        assert_eq!(instructed("instructionsForImprovementSession").as_deref(), Some("improve_run"));
        assert_eq!(instructed("instructionsForImprovementHeap").as_deref(), Some("improve_heap"));
        assert_eq!(instructed("instructionsForImprovement").as_deref(), Some("improvement"));
        assert_eq!(instructed("instructionsFor"), None);
        assert_eq!(instructed("instructions"), None);
    }
}
