//! What the scenarios share: builders, a scripted model, a fake streaming server.

pub mod model;
pub mod sse;
