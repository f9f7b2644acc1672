//! Scenarios through the façade.
