//! What requests tell of tools, read out of their texts.

use assent_engine::model::{Message, Request};

/// What a planner's request tells of tools, in lines or as JSON, by the tools' names: of those that are in `all`.
pub fn planned_with(request: &Request, all: &[String]) -> Vec<(String, String)> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::System { text } | Message::User { text } => Some(text.as_str()),
        _ => None,
    });
    let lines: Vec<&str> = texts.flat_map(str::lines).collect();
    let told = lines.iter().zip(lines.iter().skip(1).chain(&[""])).filter_map(|(line, next)| {
        let in_line = || Some((line.strip_prefix("- ")?.split_once(": ")?.0, (*line).to_owned()));
        let in_json = || {
            let name = line.strip_prefix("    \"name\": \"")?.strip_suffix("\",")?;
            Some((name, format!("  {{\n{line}\n{next}\n  }},\n")))
        };
        let (name, told) = in_json().or_else(in_line)?;
        all.iter().any(|known| known == name).then(|| (name.to_owned(), told))
    });
    told.collect()
}
