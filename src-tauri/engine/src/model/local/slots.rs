//! Which prompt cache of the server a request uses, so that each role keeps its prefix.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// The server's slots: the first is the planner's, the others go to whoever has waited least for one.
pub(super) struct Slots {
    turns: Vec<Arc<tokio::sync::Mutex<()>>>,
    /// The keys of the slots after the planner's, most recently used last.
    used: Mutex<Vec<(String, u32)>>,
}

impl Slots {
    pub(super) fn new(count: u32) -> Self {
        Self { turns: (0..count.max(1)).map(|_| Arc::default()).collect(), used: Mutex::default() }
    }

    /// The slot of a cache key: its own as long as it keeps it, else a free one, else the one used longest ago.
    pub(super) fn of(&self, key: &str, planner: bool) -> u32 {
        let others = u32::try_from(self.turns.len() - 1).unwrap_or(0);
        if planner || others == 0 {
            return 0;
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match used.iter().position(|(known, _)| known == key) {
            Some(at) => used.remove(at).1,
            None => match (1..=others).find(|slot| used.iter().all(|(_, taken)| taken != slot)) {
                Some(free) => free,
                None => used.remove(0).1,
            },
        };
        used.push((key.to_owned(), slot));
        slot
    }

    /// One request at a time in a slot.
    pub(super) async fn turn(&self, slot: u32) -> OwnedMutexGuard<()> {
        let index = usize::try_from(slot).unwrap_or(0).min(self.turns.len() - 1);
        self.turns[index].clone().lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn roles_keep_their_slots_and_the_one_used_longest_ago_gives_way() {
        let slots = Slots::new(3);
        let asked = ["files", "web", "files", "studio", "files", "web"].map(|key| slots.of(key, false));
        assert_eq!(asked, [1, 2, 1, 2, 1, 2]);
        assert_eq!(slots.of("anything", true), 0);
    }

    #[test]
    fn a_server_with_one_slot_has_one_slot() {
        let slots = Slots::new(1);
        assert_eq!([slots.of("a", false), slots.of("b", false), slots.of("p", true)], [0, 0, 0]);
    }
}
