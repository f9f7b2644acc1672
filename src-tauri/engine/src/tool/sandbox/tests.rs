//! Behind real walls, where this machine has them.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::super::testing::Bench;
use super::{End, Ended, Order, available, run};
use crate::model::Secret;
use crate::vault::Mask;

fn order(bench: &Bench, command: &str) -> Order {
    Order {
        command: command.to_owned(),
        folder: bench.context.workspace.clone(),
        workspace: bench.context.workspace.clone(),
        hidden: Vec::new(),
        network: false,
        timeout: Duration::from_secs(20),
        mask: Arc::default(),
    }
}

/// Runs behind walls; `None` where there are none, and where that is no fault of the machine's set-up.
fn shut_in(order: &Order) -> Option<Ended> {
    let walls = available();
    if std::env::var_os("ASSENT_TEST_STRICT").is_some_and(|strict| strict == "1") {
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
    let crowd = order(&bench, "for n in $(seq 700); do sleep 300 & done; sleep 300");
    let Some(ended) = shut_in(&Order { timeout: Duration::from_secs(120), ..crowd }) else { return };
    assert_eq!(ended.end, End::TooManyProcesses);
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
}

/// Threads that do nothing, until they are dropped.
struct Idlers {
    threads: Vec<std::thread::JoinHandle<()>>,
    end: Arc<(Mutex<bool>, Condvar)>,
}

impl Idlers {
    fn new(count: usize) -> Self {
        let end = Arc::new((Mutex::new(false), Condvar::new()));
        let idle = |end: Arc<(Mutex<bool>, Condvar)>| {
            move || drop(end.1.wait_while(end.0.lock().unwrap(), |over| !*over).unwrap())
        };
        let start = |_| std::thread::Builder::new().stack_size(64 * 1024).spawn(idle(Arc::clone(&end))).unwrap();
        let threads = (0..count).map(start).collect();
        Self { threads, end }
    }
}

impl Drop for Idlers {
    fn drop(&mut self) {
        *self.end.0.lock().unwrap() = true;
        self.end.1.notify_all();
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn what_the_rest_of_the_machine_starts_does_not_count_for_a_command() {
    let bench = Bench::new();
    let (sender, started) = std::sync::mpsc::channel();
    let progress = move |_| {
        // Nobody listens after the first sign.
        let _ = sender.send(());
    };
    if available().is_err() {
        return;
    }
    let command = order(&bench, "echo started; sleep 1; echo done");
    let ended = std::thread::spawn(move || run(&command, &CancellationToken::new(), progress).unwrap());
    started.recv().unwrap();
    // Twice as many as a command may start, while it runs.
    let idlers = Idlers::new(2 * super::MAX_PROCESSES + 200);
    let ended = ended.join().unwrap();
    drop(idlers);
    assert_eq!((ended.end, ended.stdout.text.as_str()), (End::Exited(0), "started\ndone\n"));
}

#[test]
fn memory_beyond_the_bound_ends_a_command() {
    let bench = Bench::new();
    // Each holds its own: eighty times 64 MiB. They are there long before the time is over, however slow the machine.
    // The last word keeps the shell, and with it what it holds, from giving way to what it waits for.
    let command = "for n in $(seq 80); do (printf -v text '%67108864s' ''; sleep 300; :) & done; wait";
    let Some(ended) = shut_in(&Order { timeout: Duration::from_secs(180), ..order(&bench, command) }) else { return };
    assert_eq!(ended.end, End::TooMuchMemory);
}

#[test]
fn folders_in_memory_are_bounded_where_bubblewrap_can() {
    let bench = Bench::new();
    let command = "for place in /tmp /var/tmp /dev/shm /run; do df --output=size -k $place | tail -1 | tr -d ' '; done; \
                   touch /dev/mine 2>/dev/null || echo no more in /dev; echo x > /dev/null && echo x > /dev/shm/mine && \
                   head -c 20000000 /dev/zero > /run/much 2>/dev/null || echo full";
    let Some(ended) = shut_in(&order(&bench, command)) else { return };
    if super::gaps().is_empty() {
        let wanted = "1048576\n262144\n262144\n16384\nno more in /dev\nfull\n";
        assert_eq!(ended.stdout.text, wanted, "{ended:?}");
    } else {
        assert!(super::gaps()[0].contains("/tmp"));
    }
}

/// A repository with a commit, as git itself makes one; `None` without git.
fn repository(bench: &Bench) -> Option<()> {
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.current_dir(&bench.context.workspace).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        git.args(words).env("GIT_CONFIG_GLOBAL", "/dev/null").output()
    };
    git(&["init", "--initial-branch=main"]).ok()?;
    std::fs::write(bench.path("a.txt"), "one\n").unwrap();
    assert!(git(&["add", "."]).unwrap().status.success());
    assert!(git(&["commit", "-m", "first"]).unwrap().status.success());
    assert!(git(&["config", "user.name", "A"]).unwrap().status.success());
    assert!(git(&["config", "user.email", "a@example.org"]).unwrap().status.success());
    Some(())
}

#[test]
fn git_works_and_what_it_runs_later_cannot_be_planted() {
    let bench = Bench::new();
    let Some(()) = repository(&bench) else { return };
    std::fs::write(bench.path(".envrc"), "export A=1\n").unwrap();
    let command = "set -e; echo two >> a.txt; git status --short; git add a.txt; git commit -q -m second; \
                   git checkout -q -b other; git stash list; git log --format=%s; git branch --show-current";
    let Some(ended) = shut_in(&order(&bench, command)) else { return };
    let wanted = " M a.txt\n?? .envrc\nsecond\nfirst\nother\n";
    assert_eq!((ended.end, ended.stdout.text.as_str()), (End::Exited(0), wanted), "{ended:?}");
    let before = std::fs::read_to_string(bench.path(".git/config")).unwrap();
    let attacks = [
        "echo 'touch /tmp/x' > .git/hooks/pre-commit",
        "rm -rf .git/hooks && mkdir .git/hooks",
        "mv .git/hooks .git/old",
        "echo '[core] fsmonitor = x' >> .git/config",
        "git config core.fsmonitor x",
        "mv .git/config .git/old; printf '[core]\\n\\tfsmonitor = x\\n' > .git/config",
        "mv .git old && cp -r old .git",
        "echo evil >> .envrc",
        "rm .envrc",
    ];
    for attack in attacks {
        let ended = shut_in(&order(&bench, attack)).unwrap();
        assert_ne!(ended.end, End::Exited(0), "{attack}: {ended:?}");
    }
    assert_eq!(std::fs::read_to_string(bench.path(".git/config")).unwrap(), before);
    assert!(!bench.path(".git/hooks/pre-commit").exists() && bench.path(".git/hooks").is_dir());
    assert_eq!(bench.text(".envrc"), "export A=1\n");
}

#[test]
fn a_flood_of_output_is_bounded() {
    let bench = Bench::new();
    let flood = Order { timeout: Duration::from_secs(5), ..order(&bench, "yes") };
    let Some(ended) = shut_in(&flood) else { return };
    assert_eq!(ended.end, End::TimedOut);
    assert!(ended.stdout.truncated && ended.stdout.text.len() < 120_000);
}

#[test]
fn what_a_command_says_stands_in_no_words_of_a_process_and_what_it_starts_does_not_have_it() {
    let bench = Bench::new();
    let command = "for words in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $words; done; env; echo \"[$0] [$*] $((6*7))\"; : a-secret-of-it";
    let Some(ended) = shut_in(&order(&bench, command)) else { return };
    assert_eq!(ended.end, End::Exited(0), "{ended:?}");
    assert!(!ended.stdout.text.contains("a-secret-of-it"), "{}", ended.stdout.text);
    assert!(ended.stdout.text.contains("bash") && ended.stdout.text.contains("] [] 42\n"), "{}", ended.stdout.text);
    let outside = crate::tool::sandbox::shell();
    let words = format!("{:?}", outside.get_args().collect::<Vec<_>>());
    assert!(!words.contains("a-secret-of-it"), "{words}");
}

#[test]
fn a_secret_is_hidden_before_output_is_cut_and_told() {
    let bench = Bench::new();
    let mask = Arc::new(Mask::of([&Secret::new("s3cret-of/the+crm=42")]));
    // The head that is kept ends in the middle of the first, the tail begins in the middle of the second.
    let command = "head -c 32760 /dev/zero | tr '\\0' x; printf 's3cret-of/the+crm=42'; head -c 200000 /dev/zero | tr '\\0' y; \
                   printf 's3cret-of/the+crm=42'; head -c 65526 /dev/zero | tr '\\0' z";
    let order = Order { mask, ..order(&bench, command) };
    let told = Arc::new(Mutex::new(String::new()));
    if available().is_err() {
        return;
    }
    let signs = told.clone();
    let ended = run(&order, &CancellationToken::new(), move |sign| signs.lock().unwrap().push_str(&sign)).unwrap();
    assert!(ended.stdout.truncated, "{}", ended.stdout.text.len());
    for text in [&ended.stdout.text, &*told.lock().unwrap()] {
        assert!(!text.contains("s3") && !text.contains("42"), "{text}");
    }
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
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::Stdio;
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::super::{End, EndsWith, Order, process, set_surroundings, shell};
    use super::{Bench, order, running};

    #[test]
    fn everything_that_a_command_started_is_ended_all_the_same() {
        let bench = Bench::new();
        let sign = format!("33{}", std::process::id());
        let order =
            order(&bench, &format!("setsid sleep {sign} & (setsid nohup sleep {sign} >/dev/null 2>&1 &); echo ok"));
        let order = Order { timeout: Duration::from_secs(5), ..order };
        let mut command = shell();
        set_surroundings(&mut command, &order);
        let ended = process::run(command, &order, &CancellationToken::new(), |_| {}, (false, EndsWith::Group)).unwrap();
        assert_eq!((ended.end, ended.stdout.text.as_str()), (End::Exited(0), "ok\n"));
        assert!(!running(&sign));
    }

    #[test]
    fn a_command_ends_with_the_process_that_began_it_and_reads_nothing_of_how() {
        let bench = Bench::new();
        let sign = format!("44{}", std::process::id());
        let order = order(&bench, &format!("cat > read.txt; sleep {sign} & wait; sleep {sign}"));
        let mut command = shell();
        set_surroundings(&mut command, &order);
        // This end goes when the process does that holds it, however that ends.
        let mut child = command.stdin(Stdio::piped()).process_group(0).spawn().unwrap();
        let held = child.stdin.take();
        // A process comes, and goes after it was killed, when the system finds the time.
        let comes_to = |wanted: bool| {
            std::iter::repeat_with(|| running(&sign) == wanted).take(2000).any(|is_so| {
                if !is_so {
                    std::thread::sleep(Duration::from_millis(5));
                }
                is_so
            })
        };
        assert!(comes_to(true), "it runs for as long as this process does");
        drop(held);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert!(comes_to(false), "and so does what it has started");
        assert_eq!(bench.text("read.txt"), "");
    }
}
