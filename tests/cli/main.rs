//! The program `assent` as a process: what it prints, how it ends, and what is left when it is killed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "everything here is a test")]
#![allow(clippy::too_many_lines, reason = "whole outputs are compared where they are made")]

mod again;
mod by_hand;
mod catalogues;
mod chat;
mod contracts;
mod crash;
mod data;
mod desk;
mod endpoint;
mod explain;
mod floor;
mod heap;
mod help;
mod interrupt;
mod keyring;
mod library;
mod limit;
mod output;
mod packs;
mod pipe;
mod plans;
mod questions;
mod retry;
mod saved;
mod seen;
mod terminal;
mod text;
mod together;
mod turn;
mod typed;
mod workflows;

use assent_tests::replies;
