//! An agent's file as it is written: one that is there keeps its comments and its order, and every line of a key that was
//! not changed.

use assent_core::order::sort_by_key;
use toml::de::DeTable;

use super::agents::{AgentFile, one_line};

/// The text of an agent's file.
pub(crate) struct Written {
    /// All of it.
    pub(crate) text: String,
    /// Whether whatever else an earlier text had stands in it as it was.
    pub(crate) is_kept: bool,
}

impl AgentFile {
    /// The text of a file with another description and other tools, and whatever else an earlier one says.
    ///
    /// # Errors
    /// It cannot be written as such a file.
    pub(crate) fn written(earlier: Option<&str>, description: &str, tools: &[String]) -> Result<Written, String> {
        let was = earlier.map(Self::parse).transpose()?.unwrap_or_default();
        let mut file = was.clone();
        (file.description, file.tools) = (one_line(description), tools.to_vec());
        file.must_call.retain(|tool| tools.contains(tool));
        file.phases.retain(|phase| tools.contains(&phase.call));
        let anew = toml::to_string(&file).map_err(|error| error.to_string())?;
        let Some(earlier) = earlier else {
            return Ok(Written { text: anew, is_kept: true });
        };
        let changed = [
            ("description", was.description != file.description),
            ("tools", was.tools != file.tools),
            ("must_call", was.must_call != file.must_call),
        ];
        let changed = changed.into_iter().filter_map(|(key, is_changed)| is_changed.then_some(key));
        // What is put together of two texts is believed only where it reads as what was wanted.
        let reads = |text: &str| Self::parse(text).and_then(|file| toml::to_string(&file).map_err(|e| e.to_string()));
        let edited =
            edited(earlier, &anew, changed).filter(|edited| reads(&edited.text).is_ok_and(|text| text == anew));
        Ok(edited.unwrap_or(Written { text: anew, is_kept: false }))
    }
}

/// A text with the values that another one has of these keys. Comments inside of a list go with it.
fn edited<'k>(earlier: &str, anew: &str, keys: impl Iterator<Item = &'k str>) -> Option<Written> {
    let (was, is) = (DeTable::parse(earlier).ok()?, DeTable::parse(anew).ok()?);
    let (mut parts, mut is_kept) = (Vec::new(), true);
    for key in keys {
        let value = was.get_ref().get(key)?;
        is_kept &= !(value.get_ref().is_array() && earlier.get(value.span())?.contains('#'));
        // A list that is empty may not be written at all.
        let new = is.get_ref().get(key).map_or(Some("[]"), |value| anew.get(value.span()))?;
        parts.push((value.span(), new));
    }
    let mut text = earlier.to_owned();
    sort_by_key(&mut parts, |(span, _)| std::cmp::Reverse(span.start));
    parts.into_iter().for_each(|(span, new)| text.replace_range(span, new));
    Some(Written { text, is_kept })
}
