//! Scenarios through the façade.

mod model;
mod small;
mod turn;
mod views;
