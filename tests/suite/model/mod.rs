//! Models: adapters against a fake server, the embedded one against the real server with the smoke model.

mod anthropic;
mod cassettes;
mod faults;
mod grammar;
mod local;
mod openai;
mod record;
mod registry;
mod spellings;
