//! What the scenarios share: builders, a scripted model, a fake streaming server.

pub mod desk;
pub mod keyring;
pub mod model;
pub mod needs;
pub mod replies;
#[path = "../../src-tauri/meaning/tests/small/mod.rs"]
pub mod small_encoder;
pub mod sse;
pub mod told;
pub mod wire;
