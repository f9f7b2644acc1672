use super::*;

#[test]
fn a_file_of_the_same_name_takes_the_place_of_the_shipped_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("repair.md"), "Again: {{ cut }}").unwrap();
    let context = Repair { cut: true, ..Default::default() };
    let ours = Templates::with_overrides(folder.path()).unwrap();
    let rendered = ours.render(&context).unwrap();
    assert_eq!(rendered.text, "Again: True");
    assert_ne!(rendered.template, shipped().render(&context).unwrap().template);
    assert_eq!(ours.source(&rendered.template), Some("Again: {{ cut }}"));
    let other = Enforce { missing: &["grep".into()] };
    assert_eq!(ours.render(&other), shipped().render(&other));
    let nowhere = Templates::with_overrides(&folder.path().join("nowhere")).unwrap();
    assert_eq!(nowhere.render(&context), shipped().render(&context));
}

#[test]
fn an_included_file_changes_the_identity_of_what_includes_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ask_user_guidance.md"), "Be kind.\n").unwrap();
    let ours = Templates::with_overrides(folder.path()).unwrap();
    let context = StepSystem { ask_user: true, ..Default::default() };
    let rendered = ours.render(&context).unwrap();
    assert!(rendered.text.contains("\nBe kind."));
    assert_ne!(rendered.template, shipped().render(&context).unwrap().template);
    assert!(ours.source(&rendered.template).unwrap().contains("Be kind."));
}

#[track_caller]
fn check_broken(name: &str, source: &str, line: usize, said: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, source).unwrap();
    let error = Templates::with_overrides(folder.path()).unwrap_err();
    let PromptError::Broken { file, line: found, reason } = &error else {
        panic!("{error}");
    };
    assert_eq!((file.as_str(), *found), (path.to_str().unwrap(), line), "{error}");
    assert!(reason.contains(said), "{error}");
    let (usable, left_out) = Templates::with_usable_overrides(folder.path()).unwrap();
    assert_eq!(left_out, [error]);
    let context = Repair::default();
    assert_eq!(usable.render(&context), shipped().render(&context));
}

#[test]
fn a_broken_file_is_named_with_its_line() {
    check_broken("repair.md", "one\n{% for x in faults %}\n{{ x", 3, "syntax error");
    check_broken("repair.md", "one\ntwo\n{{ fault }}", 3, "there is no \"fault\" here, only faults, schema, cut");
    check_broken("planner_steps.md", "{{ message }}", 1, "specialists, tools");
    check_broken("ask_user_guidance.md", "{{ message }}", 1, "nothing has a name here");
}

#[test]
fn a_fault_that_shows_only_while_rendering_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("step_given.md");
    std::fs::write(&path, "one\n{{ nobody }}").unwrap();
    let ours = Templates::with_overrides(folder.path()).unwrap();
    let error = ours.render(&StepReasoning::default()).unwrap_err();
    assert!(error.to_string().starts_with(&format!("{}:2: undefined value", path.display())), "{error}");
}

#[test]
fn a_file_that_is_no_text_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("repair.md"), [0xff, 0xfe]).unwrap();
    let error = Templates::with_overrides(folder.path()).unwrap_err();
    assert!(matches!(error, PromptError::Unreadable { .. }), "{error}");
}
