//! What there is in the studio, as a specialist's step is told.

use serde::{Deserialize, Serialize};

/// Agents, workflows, models and tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepStudio {
    /// Agents that were made here.
    pub agents: Vec<MadeHere>,
    /// Workflows that were saved here.
    pub workflows: Vec<MadeHere>,
    /// The models that do steps.
    pub models: Vec<String>,
    /// How many tools there are.
    pub count: usize,
    /// The ids of tools, as many as there is room for.
    pub tools: Vec<String>,
    /// The others, by where they come from.
    pub further: Vec<Further>,
}

/// An agent or a workflow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MadeHere {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub line: String,
}

/// Tools that are not named one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Further {
    /// Where they come from.
    pub label: String,
    /// How many.
    pub count: usize,
}

/// The specialist that makes agents, and is therefore told of all tools.
const AGENT: &str = "agent";

impl StepStudio {
    /// The same with the tools that there are, where a step's specialist stands below the one that makes agents: nobody
    /// else is told, and for nobody else are they looked through.
    #[must_use]
    pub fn with_tools(self, root: &str, tools: impl FnOnce() -> (Vec<String>, Vec<Further>)) -> Self {
        if root != AGENT {
            return self;
        }
        let (tools, further) = tools();
        let count = tools.len() + further.iter().map(|group| group.count).sum::<usize>();
        Self { count, tools, further, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{Further, MadeHere, StepStudio};

    // covers: H1 H18
    #[test]
    fn whoever_makes_no_agents_is_told_of_everything_but_the_tools() {
        let made = |id: &str| vec![MadeHere { id: id.to_owned(), line: "does it".to_owned() }];
        let (agents, workflows, models) = (made("a"), made("w"), vec!["m".to_owned()]);
        let bare = StepStudio { agents, workflows, models, ..StepStudio::default() };
        let (tools, further) = (vec!["grep".to_owned()], vec![Further { label: "mail".to_owned(), count: 2 }]);
        let told = bare.clone().with_tools("agent", || (tools.clone(), further.clone()));
        assert_eq!(told, StepStudio { count: 3, tools, further, ..bare.clone() });
        for root in ["workflow", "general", "improvement", "agent_tools", "agent__part1"] {
            assert_eq!(bare.clone().with_tools(root, || panic!("{root} looks through all tools")), bare, "{root}");
        }
    }
}
