//! A web site for tests, served on this machine. What it has is known beforehand: see [`made::articles`].

pub mod folder;
pub mod hostile;
pub mod made;
pub mod server;

pub use made::{Article, Section, articles};
pub use server::{Answer, Site};
