//! Going down the registry, one choice a level. The chooser is an argument: a model, a person or a rule.

use std::future::Future;
use std::pin::Pin;

use thiserror::Error;

use super::registry::Registry;
use crate::order::sort;

/// Tools of an option that a chooser is shown.
const SHOWN_TOOLS: usize = 12;

/// What a chooser is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it may choose from.
    pub options: Vec<ChoiceOption>,
    /// The node whose children these are; none at the top.
    pub parent: Option<String>,
    /// Levels below where the search began, from 0.
    pub depth: usize,
    /// What is to be done.
    pub task: String,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceOption {
    /// The specialist.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// The first of its tools.
    pub tools: Vec<String>,
    /// Its tools by intent, with how many there are of each.
    pub groups: Vec<(String, usize)>,
}

/// A chooser could not be asked or did not answer in time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the chooser failed: {reason}")]
pub struct ChooserFailed {
    /// What happened.
    pub reason: String,
    /// How far it came.
    pub failure: ChooserFailure,
}

impl ChooserFailed {
    /// Nobody was asked, and why.
    pub fn not_asked(reason: impl ToString) -> Self {
        Self { reason: reason.to_string(), failure: ChooserFailure::NotAsked }
    }
}

/// How far a chooser came that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChooserFailure {
    /// It was not asked.
    NotAsked,
    /// It was asked, and could not answer.
    NoAnswer,
    /// It was asked, and was waited for in vain.
    Silence,
}

/// The ids that were chosen, later: none for "none of these".
pub type Choosing<'a> = Pin<Box<dyn Future<Output = Result<Vec<String>, ChooserFailed>> + Send + 'a>>;

/// Who chooses among the children of a node. Ending in time is its own duty.
pub trait Chooser: Send + Sync {
    /// Chooses one of the options.
    fn choose(&self, question: Question) -> Choosing<'_>;
}

/// How a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    /// Choices on one path at most.
    pub depth_limit: usize,
    /// Options that the chooser is shown at most.
    pub options_cap: Option<usize>,
    /// Where a path ends.
    pub end: PathEnd,
}

/// Where a path ends, if neither the chooser nor the depth limit ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathEnd {
    /// At the first node that has tools.
    FirstLeaf,
    /// Where there are no children.
    NoOptions,
}

impl Search {
    /// A search that goes on until there is nothing to choose from.
    pub fn to(depth_limit: usize) -> Self {
        Self { depth_limit, options_cap: None, end: PathEnd::NoOptions }
    }
}

/// The path that the chooser takes from the top. It ends where the chooser chooses none of the options, at the depth
/// limit, or where there are no options; that may be at a delegator.
pub async fn search_heap_path(registry: &Registry, task: &str, search: Search, chooser: &dyn Chooser) -> Vec<String> {
    walk(registry, None, task, search, chooser).await
}

/// The path that the chooser takes from a node, that node left out; empty from a leaf or an unknown id.
pub async fn search_from_node(
    registry: &Registry,
    start: &str,
    task: &str,
    search: Search,
    chooser: &dyn Chooser,
) -> Vec<String> {
    walk(registry, Some(start), task, search, chooser).await
}

async fn walk(
    registry: &Registry,
    start: Option<&str>,
    task: &str,
    search: Search,
    chooser: &dyn Chooser,
) -> Vec<String> {
    let mut path: Vec<String> = Vec::new();
    for depth in 0..search.depth_limit {
        let node = path.last().map(String::as_str).or(start);
        let options = registry.options_at_node(node, search.options_cap);
        if options.is_empty() {
            break;
        }
        let answer = chooser.choose(question(registry, options, node, depth, task)).await;
        let Some(chosen) = answer.ok().and_then(|ids| sole(&ids, options)) else { break };
        let ends = search.end == PathEnd::FirstLeaf && registry.get(&chosen).is_some_and(super::Specialist::is_leaf);
        path.push(chosen);
        if ends {
            break;
        }
    }
    path
}

/// The one option that an answer names; nothing for none, several or unknown ones.
pub(super) fn sole(answer: &[String], options: &[String]) -> Option<String> {
    match answer {
        [one] => options.iter().find(|option| *option == one).cloned(),
        _ => None,
    }
}

pub(super) fn question(
    registry: &Registry,
    options: &[String],
    parent: Option<&str>,
    depth: usize,
    task: &str,
) -> Question {
    let options = options.iter().map(|id| option(registry, id)).collect();
    Question { options, parent: parent.map(str::to_owned), depth, task: task.to_owned() }
}

/// What is asked about a node: which of its children does a task.
pub fn question_at(registry: &Registry, node: &str, task: &str) -> Question {
    question(registry, registry.options_at_node(Some(node), None), Some(node), 0, task)
}

/// A specialist as whoever chooses is shown it.
pub fn option(registry: &Registry, id: &str) -> ChoiceOption {
    let entry = registry.get(id);
    ChoiceOption {
        id: id.to_owned(),
        description: entry.map(super::Specialist::brief).unwrap_or_default(),
        tools: registry.tools_below(id).take(SHOWN_TOOLS).map(str::to_owned).collect(),
        groups: entry.into_iter().flat_map(super::Specialist::intents).collect(),
    }
}

/// The options that a model's text names, each as a whole word: `x__part1` is not found in `x__part10`. In the order
/// in which they stand in the text.
pub fn whole_ids(text: &str, options: &[String]) -> Vec<String> {
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut found: Vec<(usize, &String)> = Vec::new();
    for option in options.iter().filter(|option| !option.is_empty()) {
        let whole = |at: &usize| {
            let before = text[..*at].chars().next_back();
            let mut after = text[at + option.len()..].chars();
            let next = after.next();
            // A dot ends a sentence, or goes on in a name like `mcp.files`.
            let dotted = next == Some('.') && after.next().is_some_and(belongs);
            !before.is_some_and(|c| belongs(c) || c == '.') && !next.is_some_and(belongs) && !dotted
        };
        found.extend(text.match_indices(option.as_str()).map(|(at, _)| at).find(whole).map(|at| (at, option)));
    }
    sort(&mut found);
    found.into_iter().map(|(_, option)| option.clone()).collect()
}
