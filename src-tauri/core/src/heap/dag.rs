//! A route as levels.

use serde::{Deserialize, Serialize};

use super::registry::Registry;
use crate::contract::{Fault, PathPart, Stage};
use crate::plan::RouteStep;

/// The specialists by levels; those of one level do not wait for each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapDag {
    /// From the first to the last.
    pub levels: Vec<Vec<String>>,
}

/// One level for each element of the route. Unknown ids and the planner are left out with a fault, and with them levels
/// that would be empty.
pub fn build_heap_dag(route: &[RouteStep], registry: &Registry) -> (HeapDag, Vec<Fault>) {
    let mut levels = Vec::new();
    let mut faults = Vec::new();
    for (index, element) in route.iter().enumerate() {
        let mut level: Vec<String> = Vec::new();
        for id in element.ids() {
            if !registry.runs(id) {
                let shown: String = id.chars().take(80).collect();
                let fault = Fault::new(Stage::Route, format!("{shown:?} is no specialist that can run"));
                faults.push(fault.at([PathPart::from("route"), index.into()]));
            } else if !level.contains(id) {
                level.push(id.clone());
            }
        }
        if !level.is_empty() {
            levels.push(level);
        }
    }
    (HeapDag { levels }, faults)
}
