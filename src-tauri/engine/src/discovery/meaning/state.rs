//! What is known of the tools and of the encoder at a moment. Who holds it decides; nothing here waits.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_core::discovery::Likeness;
use assent_meaning::{Encoder, Vector};
use indexmap::IndexSet;

use super::kept::Key;

#[derive(Default)]
pub(super) struct State {
    pub phase: Phase,
    /// Names of the tools, shared with what is reckoned for them.
    names: Arc<IndexSet<Arc<str>>>,
    /// The tools in the same order.
    tools: Vec<Tool>,
    /// Names of the tools that have no vector.
    waiting: BTreeSet<Arc<str>>,
    /// When somebody last searched.
    pub used: Option<Instant>,
    /// Whether vectors of tools that are gone are to go from what is kept.
    pub forgets: bool,
    /// Whether nobody will search any more.
    pub is_closed: bool,
}

#[derive(Default)]
pub(super) enum Phase {
    /// Nothing is loaded.
    #[default]
    Resting,
    Loading,
    Ready(Arc<Encoder<File>>),
    Failed {
        why: String,
        at: Instant,
    },
}

struct Tool {
    key: Key,
    said: Said,
}

/// What a tool says of itself.
enum Said {
    Text(Box<str>),
    Meant(Vector),
}

/// What the thread does next.
pub(super) enum Next {
    /// Work out the vector of a tool.
    Embed {
        name: Arc<str>,
        key: Key,
        text: String,
    },
    /// Keep the vectors of these texts alone.
    Forget(HashSet<Key>),
    /// Wait, at most so long.
    Wait(Duration),
    End,
}

impl Phase {
    pub fn failed(why: String) -> Self {
        Self::Failed { why, at: Instant::now() }
    }
}

impl State {
    /// Whether the tool is new, or says something else than before.
    pub fn add(&mut self, name: &str, key: Key, text: String) -> bool {
        let tool = Tool { key, said: Said::Text(text.into()) };
        if let Some(at) = self.names.get_index_of(name) {
            if self.tools[at].key == key {
                return false;
            }
            self.tools[at] = tool;
        } else {
            Arc::make_mut(&mut self.names).insert(name.into());
            self.tools.push(tool);
        }
        self.waiting.insert(name.into());
        true
    }

    pub fn remove(&mut self, name: &str) {
        self.waiting.remove(name);
        if let Some((at, _)) = Arc::make_mut(&mut self.names).swap_remove_full(name) {
            self.tools.swap_remove(at);
        }
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(self.names.get_index_of(name)?)
    }

    /// Takes in the vector of a tool, unless it says something else by now.
    pub fn take_in(&mut self, name: &str, key: Key, vector: Vector) {
        let Some(at) = self.names.get_index_of(name) else { return };
        if self.tools[at].key == key {
            self.tools[at].said = Said::Meant(vector);
            self.waiting.remove(name);
        }
    }

    /// The same for all texts whose vectors are there.
    pub fn take_in_all(&mut self, vectors: &HashMap<Key, Vector>) {
        for (tool, name) in self.tools.iter_mut().zip(self.names.iter()) {
            if let Some(vector) = vectors.get(&tool.key) {
                tool.said = Said::Meant(vector.clone());
                self.waiting.remove(name);
            }
        }
    }

    /// How alike a request and the tools are, of which this share was read. It says nothing while a tool has no vector,
    /// since the others would come before it for no reason.
    pub fn likeness(&self, request: &Vector, share: f32) -> Likeness {
        if self.is_waiting() {
            return Likeness::default();
        }
        let cosines = self.tools.iter().map(|tool| match &tool.said {
            Said::Meant(vector) => share * request.likeness(vector),
            Said::Text(_) => 0.0,
        });
        Likeness::of(Arc::clone(&self.names), cosines.collect())
    }

    /// Whether a tool has no vector.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// How many tools have no vector.
    pub fn unread(&self) -> usize {
        self.waiting.len()
    }

    /// The keys of what all tools say.
    pub fn keys(&self) -> HashSet<Key> {
        self.tools.iter().map(|tool| tool.key).collect()
    }

    pub fn problem(&self) -> Option<String> {
        match &self.phase {
            Phase::Resting => None,
            Phase::Loading => Some("its file is being loaded".to_owned()),
            Phase::Failed { why, .. } => Some(why.clone()),
            Phase::Ready(_) => self.is_waiting().then(|| {
                let (left, all) = (self.unread(), self.tools.len());
                format!("{left} of {all} tools have yet to be read for it")
            }),
        }
    }

    /// What the thread with this encoder does next. The encoder is let go when nobody has searched for `idle`.
    pub fn next(&self, encoder: &Arc<Encoder<File>>, idle: Duration) -> Next {
        if !self.has(encoder) {
            return Next::End;
        }
        // Also before the end: what somebody removed is to be gone.
        if self.forgets {
            return Next::Forget(self.keys());
        }
        if self.is_closed {
            return Next::End;
        }
        if let Some(name) = self.waiting.first()
            && let Some(Tool { key, said: Said::Text(text) }) = self.tool(name)
        {
            return Next::Embed { name: Arc::clone(name), key: *key, text: text.to_string() };
        }
        match idle.saturating_sub(self.used.map_or(idle, |used| used.elapsed())) {
            Duration::ZERO => Next::End,
            left => Next::Wait(left),
        }
    }

    /// Whether this encoder is the one that searches use.
    pub fn has(&self, encoder: &Arc<Encoder<File>>) -> bool {
        matches!(&self.phase, Phase::Ready(own) if Arc::ptr_eq(own, encoder))
    }
}
