//! An agent's file as it is written: one that is there keeps its comments and its order, and every line of a key that was
//! not changed.

use assent_core::order::sort_by_key;
use toml::de::DeTable;

use super::agents::{AgentFile, one_line};

/// The text of an agent's file.
pub(crate) struct Written {
    /// All of it.
    pub(crate) text: String,
    /// What an earlier text said beside what was to be changed and this one does not, each in words.
    pub(crate) lost: Vec<String>,
}

/// Comments that could not be kept.
const COMMENTS: &str =
    "comments in agent.toml are gone, because it could not be changed in its own lines alone: tell the person";

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
            return Ok(Written { text: anew, lost: Vec::new() });
        };
        let is_gone = |tool: &&String| !tools.contains(tool);
        let duties =
            was.must_call.iter().filter(is_gone).map(|tool| format!("that it must call {tool} is gone with it"));
        let phases = was.phases.iter().map(|phase| &phase.call).filter(is_gone);
        let mut lost: Vec<String> =
            duties.chain(phases.map(|tool| format!("the phase that calls {tool} is gone with it"))).collect();
        let changed = [
            ("description", was.description != file.description),
            ("tools", was.tools != file.tools),
            ("must_call", was.must_call != file.must_call),
        ];
        let changed = changed.into_iter().filter_map(|(key, is_changed)| is_changed.then_some(key));
        // What is put together of two texts is believed only where it reads as what was wanted.
        let reads = |text: &str| Self::parse(text).and_then(|file| toml::to_string(&file).map_err(|e| e.to_string()));
        let edited = edited(earlier, &anew, changed);
        let edited = edited.filter(|(text, _)| reads(text).is_ok_and(|text| text == anew));
        let (text, is_kept) = edited.unwrap_or((anew, false));
        lost.extend((!is_kept).then(|| COMMENTS.to_owned()));
        Ok(Written { text, lost })
    }
}

/// A text with the values that another one has of these keys, and whether whatever else stood in it stands there as it was:
/// comments inside of a list go with it.
fn edited<'k>(earlier: &str, anew: &str, keys: impl Iterator<Item = &'k str>) -> Option<(String, bool)> {
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
    Some((text, is_kept))
}
