//! A run as an append-only list of events: the closed set of events, what state they fold to, and where they go.
//!
//! The ledger is the part of these events that says which tool calls happened and how they ended; a step is done when
//! the ledger says so. Nothing here reads a clock: `at` is an argument.

mod asked;
mod content;
mod event;
mod journal;
mod next_steps;
mod place;
mod request;
mod state;
mod status;
mod turn;

pub use asked::{Purpose, Usage};
pub use content::{Content, PlannedCall};
pub use event::{Decider, Draft, Event, EventKind, PlanRef, SessionKind};
pub use journal::{Appended, Batch, Blob, Durability, Journal, JournalError, Line};
pub use next_steps::{NEXT_QUESTION, NextSteps, Offer, next_steps};
pub use place::Place;
pub use request::{
    Answer, AnswerDraft, Choice, CredentialAsked, Input, InputKind, KEEP_GOING, LOOP, Reach, Request, RequestKind,
};
pub use state::{CallState, Conflict, Ended, Exchange, LedgerEntry, ReplyRecord, RequestState, RunState, StepState};
pub use status::{CallStatus, RequestStatus, RunStatus, StepStatus, TurnStatus, ValidationStatus};
pub use turn::{PlanStatus, TurnState};
