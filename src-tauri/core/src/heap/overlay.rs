//! Specialists that a person adds to or puts in place of those that are built in.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::spec::SpecialistSpec;
use crate::contract::{Fault, Stage};

/// Specialists from one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Where they come from: a pack's name.
    pub source: String,
    /// The specialists.
    pub specialists: Vec<SpecialistSpec>,
}

/// Specifications with all overlays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    /// Later ones over earlier ones.
    pub specs: Vec<SpecialistSpec>,
    /// Who added or changed which id.
    pub from: IndexMap<String, String>,
    /// For each that one overlay had put in place and a later one, or the same once more, replaces.
    pub faults: Vec<Fault>,
    /// For each that is built in and that an overlay replaces, as it may.
    pub notes: Vec<Fault>,
}

/// Puts overlays over what is built in.
pub fn merge(base: &[SpecialistSpec], overlays: &[Overlay]) -> Merged {
    let mut merged = Merged { specs: base.to_vec(), ..Merged::default() };
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (at, spec) in base.iter().enumerate() {
        places.entry(&spec.id).or_insert(at);
    }
    for overlay in overlays {
        for spec in &overlay.specialists {
            let (id, source) = (&spec.id, &overlay.source);
            let told = |message: String| Fault::new(Stage::Route, message).at(["specialists", id]);
            let place = places.get(id.as_str()).copied();
            match place {
                Some(place) => merged.specs[place].clone_from(spec),
                None => {
                    places.insert(id, merged.specs.len());
                    merged.specs.push(spec.clone());
                }
            }
            match merged.from.insert(id.clone(), source.clone()) {
                Some(earlier) if earlier == *source => {
                    let message = format!("{id:?} stands in {source:?} twice; the later one counts");
                    merged.faults.push(told(message).hint("Give one of them another id."));
                }
                Some(earlier) => {
                    merged.faults.push(told(format!("{id:?} comes from {source:?} now, no longer from {earlier:?}")));
                }
                None if place.is_some() => {
                    merged.notes.push(told(format!("{id:?} comes from {source:?} now, no longer from Assent")));
                }
                None => {}
            }
        }
    }
    merged
}
