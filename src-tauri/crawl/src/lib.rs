//! What can be decided about a web site without a model: which of its pages may be fetched, where its articles are listed
//! and how the lists go on, by which selectors the articles are read, and whether a written plan finds them.
//!
//! Everything that comes from a site is hostile: it is bounded in bytes, tags, depth and time, and nothing of it is an
//! error that ends a program. A model may propose; what is measured decides.

#![deny(missing_docs)]

pub mod address;

pub mod http;

pub mod robots;

pub mod charset;

pub mod html;

pub mod date;

pub mod page;

pub mod links;

pub mod measure;

pub mod listing;

pub mod article;

pub mod proposal;

pub mod paging;

pub mod fetch;

pub mod plan;

pub mod follow;

pub mod supervise;

pub mod discover;

pub mod make;
