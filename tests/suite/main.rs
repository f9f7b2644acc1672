//! Scenarios through the façade.

mod allowed;
mod asking;
mod disk;
mod executor;
mod false_done;
mod follow_up;
mod forbidden;
mod meant;
mod model;
mod paging;
mod privacy;
mod small;
mod thinking;
mod turn;
mod views;
