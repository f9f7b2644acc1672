use serde_json::{Value, json};

use crate::tool::core::Bash;
use crate::tool::sandbox::available;
use crate::tool::testing::Bench;
use crate::tool::{Changed, Outcome, Tool, ToolStop};

fn without_duration(mut output: Value) -> Value {
    assert!(output.as_object_mut().unwrap().shift_remove("duration_ms").is_some_and(|time| time.is_u64()));
    output
}

#[tokio::test]
async fn bash_runs_in_the_workspace_and_gives_both_streams() {
    let bench = Bench::with(&[("sub/a.txt", "1\n2\n")]);
    let tool = Bash::default();
    let arguments = json!({"command": "wc -l < a.txt; echo oops >&2; pwd > ../where", "working_dir": "sub"});
    let output = without_duration(bench.output(&tool, arguments).await);
    let folder = bench.path("sub").display().to_string();
    let expected = json!({"stdout": "2\n", "stderr": "oops\n", "exit_code": 0, "success": true, "truncated": false,
        "files_written": ["where"], "files_gone": [],
        "previews": [{"file": "where", "lines": 1, "begins": folder}], "other_changes": [],
        "changes_are_known": true, "changes_are_all": available().is_ok(), "network": available().is_err()});
    assert_eq!(output, expected);
    let text = format!("2\nstderr: oops\nFiles written: where\nwhere (1 lines) begins:\n{folder}");
    assert_eq!(tool.present(&output), text);
    assert_eq!(bench.text("where").trim(), bench.path("sub").display().to_string());
}

#[tokio::test]
async fn a_code_other_than_zero_is_a_result_that_does_not_satisfy() {
    let bench = Bench::new();
    let tool = Bash::default();
    let output = without_duration(bench.output(&tool, json!({"command": "echo no; exit 3"})).await);
    let expected = json!({"stdout": "no\n", "stderr": "", "exit_code": 3, "success": false, "truncated": false,
        "files_written": [], "files_gone": [], "previews": [], "other_changes": [],
        "changes_are_known": true, "changes_are_all": available().is_ok(), "network": available().is_err()});
    assert_eq!(output, expected);
    assert!(!tool.spec().success.satisfied_by(&output));
    assert_eq!(tool.present(&output), "exit code 3\nno");
    let output = bench.output(&tool, json!({"command": "kill -9 $$"})).await;
    assert_eq!(output["exit_code"], 137);
    let output = bench.output(&tool, json!({"command": "true"})).await;
    assert!(tool.spec().success.satisfied_by(&output));
    assert_eq!(tool.present(&output), "exit code 0, no output, no file changed");
}

#[tokio::test]
async fn a_script_that_wants_a_module_which_is_not_here_is_told_what_is() {
    let bench = Bench::new();
    let tool = Bash::default();
    let output = bench.output(&tool, json!({"command": "python3 -c 'import no_such_module_anywhere'"})).await;
    let told = tool.present(&output);
    assert!(told.contains("Python has no module no_such_module_anywhere here"), "{told}");
    assert!(!tool.spec().success.satisfied_by(&output));
}

#[tokio::test]
async fn a_complaint_that_does_not_say_what_to_write_instead_is_followed_by_what_does() {
    let bench = Bench::new();
    let tool = Bash::default();
    let extra = "python3 - <<'E'\nimport csv, sys\ncsv.DictWriter(sys.stdout, ['a']).writerow({'a': 1, 'b': 2})\nE";
    for (command, told) in [
        (extra, "extrasaction='ignore'"),
        ("python3 -c \"float('3 EUR')\"", "strip signs"),
        ("python3 -c \"import re; re.search('a', 'b').group(1)\"", "whole text of a file"),
        ("touch a.log; python3 -c \"import os; os.rename('a.log', 'logs/a.log')\"", "os.makedirs"),
        ("echo 'no such function: YEAR' >&2; exit 1", "strftime('%Y', column)"),
        ("python3 -c \"[one['x'] for one in {'a': 1}]\"", "data['NAME']"),
    ] {
        let shown = tool.present(&bench.output(&tool, json!({"command": command})).await);
        assert!(shown.contains(told), "{shown}");
    }
    let fine = tool.present(&bench.output(&tool, json!({"command": "echo no such function: YEAR >&2"})).await);
    assert!(!fine.contains("strftime"), "{fine}");
}

#[tokio::test]
async fn a_command_beyond_its_time_is_ended_and_what_it_wrote_is_kept() {
    let bench = Bench::new();
    let outcome = bench.call(&Bash::default(), json!({"command": "echo begun; sleep 600", "timeout": 5})).await;
    let Ok(Outcome::Error { message, output }) = outcome else { panic!("{outcome:?}") };
    assert!(message.starts_with("timed out after 5 s"), "{message}");
    assert_eq!((&output["stdout"], &output["exit_code"]), (&json!("begun\n"), &Value::Null));
    assert_eq!(Bash::default().present(&output), "ended before it was done\nbegun");
}

#[tokio::test]
async fn of_a_command_that_is_cut_short_and_may_have_done_a_part_nobody_says_that_it_failed() {
    let bench = Bench::new();
    let cut = async |command: &str, seconds: u32| {
        bench.call(&Bash::default(), json!({"command": command, "timeout": seconds})).await
    };
    let half = cut("echo one >> log.txt; mkdir sub; sleep 600", 5).await;
    let event = "timed out after 5 s; everything it had started was ended; until then it has changed log.txt, sub";
    assert_eq!(half, Err(ToolStop::Unknown { event: event.to_owned() }));
    let nothing = cut("python3 -c 'while True: pass'", 1).await;
    match available() {
        // Behind walls it has done nothing where nothing is another.
        Ok(_) => assert!(matches!(&nothing, Ok(Outcome::Error { .. })), "{nothing:?}"),
        Err(_) => assert!(matches!(&nothing, Err(ToolStop::Unknown { .. })), "{nothing:?}"),
    }
}

#[tokio::test]
async fn output_is_streamed_and_a_stopped_run_ends_the_command_within_a_second() {
    let mut bench = Bench::new();
    let context = bench.context.clone();
    let call =
        tokio::spawn(async move { Bash::default().call(json!({"command": "echo begun; sleep 600"}), &context).await });
    assert_eq!(bench.progress.recv().await.map(|progress| progress.text), Some("begun\n".to_owned()));
    let stopped_at = std::time::Instant::now();
    bench.context.cancel.cancel();
    assert_eq!(call.await.unwrap(), Err(ToolStop::Cancelled));
    assert!(stopped_at.elapsed() < std::time::Duration::from_secs(1));
}

#[tokio::test]
async fn bash_refuses_a_folder_outside_and_a_command_that_no_system_takes() {
    let bench = Bench::with(&[("file", "")]);
    let tool = Bash::default();
    for (arguments, part) in [
        (json!({"command": "true", "working_dir": ".."}), "outside workspace"),
        (json!({"command": "true", "working_dir": "file"}), "not a folder"),
        (json!({"command": "true", "working_dir": "missing"}), "does not exist"),
        (json!({"command": "#".repeat(200_000)}), "too long"),
        (json!({"command": "echo \0"}), "NUL character"),
    ] {
        let refusal = bench.refusal(&tool, arguments).await;
        assert!(refusal.contains(part), "{refusal}");
    }
}

#[tokio::test]
async fn a_command_tells_what_it_did_to_the_files() {
    let bench = Bench::with(&[("old.txt", "x"), ("same.txt", "y"), ("table.csv", "a,b\n")]);
    let tool = Bash::default();
    let command = "rm old.txt; seq 1 9 >> table.csv; printf '\\0' > data.bin; grep x missing | sort > empty.txt";
    let output = bench.output(&tool, json!({"command": command})).await;
    assert_eq!(output["exit_code"], 2);
    assert_eq!(
        (&output["files_gone"], &output["files_written"]),
        (&json!(["old.txt"]), &json!(["data.bin", "empty.txt", "table.csv"]))
    );
    let output = bench.output(&tool, json!({"command": "mv same.txt moved.txt; echo 10 >> table.csv"})).await;
    let expected = "Files gone: same.txt\nFiles written: moved.txt, table.csv\nmoved.txt (1 lines) begins:\ny\n\
        table.csv (11 lines) begins:\na,b\n1\n2\n3\n4\n5";
    assert_eq!(tool.present(&output), expected);
}

#[tokio::test]
async fn what_a_command_changed_is_known_and_where_walls_keep_it_in_that_is_all() {
    let bench = Bench::with(&[("a.txt", "x"), ("b.txt", "y"), (".deep/c.txt", "z")]);
    let tool = Bash::default();
    for (command, paths, is_all) in [
        ("python3 -c pass; ls; grep -r y .", vec![], true),
        ("echo more >> a.txt; rm b.txt", vec!["a.txt", "b.txt"], true),
        ("mkdir -p made/deep; rmdir made/deep", vec!["made"], true),
        ("rmdir made; chmod +x a.txt", vec!["a.txt", "made"], true),
        ("ln -s . loop", vec!["loop"], true),
        ("echo more > .deep/c.txt; touch .deep/d.txt", vec![".deep/c.txt", ".deep/d.txt"], true),
        ("mkdir target; echo built > target/out", vec![], false),
    ] {
        let arguments = json!({"command": command});
        let output = bench.output(&tool, arguments.clone()).await;
        assert_eq!(output["exit_code"], 0, "{command}: {output}");
        let (walls, paths) = (available().is_ok(), paths.into_iter().map(str::to_owned).collect());
        let changed = Changed { paths, is_all: is_all && walls, reaches_out: !walls };
        assert_eq!(tool.changed(&arguments, &output), Some(changed), "{command}");
    }
}

#[tokio::test]
async fn what_a_command_changed_is_not_known_where_there_is_more_than_is_looked_at() {
    let bench = Bench::new();
    let tool = Bash::default();
    for command in ["mkdir .many; cd .many; seq 1 5100 | xargs touch", "python3 -c pass"] {
        let arguments = json!({"command": command});
        let output = bench.output(&tool, arguments.clone()).await;
        assert_eq!((&output["exit_code"], &output["changes_are_known"]), (&json!(0), &json!(false)), "{command}");
        assert_eq!(tool.changed(&arguments, &output), None);
    }
    // Whatever there is: this changes nothing.
    let arguments = json!({"command": "ls | wc -l"});
    let output = bench.output(&tool, arguments.clone()).await;
    let nothing = Changed { paths: Vec::new(), is_all: true, reaches_out: false };
    assert_eq!(tool.changed(&arguments, &output), Some(nothing));
}

#[test]
fn of_a_long_complaint_the_end_is_shown() {
    let stderr = format!("{}\n  File \"x\"\n    a b\n    ^^^\nSyntaxError: bad", "noise ".repeat(500));
    let text = Bash::default().present(&json!({"stdout": "", "stderr": stderr, "exit_code": 1}));
    assert!(
        text.starts_with("exit code 1\n") && text.ends_with("    a b\nSyntaxError: bad") && text.len() < 640,
        "{text}"
    );
}

#[tokio::test]
async fn a_command_sees_files_of_secrets_only_where_it_names_them_and_a_person_has_allowed_it() {
    if available().is_err() {
        return;
    }
    let mut bench = Bench::with(&[(".env", "token=2\n"), (".ssh/id_rsa", "key\n"), ("a.txt", "open\n")]);
    let tool = Bash::default();
    let by_pattern = json!({"command": "cat a.txt .e* .s*/*; true"});
    let output = bench.output(&tool, by_pattern.clone()).await;
    assert_eq!(output["stdout"], "open\n", "{output}");
    let named = json!({"command": "cat .env"});
    let output = bench.output(&tool, named.clone()).await;
    assert_eq!(output["stdout"], "", "{output}");
    assert!(tool.present(&output).contains("Files of keys and passwords, such as .env, are kept from commands."));
    bench.context.granted = true;
    assert_eq!(bench.output(&tool, by_pattern).await["stdout"], "open\n", "nobody was asked about secrets");
    assert_eq!(bench.output(&tool, named).await["stdout"], "token=2\n");
    assert_eq!((bench.text(".env"), bench.text(".ssh/id_rsa")), ("token=2\n".to_owned(), "key\n".to_owned()));
}

#[tokio::test]
async fn git_takes_in_no_secret_as_empty_or_deleted_because_a_command_does_not_see_it() {
    if available().is_err() {
        return;
    }
    let secrets = [(".env", "token=2\n"), (".ssh/keys/id_rsa", "key\n"), ("app/tls.pem", "PEM\n")];
    let many: Vec<String> = (0..600).map(|number| format!(".aws/{number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "key\n")).collect();
    for hidden in [&secrets[..1], &secrets[1..2], &secrets[2..], &secrets[..], &many[..]] {
        let bench = Bench::with(&[("a.txt", "one\n")]);
        hidden.iter().for_each(|(name, text)| bench.write(name, text.as_bytes()));
        let git = |line: &str| {
            let mut git = std::process::Command::new("git");
            git.current_dir(&bench.context.workspace).args(line.split(' ')).env("GIT_CONFIG_GLOBAL", "/dev/null");
            git.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let Ok(_) = git("init --initial-branch=main") else { return };
        for line in ["config user.name A", "config user.email a@example.org", "add --all --force", "commit -m first"] {
            git(line).unwrap();
        }
        let tool = Bash::default();
        for line in
            ["add --all", "add .", "commit -am second", "commit -m second .", "stash", "commit --amend -am other"]
        {
            let arguments = json!({"command": format!("echo two > a.txt; git {line}")});
            let output = bench.output(&tool, arguments).await;
            assert_ne!(output["exit_code"], 0, "{line}: {output}");
            let is =
                git("log --format=%s").unwrap() + &git("diff --cached --stat").unwrap() + &git("stash list").unwrap();
            assert_eq!(is, "first\n", "{line}");
            let told = tool.present(&output);
            assert!(hidden.len() > 500 || told.contains("Name the other files to git"), "{line}: {told}");
        }
        let output = bench.output(&tool, json!({"command": "git add a.txt && git commit -qm second"})).await;
        assert_eq!(output["exit_code"] == 0, hidden.len() < 500, "{output}");
        let changed = if hidden.len() < 500 { "" } else { " M a.txt\n" };
        assert_eq!(git("status --short").unwrap(), changed);
    }
}

#[tokio::test]
async fn files_of_secrets_are_kept_from_a_command_whatever_lies_before_them() {
    if available().is_err() {
        return;
    }
    let bench = Bench::with(&[(".ssh/id_rsa", "key\n"), ("a.txt", "open\n"), ("z/.env", "token=2\n")]);
    (0..5100).for_each(|number| bench.write(&format!(".cache/{number}"), b""));
    (0..5100).for_each(|number| bench.write(&format!(".git/objects/{number}"), b""));
    let tool = Bash::default();
    for command in ["cat a.txt .s*/* z/.e*; true", "touch b.txt; cat a.txt .s*/* z/.e*; true"] {
        let output = bench.output(&tool, json!({"command": command})).await;
        assert_eq!(output["stdout"], "open\n", "{output}");
    }
}
