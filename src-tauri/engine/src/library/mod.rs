//! The library: plans that a person keeps, found again by name, tag and words, offered for a message that resembles an old
//! one, and proposed anew, as they are or with the message's values.
//!
//! A saved plan is a copy. It belongs to no session, stays when its chat is deleted, and goes when the person removes it. It
//! is untrusted like any document: what is proposed from it is checked and approved as every plan is. Nothing is searched
//! elsewhere than here, and no model is asked to find a plan.

mod error;
mod names;
mod resemble;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use assent_core::ids::{PlanId, SavedPlanId, SessionId};
use assent_core::order::sort_by;
use assent_core::plan::{Grants, MAX_PLAN_FILE, Plan};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use error::LibraryError;

use self::resemble::{RESEMBLES, Topics, Weights};
use crate::clock::{Clock, IdSource};
use crate::planner::{Slot, replaceable};
use crate::store::{SavedDraft, SavedPlanRow, SavedPlans, StoreError};
use crate::turn::{ApprovalPolicy, Knowledge, Reuse, TurnEnd, TurnError, Turns};

/// Steps that a list knows of.
const OUTLINED: usize = 30;
/// Characters of a step in a list.
const STEP_CHARS: usize = 160;
/// Characters of a message in a list.
const MESSAGE_CHARS: usize = 2_000;
/// Plans that are offered for a message.
const OFFERED: usize = 3;
/// What a plan is called that says nothing of itself.
const UNNAMED: &str = "plan";

/// What the library is made of.
pub struct LibraryParts {
    /// Where plans are kept.
    pub saved: Arc<dyn SavedPlans>,
    /// Proposes them.
    pub turns: Arc<Turns>,
    /// Example plans, whose messages tell how much a word says.
    pub knowledge: Arc<Knowledge>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn IdSource>,
}

/// All saved plans.
pub struct PlanLibrary {
    parts: LibraryParts,
    /// What the messages of the example plans are about.
    background: OnceLock<Vec<Topics>>,
}

/// How a plan is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct SaveAs {
    /// What it is called; the plan's title if nothing is said.
    #[serde(default)]
    pub name: Option<String>,
    /// Words by which it is found.
    #[serde(default)]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub tags: Vec<String>,
    /// Whether it takes the place of a saved plan of the same name.
    #[serde(default)]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub replaces: bool,
}

/// Which saved plans are wanted; what is empty holds for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// All of these words occur in its name, tags, title, message or steps.
    pub text: String,
    /// It has this tag.
    pub tag: Option<String>,
}

/// A saved plan with all of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SavedPlan {
    /// How it stands in lists.
    #[serde(flatten)]
    #[cfg_attr(feature = "bindings", ts(flatten))]
    pub row: SavedPlanRow,
    /// What another message may have other values for.
    pub values: Vec<Slot>,
    /// The document.
    pub plan: Plan,
}

/// A saved plan whose message resembles another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The plan.
    pub saved: SavedPlanRow,
    /// How alike the messages are, to 1.
    pub likeness: f32,
}

impl PlanLibrary {
    /// A library over these parts.
    pub fn new(parts: LibraryParts) -> Self {
        Self { parts, background: OnceLock::new() }
    }

    /// What the messages of the shipped examples are about. Nothing is worked out before a message is compared.
    fn background(&self) -> &[Topics] {
        self.background.get_or_init(|| {
            let examples = self.parts.knowledge.library().examples().iter();
            examples.map(|example| Topics::of(&example.message)).collect()
        })
    }

    /// Keeps a copy of a plan.
    ///
    /// # Errors
    /// The name or a tag will not do, the name is taken, the plan is too long, or it cannot be written; nothing is kept.
    pub fn save(&self, plan: Plan, how: SaveAs) -> Result<SavedPlanRow, LibraryError> {
        let name = match &how.name {
            Some(name) => names::name(name)?,
            None => {
                let said = [&plan.title, &plan.refined_task, &plan.user_message];
                said.into_iter().find_map(|text| names::name_of(text)).unwrap_or_else(|| UNNAMED.to_owned())
            }
        };
        let tags = names::tags(&how.tags)?;
        let plan = kept(plan);
        let bytes = serde_json::to_string(&plan).map_or(usize::MAX, |text| text.len());
        if bytes > MAX_PLAN_FILE {
            return Err(LibraryError::TooLong { bytes, most: MAX_PLAN_FILE });
        }
        let steps = plan.steps.iter().take(OUTLINED).map(|step| clipped(&step.description, STEP_CHARS)).collect();
        let row = SavedPlanRow {
            id: SavedPlanId::new(self.parts.ids.fresh()),
            name: name.clone(),
            tags,
            title: clipped(&plan.title, STEP_CHARS),
            message: clipped(&plan.user_message, MESSAGE_CHARS),
            outline: steps,
            steps: u32::try_from(plan.steps.len()).unwrap_or(u32::MAX),
            saved_at: self.parts.clock.now(),
            used_at: None,
            uses: 0,
        };
        let draft = SavedDraft { row, plan, replaces: how.replaces };
        let id = self.parts.saved.keep_plan(draft)?.ok_or(LibraryError::Taken(name))?;
        Ok(self.parts.saved.saved_plan(id.as_str())?.0)
    }

    /// Those that are wanted, what was saved or used last first.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn list(&self, wanted: &Wanted) -> Result<Vec<SavedPlanRow>, LibraryError> {
        let words: Vec<String> = wanted.text.split_whitespace().map(str::to_lowercase).collect();
        let tag = wanted.tag.as_ref().map(|tag| names::tags(std::slice::from_ref(tag))).transpose()?;
        let tag = tag.and_then(|tags| tags.into_iter().next());
        let fits = |row: &SavedPlanRow| {
            let has_tag = tag.as_ref().is_none_or(|tag| row.tags.contains(tag));
            let said = [&row.name, &row.title, &row.message].into_iter().chain(&row.tags).chain(&row.outline);
            let said: Vec<String> = said.map(|text| text.to_lowercase()).collect();
            let missing = words.iter().filter(|word| !said.iter().any(|text| text.contains(word.as_str())));
            let missing: Vec<&String> = missing.collect();
            // A list names only the beginning of a plan.
            has_tag && (missing.is_empty() || self.says(row, &missing))
        };
        Ok(self.parts.saved.saved_plans()?.into_iter().filter(fits).collect())
    }

    /// Whether the whole of a saved plan has all of these words.
    fn says(&self, row: &SavedPlanRow, words: &[&String]) -> bool {
        let Ok((_, plan)) = self.parts.saved.saved_plan(row.id.as_str()) else { return false };
        let steps = plan.steps.iter().flat_map(|step| {
            let more = step.instructions.iter().chain(&step.expected_outcome).chain(&step.required_tools);
            [&step.description, &step.executor.id].into_iter().chain(more)
        });
        let said = [&plan.title, &plan.user_message, &plan.refined_task].into_iter().chain(steps);
        let said: Vec<String> = said.map(|text| text.to_lowercase()).collect();
        words.iter().all(|word| said.iter().any(|text| text.contains(word.as_str())))
    }

    /// The one of this name or id; an unambiguous beginning of the id is enough.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn get(&self, name: &str) -> Result<SavedPlan, LibraryError> {
        let (row, plan) = self.parts.saved.saved_plan(name)?;
        let plan = Plan { id: PlanId::new(row.id.as_str()), ..plan };
        Ok(SavedPlan { row, values: replaceable(&plan), plan })
    }

    /// Calls it otherwise.
    ///
    /// # Errors
    /// There is none, the name will not do or is taken, or it cannot be written.
    pub fn rename(&self, name: &str, to: &str) -> Result<SavedPlanRow, LibraryError> {
        let (row, _) = self.parts.saved.saved_plan(name)?;
        let to = names::name(to)?;
        if !self.parts.saved.rename_saved(&row.id, &to)? {
            return Err(LibraryError::Taken(to));
        }
        Ok(SavedPlanRow { name: to, ..row })
    }

    /// Gives it these tags and no others.
    ///
    /// # Errors
    /// There is none, a tag will not do, or it cannot be written.
    pub fn tag(&self, name: &str, tags: &[String]) -> Result<SavedPlanRow, LibraryError> {
        let (row, _) = self.parts.saved.saved_plan(name)?;
        let tags = names::tags(tags)?;
        self.parts.saved.tag_saved(&row.id, &tags)?;
        Ok(SavedPlanRow { tags, ..row })
    }

    /// Removes it for good. Plans that were proposed from it stay where they are.
    ///
    /// # Errors
    /// There is none, or it cannot be written.
    pub fn remove(&self, name: &str) -> Result<SavedPlanRow, LibraryError> {
        let (row, _) = self.parts.saved.saved_plan(name)?;
        if !self.parts.saved.remove_saved(&row.id)? {
            return Err(StoreError::NotFound { kind: "saved plan", id: name.to_owned() }.into());
        }
        Ok(row)
    }

    /// The plans that were made for something like this message, the likest first; none where nothing is near enough.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn suggest(&self, message: &str) -> Result<Vec<Suggestion>, LibraryError> {
        let rows = self.parts.saved.saved_plans()?;
        if rows.is_empty() || message.trim().is_empty() {
            return Ok(Vec::new());
        }
        let wanted = Topics::of(&clipped(message, MESSAGE_CHARS));
        let of_rows: Vec<[Topics; 2]> =
            rows.iter().map(|row| [Topics::of(&row.message), Topics::of(&row.title)]).collect();
        let weights = Weights::of(self.background().iter().chain(of_rows.iter().map(|[message, _]| message)));
        let likeness =
            |topics: &[Topics; 2]| topics.iter().map(|topics| weights.likeness(&wanted, topics)).fold(0.0, f32::max);
        let mut found: Vec<Suggestion> = rows
            .into_iter()
            .zip(&of_rows)
            .map(|(saved, topics)| Suggestion { saved, likeness: likeness(topics) })
            .filter(|found| found.likeness >= RESEMBLES)
            .collect();
        // Stable: of equal ones, what was used last comes first.
        sort_by(&mut found, |one, other| other.likeness.total_cmp(&one.likeness));
        found.truncate(OFFERED);
        Ok(found)
    }

    /// Proposes it as it is, in a turn of its own that begins with what the person wrote, or else with the message that the
    /// plan was made for. It waits for approval unless the policy says otherwise.
    ///
    /// # Errors
    /// There is no such plan or chat, or it cannot be written down.
    pub async fn reuse(
        &self,
        name: &str,
        into: Proposal<'_>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let (id, reuse) = self.taken_up(name, into)?;
        let end = self.parts.turns.reuse(reuse, cancel).await?;
        self.parts.saved.note_use(&id, self.parts.clock.now())?;
        Ok(end)
    }

    /// Proposes it for another message, whose values take the places of its own; everything else of it stays.
    ///
    /// # Errors
    /// As [`PlanLibrary::reuse`]; or there is no message, or no model that could tell what is to be replaced.
    pub async fn adapt(
        &self,
        name: &str,
        into: Proposal<'_>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let (id, reuse) = self.taken_up(name, into)?;
        let end = self.parts.turns.adapt(reuse, cancel).await?;
        self.parts.saved.note_use(&id, self.parts.clock.now())?;
        Ok(end)
    }

    /// A saved plan with where it is to be proposed.
    fn taken_up(&self, name: &str, into: Proposal<'_>) -> Result<(SavedPlanId, Reuse), TurnError> {
        let (row, plan) = self.parts.saved.saved_plan(name)?;
        let message = into.message.map(str::to_owned);
        Ok((row.id, Reuse { session: into.session.clone(), plan, message, policy: into.policy }))
    }
}

/// Where a saved plan is proposed, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The chat.
    pub session: &'a SessionId,
    /// What the person wrote.
    pub message: Option<&'a str>,
    /// When the plan needs the person's word; it always does where nothing is said.
    pub policy: Option<ApprovalPolicy>,
}

/// A copy that belongs to no session. What approvals allowed is derived anew where it is used.
fn kept(plan: Plan) -> Plan {
    let mut plan = Plan {
        id: PlanId::new("saved"),
        version: 1,
        supersedes: None,
        session_id: SessionId::new(""),
        created_at: 0,
        ..plan.from_outside()
    };
    plan.steps.iter_mut().for_each(|step| step.grants = Grants::default());
    plan
}

/// The beginning of a text.
fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
