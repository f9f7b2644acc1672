//! The scenarios that are played over every way in which a model is reached.

#[path = "aim.rs"]
mod aim;
#[path = "allowed.rs"]
mod allowed;
#[path = "approved.rs"]
mod approved;
#[path = "asking.rs"]
mod asking;
#[path = "budget.rs"]
mod budget;
#[path = "claimed.rs"]
mod claimed;
#[path = "discovery.rs"]
mod discovery;
#[path = "disk.rs"]
mod disk;
#[path = "executor/mod.rs"]
mod executor;
#[path = "follow_up.rs"]
mod follow_up;
#[path = "forbidden.rs"]
mod forbidden;
#[path = "heap/mod.rs"]
mod heap;
#[path = "hostile.rs"]
mod hostile;
#[path = "interrupted.rs"]
mod interrupted;
#[path = "library.rs"]
mod library;
#[path = "looking.rs"]
mod looking;
#[path = "meant.rs"]
mod meant;
#[path = "paging.rs"]
mod paging;
#[path = "privacy.rs"]
mod privacy;
#[path = "remarks.rs"]
mod remarks;
#[path = "remembered.rs"]
mod remembered;
#[path = "rework.rs"]
mod rework;
#[path = "search_and_ask.rs"]
mod search_and_ask;
#[path = "small.rs"]
mod small;
#[path = "sources.rs"]
mod sources;
#[path = "superseded.rs"]
mod superseded;
#[path = "thinking.rs"]
mod thinking;
#[path = "turn.rs"]
mod turn;
#[path = "vault.rs"]
mod vault;
#[path = "views.rs"]
mod views;
#[path = "workflow.rs"]
mod workflow;
