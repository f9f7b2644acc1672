//! The scripts of the experiments still fit what they measure: each can be read, and those that render the templates of
//! the product give them every name that they use.

use std::process::Command;

const CHECK: &str = "
import gbnf, grammar, planning, prefix, sketch, steps
for turn in range(4):
    for message in prefix.request(prefix.ROLES[turn], turn):
        assert message['content'].strip(), message
";

#[test]
fn the_scripts_of_the_experiments_fit_the_templates() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/experiments");
    let ran = Command::new("python3").args(["-B", "-c", CHECK]).current_dir(folder).output();
    let Ok(ran) = ran else { return assent_tests::needs::missing("there is no python3") };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
