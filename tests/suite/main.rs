//! Scenarios through the façade.

mod allowed;
mod asking;
mod disk;
mod follow_up;
mod meant;
mod model;
mod paging;
mod privacy;
mod small;
mod turn;
mod views;
