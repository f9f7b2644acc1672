//! Prompts are templates: each one parses, whether or not a test renders it.

use minijinja::Environment;

use crate::assert_none;
use crate::tree::{self, File};

fn parse_complaint(file: &File) -> Option<String> {
    let problem = Environment::new().template_from_named_str(&file.path, &file.text).err()?;
    Some(format!("{}:{}: {problem}", file.path, problem.line().unwrap_or_default()))
}

#[test]
fn every_prompt_parses() {
    let files = tree::production("src-tauri/engine/prompts", &[".md", ".j2", ".txt"]);
    assert_none(&files.iter().filter_map(parse_complaint).collect::<Vec<_>>());
}

#[test]
fn bad_samples_are_found() {
    let complaint = |text: &str| parse_complaint(&File { path: "a.md".into(), text: text.into() });
    assert_eq!(complaint("{% for step in steps %}{{ step.do }}{% endfor %}"), None);
    assert!(complaint("one\n{% for step in steps %}").is_some_and(|text| text.starts_with("a.md:2: ")));
    assert!(complaint("{{ open").is_some());
}
