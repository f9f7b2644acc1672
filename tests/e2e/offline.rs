//! Reviewing without a model and without a network.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Result, ensure};
use assent_core::run::{EventKind, TurnStatus};
use assent_engine::model::registry::ModelRole;
use assent_engine::store::PlanStatus;
use assent_engine::turn::ApprovalPolicy::{AlwaysAsk, NeverAsk};
use assent_tests::needs::has_programs;
use assent_tests::replies::{MESSAGE, calls, count_and_write, counting, plans};
use serde_json::{Value, json};

use crate::desktop::{Desktop, ENTER, Window};
use crate::engine::{Endpoint, open, until_over};

/// Set where the network is cut already.
const CUT: &str = "ASSENT_TEST_NETWORK_IS_CUT";

/// Runs this test once more behind a wall with nothing but a loopback of its own; `true` there, where it is to go on.
fn network_is_cut(test: &str) -> Result<bool> {
    if env::var_os(CUT).is_none() {
        if has_programs(&["bwrap"]) {
            let walls = ["--dev-bind", "/", "/", "--unshare-net", "--die-with-parent"];
            let mut again = Command::new("bwrap");
            again.args(walls).arg(env::current_exe()?).args(["--exact", test, "--nocapture"]).env(CUT, "1");
            ensure!(again.status()?.success(), "{test} failed behind the wall; see above");
        }
        return Ok(false);
    }
    let outside = SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 443));
    let reached = TcpStream::connect_timeout(&outside, Duration::from_secs(1));
    ensure!(reached.is_err_and(|error| error.kind() == ErrorKind::NetworkUnreachable), "the network is there");
    Ok(true)
}

/// Changes the last step of the plan that is shown, and approves it without running it.
fn change_for_later(window: &Window<'_>) -> Result<()> {
    window.click("step", "Write counts.md with the numbers")?;
    window.rewrite("edit-description", "Write counts.md without a network")?;
    window.press(&[ENTER])?;
    window.shows("plan-version", "v1, changed")?;
    window.click("approve-later", "")?;
    window.shows("decided", "Not run yet").map(drop)
}

#[test]
fn everything_is_reviewed_and_decided_with_the_network_cut() -> Result<()> {
    if !network_is_cut("offline::everything_is_reviewed_and_decided_with_the_network_cut")? {
        return Ok(());
    }
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    fs::write(notes.join("a.txt"), "Berlin\nin berlin\n")?;
    let ask = json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the city", "expect": "a city"}]});
    let answers = [count_and_write()].into_iter().chain(counting()).chain([
        plans(&ask),
        calls("ask_user", &json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]})),
        count_and_write(),
        count_and_write(),
    ]);
    let endpoint = Endpoint::start(answers)?;
    let data = desktop.data();
    endpoint.is_used_in(&data, &notes)?;
    endpoint.has_answered(&data, &notes, MESSAGE, NeverAsk)?;
    endpoint.has_answered(&data, &notes, "Which city is meant?", NeverAsk)?;
    let approved = endpoint.has_answered(&data, &notes, "Count it later", AlwaysAsk)?;
    let rejected = endpoint.has_answered(&data, &notes, "Count it never", AlwaysAsk)?;
    drop(endpoint);
    let opened = open(&data)?;
    opened.models.choose(ModelRole::Default, None)?;
    fs::remove_file(notes.join("counts.md"))?;

    let window = desktop.open()?;
    window.click("session", "How many lines mention Berlin?")?;
    window.shows("answer", "The numbers are in counts.md.")?;
    window.shows("plan-card", "Count Berlin")?;
    window.shows("offline", "")?;
    window.click("session", "Which city is meant?")?;
    window.shows("request", "Which city?")?;
    window.shows("option", "Hamburg")?;

    window.click("session", "Count it later")?;
    change_for_later(&window)?;
    let versions = |session| -> Result<Vec<(u32, PlanStatus)>> {
        let plans = opened.engine.plans();
        let plan = plans.list(Some(session))?.remove(0);
        Ok(plans.history(&plan.id)?.into_iter().map(|row| (row.plan.version, row.status)).collect())
    };
    assert_eq!(versions(&approved)?, [(1, PlanStatus::Superseded), (2, PlanStatus::Approved)]);
    assert!(opened.engine.runs().list(&approved)?.is_empty() && !notes.join("counts.md").exists());

    window.click("session", "Count it never")?;
    window.click("reject", "")?;
    window.write("note", "Not this one")?;
    window.click("decide", "")?;
    window.shows("decided", "Not this one")?;
    assert_eq!(versions(&rejected)?, [(1, PlanStatus::Rejected)]);

    window.write("session-filter", "without a network")?;
    window.press(&[ENTER])?;
    window.click("hit", "without a network")?;
    window.shows("plan-version", "v2")?;
    window.save_picture()
}

#[test]
fn versions_are_compared_and_plans_exported_and_imported_with_the_network_cut() -> Result<()> {
    if !network_is_cut("offline::versions_are_compared_and_plans_exported_and_imported_with_the_network_cut")? {
        return Ok(());
    }
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let (data, notes) = (desktop.data(), desktop.workspace()?);
    let endpoint = Endpoint::start([count_and_write()])?;
    endpoint.is_used_in(&data, &notes)?;
    let session = endpoint.has_answered(&data, &notes, MESSAGE, AlwaysAsk)?;
    drop(endpoint);
    let opened = open(&data)?;
    opened.models.choose(ModelRole::Default, None)?;

    let window = desktop.open()?;
    window.click("session", "How many lines mention Berlin?")?;
    change_for_later(&window)?;
    window.click("inspector-tab-changes", "")?;
    let changes = window.shows("changes", "without a network")?;
    assert!(changes.contains("Write counts.md with the numbers"), "what it was, too: {changes}");

    window.click("whole-1", "")?;
    let first = window.shows("whole-version", "Write counts.md with the numbers")?;
    assert!(!first.contains("without a network"), "version 1 as it was: {first}");

    window.click("nav-plans", "")?;
    window.click("export", "")?;
    window.click("export-json", "")?;
    let file = desktop.home().join("exported.json");
    desktop.pick(&file)?;
    window.shows("exported", "exported.json")?;
    let exported: Value = serde_json::from_slice(&fs::read(&file)?)?;
    assert_eq!(exported["version"], json!(2));
    assert!(exported.to_string().contains("Write counts.md without a network"), "{exported}");

    fs::write(&file, exported.to_string().replace("without a network", "from a file"))?;
    window.click("import", "")?;
    desktop.pick(&file)?;
    window.click("import-again", "")?;
    window.shows("plan-card", "Write counts.md from a file")?;
    let plans = opened.engine.plans().list(None)?;
    let taken: Vec<_> = plans.iter().filter(|plan| plan.session_id != session).collect();
    assert_eq!((plans.len(), taken.len()), (2, 1), "the one that was exported is as it was");
    assert_eq!(taken[0].steps.len(), 2);
    Ok(())
}

#[test]
fn an_endpoint_that_is_gone_fails_a_message_with_what_to_do_and_leaves_the_rest_open() -> Result<()> {
    let Some(desktop) = Desktop::start()? else { return Ok(()) };
    let notes = desktop.workspace()?;
    let endpoint = Endpoint::start([plans(&json!({"title": "Hello", "answer": "Hello."}))])?;
    let data = desktop.data();
    endpoint.is_used_in(&data, &notes)?;
    let session = endpoint.has_answered(&data, &notes, "Say hello", AlwaysAsk)?;
    endpoint.goes(&data)?;
    let window = desktop.open()?;
    window.click("session", "Say hello")?;
    window.shows("answer", "Hello.")?;
    window.write("composer", "Say it again")?;
    window.click("send", "")?;
    window.shows("turn-failed", "127.0.0.1")?;
    assert_eq!(until_over(&data)?, TurnStatus::Failed);
    let events = open(&data)?.engine.sessions().events(&session, 0)?;
    assert!(events.iter().any(|event| matches!(event.kind, EventKind::Answered { .. })), "the history is whole");
    window.shows("answer", "Hello.")?;
    Ok(())
}
