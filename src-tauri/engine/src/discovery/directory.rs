//! All tools as they are looked up, by name or by what is to be done: those of the catalogue and the tools about tools.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard};

use assent_core::contract::ToolSpec;
use assent_core::discovery::{Found, Learned, Nothing, Query, Standing, Tools};
use assent_core::run::SessionKind;
use async_trait::async_trait;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::Meaning;
use super::teacher::{Teacher, Told};
use crate::memory::{Lesson, Recall, Recalled, Recalls};
use crate::tool::meta::meta_tool_definitions;
use crate::tool::scope::is_there;
use crate::tool::shelf::Shelf;

/// The kind of event and the name of context under which tools are remembered.
pub const TOOL_FACTS: (&str, &str) = ("fact", "tool");

/// Sources of which it is told one by one why nothing of them is there.
const TOLD_ABSENT: usize = 5;
/// What a search for tools has to do without.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// What past calls teach, or the newest of it: the memory cannot be asked.
    #[error("tools are ranked without what past runs teach, because the memory cannot be asked now")]
    Past,
    /// Comparing tools with requests by meaning, and why.
    #[error("tools are found by words, and not by meaning: {0}")]
    Meaning(String),
}

/// All tools, to be looked up. The index is made when it is first asked for.
pub struct Directory {
    specs: Shelf<ToolSpec>,
    /// The index. Who changes `specs`, or makes the index of them, holds it: no index is made of what is half there.
    tools: RwLock<Option<Tools>>,
    teacher: Option<Teacher>,
    owners: OnceLock<Owners>,
    meaning: OnceLock<Meaning>,
    /// Why there is nothing of a source that was added, by its name.
    absent: Mutex<BTreeMap<String, String>>,
}

/// Tells which specialist has a tool.
type Owners = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl Directory {
    /// These tools and the tools about tools.
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let all = specs.into_iter().cloned().chain(meta_tool_definitions());
        Self {
            specs: all.map(|spec| (spec.name.clone(), spec)).collect(),
            tools: RwLock::new(None),
            teacher: None,
            owners: OnceLock::new(),
            meaning: OnceLock::new(),
            absent: Mutex::default(),
        }
    }

    /// Has results name the specialist of each tool. Who was named first stays.
    pub fn owned_by(&self, owners: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        let _ = self.owners.set(Box::new(owners));
    }

    /// Has tools compared with requests by meaning as well. What was given first stays.
    pub fn compared_by(&self, meaning: Meaning) {
        let _whole = self.held();
        self.specs.values().filter(is_looked_for).for_each(|spec| meaning.add(spec));
        let _ = self.meaning.set(meaning);
    }

    /// What compares tools by meaning.
    pub fn meaning(&self) -> Option<&Meaning> {
        self.meaning.get()
    }

    /// Takes in the tools of a source, in the place of those that it had.
    pub fn connect<'a>(&self, source: &str, specs: impl IntoIterator<Item = &'a ToolSpec>) {
        let specs: IndexMap<_, _> = specs.into_iter().map(|spec| (spec.name.clone(), spec.clone())).collect();
        self.absent().remove(source);
        let mut tools = self.held();
        let (gone, come) = self.specs.put(source, specs, ToolSpec::eq);
        if let Some(meaning) = self.meaning.get() {
            gone.iter().for_each(|name| meaning.remove(name));
            let come = come.iter().filter_map(|name| self.specs.get(name));
            come.filter(is_looked_for).for_each(|spec| meaning.add(spec));
        }
        if let Some(tools) = tools.as_mut() {
            for name in &gone {
                tools.remove(name);
            }
            let come = come.iter().filter_map(|name| self.specs.get(name));
            come.filter(is_looked_for).for_each(|spec| tools.add(spec));
        }
    }

    /// Notes why there is nothing of a source, for whoever looks for its tools.
    pub fn miss(&self, source: &str, why: &str) {
        self.absent().insert(source.to_owned(), why.to_owned());
    }

    /// Lets the tools of a source go.
    pub fn disconnect(&self, source: &str) {
        self.absent().remove(source);
        let mut tools = self.held();
        let names = self.specs.take(source);
        if let Some(meaning) = self.meaning.get() {
            names.iter().for_each(|name| meaning.remove(name));
        }
        if let Some(tools) = tools.as_mut() {
            for name in &names {
                tools.remove(name);
            }
        }
    }

    /// Has nothing kept of tools that are gone: somebody removed them.
    pub fn forget_gone(&self) {
        if let Some(meaning) = self.meaning.get() {
            meaning.forget_others();
        }
    }

    /// The same, ranked also by what past calls teach. Each search asks the teacher whether that has changed since the
    /// revision that is known; another process may have taught or forgotten something.
    #[must_use]
    pub fn taught_by(self, teacher: impl Fn(Option<u64>) -> Told + Send + Sync + 'static) -> Self {
        Self { teacher: Some(Teacher::new(teacher)), ..self }
    }

    /// A tool was the right one for what was to be done.
    pub fn teach(&self, intent: &str, tool: &str) {
        // Before there is an index the teacher has not been asked, and will tell this as well.
        if let Some(tools) = self.held().as_mut() {
            tools.learned.teach(intent, tool, 1);
        }
    }

    /// Learns what has changed of what past calls teach.
    fn catch_up(&self) {
        if let Some(teacher) = &self.teacher {
            teacher.catch_up(|lessons| {
                if let Some(tools) = self.held().as_mut() {
                    tools.learned = learned(lessons);
                }
            });
        }
    }

    /// Whether searches go without what past calls teach, or by what it was, because it cannot be read.
    fn is_untaught(&self) -> bool {
        self.teacher.as_ref().is_some_and(|teacher| !teacher.is_settled())
    }

    /// What the last search had to do without.
    pub fn lacks(&self) -> Vec<Lack> {
        let meaning = self.meaning.get().and_then(Meaning::problem).map(Lack::Meaning);
        self.is_untaught().then_some(Lack::Past).into_iter().chain(meaning).collect()
    }

    /// What is known of all tools, the tools about tools last.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.specs.values()
    }

    /// What is known of the tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.specs.get(name)
    }

    /// The tools that fit a request, the best first. Where there is none, it says why, and which could not be looked at.
    pub fn find(&self, query: &Query<'_>, standing: impl Fn(&str) -> Standing) -> Found {
        self.make();
        // Not while holding the index: the teacher may wait for who teaches it.
        self.catch_up();
        let alike = self.meaning.get().map(|meaning| meaning.likeness(query.text)).unwrap_or_default();
        let (tools, none) = (self.tools.read().unwrap_or_else(PoisonError::into_inner), Tools::default());
        let found = tools.as_ref().unwrap_or(&none).find_alike(query, &alike, standing);
        Found { nothing: found.nothing.map(|why| self.with_missing(why)), ..found }
    }

    /// Makes the index where there is none.
    fn make(&self) {
        if self.tools.read().unwrap_or_else(PoisonError::into_inner).is_none() {
            self.held().get_or_insert_with(|| Tools::of(self.specs.values().filter(is_looked_for)));
        }
    }

    /// The specialist that has a tool.
    pub fn owner_of(&self, name: &str) -> Option<String> {
        self.owners.get().and_then(|owners| owners(name))
    }

    /// Why nothing was found, and which tools could not be looked at.
    fn with_missing(&self, why: Nothing) -> Nothing {
        let absent = self.absent();
        let mut missing: Vec<String> = absent.values().take(TOLD_ABSENT).cloned().collect();
        if let Some(others) = absent.len().checked_sub(TOLD_ABSENT).filter(|others| *others > 0) {
            missing.push(format!("Those of {others} other sources are not there either."));
        }
        let missing = missing.join(" ");
        if missing.is_empty() { why } else { Nothing::Missing { among_others: Box::new(why), missing } }
    }

    fn absent(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.absent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> RwLockWriteGuard<'_, Option<Tools>> {
        self.tools.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn learned(lessons: Vec<Lesson>) -> Learned {
    let mut learned = Learned::default();
    for (intent, tool, times) in lessons {
        learned.teach(&intent, &tool, times);
    }
    learned
}

/// What asks a person in a workflow cannot be called in a chat, where tools are looked for.
fn is_looked_for(spec: &&ToolSpec) -> bool {
    is_there(spec, SessionKind::Chat)
}

#[async_trait]
impl Recalls for Directory {
    /// Facts about tools, by what the tools do and by what they were the right ones for in the past; degraded where the
    /// past cannot be asked. Other memories are not here.
    async fn recall(&self, recall: &Recall) -> Recalled {
        let (kind, name) = TOOL_FACTS;
        if !recall.wants(kind, name) {
            return Recalled::default();
        }
        let query = Query { text: &recall.query, limit: recall.limit, filter: &Default::default() };
        let found = self.find(&query, |name| Standing { owner: self.owner_of(name), ..Standing::default() });
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
        let nothing = found.nothing.map(|why| why.to_string());
        let (degraded, by_meaning) = (self.is_untaught(), Some(found.by_meaning));
        Recalled { nothing, degraded, by_meaning, ..Recalled::of(rows.collect()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock, Weak};

    use assent_core::discovery::{Filter, Query, Standing};

    use super::Directory;
    use crate::memory::Lessons;
    use crate::tool::core_tools;

    #[test]
    fn an_empty_search_tells_of_a_few_sources_that_are_not_there_and_counts_the_others() {
        let directory = Directory::of([]);
        let query = Query { text: "zxqv", limit: 5, filter: &Filter::default() };
        let why = || directory.find(&query, |_| Standing::default()).nothing.unwrap().to_string();
        (0..5).for_each(|at| directory.miss(&format!("s{at}"), &format!("No s{at}.")));
        assert!(why().ends_with("No s0. No s1. No s2. No s3. No s4."), "{}", why());
        (5..400).for_each(|at| directory.miss(&format!("s{at}"), &format!("No s{at}.")));
        assert!(why().ends_with("Those of 395 other sources are not there either."), "{}", why());
        assert_eq!(why().matches("No s").count(), 5);
    }

    /// So often the one who makes the index lets others go first.
    const PATIENCE: usize = 500;

    #[test]
    fn an_index_that_is_made_while_a_source_comes_has_its_tools() {
        let tools = core_tools();
        let grep = tools.iter().map(|tool| tool.spec()).find(|spec| spec.name == "grep").unwrap();
        let coming = assent_core::contract::ToolSpec { name: "acme.grep".to_owned(), ..grep.clone() };
        let is_being_made = Arc::new(AtomicBool::new(false));
        let made: Arc<OnceLock<Weak<Directory>>> = Arc::default();
        let (told, itself) = (is_being_made.clone(), made.clone());
        // Asked in the middle of making the index: a source comes now, unless it has to wait.
        let directory = Arc::new(Directory::of([]).taught_by(move |_| {
            told.store(true, Ordering::SeqCst);
            let directory = itself.get().and_then(Weak::upgrade).unwrap();
            for _ in 0..PATIENCE {
                if directory.get("acme.grep").is_some() {
                    break;
                }
                std::thread::yield_now();
            }
            Ok(Some(Lessons::default()))
        }));
        made.set(Arc::downgrade(&directory)).unwrap();
        let query = Query { text: "acme.grep", limit: 5, filter: &Filter::default() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_being_made.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                directory.connect("acme", [&coming]);
            });
            directory.find(&query, |_| Standing::default());
        });
        let found = directory.find(&query, |_| Standing::default());
        assert!(found.tools.iter().any(|tool| tool.name == "acme.grep"), "{:?}", found.nothing);
    }
}
