//! What a step says that it did, held against what its commands really changed.

use assent_core::run::StepStatus;
use assent_engine::tool::sandbox;
use assent_engine::turn::ApprovalPolicy;
use assent_tests::desk::Desk;
use assent_tests::needs::missing;
use serde_json::json;

/// How a step that runs this command and then says this completes: with which warning.
async fn warning(command: &str, says: &str) -> Option<String> {
    let desk = Desk::with(&[("old.txt", "old\n")]);
    desk.plans(&json!({"title": "Work", "steps": [{"tool": "bash", "do": "Do what is asked", "expect": "a word"}]}));
    desk.calls("bash", json!({"command": command}));
    // What is not believed is asked about once.
    desk.says(says);
    desk.says(says);
    let session = desk.session().await;
    desk.send(&session, "Do what is asked.", ApprovalPolicy::NeverAsk).await;
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    let state = desk.engine.runs().get(&run.id).unwrap().state;
    let step = state.step(0);
    assert_eq!(step.status, StepStatus::Completed, "{command}: {:?}", step.reason);
    step.reason.clone()
}

// covers: T3
#[tokio::test]
async fn a_command_stands_behind_a_report_of_what_it_changed_and_of_nothing_else() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    for (command, says, is_proven) in [
        ("ls", "I have deleted old.txt.", false),
        ("cat old.txt", "I have saved the table to out.md.", false),
        ("echo more >> other.md", "I have saved the table to out.md.", false),
        ("true", "I saved everything.", false),
        ("date", "I have sent the mail.", false),
        ("echo more >> old.txt", "I have sent the mail.", false),
        ("rm old.txt", "I have deleted old.txt.", true),
        ("echo row > out.md", "I have saved the table to out.md.", true),
        ("mkdir reports", "I created the folder reports.", true),
        ("chmod +x old.txt", "I changed the file old.txt.", true),
        ("mkdir .notes && echo row > .notes/out.md", "I have saved the table to out.md.", true),
        ("mkdir target && echo row > target/out.md", "I have saved the table to target/out.md.", true),
        ("echo row > all.txt", "I saved everything.", true),
    ] {
        let mark = format!("it says \"{}\", and no call stands behind that", says.trim_end_matches('.'));
        assert_eq!(warning(command, says).await, (!is_proven).then_some(mark), "{command}: {says}");
    }
}
