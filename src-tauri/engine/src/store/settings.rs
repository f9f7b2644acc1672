//! Choices of the person.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::StoreError;

/// Choices of the person: JSON by a key. Never secrets.
pub trait Settings: Send + Sync {
    /// What was chosen last.
    fn setting(&self, key: &str) -> Result<Option<Value>, StoreError>;
    /// Chooses; `None` goes back to the default.
    fn set_setting(&self, key: &str, value: Option<&Value>) -> Result<(), StoreError>;
    /// Chooses, if what is chosen is still what the caller has seen; whether it was.
    fn replace_setting(&self, key: &str, seen: Option<&Value>, value: Option<&Value>) -> Result<bool, StoreError>;
}

/// A list that is kept as a setting; without one it is empty.
///
/// # Errors
/// The setting is no such list, or cannot be read.
pub fn list_setting<T: DeserializeOwned>(settings: &dyn Settings, key: &str) -> Result<Vec<T>, StoreError> {
    read(key, settings.setting(key)?)
}

fn read<T: DeserializeOwned>(key: &str, value: Option<Value>) -> Result<Vec<T>, StoreError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    serde_json::from_value(value).map_err(|error| {
        StoreError::Other(format!("the setting {key} is no list of what belongs there ({error}); it was left as it is"))
    })
}

/// Changes a list that is kept as a setting: what another window or process puts into it meanwhile is not lost. `change`
/// is called again with what is there then.
///
/// # Errors
/// As `change`, which changes nothing then; or the setting is no such list, and is not written over, or the settings
/// cannot be read or written.
pub fn change_list<T: Serialize + DeserializeOwned, R, E: From<StoreError>>(
    settings: &dyn Settings,
    key: &str,
    mut change: impl FnMut(&mut Vec<T>) -> Result<R, E>,
) -> Result<R, E> {
    loop {
        let seen = settings.setting(key)?;
        let mut list = read(key, seen.clone())?;
        let done = change(&mut list)?;
        let value = (!list.is_empty()).then(|| json!(list));
        if settings.replace_setting(key, seen.as_ref(), value.as_ref())? {
            return Ok(done);
        }
    }
}
