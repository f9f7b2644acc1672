//! The commands as the page calls them, on the mock window, with a real engine and a model whose replies are written
//! down.

mod again;
mod asked;
mod files;
mod library;
mod memory;
mod names;
mod packs;
mod page;
mod permissions;
mod settings;
mod stopping;
mod tools;
mod vault;
