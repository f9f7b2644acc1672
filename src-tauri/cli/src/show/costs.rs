//! What a turn has cost: model calls, tokens of requests and replies together, and the time from message to end.

use assent_core::ids::TurnId;
use assent_core::run::{Event, EventKind};
use assent_engine::Engine;
use assent_engine::executor::BY_PHASES;

use crate::show::duration;
use crate::terminal::{Style, Terminal};

/// The costs of one turn, added up event by event.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Costs {
    turn: Option<TurnId>,
    began: i64,
    calls: u64,
    tokens: u64,
}

impl Costs {
    /// Takes an event into account. At the end of a turn that has asked a model the line that tells its costs comes back.
    pub fn add(&mut self, event: &Event) -> Option<String> {
        let turn = event.place.turn.as_ref()?;
        if self.turn.as_ref() != Some(turn) {
            *self = Self { turn: Some(turn.clone()), began: event.at, ..Self::default() };
        }
        match &event.kind {
            EventKind::ModelReplied { model, before, usage, .. } => {
                // For the phases that an agent's file settles no model is asked.
                self.calls += u64::from(model != BY_PHASES) + u64::from(*before);
                self.tokens += u64::from(usage.input) + u64::from(usage.output);
                None
            }
            EventKind::TurnEnded { .. } if self.calls > 0 => Some(self.told(event.at)),
            _ => None,
        }
    }

    fn told(&self, at: i64) -> String {
        let calls = if self.calls == 1 { "model call" } else { "model calls" };
        // The clock may have been set back meanwhile.
        let took = duration(u64::try_from(at - self.began).unwrap_or(0));
        format!("{} {calls} · {} tokens · {took}", self.calls, thousands(self.tokens))
    }
}

/// What the turn that ends with this event has cost. Earlier events of the turn may have been told by another process:
/// they are read from the journal.
pub fn of_turn(engine: &Engine, terminal: &Terminal, end: &Event) -> Option<String> {
    let mut events = engine.sessions().events(&end.place.session, 0).ok()?;
    events.retain(|event| event.place.turn == end.place.turn && event.seq <= end.seq);
    let mut costs = Costs::default();
    let told = events.iter().filter_map(|event| costs.add(event)).last()?;
    Some(terminal.paint(Style::Quiet, &told))
}

/// The number in groups of three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn numbers_are_told_in_groups() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234), "1,234");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
