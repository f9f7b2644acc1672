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
    /// The same as a step is told whose specialist stands below this one on top: tools only where agents are made.
    #[must_use]
    pub fn scoped(self, root: &str) -> Self {
        if root == AGENT { self } else { Self { count: 0, tools: Vec::new(), further: Vec::new(), ..self } }
    }
}

#[cfg(test)]
mod tests {
    use super::{Further, MadeHere, StepStudio};

    // covers: H1 H18
    #[test]
    fn whoever_makes_no_agents_is_told_of_everything_but_the_tools() {
        let made = |id: &str| vec![MadeHere { id: id.to_owned(), line: "does it".to_owned() }];
        let all = StepStudio {
            agents: made("a"),
            workflows: made("w"),
            models: vec!["m".to_owned()],
            count: 3,
            tools: vec!["grep".to_owned()],
            further: vec![Further { label: "mail".to_owned(), count: 2 }],
        };
        assert_eq!(all.clone().scoped("agent"), all);
        for root in ["workflow", "general", "improvement", "agent_tools", "agent__part1"] {
            let scoped = all.clone().scoped(root);
            assert_eq!((scoped.count, scoped.tools.len(), scoped.further.len()), (0, 0, 0), "{root}");
            let rest = StepStudio { count: 3, tools: all.tools.clone(), further: all.further.clone(), ..scoped };
            assert_eq!(rest, all, "{root}");
        }
    }
}
