//! A plan as text for people: Markdown to read, Mermaid to see. Texts of a plan are hostile: they cannot become markup,
//! links or nodes of their own.

mod markdown;
mod mermaid;

#[cfg(test)]
mod tests;

pub use markdown::to_markdown;
pub use mermaid::to_mermaid;

/// A text in one line, without control characters, of at most `limit` characters.
fn line(text: &str, limit: usize) -> String {
    // Marks that turn the reading direction could make a command look like another one.
    let turns = |c: char| matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let words = text.split(|c: char| c.is_whitespace() || c.is_control() || turns(c)).filter(|word| !word.is_empty());
    let flat = words.collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= limit {
        flat
    } else {
        flat.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
    }
}
