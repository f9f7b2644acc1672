//! Tools, and who may do a step.

use std::time::Duration;

use assent_core::contract::ToolSpec;
use assent_core::discovery::{Found, Nothing, Query, Standing, Tools};
use assent_core::plan::{Executor, ExecutorKind};
use assent_core::run::SessionKind;

use super::Engine;
use crate::discovery::Lack;
use crate::prompt::SpecialistLine;
use crate::tool::meta::is_meta;
use crate::tool::scope::{Scope, Wanted, active_set};

/// So long a search waits for what is being remembered, and for what compares it by meaning to be loaded.
const AWAITED: Duration = Duration::from_millis(500);

/// So many tools are read in the time that a search may wait for.
const FEW: usize = 100;

/// Why tools of the studio are not there, for a person.
const CLOSED: &str =
    "the studio is closed; \"Make agents in chats\" in the window opens it, or `assent heap studio open`";

/// Tools.
pub struct ToolHandle<'e>(pub(super) &'e Engine);

/// Who may do a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutorOption {
    /// What a step says.
    pub executor: Executor,
    /// For people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its own tools.
    pub tools: Vec<String>,
}

impl<'e> ToolHandle<'e> {
    /// The descriptions of all tools.
    pub fn list(&self) -> Vec<&'e ToolSpec> {
        self.0.catalogue.specs().collect()
    }

    /// The specialists on top that have these tools, in the same order.
    pub fn owners<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<Option<String>> {
        let now = self.0.knowledge.heap().now();
        names.into_iter().map(|name| now.owner_of(name).map(str::to_owned)).collect()
    }

    /// The description of one.
    pub fn get(&self, name: &str) -> Option<&'e ToolSpec> {
        self.0.catalogue.get(name).map(|tool| tool.spec())
    }

    /// The tools that fit a request. A person may call every one of them that is no tool about tools.
    pub fn find(&self, query: &Query<'_>) -> Found {
        // What was called a moment ago counts too, unless the store hangs.
        self.0.memory.settle_within(AWAITED);
        if let Some(meaning) = self.0.directory.meaning() {
            meaning.ready_within(AWAITED);
        }
        let tools = self.0.knowledge.tools();
        let found = tools.find(query, |name| Standing { owner: tools.owner_of(name), callable: !is_meta(name) });
        Found { nothing: found.nothing.map(|why| self.with_closed(query, why)), ..found }
    }

    /// Why nothing was found, and whether tools of the closed studio would fit. No model is told of those.
    fn with_closed(&self, query: &Query<'_>, why: Nothing) -> Nothing {
        let closed = Tools::of(&self.0.studio().closed());
        match closed.find(query, |_| Standing::default()).tools.len() {
            0 => why,
            fits => Nothing::Disabled { among_others: Box::new(why), fits, why: CLOSED.to_owned() },
        }
    }

    /// The core tools for which a budget of so many tokens has no room, by an estimate that errs high.
    pub fn beyond(&self, budget: u32) -> Vec<String> {
        let scope = Scope::Single { tools: &[], discovery: Some(&[]) };
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        let wanted = Wanted { required: &[], scope, channel: SessionKind::Chat, budget };
        let set = active_set(&wanted, &self.0.catalogue, |_| true, ToolSpec::estimated_tokens);
        set.left_out.into_iter().map(|(name, _)| name).collect()
    }

    /// Waits until tools can be compared with requests by meaning, where only a few of them have yet to be read.
    pub fn settle_within(&self, limit: Duration) {
        if let Some(meaning) = self.0.directory.meaning()
            && meaning.ready_within(limit)
            && meaning.unread() <= FEW
        {
            meaning.settle_within(limit);
        }
    }

    /// What the last search had to do without.
    pub fn lacks(&self) -> Vec<Lack> {
        self.0.directory.lacks()
    }

    /// Who may do a step: the single agent, then the specialists on top.
    pub fn executors(&self) -> Vec<ExecutorOption> {
        let single = ExecutorOption {
            executor: Executor { kind: ExecutorKind::Single, id: String::new() },
            name: "Assent".to_owned(),
            description: "Does any step with the tools that the step requires.".to_owned(),
            tools: self.0.knowledge.shown().iter().map(|name| (*name).to_owned()).collect(),
        };
        let specialists = self.0.knowledge.heap().now();
        let of_top = |line: &SpecialistLine| ExecutorOption {
            executor: Executor { kind: ExecutorKind::Specialist, id: line.id.clone() },
            name: line.id.clone(),
            description: line.description.clone(),
            tools: specialists.known.get(&line.id).map(|known| known.tools.clone()).unwrap_or_default(),
        };
        std::iter::once(single).chain(specialists.lines.iter().map(of_top)).collect()
    }
}
