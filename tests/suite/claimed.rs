//! What a step says that it did, held against what its commands really changed.

use assent_core::run::{Answer, Reach, StepStatus};
use assent_engine::tool::sandbox;
use assent_engine::turn::ApprovalPolicy;
use assent_tests::desk::Desk;
use assent_tests::needs::{has_no_walls, missing};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// What a step says that has run a command, and whether that is to be believed.
type Case = (&'static str, &'static str, bool);

/// A step of a new desk that runs this command and then says this.
async fn holds(case: Case) {
    holds_at(&Desk::with(&[("old.txt", "old\n")]), case).await;
}

/// The same on a desk: the step completes, with a warning where it is not to be believed. What asks for a permission
/// gets it.
async fn holds_at(desk: &Desk, (command, says, is_proven): Case) {
    desk.plans(&json!({"title": "Work", "steps": [{"tool": "bash", "do": "Do what is asked and print what it says", "expect": "a word"}]}));
    desk.calls("bash", json!({"command": command}));
    desk.says(says);
    if !is_proven {
        // It is asked about once.
        desk.says(says);
    }
    let session = desk.session().await;
    desk.send(&session, "Do what is asked.", ApprovalPolicy::NeverAsk).await;
    for row in desk.engine.requests().open().unwrap() {
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        desk.engine.turns().answer(&row.request.id, yes, &CancellationToken::new()).await.unwrap();
    }
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    let state = desk.engine.runs().get(&run.id).unwrap().state;
    let step = state.step(0);
    assert_eq!(step.status, StepStatus::Completed, "{command}: {:?}", step.reason);
    let mark = format!("it says \"{}\", and no call stands behind that", says.trim_end_matches('.'));
    assert_eq!(step.reason, (!is_proven).then_some(mark), "{command}: {says}");
}

// covers: T3
#[tokio::test]
async fn a_command_stands_behind_a_report_of_what_it_changed_and_of_nothing_else() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    for case in [
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
        // What lies in folders that tools make is not looked at.
        ("mkdir target && echo row > target/out", "I saved everything.", true),
    ] {
        holds(case).await;
    }
}

// covers: T3
#[tokio::test]
async fn without_walls_a_command_stands_behind_what_it_may_have_changed_elsewhere_and_behind_nothing_else() {
    const NAME: &str =
        "without_walls_a_command_stands_behind_what_it_may_have_changed_elsewhere_and_behind_nothing_else";
    if !has_no_walls(module_path!(), NAME) {
        return;
    }
    let cases: [Case; 11] = [
        ("ls", "I have deleted old.txt.", false),
        ("true", "I saved everything.", false),
        ("date", "I have sent the mail.", false),
        ("cat old.txt | sort", "I have saved the table to out.md.", false),
        ("echo more >> other.md", "I have saved the table to out.md.", false),
        ("python3 -c pass", "I have deleted old.txt.", false),
        ("echo row > out.md", "I have saved the table to out.md.", true),
        ("rm old.txt", "I have deleted old.txt.", true),
        ("mkdir ../away && cp old.txt ../away/out.md", "I have saved the table to out.md.", true),
        ("python3 -c pass", "I saved everything.", true),
        ("python3 -c pass", "I have sent the mail.", true),
    ];
    for case in cases {
        holds(case).await;
    }
}

#[tokio::test]
async fn in_a_folder_that_is_too_large_to_look_through_a_file_tells_that_lies_there_as_it_was() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let desk = Desk::with(&[("old.txt", "old\n")]);
    let many = desk.workspace.join("many");
    std::fs::create_dir(&many).unwrap();
    (0..20_001).for_each(|number| std::fs::write(many.join(number.to_string()), "").unwrap());
    let cases: [Case; 6] = [
        ("ls", "I saved everything.", false),
        ("wc -l old.txt", "I have saved the table to out.md.", false),
        ("python3 -c pass", "I have updated old.txt.", false),
        ("echo row > out.md", "I have saved the table to out.md.", true),
        ("echo new >> old.txt", "I have updated old.txt.", true),
        // Nobody has looked.
        ("python3 -c pass", "I saved everything.", true),
    ];
    for case in cases {
        holds_at(&desk, case).await;
    }
}
