//! Scenarios through the façade.

mod false_done;
mod model;
mod scenarios;
mod told;
