//! Scenarios through the façade.

mod model;
mod turn;
