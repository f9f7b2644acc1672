//! The faults of one reading or one check of a plan, bounded.

use crate::contract::{Fault, PathPart, Stage};

/// So many faults are listed; further ones are counted.
pub(super) struct Faults {
    stage: Stage,
    most: usize,
    list: Vec<Fault>,
    unlisted: usize,
}

impl Faults {
    pub(super) fn of(stage: Stage, most: usize) -> Self {
        Self { stage, most, list: Vec::new(), unlisted: 0 }
    }

    pub(super) fn add(
        &mut self,
        path: impl IntoIterator<Item = PathPart>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add_to(self.stage, path, message, hint);
    }

    pub(super) fn add_to(
        &mut self,
        stage: Stage,
        path: impl IntoIterator<Item = PathPart>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(Fault::new(stage, message).at(path).hint(hint));
    }

    pub(super) fn push(&mut self, fault: Fault) {
        if self.is_full() {
            self.unlisted += 1;
        } else {
            self.list.push(fault);
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.list.len() + self.unlisted
    }

    /// Whether a further one is only counted.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }

    /// Those that are listed, and that there are others.
    pub(super) fn into_vec(mut self) -> Vec<Fault> {
        match self.unlisted {
            0 => {}
            1 => self.list.push(Fault::new(self.stage, "1 further fault is not listed")),
            more => self.list.push(Fault::new(self.stage, format!("{more} further faults are not listed"))),
        }
        self.list
    }
}
