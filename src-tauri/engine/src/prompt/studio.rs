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

/// Groups that are told; the others are told together.
const MOST_GROUPS: usize = 20;
/// Tools that come from nowhere that has a name, and those of further groups.
const OTHERS: &str = "others";

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

    /// The same with so many names of tools at most; the others are counted by where they come from.
    #[must_use]
    pub fn holding(&self, names: usize) -> Self {
        let (kept, others) = self.tools.split_at(names.min(self.tools.len()));
        let mut further = self.further.clone();
        others.iter().for_each(|name| count_in(&mut further, label(name), 1));
        for group in further.split_off(further.len().min(MOST_GROUPS)) {
            count_in(&mut further, OTHERS, group.count);
        }
        Self { tools: kept.to_vec(), further, ..self.clone() }
    }

    /// The same without a word of tools.
    #[must_use]
    pub fn without_tools(&self) -> Self {
        Self { count: 0, tools: Vec::new(), further: Vec::new(), ..self.clone() }
    }

    /// What is told of tools, in the words of the template.
    pub fn tools_told(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let names = self.tools.iter().map(|name| format!("- {name}\n"));
        let groups = self.further.iter().map(|group| format!("- {}: {} more\n", group.label, group.count));
        format!("Tools available ({}):\n{}", self.count, names.chain(groups).collect::<String>())
    }
}

/// Where a tool comes from, by its name.
pub(crate) fn label(name: &str) -> &str {
    let plain = name.strip_prefix("mcp.").unwrap_or(name);
    plain.split_once('.').map_or(OTHERS, |(source, _)| source)
}

/// Counts so many tools in with those of their group.
pub(crate) fn count_in(groups: &mut Vec<Further>, label: &str, count: usize) {
    match groups.iter_mut().find(|group| group.label == label) {
        Some(group) => group.count += count,
        None => groups.push(Further { label: label.to_owned(), count }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Further, MadeHere, StepStudio};
    use crate::prompt::Templates;

    #[test]
    fn what_is_not_named_is_counted_by_where_it_comes_from_in_few_groups_and_told_as_it_is_counted() {
        let group = |label: &str, count| Further { label: label.to_owned(), count };
        let tools: Vec<String> =
            ["grep", "mcp.mail.send", "mcp.mail.read", "acme.greet", "read"].map(str::to_owned).into();
        let studio = StepStudio { count: 7, tools, further: vec![group("mail", 2)], ..StepStudio::default() };
        assert_eq!(studio.holding(5), studio);
        let two = studio.holding(2);
        assert_eq!(two.tools, ["grep", "mcp.mail.send"]);
        assert_eq!(two.further, [group("mail", 3), group("acme", 1), group("others", 1)]);
        assert_eq!(two.holding(0).further, [group("mail", 4), group("acme", 1), group("others", 2)]);

        let sources = (0..100).map(|number| format!("source{number}.tool"));
        let many = StepStudio { count: 100, tools: sources.collect(), ..StepStudio::default() }.holding(0);
        assert_eq!((many.further.len(), many.further.last()), (21, Some(&group("others", 80))));

        let templates = Templates::shipped().unwrap();
        for studio in [studio, two, many.clone()] {
            let rendered = templates.render(&studio).unwrap().text;
            assert!(rendered.trim_end().ends_with(studio.tools_told().trim_end()), "{rendered}");
        }
        let none = many.without_tools();
        assert!(!templates.render(&none).unwrap().text.contains("Tools") && none.tools_told().is_empty());
    }

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
