//! Scenarios through the façade.

mod alike;
mod broken;
mod false_done;
mod model;
mod scenarios;
mod told;
