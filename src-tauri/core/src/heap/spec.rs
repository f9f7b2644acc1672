//! What is said of a specialist, and what the registry makes of it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The planner's only tool: its arguments are a plan, and calling it changes nothing.
pub const EMIT_PLAN: &str = "emit_plan";

/// Sizes that hold for every node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Caps {
    /// Tools of a leaf.
    pub tools: usize,
    /// Specialists that the planner is shown.
    pub top_level: usize,
    /// Children of a delegator.
    pub children: usize,
    /// Options that a chooser is shown.
    pub options: usize,
    /// Levels below the top one.
    pub depth: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { tools: 10, top_level: 8, children: 7, options: 10, depth: 5 }
    }
}

/// A specialist as a pack or a person writes it, with as many tools as it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SpecialistSpec {
    /// Unique; without `__`, which marks parts and groups.
    pub id: String,
    /// What it is for, in a sentence that helps to choose it.
    pub description: String,
    /// Its tools, in order.
    pub tool_names: Vec<String>,
    /// Those of its tools that every part of it has.
    pub shared_tools: Vec<String>,
    /// Its tools by intent, for those who choose.
    pub option_groups: IndexMap<String, OptionGroup>,
    /// How it is split when it has too many tools; tools that no part names are split by order.
    pub parts: Vec<Part>,
    /// Specialists below it.
    pub children: Vec<String>,
    /// Whether the planner sees it; children are never on top.
    pub top_level: bool,
}

/// One part of a specialist that is split by meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Part {
    /// Starts with the specialist's id and `_`; made from the part's number when empty.
    pub id: String,
    /// What this part is for.
    pub description: String,
    /// Its tools.
    pub tool_names: Vec<String>,
}

/// Tools that serve one intent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OptionGroup {
    /// The intent.
    pub label: String,
    /// The tools.
    pub tool_ids: Vec<String>,
}

/// An entry of the registry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Specialist {
    /// Unique.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// The tools of a leaf; empty for a delegator.
    pub tool_names: Vec<String>,
    /// The children of a delegator; empty for a leaf.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delegate_targets: Vec<String>,
    /// Its tools by intent.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub option_groups: IndexMap<String, OptionGroup>,
    /// The entry above; none on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// Characters of what a specialist is for, and of an intent, that whoever chooses is shown; and intents.
const BRIEF_CHARS: usize = 300;
const LABEL_CHARS: usize = 60;
const MOST_GROUPS: usize = 10;
/// Characters of what a specialist or an agent is for that its own steps are told.
pub const TOLD_CHARS: usize = 2_000;
/// Characters of an id: it stands in prompts, plans and lists.
pub const ID_CHARS: usize = 100;

impl Specialist {
    /// What it is for, as far as whoever chooses is shown it: a pack may say more than there is room for.
    pub fn brief(&self) -> String {
        first(&self.description, BRIEF_CHARS)
    }

    /// Its first intents, with how many tools serve each, as whoever chooses is shown them.
    pub fn intents(&self) -> impl Iterator<Item = (String, usize)> {
        let groups = self.option_groups.values().take(MOST_GROUPS);
        groups.map(|group| (label(&group.label), group.tool_ids.len()))
    }

    /// Whether it has tools of its own.
    pub fn is_leaf(&self) -> bool {
        !self.tool_names.is_empty()
    }

    /// Whether all it can do is to hand on to a child.
    pub fn is_delegator(&self) -> bool {
        self.tool_names.is_empty() && !self.delegate_targets.is_empty()
    }
}

/// What is to be said of a description of which steps are told a part.
pub fn told_in_part(description: &str) -> Option<String> {
    let count = description.chars().count();
    let message = || format!("the description has {count} characters, of which the first {TOLD_CHARS} are told");
    (count > TOLD_CHARS).then(message)
}

/// What a specialist or an agent is for, as far as its own steps are told; a longer text says that it was cut.
pub fn told_of(description: &str) -> String {
    match description.chars().count().checked_sub(TOLD_CHARS + 1) {
        Some(more) => format!("{} (cut here, {} more characters)", first(description, TOLD_CHARS), more + 1),
        None => description.to_owned(),
    }
}

/// The beginning of an intent, as it stands in descriptions.
pub(super) fn label(text: &str) -> String {
    first(text, LABEL_CHARS)
}

/// The beginning of a text.
pub(super) fn first(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
