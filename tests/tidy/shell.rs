//! The window's own promises: a strict content security policy, and capabilities that name what they give.

use serde_json::Value;

use crate::assert_none;
use crate::tree;

/// Sources that would let a page run or load what it did not ship with.
const LOOSE: [&str; 7] = ["unsafe-inline", "unsafe-eval", "unsafe-hashes", "*", "https:", "http:", "blob:"];

fn policy_complaints(configuration: &Value) -> Vec<String> {
    let Some(policy) = configuration.pointer("/app/security/csp").and_then(Value::as_object) else {
        return vec!["no content security policy".into()];
    };
    let mut complaints = Vec::new();
    if policy.get("default-src").and_then(Value::as_str) != Some("'none'") {
        complaints.push("default-src is not 'none'".to_owned());
    }
    for (directive, sources) in policy {
        let loose = |source: &&str| LOOSE.contains(&source.trim_matches('\''));
        let sources = sources.as_str().unwrap_or("*");
        complaints.extend(sources.split(' ').filter(loose).map(|source| format!("{directive} allows {source}")));
    }
    complaints
}

fn capability_complaints(path: &str, capability: &Value) -> Vec<String> {
    let wide = |key: &str| capability.get(key).is_some_and(|value| value.to_string().contains('*'));
    let mut complaints = Vec::new();
    if wide("windows") || wide("webviews") {
        complaints.push(format!("{path}: is given to every window"));
    }
    if capability.get("permissions") != Some(&json("[]")) {
        complaints.push(format!("{path}: lets the page ask Tauri or a plugin itself"));
    }
    if capability.get("remote").is_some() {
        complaints.push(format!("{path}: is given to remote pages"));
    }
    complaints
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the file is JSON")
}

#[test]
fn the_policy_of_the_window_is_strict() {
    let files = tree::files("tauri.conf.json", &[]);
    assert_eq!(files.len(), 1, "tauri.conf.json is there");
    assert_none(&files.iter().flat_map(|file| policy_complaints(&json(&file.text))).collect::<Vec<_>>());
}

#[test]
fn capabilities_are_given_to_named_windows_only_and_permit_nothing() {
    let files = tree::files("tauri.conf.json", &[]);
    let configuration = json(&files[0].text);
    // Listed by name: a file in a folder of capabilities would be taken along without a word.
    let capabilities = configuration.pointer("/app/security/capabilities").and_then(Value::as_array);
    assert_none(
        &capabilities
            .expect("the configuration lists its capabilities")
            .iter()
            .flat_map(|capability| capability_complaints(&capability["identifier"].to_string(), capability))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn loose_samples_are_found() {
    let policy = |text: &str| policy_complaints(&json(&format!("{{\"app\":{{\"security\":{{\"csp\":{text}}}}}}}")));
    assert_eq!(policy("null"), ["no content security policy"]);
    assert_eq!(policy(r#"{"default-src": "'none'", "img-src": "'self' data:"}"#), Vec::<String>::new());
    assert_eq!(
        policy(r#"{"default-src": "'self'", "script-src": "'self' 'unsafe-inline'", "img-src": "https: 'self'"}"#),
        ["default-src is not 'none'", "script-src allows 'unsafe-inline'", "img-src allows https:"]
    );
    assert_eq!(
        capability_complaints(
            "a",
            &json(r#"{"windows": ["*"], "permissions": ["core:default"], "remote": {"urls": []}}"#)
        ),
        ["a: is given to every window", "a: lets the page ask Tauri or a plugin itself", "a: is given to remote pages"]
    );
}
