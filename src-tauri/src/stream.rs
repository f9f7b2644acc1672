//! What happens, to the page: several signals in one packet, bounded, and never with a hole that the page is not told
//! of.
//!
//! The page says which packets it has taken. One that stops reading is sent nothing more; what comes then is kept up
//! to a bound, and beyond it the page is told from where to read again. Time is an argument.

use std::time::Duration;

use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::wire::{Packet, PlanningSign, Signal};

/// How long a signal waits for others, in milliseconds.
const WINDOW: u64 = 25;
/// So many packets may be under way.
const UNDER_WAY: u64 = 16;
/// So many signals wait for a page that does not read.
const MOST: usize = 4096;
/// So many bytes of text wait for it.
const MOST_TEXT: usize = 1 << 20;
/// So many bytes of what a call puts out are told of at once.
const MOST_OUTPUT: usize = 1 << 13;

/// What is not sent yet.
#[derive(Debug, Default)]
pub struct Outbox {
    pending: Vec<Signal>,
    /// Bytes of text in `pending`.
    text: usize,
    /// When the first of `pending` came.
    since: Option<u64>,
    /// The number of the last packet.
    sent: u64,
    /// The number of the last packet that the page has taken.
    taken: u64,
    /// The last event that was sent.
    told: u64,
    /// Something was dropped: the page has to read again.
    behind: bool,
}

impl Outbox {
    /// Takes a signal in. `now` counts milliseconds from anywhere.
    pub fn push(&mut self, signal: Signal, now: u64) {
        if matches!(signal, Signal::Behind { .. }) {
            return self.missed(now);
        }
        if self.behind && !is_lasting(&signal) {
            return;
        }
        self.since.get_or_insert(now);
        if let Some(signal) = self.merged(signal) {
            self.text += text_of(&signal);
            self.pending.push(signal);
        }
        if self.pending.len() > MOST || self.text > MOST_TEXT {
            self.missed(now);
        }
    }

    /// Notes that something was lost.
    pub fn missed(&mut self, now: u64) {
        self.behind = true;
        self.pending.retain(is_lasting);
        self.text = 0;
        self.since.get_or_insert(now);
    }

    /// Notes that the page has taken a packet, and all before it.
    pub fn taken(&mut self, number: u64) {
        self.taken = self.taken.max(number.min(self.sent));
    }

    /// When the next packet has to leave; `None` while there is nothing, or the page does not read.
    pub fn due(&self) -> Option<u64> {
        if self.sent - self.taken >= UNDER_WAY {
            return None;
        }
        self.since.map(|since| since + WINDOW)
    }

    /// Everything that waits.
    pub fn packet(&mut self) -> Packet {
        let mut signals = std::mem::take(&mut self.pending);
        for signal in &signals {
            if let Signal::Committed { event } = signal {
                self.told = self.told.max(event.seq);
            }
        }
        if self.behind {
            signals.insert(0, Signal::Behind { after: self.told });
        }
        (self.text, self.since, self.behind) = (0, None, false);
        self.sent += 1;
        Packet { number: self.sent, signals }
    }

    /// Puts a signal into one that waits, where both are told as one; else gives it back.
    fn merged(&mut self, signal: Signal) -> Option<Signal> {
        // What a call puts out stands beside everything else; the order of other texts counts.
        let before = match &signal {
            Signal::Call { call, .. } => {
                // What was told once more has all that came before.
                let since = self.pending.iter_mut().rev().take_while(|older| !matches!(older, Signal::UnderWay { .. }));
                since.into_iter().find(|older| matches!(older, Signal::Call { call: same, .. } if same == call))
            }
            _ => self.pending.last_mut(),
        };
        if let Some(older) = before {
            let length = text_of(older);
            if joined(older, &signal) {
                self.text = self.text + text_of(older) - length;
                return None;
            }
        }
        // Of these only the newest counts.
        let older = self.pending.iter_mut().rev().find(|older| match (&**older, &signal) {
            (Signal::Pull { model, .. }, Signal::Pull { model: same, .. }) => model == same,
            (Signal::Loading { .. }, Signal::Loading { .. }) => true,
            _ => false,
        });
        match older {
            Some(older) => {
                *older = signal;
                None
            }
            None => Some(signal),
        }
    }
}

/// Puts a piece of text at the end of what it goes on with; whether it goes on with that.
pub fn joined(older: &mut Signal, piece: &Signal) -> bool {
    let (text, more) = match (older, piece) {
        (Signal::Call { call, text, .. }, Signal::Call { call: same, text: more, .. }) if call == same => {
            text.push_str(more);
            keep_end(text, MOST_OUTPUT);
            return true;
        }
        (Signal::Text { place, kind, text }, Signal::Text { place: at, kind: same, text: more })
            if place == at && kind == same =>
        {
            (text, more)
        }
        (Signal::Planning { place, progress }, Signal::Planning { place: at, progress: more }) if place == at => {
            match (progress, more) {
                (PlanningSign::Answer { text }, PlanningSign::Answer { text: more })
                | (PlanningSign::Thought { text }, PlanningSign::Thought { text: more }) => (text, more),
                _ => return false,
            }
        }
        _ => return false,
    };
    text.push_str(more);
    true
}

/// Keeps the end of a text that is longer than so many bytes, after an ellipsis; where much of it follows, it is not cut
/// each time.
pub fn keep_end(text: &mut String, most: usize) {
    if text.len() > most {
        let from = (text.len() - most / 2..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.replace_range(..from, "…");
    }
}

/// Whether a signal can be had from nowhere else.
fn is_lasting(signal: &Signal) -> bool {
    matches!(
        signal,
        Signal::PullEnded { .. }
            | Signal::SessionDeleted { .. }
            | Signal::Work { .. }
            | Signal::Trouble { .. }
            | Signal::Show { .. }
            | Signal::ShowInbox
            | Signal::Closing
    )
}

fn text_of(signal: &Signal) -> usize {
    match signal {
        Signal::Text { text, .. } | Signal::Call { text, .. } => text.len(),
        Signal::Planning { progress: PlanningSign::Answer { text } | PlanningSign::Thought { text }, .. } => text.len(),
        Signal::UnderWay { pieces, .. } => pieces.iter().map(text_of).sum(),
        _ => 0,
    }
}

/// Where signals come from.
pub struct Sources {
    /// Everything that the page is told, in order.
    pub signals: broadcast::Receiver<Signal>,
    /// The numbers of packets that the page has taken.
    pub taken: mpsc::UnboundedReceiver<u64>,
}

/// Sends packets until it is stopped, a source ends, or `send` says that nobody is there any more.
pub async fn pump(mut from: Sources, send: impl Fn(Packet) -> bool, stop: CancellationToken) {
    let began = Instant::now();
    let now = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut outbox = Outbox::default();
    loop {
        let due = outbox.due();
        let wait = began + Duration::from_millis(due.unwrap_or_default());
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            number = from.taken.recv() => match number {
                Some(number) => outbox.taken(number),
                None => return,
            },
            () = sleep_until(wait), if due.is_some() => if !send(outbox.packet()) {
                return;
            },
            signal = from.signals.recv() => match signal {
                Ok(signal) => outbox.push(signal, now()),
                Err(RecvError::Lagged(_)) => outbox.missed(now()),
                Err(RecvError::Closed) => return,
            },
        }
    }
}

#[cfg(test)]
mod tests;
