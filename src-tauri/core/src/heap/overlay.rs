//! Specialists that a person adds to or puts in place of those that are built in.

use indexmap::IndexMap;

use super::spec::SpecialistSpec;
use crate::contract::{Fault, PathPart, Stage};

/// Specialists from one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Where they come from: a pack's name.
    pub source: String,
    /// The specialists.
    pub specialists: Vec<SpecialistSpec>,
}

/// The specifications with all overlays, later ones over earlier ones; who added or changed which id; and a fault for
/// each that an overlay had put in place and a later one replaces.
pub fn merge(
    base: &[SpecialistSpec],
    overlays: &[Overlay],
) -> (Vec<SpecialistSpec>, IndexMap<String, String>, Vec<Fault>) {
    let mut merged: Vec<SpecialistSpec> = base.to_vec();
    let mut from: IndexMap<String, String> = IndexMap::new();
    let mut faults = Vec::new();
    for overlay in overlays {
        for spec in &overlay.specialists {
            match merged.iter_mut().find(|known| known.id == spec.id) {
                Some(known) => known.clone_from(spec),
                None => merged.push(spec.clone()),
            }
            if let Some(earlier) = from.insert(spec.id.clone(), overlay.source.clone()) {
                let message = format!("{:?} comes from {:?} now, no longer from {earlier:?}", spec.id, overlay.source);
                faults.push(
                    Fault::new(Stage::Route, message).at([PathPart::from("specialists"), spec.id.as_str().into()]),
                );
            }
        }
    }
    (merged, from, faults)
}
