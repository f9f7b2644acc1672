//! A model as somebody names it who has no choice of his own: by its role, so that a person's choice counts, or itself.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tokio::task::{JoinError, spawn_blocking};

use super::{ModelId, ModelRole, Registry};
use crate::model::{Model, ModelError};

/// `default`, `planner`, `step`, or a model as [`ModelId`] has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ModelChoice {
    /// Whatever a person has chosen for this role.
    Role(ModelRole),
    /// This one.
    Model(ModelId),
}

/// A text that names neither a role nor a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no role and names no model: write default, planner, step, or PROVIDER/NAME such as local/starter")]
pub struct NotAModelChoice(pub String);

const ROLES: [(&str, ModelRole); 3] =
    [("default", ModelRole::Default), ("planner", ModelRole::Planner), ("step", ModelRole::Step)];

impl FromStr for ModelChoice {
    type Err = NotAModelChoice;

    fn from_str(text: &str) -> Result<Self, NotAModelChoice> {
        let role = ROLES.iter().find(|(name, _)| *name == text.trim()).map(|(_, role)| Self::Role(*role));
        role.or_else(|| text.parse().ok().map(Self::Model)).ok_or_else(|| NotAModelChoice(text.to_owned()))
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(role) => {
                let name = ROLES.iter().find(|(_, other)| other == role).map_or("default", |(name, _)| name);
                formatter.write_str(name)
            }
            Self::Model(id) => id.fmt(formatter),
        }
    }
}

impl Registry {
    /// Whether there is such a model. Nothing is opened, fetched or asked for a key.
    ///
    /// # Errors
    /// [`ModelError::NoSuchModel`]: nobody offers it, as far as can be known without asking anybody.
    pub fn knows(&self, choice: &ModelChoice) -> Result<(), ModelError> {
        let ModelChoice::Model(id) = choice else {
            return Ok(());
        };
        if id.provider == "local" { self.known_file(id).map(drop) } else { self.known_provider(id).map(drop) }
    }

    /// Opens what was chosen, aside: the keyring may wait for a person to unlock it, and nothing else has to wait with it.
    ///
    /// # Errors
    /// As [`Registry::open`].
    pub async fn open_choice(self: &Arc<Self>, choice: ModelChoice) -> Result<Arc<dyn Model>, ModelError> {
        let registry = self.clone();
        let opened = spawn_blocking(move || match choice {
            ModelChoice::Role(role) => registry.for_role(role),
            ModelChoice::Model(id) => registry.open(&id),
        });
        let broken = |error: JoinError| ModelError::NoSuchModel {
            model: "the chosen model".to_owned(),
            reason: error.to_string(),
        };
        opened.await.map_err(broken)?
    }
}
