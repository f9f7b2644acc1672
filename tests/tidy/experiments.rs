//! The scripts of the experiments still fit what they measure: each can be read, and those that render the templates of
//! the product give them every name that they use.

use std::process::Command;

const CHECK: &str = "
import gbnf, grammar, outputs, planning, prefix, sketch, steps
for turn in range(4):
    for message in prefix.request(prefix.ROLES[turn], turn):
        assert message['content'].strip(), message
for form in ('compact, grammar', 'compact, schema', 'steps', 'route'):
    assert all(message['content'].strip() for message in outputs.messages('Hello', form)) and outputs.held(form) is not None
";

/// Right results pass the checks of the tasks, in several forms, and wrong ones are refused.
#[test]
fn the_checks_of_tasks_tell_right_from_wrong() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval");
    for script in ["selftest.py", "heldout/proof/selftest.py"] {
        let ran = Command::new("python3").args(["-B", script]).current_dir(folder).output();
        let Ok(ran) = ran else { return assent_tests::needs::missing("there is no python3") };
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stdout));
    }
}

#[test]
fn the_scripts_of_the_experiments_fit_the_templates() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/experiments");
    let ran = Command::new("python3").args(["-B", "-c", CHECK]).current_dir(folder).output();
    let Ok(ran) = ran else { return assent_tests::needs::missing("there is no python3") };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
