//! A session that is removed leaves nothing behind, and takes nothing of another along.

use assent_core::ids::{PlanId, SessionId};
use assent_core::run::RequestKind;
use serde_json::json;

use super::*;
use crate::store::{
    Blobs as _, ListFilter, PlanDraft, Plans as _, Requests as _, Runs as _, Sessions as _, StoreError, TakenBack,
};

/// A session in which a word stands everywhere a text can stand.
fn everywhere(store: &Arc<Store>, session: &str, word: &str, shared: &Blob) -> Digest {
    let run = format!("run-{session}");
    one(store, place(session), 10, created(&format!("Title {word}")));
    one(store, place(session), 10, message(&format!("Message {word}")));
    let mut document = plan(session, &format!("plan-{session}"), 1, 2);
    document.intent = format!("Intent {word}");
    document.steps[0].description = format!("Step {word}");
    append(store, proposed(session, 11, &document)).unwrap();
    let at = in_run(session, &run, None);
    let comment = EventKind::Commented { plan: reference(&document), on: None, text: format!("Comment {word}") };
    let (own, content) = blob(&format!("Result {word} ").repeat(20));
    let shared_content = Content::Blob { blob: shared.digest.clone(), bytes: 0, preview: String::new() };
    let step = in_run(session, &run, Some(0));
    let call = format!("call-{session}");
    let mut reply = replied(&call);
    if let EventKind::ModelReplied { calls, recipe, .. } = &mut reply {
        calls[0].arguments = Content::inline(json!({"path": format!("Argument {word}")}));
        *recipe = Some(shared_content);
    }
    let request = format!("q-{session}");
    let mut batch = events(vec![
        draft(place(session), 12, approved(&document)),
        draft(at.clone(), 12, EventKind::RunQueued { plan: reference(&document) }),
        draft(at.clone(), 12, EventKind::RunStarted),
        draft(place(session), 13, comment),
        draft(step.clone(), 14, step_started(1)),
        draft(step.clone(), 15, reply),
        draft(step.clone(), 16, call_started(&call)),
        draft(step.clone(), 17, call_ended(&call, content)),
        draft(step.clone(), 18, asked(&request, RequestKind::Question)),
        draft(step, 19, said(&request, &format!("Answer {word}"))),
        draft(at, 20, answered(&format!("Reply {word}"))),
    ]);
    batch.blobs = vec![own.clone(), shared.clone()];
    append(store, batch).unwrap();
    let kept = PlanDraft { plan: document, updated_at: 21 };
    store.keep_draft(&PlanId::new(format!("plan-{session}")), Some(&kept)).unwrap();
    let files = store.file_history(&SessionId::from(session));
    files.remember(std::path::Path::new("/w/a.md"), Some(format!("Before {word}").as_bytes()), b"").unwrap();
    own.digest
}

fn holds(folder: &Folder, word: &str) -> bool {
    let mut bytes = Vec::new();
    for name in ["assent.db", "assent.db-wal"] {
        bytes.extend(std::fs::read(folder.home.root().join(name)).unwrap_or_default());
    }
    bytes.to_ascii_lowercase().windows(word.len()).any(|window| window == word.as_bytes())
}

#[test]
fn no_word_of_it_stays_either_where_the_index_of_an_older_version_was_thrown_away() {
    let folder = Folder::new();
    let store = folder.open();
    let (shared, _) = blob("A prompt that both use");
    everywhere(&store, "c", "zqxjkvanished", &shared);
    assert_eq!(store.search("zqxjkvanished", None, 50).unwrap().len(), 8);
    drop(store);
    let older = rusqlite::Connection::open(folder.home.database()).unwrap();
    older.execute_batch("PRAGMA user_version = 12").unwrap();
    drop(older);
    let store = folder.open();
    store.delete_session(&SessionId::from("c")).unwrap();
    assert!(!holds(&folder, "zqxjkvanished"));
}

#[test]
fn no_word_of_a_removed_session_stays_in_the_file() {
    let folder = Folder::new();
    let store = folder.open();
    let (shared, _) = blob("A prompt that both use");
    let gone = everywhere(&store, "c", "zqxjkvanished", &shared);
    let stays = everywhere(&store, "d", "zqxjkremaining", &shared);
    assert_eq!(store.search("zqxjkvanished", None, 50).unwrap().len(), 8);
    assert!(holds(&folder, "zqxjkvanished"));

    store.delete_session(&SessionId::from("c")).unwrap();
    assert!(!holds(&folder, "zqxjkvanished"));
    assert_eq!(store.search("zqxjkvanished", None, 50).unwrap(), []);
    assert_eq!(store.search("zqxjkremaining", None, 50).unwrap().len(), 8);
    assert!(matches!(store.session("c"), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.run(&RunId::from("run-c")), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.plan("plan-c", None), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.request("q-c"), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.blob(&gone), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.delete_session(&SessionId::from("c")), Err(StoreError::NotFound { .. })));

    assert_eq!(store.blob(&shared.digest).unwrap(), shared.bytes);
    assert!(!store.blob(&stays).unwrap().is_empty());
    let files = store.file_history(&SessionId::from("d"));
    let path = std::path::Path::new("/w/a.md");
    assert_eq!(files.take_back(path, None).unwrap(), TakenBack::Content(Some(b"Before zqxjkremaining".to_vec())));
    assert_eq!(files.take_back(path, None).unwrap(), TakenBack::Nothing);
    store.delete_session(&SessionId::from("d")).unwrap();
    assert!(matches!(store.blob(&shared.digest), Err(StoreError::NotFound { .. })));
    assert_eq!(store.sessions(&ListFilter::default()).unwrap(), []);
    let left = rusqlite::Connection::open(folder.home.database()).unwrap();
    for table in [
        "event",
        "turn",
        "run",
        "step",
        "request",
        "plan",
        "plan_version",
        "plan_draft",
        "comment",
        "blob",
        "blob_use",
        "file_history",
    ] {
        let rows: i64 = left.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!((table, rows), (table, 0));
    }
    // Sequence numbers are not used again.
    one(&store, place("e"), 30, created("New"));
    assert!(store.session_events(&SessionId::from("e"), 0).unwrap()[0].seq > 26);
}
