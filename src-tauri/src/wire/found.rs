//! What came of a search for tools, as the page shows it.

use assent_core::contract::{Risk, Source};
use assent_core::discovery::{Filter, Found, Reason, ToolMatch};
use assent_engine::discovery::Lack;
use serde::{Deserialize, Serialize};

/// Which tools are looked for; what is empty holds for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct ToolFilter {
    /// Where they come from.
    pub sources: Vec<Source>,
    /// The servers, or folders that were added, that they come from.
    pub servers: Vec<String>,
    /// What they can do at worst.
    pub risks: Vec<Risk>,
}

impl From<ToolFilter> for Filter {
    fn from(ToolFilter { sources, servers, risks }: ToolFilter) -> Self {
        Self { sources, servers, risks, without: Vec::new() }
    }
}

/// What came of a search for tools.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToolSearch {
    /// The tools, the best first.
    pub tools: Vec<FoundTool>,
    /// Why there is none.
    pub nothing: Option<String>,
    /// What it had to do without.
    pub lacks: Vec<SearchLack>,
}

/// Something that a search had to do without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SearchLack {
    /// What it would have been compared by: earlier requests, or meaning.
    pub of: FoundBy,
    /// Why, as far as that is known.
    pub why: Option<String>,
}

/// A tool that was found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FoundTool {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub summary: String,
    /// Where it comes from.
    pub source: Source,
    /// The specialist on top that has it, itself or by one below it.
    pub owner: Option<String>,
    /// The worst that it can do.
    pub risk: Risk,
    /// Whether a person may call it; what models look for tools with is theirs.
    pub callable: bool,
    /// Whether the request names it.
    pub exact: bool,
    /// How well it fits; comparable only within one search.
    pub score: f32,
    /// What the score is made of.
    pub reasons: Vec<FoundReason>,
}

/// A part of a score.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FoundReason {
    /// What was compared.
    pub of: FoundBy,
    /// What it adds to the score.
    pub adds: f32,
}

/// What is compared in a search for tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// Words of a part of the request.
    Words,
    /// Words of the whole request.
    Whole,
    /// Words beside each other.
    Neighbours,
    /// The name.
    Name,
    /// The description.
    Description,
    /// Values that its parameters take.
    Values,
    /// Parameters that it requires.
    Required,
    /// Numbers that the request lacks.
    LackingNumbers,
    /// Earlier requests.
    Taught,
    /// How alike it and the request are in meaning.
    Meaning,
}

impl ToolSearch {
    /// What was found, and without what.
    pub fn new(found: Found, lacks: Vec<Lack>) -> Self {
        Self {
            tools: found.tools.into_iter().map(FoundTool::from).collect(),
            nothing: found.nothing.map(|why| why.to_string()),
            lacks: lacks.into_iter().map(SearchLack::from).collect(),
        }
    }
}

impl From<Lack> for SearchLack {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Past => Self { of: FoundBy::Taught, why: None },
            Lack::Meaning(why) => Self { of: FoundBy::Meaning, why: Some(why) },
        }
    }
}

impl From<ToolMatch> for FoundTool {
    fn from(tool: ToolMatch) -> Self {
        let reasons = tool.reasons.iter().filter(|(_, value, _)| *value > 0.0);
        let reasons = reasons.map(|(of, _, adds)| FoundReason { of: of.into(), adds }).collect();
        let ToolMatch { name, summary, source, owner, risk, callable, exact, score, .. } = tool;
        Self { name, summary, source, owner, risk, callable, exact, score, reasons }
    }
}

impl From<Reason> for FoundBy {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Words => Self::Words,
            Reason::Whole => Self::Whole,
            Reason::Neighbours => Self::Neighbours,
            Reason::Name => Self::Name,
            Reason::Description => Self::Description,
            Reason::Values => Self::Values,
            Reason::Required => Self::Required,
            Reason::LackingNumbers => Self::LackingNumbers,
            Reason::Taught => Self::Taught,
            Reason::Meaning => Self::Meaning,
        }
    }
}
