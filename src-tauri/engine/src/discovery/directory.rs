//! All tools as they are looked up, by name or by what is to be done: those of the catalogue and the tools about tools.

use std::sync::{OnceLock, PoisonError, RwLock};

use assent_core::contract::ToolSpec;
use assent_core::discovery::{Found, Learned, Query, Standing, Tools};
use assent_core::run::SessionKind;
use async_trait::async_trait;
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::memory::{Recall, Recalled, Recalls};
use crate::tool::meta::meta_tool_definitions;
use crate::tool::scope::is_of_the_other_channel;
use crate::tool::shelf::Shelf;

/// The kind of event and the name of context under which tools are remembered.
pub const TOOL_FACTS: (&str, &str) = ("fact", "tool");

/// All tools, to be looked up. The index is made when it is first asked for.
pub struct Directory {
    specs: Shelf<ToolSpec>,
    tools: OnceLock<RwLock<Tools>>,
    teacher: Option<Teacher>,
}

/// Tells what past calls teach: intents with the tool that was the right one and how often, the oldest first.
type Teacher = Box<dyn Fn() -> Vec<(String, String, u32)> + Send + Sync>;

impl Directory {
    /// These tools and the tools about tools.
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let all = specs.into_iter().cloned().chain(meta_tool_definitions());
        Self { specs: all.map(|spec| (spec.name.clone(), spec)).collect(), tools: OnceLock::new(), teacher: None }
    }

    /// Takes in the tools of a source, in the place of those that it had.
    pub fn connect<'a>(&self, source: &str, specs: impl IntoIterator<Item = &'a ToolSpec>) {
        let specs: IndexMap<_, _> = specs.into_iter().map(|spec| (spec.name.clone(), spec.clone())).collect();
        // First where an index that is made meanwhile looks.
        let before = self.specs.put(source, specs.clone());
        if let Some(tools) = self.tools.get() {
            let mut tools = tools.write().unwrap_or_else(PoisonError::into_inner);
            for name in &before {
                tools.remove(name);
            }
            specs.values().filter(is_looked_for).for_each(|spec| tools.add(spec));
        }
    }

    /// Lets the tools of a source go.
    pub fn disconnect(&self, source: &str) {
        let names = self.specs.take(source);
        if let Some(tools) = self.tools.get() {
            let mut tools = tools.write().unwrap_or_else(PoisonError::into_inner);
            for name in &names {
                tools.remove(name);
            }
        }
    }

    /// The same, ranked also by what past calls teach. The teacher is asked when the index is made.
    #[must_use]
    pub fn taught_by(self, teacher: impl Fn() -> Vec<(String, String, u32)> + Send + Sync + 'static) -> Self {
        Self { teacher: Some(Box::new(teacher)), ..self }
    }

    /// A tool was the right one for what was to be done.
    pub fn teach(&self, intent: &str, tool: &str) {
        // An index that is made later asks the teacher.
        if let Some(tools) = self.tools.get() {
            tools.write().unwrap_or_else(PoisonError::into_inner).learned.teach(intent, tool, 1);
        }
    }

    /// Asks the teacher anew: something was forgotten.
    pub fn learn_anew(&self) {
        if let Some(tools) = self.tools.get() {
            let learned = self.learned();
            tools.write().unwrap_or_else(PoisonError::into_inner).learned = learned;
        }
    }

    fn learned(&self) -> Learned {
        let mut learned = Learned::default();
        for (intent, tool, times) in self.teacher.iter().flat_map(|teacher| teacher()) {
            learned.teach(&intent, &tool, times);
        }
        learned
    }

    /// What is known of all tools, the tools about tools last.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.specs.values()
    }

    /// What is known of the tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.specs.get(name)
    }

    /// The tools that fit a request, the best first.
    pub fn find(&self, query: &Query<'_>, standing: impl Fn(&str) -> Standing) -> Found {
        self.tools().read().unwrap_or_else(PoisonError::into_inner).find(query, standing)
    }

    fn tools(&self) -> &RwLock<Tools> {
        self.tools.get_or_init(|| {
            let mut tools = Tools::of(self.specs.values().filter(is_looked_for));
            tools.learned = self.learned();
            RwLock::new(tools)
        })
    }
}

/// What asks a person in a workflow cannot be called in a chat, where tools are looked for.
fn is_looked_for(spec: &&ToolSpec) -> bool {
    !is_of_the_other_channel(&spec.name, SessionKind::Chat)
}

#[async_trait]
impl Recalls for Directory {
    /// Facts about tools, by what the tools do. Other memories are not here.
    async fn recall(&self, recall: &Recall) -> Recalled {
        let (kind, name) = TOOL_FACTS;
        if !recall.wants(kind, name) {
            return Recalled::default();
        }
        let query = Query { text: &recall.query, limit: recall.limit, filter: &Default::default() };
        let found = self.find(&query, |_| Standing::default());
        let rows = found.tools.iter().map(|tool| {
            let mut row = json!({
                "name": tool.name, "summary": tool.summary, "source": tool.source, "risk": tool.risk,
            });
            for (key, value) in [("server", &tool.server), ("owner", &tool.owner)] {
                if let Some(value) = value {
                    row[key] = Value::String(value.clone());
                }
            }
            row
        });
        Recalled { nothing: found.nothing.map(|why| why.to_string()), ..Recalled::of(rows.collect()) }
    }
}
