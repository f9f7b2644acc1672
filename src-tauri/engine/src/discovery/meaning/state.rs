//! What is known of the tools and of the encoder at a moment. Who holds it decides; nothing here waits.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_meaning::{Encoder, Vector};

use super::kept::Key;

#[derive(Default)]
pub(super) struct State {
    pub phase: Phase,
    tools: HashMap<Arc<str>, Tool>,
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
        if self.tools.get(name).is_some_and(|tool| tool.key == key) {
            return false;
        }
        let name: Arc<str> = name.into();
        self.tools.insert(Arc::clone(&name), Tool { key, said: Said::Text(text.into()) });
        self.waiting.insert(name);
        true
    }

    pub fn remove(&mut self, name: &str) {
        self.tools.remove(name);
        self.waiting.remove(name);
    }

    /// Takes in the vector of a tool, unless it says something else by now.
    pub fn take_in(&mut self, name: &str, key: Key, vector: Vector) {
        if let Some(tool) = self.tools.get_mut(name).filter(|tool| tool.key == key) {
            tool.said = Said::Meant(vector);
            self.waiting.remove(name);
        }
    }

    /// The same for all texts whose vectors are there.
    pub fn take_in_all(&mut self, vectors: &HashMap<Key, Vector>) {
        let tools = &mut self.tools;
        self.waiting.retain(|name| {
            let Some(tool) = tools.get_mut(name) else { return false };
            let Some(vector) = vectors.get(&tool.key) else { return true };
            tool.said = Said::Meant(vector.clone());
            false
        });
    }

    /// Whether a tool has no vector.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The keys of what all tools say.
    pub fn keys(&self) -> HashSet<Key> {
        self.tools.values().map(|tool| tool.key).collect()
    }

    /// Tools and their vectors.
    pub fn meant(&self) -> impl Iterator<Item = (&Arc<str>, &Vector)> {
        self.tools.iter().filter_map(|(name, tool)| match &tool.said {
            Said::Meant(vector) => Some((name, vector)),
            Said::Text(_) => None,
        })
    }

    pub fn problem(&self) -> Option<String> {
        match &self.phase {
            Phase::Resting => None,
            Phase::Loading => Some("its file is being loaded".to_owned()),
            Phase::Failed { why, .. } => Some(why.clone()),
            Phase::Ready(_) => self.is_waiting().then(|| {
                let (left, all) = (self.waiting.len(), self.tools.len());
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
            && let Some(Tool { key, said: Said::Text(text) }) = self.tools.get(name)
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
