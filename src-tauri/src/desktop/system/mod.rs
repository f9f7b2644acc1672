//! What the system does for the window: it points at files, tells a person, and hands a second
//! start over to the first.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub use linux::{hold, let_go, reveal, screen, show_when_clicked, shows_trays, tell};
#[cfg(not(target_os = "linux"))]
pub use other::{hold, let_go, reveal, screen, show_when_clicked, shows_trays, tell};
