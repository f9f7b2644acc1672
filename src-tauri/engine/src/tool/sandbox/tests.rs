//! Behind real walls, where this machine has them.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::super::testing::Bench;
use super::{End, Ended, Order, available, run};

fn order(bench: &Bench, command: &str) -> Order {
    Order {
        command: command.to_owned(),
        folder: bench.context.workspace.clone(),
        workspace: bench.context.workspace.clone(),
        hidden: Vec::new(),
        network: false,
        timeout: Duration::from_secs(20),
    }
}

/// Runs behind walls; `None` where there are none.
fn shut_in(order: &Order) -> Option<Ended> {
    let walls = available();
    if std::env::var_os("ASSENT_TEST_SANDBOX").is_some() {
        assert_eq!(walls, Ok(()));
    }
    walls.ok()?;
    Some(run(order, &CancellationToken::new(), |_| {}).unwrap())
}

fn running(sign: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(sign)
    })
}

#[test]
fn only_the_workspace_and_a_private_tmp_can_be_written() {
    let bench = Bench::new();
    let home = std::env::var("HOME").unwrap();
    let command = format!(
        "echo in > inside.txt; echo x > /tmp/private && echo tmp-ok; \
         for place in {home}/assent-test /etc/assent-test {outer}/assent-test /usr/assent-test; do \
         (echo x > $place) 2>/dev/null && echo wrote $place; done; true",
        outer = std::env::current_dir().unwrap().display(),
    );
    let Some(ended) = shut_in(&order(&bench, &command)) else { return };
    assert_eq!((ended.end, ended.stdout.text.as_str()), (End::Exited(0), "tmp-ok\n"));
    assert_eq!(bench.text("inside.txt"), "in\n");
    assert!(!Path::new("/tmp/private").exists());
}

#[test]
fn the_network_is_not_there() {
    let bench = Bench::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let command =
        format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached; ls /sys/class/net | wc -l; true");
    let Some(ended) = shut_in(&order(&bench, &command)) else { return };
    assert!(!ended.stdout.text.contains("reached"), "{ended:?}");
    let granted = Order { network: true, ..order(&bench, &command) };
    let ended = shut_in(&granted).unwrap();
    assert!(ended.stdout.text.contains("reached"), "{ended:?}");
}

#[test]
fn hidden_folders_are_empty_and_cannot_be_written_wherever_they_lie() {
    let bench = Bench::with(&[("data/assent.db", "secret"), ("open.txt", "open")]);
    let outside = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    std::fs::write(outside.path().join("assent.db"), "secret").unwrap();
    let inside = bench.path("data");
    let command = format!(
        "cat open.txt; for place in {} {}; do ls -A $place; cat $place/assent.db; echo x > $place/new; done; true",
        inside.display(),
        outside.path().display()
    );
    let hidden = vec![inside.clone(), outside.path().to_path_buf(), "/nowhere/at/all".into()];
    let Some(ended) = shut_in(&Order { hidden, ..order(&bench, &command) }) else { return };
    assert_eq!(ended.stdout.text, "open");
    assert_eq!(std::fs::read_dir(&inside).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_workspace_inside_a_hidden_folder_is_open_and_its_surroundings_are_not() {
    let bench = Bench::with(&[("open.txt", "open")]);
    std::fs::write(bench.outer.path().join("assent.db"), "secret").unwrap();
    let outer = bench.outer.path().canonicalize().unwrap();
    let command = format!("cat open.txt; ls {}; echo new > made.txt", outer.display());
    let Some(ended) = shut_in(&Order { hidden: vec![outer], ..order(&bench, &command) }) else { return };
    assert_eq!(ended.stdout.text, "openwork\n", "{ended:?}");
    assert_eq!(bench.text("made.txt"), "new\n");
}

#[test]
fn neither_the_environment_nor_other_processes_can_be_seen() {
    let bench = Bench::new();
    let Some(ended) = shut_in(&order(&bench, "env | sort | cut -d= -f1; ls /proc | grep -c '^[0-9]'; id -u")) else {
        return;
    };
    let lines: Vec<&str> = ended.stdout.text.lines().collect();
    assert!(!lines.iter().any(|name| name.starts_with("CARGO_PKG") || name.starts_with("NEXTEST")), "{lines:?}");
    let processes: u32 = lines[lines.len() - 2].parse().unwrap();
    assert!(processes < 10, "{lines:?}");
}

#[test]
fn a_child_in_the_background_ends_with_the_command() {
    let bench = Bench::new();
    let sign = format!("31{}", std::process::id());
    let command = format!("sleep {sign} & (setsid sleep {sign} &) ; nohup sleep {sign} >/dev/null 2>&1 & echo started");
    let began = Instant::now();
    let Some(ended) = shut_in(&order(&bench, &command)) else { return };
    assert_eq!((ended.end, ended.stdout.text.as_str()), (End::Exited(0), "started\n"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(!running(&sign));
}

#[test]
fn a_command_that_does_not_end_is_ended_within_a_second_of_its_time_with_all_it_started() {
    let bench = Bench::new();
    let sign = format!("32{}", std::process::id());
    let command = format!("trap '' TERM INT HUP; setsid sleep {sign} & sleep {sign}; sleep {sign}");
    let began = Instant::now();
    let Some(ended) = shut_in(&Order { timeout: Duration::from_millis(500), ..order(&bench, &command) }) else {
        return;
    };
    assert_eq!(ended.end, End::TimedOut);
    assert!(began.elapsed() < Duration::from_millis(1500), "{:?}", began.elapsed());
    assert!(!running(&sign));
}

#[test]
fn a_crowd_of_processes_is_ended() {
    let bench = Bench::new();
    let began = Instant::now();
    // As many as show the limit and no more: a real fork bomb that got away would take the machine with it.
    let crowd = order(&bench, "for n in $(seq 700); do sleep 20 & done; sleep 20");
    let Some(ended) = shut_in(&Order { timeout: Duration::from_secs(15), ..crowd }) else { return };
    assert_eq!(ended.end, End::TooManyProcesses);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[test]
fn a_flood_of_output_is_bounded() {
    let bench = Bench::new();
    let flood = Order { timeout: Duration::from_secs(1), ..order(&bench, "yes") };
    let Some(ended) = shut_in(&flood) else { return };
    assert_eq!(ended.end, End::TimedOut);
    assert!(ended.stdout.truncated && ended.stdout.text.len() < 120_000);
}

#[test]
fn keys_in_the_home_folder_cannot_be_read() {
    let bench = Bench::new();
    let Some(ended) = shut_in(&order(&bench, "ls -A ~/.ssh ~/.gnupg ~/.aws 2>/dev/null | grep -v ':$' | tr -d '\\n'"))
    else {
        return;
    };
    assert_eq!(ended.stdout.text, "");
}

mod without_walls {
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::super::{End, process, set_surroundings, shell};
    use super::{Bench, order, running};

    #[test]
    fn everything_that_a_command_started_is_ended_all_the_same() {
        let bench = Bench::new();
        let sign = format!("33{}", std::process::id());
        let order =
            order(&bench, &format!("setsid sleep {sign} & (setsid nohup sleep {sign} >/dev/null 2>&1 &); echo ok"));
        let mut command = shell(&order.command);
        set_surroundings(&mut command, &order);
        let ended = process::run(command, Duration::from_secs(5), &CancellationToken::new(), |_| {}, false).unwrap();
        assert_eq!((ended.end, ended.stdout.text.as_str()), (End::Exited(0), "ok\n"));
        assert!(!running(&sign));
    }
}
