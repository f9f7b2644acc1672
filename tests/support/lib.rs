//! What the scenarios share: builders, a scripted model, a fake streaming server.

pub mod desk;
pub mod keyring;
pub mod model;
pub mod needs;
pub mod replies;
pub mod sse;
pub mod wire;
