//! The command line itself: help, usage, version.

use std::collections::BTreeSet;

use expect_test::expect;

use crate::desk::Desk;

/// The commands that the help of a command lists.
fn listed(help: &str) -> Vec<String> {
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| line.starts_with("  "));
    commands.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// Every command with its subcommands, and its help.
fn helps(desk: &Desk, path: &[String], found: &mut Vec<(String, String)>) {
    let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = desk.run(&arguments).ends(0).raw;
    for command in listed(&help) {
        helps(desk, &[path, &[command]].concat(), found);
    }
    found.push((path.join(" "), help));
}

#[test]
fn the_help_of_every_command_has_an_example_that_names_it() {
    let desk = Desk::new();
    let mut found = Vec::new();
    helps(&desk, &[], &mut found);
    let without: Vec<&String> = found
        .iter()
        .filter(|(path, help)| {
            let example = help.split("Example").nth(1).unwrap_or_default();
            let named = format!("  assent {path}");
            !example.lines().any(|line| line.starts_with(named.trim_end()))
        })
        .map(|(path, _)| path)
        .collect();
    assert_eq!(without, Vec::<&String>::new());
    let commands: BTreeSet<&str> =
        found.iter().filter(|(path, _)| !path.contains(' ')).map(|(path, _)| path.as_str()).collect();
    let all = [
        "", "answer", "ask", "chat", "contract", "doctor", "heap", "library", "memory", "model", "plan", "requests",
        "resume", "search", "sessions", "tools", "vault", "workflow",
    ];
    assert_eq!(commands, all.into_iter().collect());
    assert!(!desk.home().exists(), "help opens no data folder");
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_64_and_says_how_it_is_used() {
    let desk = Desk::new();
    let wrong: [&[&str]; 13] = [
        &["frobnicate"],
        &["ask"],
        &["ask", "--approve", "maybe", "x"],
        &["ask", " \n"],
        &["answer", "01j8"],
        &["answer", "01j8", "--approve", "--reject"],
        &["model", "use", "nonsense"],
        &["model", "pull", "nonsense"],
        &["search", "--limit", "0", "notes"],
        &["tools", "search", "--limit", "0", "notes"],
        &["model", "add", "x", "--url", "not a url"],
        &["model", "add", "x", "--url", "http://127.0.0.1:9/v1", "--context", "0"],
        &["tools", "call", "grep", "{pattern"],
    ];
    for arguments in wrong {
        let ran = desk.run(arguments).ends(64);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{arguments:?}: {}", ran.shown());
    }
    expect![[r#"
        exit 64
        --- err
        assent: the message is empty: write what you want done
    "#]]
    .assert_eq(&desk.run(&["ask", ""]).shown());
    expect![[r#"
        exit 64
        --- err
        assent: the arguments have to be one JSON object, such as '{"path": "notes.txt"}': key must be a string at line 1 column 2
    "#]].assert_eq(&desk.run(&["tools", "call", "grep", "{pattern"]).shown());
    assert_eq!(desk.run(&["sessions", "--json"]).ends(0).values(), Vec::<serde_json::Value>::new());
}

#[test]
fn the_version_is_told_without_opening_anything() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["--version"]).ends(0).raw, format!("assent {}\n", env!("CARGO_PKG_VERSION")));
    assert!(!desk.home().exists());
}
