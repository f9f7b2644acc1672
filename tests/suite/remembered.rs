//! What is remembered of calls: those that worked, with the words of the message, until the session is deleted; and what
//! it teaches.

use assent_core::discovery::{Filter, Query};
use assent_engine::memory::Recall;
use assent_engine::store::{Forget, MemoryFilter, MemoryRow};
use assent_engine::turn::ApprovalPolicy;
use assent_tests::desk::Desk;
use serde_json::json;

fn usages(desk: &Desk) -> Vec<MemoryRow> {
    let types = [("action".to_owned(), vec!["tool".to_owned()])].into();
    desk.engine.memory().list(&MemoryFilter { types, limit: 100, ..MemoryFilter::default() }).unwrap()
}

async fn count(desk: &Desk, message: &str) -> assent_core::ids::SessionId {
    desk.plans(&json!({"title": "Count", "steps": [
        {"tool": "bash", "do": "Count the lines about berlin", "expect": "counts"},
    ]}));
    desk.calls("bash", json!({"command": "exit 3"}));
    desk.calls("bash", json!({"command": "grep -c Berlin a.txt"}));
    desk.says("One.");
    let session = desk.session().await;
    desk.send(&session, message, ApprovalPolicy::NeverAsk).await;
    session
}

// covers: L12 L49 L50 L51
#[tokio::test]
async fn a_call_that_worked_is_remembered_once_and_goes_with_its_session() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    let session = count(&desk, "How many lines mention Berlin?").await;
    let rows = usages(&desk);
    assert_eq!(rows.len(), 1, "the command that failed teaches nothing: {rows:?}");
    assert_eq!((rows[0].context.as_str(), rows[0].session.as_ref()), ("tool:bash:usage", Some(&session)));
    let data = &rows[0].payload["data"];
    assert_eq!((&data["tool"], &data["success"]), (&json!("bash"), &json!(true)));
    assert_eq!(data["intent"], "How many lines mention Berlin?");
    assert_eq!(rows[0].times, 1);
    let tools = desk.engine.memory().recall(&Recall::about("").limit(100).of("fact", "tool")).await;
    assert_eq!(tools.items_found, desk.engine.tools().list().len() + 2, "every tool, and the two about tools");

    desk.engine.sessions().delete(&session).unwrap();
    assert_eq!(usages(&desk), []);
}

#[tokio::test]
async fn past_runs_change_what_is_found_first_also_after_a_restart_until_they_are_forgotten() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    let wish = "zählwerk ablesen";
    let found = |desk: &Desk| {
        let query = Query { text: wish, limit: 3, filter: &Filter::default() };
        desk.engine.tools().find(&query).tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert_eq!(found(&desk), Vec::<String>::new());
    count(&desk, wish).await;
    assert_eq!(found(&desk), ["bash"]);
    let before = usages(&desk);
    let again = desk.reopened();
    assert_eq!(found(&again), ["bash"]);
    assert_eq!(again.engine.memory().forget(&Forget::These(vec![before[0].id])).unwrap(), 1);
    assert_eq!(found(&again), Vec::<String>::new());
}
