//! The scripts of the experiments still fit what they measure: each can be read, and those that render the templates of
//! the product give them every name that they use.

use std::collections::BTreeSet;
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

/// The planner's examples teach kinds of work, and are none of the tasks that measure it: with no message of a task does
/// one share half of its words, or six words in a row. Which held-out message it is is not told.
#[test]
fn no_example_is_a_task_that_measures_the_planner() {
    let script = "
import importlib.util, json, pathlib
for path in sorted(pathlib.Path('.').glob('*/*.py')):
    if path.parent.name == 'proof': continue
    spec = importlib.util.spec_from_file_location('task', path)
    task = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(task)
    for message in task.MESSAGES: print(json.dumps([str(path), message]))
";
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval");
    let Ok(ran) = Command::new("python3").args(["-B", "-c", script]).current_dir(folder).output() else {
        return assent_tests::needs::missing("there is no python3");
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let messages: Vec<(String, String)> =
        String::from_utf8_lossy(&ran.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(messages.len() > 60, "{} messages of tasks", messages.len());

    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../src-tauri/engine/data/examples.json");
    let examples: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(examples).unwrap()).unwrap();
    for example in &examples {
        let example = example["message"].as_str().unwrap();
        for (task, message) in &messages {
            assert!(!resembles(example, message), "the example {example:?} is too near to a message of {task}");
        }
    }
}

fn resembles(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric() && !"._-*".contains(c));
        words.map(|word| word.trim_matches('.').to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let (one, other) = (words(one), words(other));
    let runs: BTreeSet<&[String]> = one.windows(6).collect();
    let (a, b): (BTreeSet<_>, BTreeSet<_>) = (one.iter().collect(), other.iter().collect());
    other.windows(6).any(|run| runs.contains(run)) || 2 * a.intersection(&b).count() > a.union(&b).count()
}

#[test]
fn likeness_is_seen() {
    let task = "Count the lines of each log that mention timeouts, in any case.";
    assert!(resembles("Please count the lines of each log about apples", task), "six words in a row");
    assert!(resembles("Count lines of each log mention timeouts in any letter", task), "half of the words");
    assert!(!resembles("How many times does each poem mention the sea?", task));
}
