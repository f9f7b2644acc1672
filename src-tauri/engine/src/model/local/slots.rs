//! Which prompt cache of the server a request uses, so that each role finds the beginning of its prompt again.
//!
//! A role is known by its system message: what is asked again begins with the same one. Where there are more roles than
//! slots, the one that is read anew the fastest gives way, and not the one that was asked longest ago: roles take turns
//! in a circle, in which the latter is always the next.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use crate::model::{Message, Request};

/// The server's slots.
pub(super) struct Slots {
    turns: Vec<Arc<tokio::sync::Mutex<()>>>,
    held: Mutex<Held>,
}

/// Who holds the slots, as the algorithm GreedyDual keeps it: whoever is asked again is worth its own length more than
/// whoever gave way last, so that a long prompt that nobody asks any more gives way in the end.
struct Held {
    slots: Vec<Option<Holder>>,
    gave_way: usize,
}

struct Holder {
    system: String,
    worth: usize,
}

impl Slots {
    pub(super) fn new(count: u32) -> Self {
        let count = count.max(1);
        let slots = (0..count).map(|_| None).collect();
        Self { turns: (0..count).map(|_| Arc::default()).collect(), held: Mutex::new(Held { slots, gave_way: 0 }) }
    }

    /// The slot of a request: its role's own as long as it keeps it, else a free one, else that of the least worth.
    pub(super) fn of(&self, request: &Request) -> usize {
        let system = match request.messages.first() {
            Some(Message::System { text }) => text.as_str(),
            _ => "",
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.slots.iter().position(|slot| slot.as_ref().is_some_and(|holder| holder.system == system));
        let slot = own.unwrap_or_else(|| held.next());
        let worth = held.gave_way + system.len();
        held.slots[slot] = Some(Holder { system: system.to_owned(), worth });
        slot
    }

    /// One request at a time in a slot.
    pub(super) async fn turn(&self, slot: usize) -> OwnedMutexGuard<()> {
        self.turns[slot].clone().lock_owned().await
    }
}

impl Held {
    /// The slot for somebody new.
    fn next(&mut self) -> usize {
        let worth = |slot: &Option<Holder>| slot.as_ref().map_or(0, |holder| holder.worth);
        let (slot, worth) = self.slots.iter().map(worth).enumerate().min_by_key(|(_, worth)| *worth).unwrap_or((0, 0));
        self.gave_way = worth;
        slot
    }
}

#[cfg(test)]
mod tests {
    use assent_core::run::Purpose;

    use super::Slots;
    use crate::model::{Message, OutputFormat, Request, ToolChoice};

    fn request(system: &str) -> Request {
        Request {
            purpose: Purpose::Step,
            messages: vec![Message::System { text: system.to_owned() }, Message::User { text: "Go on.".to_owned() }],
            tools: [].into(),
            choice: ToolChoice::None,
            output: OutputFormat::Text,
            max_tokens: 10,
            temperature: 0.0,
            seed: None,
            avoid: Vec::new(),
        }
    }

    fn asked(slots: &Slots, roles: &[&str]) -> Vec<usize> {
        roles.iter().map(|role| slots.of(&request(role))).collect()
    }

    #[test]
    fn roles_keep_their_slots_and_short_ones_give_way_to_each_other() {
        let (planner, grep, read, answer, other) =
            ("p".repeat(1000), "g".repeat(400), "r".repeat(400), "answer", "other");
        let slots = Slots::new(4);
        let turn = [&planner, &grep, &read, answer, other];
        assert_eq!(asked(&slots, &turn), [0, 1, 2, 3, 3]);
        assert_eq!(asked(&slots, &turn), [0, 1, 2, 3, 3]);
        assert_eq!(asked(&slots, &turn), [0, 1, 2, 3, 3]);
    }

    #[test]
    fn a_long_prompt_that_nobody_asks_for_any_more_gives_way() {
        let slots = Slots::new(2);
        let gone = "g".repeat(50);
        asked(&slots, &[&gone, "one"]);
        let others: Vec<String> = (0..30).map(|number| format!("role {number:05}")).collect();
        let used = asked(&slots, &others.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(used.contains(&0) && used.contains(&1), "{used:?}");
    }

    #[test]
    fn a_server_with_one_slot_has_one_slot() {
        assert_eq!(asked(&Slots::new(0), &["a", "b", "a"]), [0, 0, 0]);
    }
}
