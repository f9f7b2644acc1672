//! Plans that a person keeps in the library, beside the history: they belong to no session and stay when one is deleted.

use assent_core::ids::SavedPlanId;
use assent_core::plan::Plan;
use serde::{Deserialize, Serialize};

use super::table::saved_plan;
use super::{Store, StoreError};

/// A saved plan in a list: everything but the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SavedPlanRow {
    /// Its id.
    pub id: SavedPlanId,
    /// What the person calls it; unique, whatever its letters' case.
    pub name: String,
    /// In small letters, in the order of the alphabet.
    pub tags: Vec<String>,
    /// The plan's title.
    pub title: String,
    /// The message that the plan answered; its beginning, where it is long.
    pub message: String,
    /// What the first steps do, shortened.
    pub outline: Vec<String>,
    /// How many steps there are.
    pub steps: u32,
    /// When it was saved last.
    pub saved_at: i64,
    /// When it was used last.
    pub used_at: Option<i64>,
    /// How often it was used.
    pub uses: u32,
}

/// A plan to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedDraft {
    /// How it stands in lists; what it says of uses is not looked at.
    pub row: SavedPlanRow,
    /// The whole document.
    pub plan: Plan,
    /// Whether it takes the place of a plan of the same name, whose id and uses it then has.
    pub replaces: bool,
}

/// What is kept in the library. Every call blocks until SQLite is done.
pub trait SavedPlans: Send + Sync {
    /// All of them without their documents, what was saved or used last first.
    ///
    /// # Errors
    /// The database cannot be read.
    fn saved_plans(&self) -> Result<Vec<SavedPlanRow>, StoreError>;
    /// The one of this name or id; an unambiguous beginning of the id is enough.
    ///
    /// # Errors
    /// There is none, or the database cannot be read.
    fn saved_plan(&self, name: &str) -> Result<(SavedPlanRow, Plan), StoreError>;
    /// Keeps a plan, and gives its id; `None` where the name is taken and it replaces nothing.
    ///
    /// # Errors
    /// The database cannot be written.
    fn keep_plan(&self, draft: SavedDraft) -> Result<Option<SavedPlanId>, StoreError>;
    /// Calls it otherwise; whether the name was free.
    ///
    /// # Errors
    /// There is none, or the database cannot be written.
    fn rename_saved(&self, id: &SavedPlanId, name: &str) -> Result<bool, StoreError>;
    /// Gives it other tags.
    ///
    /// # Errors
    /// There is none, or the database cannot be written.
    fn tag_saved(&self, id: &SavedPlanId, tags: &[String]) -> Result<(), StoreError>;
    /// Notes that it was used.
    ///
    /// # Errors
    /// The database cannot be written.
    fn note_use(&self, id: &SavedPlanId, at: i64) -> Result<(), StoreError>;
    /// Removes it, so that nothing of it stays in the file; whether there was one.
    ///
    /// # Errors
    /// The database cannot be written.
    fn remove_saved(&self, id: &SavedPlanId) -> Result<bool, StoreError>;
}

impl SavedPlans for Store {
    fn saved_plans(&self) -> Result<Vec<SavedPlanRow>, StoreError> {
        self.read(saved_plan::list)
    }

    fn saved_plan(&self, name: &str) -> Result<(SavedPlanRow, Plan), StoreError> {
        self.read(|connection| saved_plan::find(connection, name))
    }

    fn keep_plan(&self, draft: SavedDraft) -> Result<Option<SavedPlanId>, StoreError> {
        self.write(move |writer| writer.change(|tx| saved_plan::keep(tx, &draft)))
    }

    fn rename_saved(&self, id: &SavedPlanId, name: &str) -> Result<bool, StoreError> {
        let (id, name) = (id.clone(), name.to_owned());
        self.write(move |writer| writer.change(|tx| saved_plan::rename(tx, &id, &name)))
    }

    fn tag_saved(&self, id: &SavedPlanId, tags: &[String]) -> Result<(), StoreError> {
        let (id, tags) = (id.clone(), tags.to_vec());
        self.write(move |writer| writer.change(|tx| saved_plan::tag(tx, &id, &tags)))
    }

    fn note_use(&self, id: &SavedPlanId, at: i64) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.change(|tx| saved_plan::note_use(tx, &id, at)))
    }

    fn remove_saved(&self, id: &SavedPlanId) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.remove_saved_plan(&id))
    }
}
