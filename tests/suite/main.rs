//! Scenarios through the façade.

mod model;
