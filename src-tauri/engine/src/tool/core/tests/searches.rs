use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model::Secret;
use crate::tool::core::{Finder, Grep, Read};
use crate::tool::testing::Bench;
use crate::tool::{Tool, ToolStop};
use crate::vault::Mask;

fn files_of(output: &Value) -> Vec<&str> {
    output["matches"].as_array().unwrap().iter().map(|found| found["file"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn grep_gives_lines_with_their_surroundings_and_counts_of_every_file() {
    let bench = Bench::with(&[("a.txt", "one\nTwo two\nthree\nfour\ntwo\n"), ("b/c.txt", "nothing\n")]);
    let output = bench.output(&Grep::default(), json!({"pattern": "two", "context_lines": 1})).await;
    let expected = json!({
        "pattern": "two",
        "context_lines": 1,
        "counts": {"a.txt": 2, "b/c.txt": 0},
        "matches": [
            {"file": "a.txt", "line_number": 2, "column": 1, "line": "Two two", "context_before": ["one"],
             "context_after": ["three"], "match_start": 0, "match_end": 3},
            {"file": "a.txt", "line_number": 5, "column": 1, "line": "two", "context_before": ["four"],
             "context_after": [], "match_start": 0, "match_end": 3},
        ],
        "files_with_matches": 1,
        "files_searched": 2,
        "total_matches": 2,
        "truncated": false,
    });
    assert_eq!(output, expected);
}

#[tokio::test]
async fn counts_are_of_lines_not_occurrences_and_do_not_depend_on_how_many_are_shown() {
    let many = "patent patent\nPATENT\nother\n".repeat(200);
    let bench = Bench::with(&[("few", "Patent\n"), ("many", &many), ("none", "x\n"), ("none2", "")]);
    for arguments in [json!({"pattern": "patent", "max_results": 1}), json!({"pattern": "patent", "files_only": true})]
    {
        let output = bench.output(&Grep::default(), arguments).await;
        assert_eq!(output["counts"].to_string(), r#"{"many":400,"few":1,"none":0,"none2":0}"#);
        assert_eq!(output["total_matches"], 401);
        assert_eq!(output["files_with_matches"], 2);
    }
    let output = bench.output(&Grep::default(), json!({"pattern": "patent", "max_results": 1})).await;
    assert_eq!((files_of(&output), &output["truncated"]), (vec!["few"], &json!(true)));
    let output = bench.output(&Grep::default(), json!({"pattern": "patent", "files_only": true})).await;
    assert_eq!((files_of(&output).len(), &output["truncated"]), (0, &json!(false)));
}

#[tokio::test]
async fn counts_equal_those_of_the_system_on_the_licence_texts() {
    let folder = std::path::Path::new("/usr/share/common-licenses");
    let bench = Bench::new();
    let mut expected = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_file() {
            let name = entry.file_name().into_string().unwrap();
            std::fs::copy(entry.path(), bench.path(&name)).unwrap();
            let counted =
                std::process::Command::new("grep").args(["-ci", "patent"]).arg(entry.path()).output().unwrap();
            let count: u64 = String::from_utf8(counted.stdout).unwrap().trim().parse().unwrap();
            expected.push((name, json!(count)));
        }
    }
    expected.sort_by(|one, other| other.1.as_u64().cmp(&one.1.as_u64()).then(one.0.cmp(&other.0)));
    let output = bench.output(&Grep::default(), json!({"pattern": "patent"})).await;
    let counts: Vec<(String, Value)> = output["counts"].as_object().unwrap().clone().into_iter().collect();
    assert_eq!(counts, expected);
}

#[tokio::test]
async fn a_model_reads_the_counts_first_and_zeros_once_there_are_many() {
    let bench = Bench::with(&[("a.txt", "x needle\nneedle\n"), ("b.txt", "\n")]);
    let tool = Grep::default();
    let output = bench.output(&tool, json!({"pattern": "needle", "context_lines": 0})).await;
    let expected = "\"needle\" is in 1 of 2 files: a.txt (2 lines); not in b.txt.\nThe lines:\n\
        | File | Line number | Text |\n| --- | --- | --- |\n| a.txt | 1 | x needle |\n| a.txt | 2 | needle |";
    assert_eq!(tool.present(&output), expected);
    for number in 0..100 {
        bench.write(&format!("many/{number}.txt"), b"");
    }
    let output = bench.output(&tool, json!({"pattern": "needle", "files_only": true})).await;
    let expected = "Lines with \"needle\" in each of 102 files, highest first:\n| File | Lines |\n| --- | --- |\n| a.txt | 2 |\n\
        [101 more files: 0 each]";
    assert_eq!(tool.present(&output), expected);
    bench.write("many/0.txt", "needle\n".repeat(30).as_bytes());
    let output = bench.output(&tool, json!({"pattern": "needle"})).await;
    let expected = "Lines with \"needle\" in each of 102 files, highest first (the lines are too many to list):\n\
        | File | Lines |\n| --- | --- |\n| many/0.txt | 30 |\n| a.txt | 2 |\n[100 more files: 0 each]";
    assert_eq!(tool.present(&output), expected);
}

#[tokio::test]
async fn a_model_reads_the_count_of_every_file_with_a_match_and_no_zero_that_nobody_counted() {
    let bench = Bench::new();
    for number in 0..80 {
        bench.write(&format!("{number}.txt"), "needle\n".repeat(number + 1).as_bytes());
        bench.write(&format!("none-{number}.txt"), b"");
    }
    let tool = Grep::default();
    let mut output = bench.output(&tool, json!({"pattern": "needle"})).await;
    let shown = tool.present(&output);
    let rows: Vec<String> = (0..80).rev().map(|number| format!("| {number}.txt | {} |", number + 1)).collect();
    assert!(shown.contains(&rows.join("\n")), "{shown}");
    assert!(shown.ends_with("[80 more files: 0 each]"), "{shown}");

    // As where there are more files than an output lists.
    output["counts"].as_object_mut().unwrap().retain(|_, count| count.as_u64() != Some(0));
    output["counts_left_out"] = json!(80);
    let shown = tool.present(&output);
    assert!(shown.ends_with("[80 more files are not listed; search fewer at once]"), "{shown}");
}

#[tokio::test]
async fn the_lines_around_a_match_are_shown_to_who_asked_for_them() {
    let bench = Bench::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let tool = Grep::default();
    let output = bench.output(&tool, json!({"pattern": "two", "path": "a.txt", "context_lines": 1})).await;
    let expected = "\"two\" is in 1 of 1 files: a.txt (1 line).\nThe lines:\na.txt line 2: two\n  \
        beside it, line 1: one\n  beside it, line 3: three";
    assert_eq!(tool.present(&output), expected);
}

#[tokio::test]
async fn beside_a_table_of_counts_the_lines_stand_alone() {
    let bench = Bench::with(&[("a.txt", "plain\nneedle\n".repeat(13).as_str())]);
    let tool = Grep::default();
    let output = bench.output(&tool, json!({"pattern": "needle"})).await;
    let mut expected = "Lines with \"needle\" in each of 1 files, highest first:\n\
        | File | Lines |\n| --- | --- |\n| a.txt | 13 |\nThe lines:"
        .to_owned();
    for line in 1..=13 {
        expected.push_str(&format!("\na.txt line {}: needle", line * 2));
    }
    assert_eq!(tool.present(&output), expected);
}

#[tokio::test]
async fn patterns_are_literal_unless_said_otherwise_and_a_miss_says_so() {
    let bench = Bench::with(&[("a.txt", "a.b\naxb\nA.B\n")]);
    let tool = Grep::default();
    for (arguments, total) in [
        (json!({"pattern": "a.b"}), 2),
        (json!({"pattern": "a.b", "regex": true}), 3),
        (json!({"pattern": "a.b", "regex": true, "case_sensitive": true}), 2),
        (json!({"pattern": "^a[.]", "regex": true, "case_sensitive": true}), 1),
        (json!({"pattern": "b$", "regex": true}), 3),
    ] {
        assert_eq!(bench.output(&tool, arguments.clone()).await["total_matches"], total, "{arguments}");
    }
    let output = bench.output(&tool, json!({"pattern": "a.b|axb"})).await;
    assert_eq!(output["total_matches"], 0);
    assert!(tool.present(&output).contains("set regex to true"));
    assert!(bench.refusal(&tool, json!({"pattern": ""})).await.contains("empty"));
    let refusal = bench.refusal(&tool, json!({"pattern": "(", "regex": true})).await;
    assert!(refusal.contains("cannot be searched for") && refusal.contains("unclosed group"), "{refusal}");
    assert!(bench.refusal(&tool, json!({"pattern": "a\nb"})).await.contains("cannot be searched for"));
}

#[tokio::test]
async fn a_phrase_that_stands_nowhere_is_followed_by_the_lines_with_its_rarest_word() {
    let bench = Bench::with(&[
        ("cat.md", "# Cat\nAppointment at the vet at 16:45\nThe vet is kind.\n"),
        ("all.md", "time\n".repeat(20).as_str()),
    ]);
    let tool = Grep::default();
    let output = bench.output(&tool, json!({"pattern": "appointment time of the vet"})).await;
    assert_eq!((&output["total_matches"], &output["counts"]), (&json!(0), &json!({"all.md": 0, "cat.md": 0})));
    let expected = "No line of 2 files contains \"appointment time of the vet\". The lines with \"appointment\":\n\
        | File | Line number | Text |\n| --- | --- | --- |\n| cat.md | 2 | Appointment at the vet at 16:45 |";
    assert_eq!(tool.present(&output), expected);
    for pattern in ["dentist", "dentist bill", "time zone", "vet|dentist bill", "of a"] {
        assert_eq!(bench.output(&tool, json!({"pattern": pattern})).await["nearest"], Value::Null, "{pattern}");
    }
    let regex = json!({"pattern": "vet time", "regex": true});
    assert_eq!(bench.output(&tool, regex).await["nearest"], Value::Null);
}

#[tokio::test]
async fn places_are_counted_in_characters_and_long_lines_are_cut_around_the_match() {
    let long = format!("{}needle{}", "ä".repeat(5000), "z".repeat(5000));
    let bench = Bench::with(&[("long.txt", &long), ("short.txt", "äöü needle\r\n")]);
    let output = bench.output(&Grep::default(), json!({"pattern": "needle"})).await;
    for found in output["matches"].as_array().unwrap() {
        let line: Vec<char> = found["line"].as_str().unwrap().chars().collect();
        let at = |name: &str| usize::try_from(found[name].as_u64().unwrap()).unwrap();
        assert!(line.len() <= 402);
        assert_eq!(line[at("match_start")..at("match_end")].iter().collect::<String>(), "needle");
    }
    assert_eq!(output["matches"][0]["column"], 5001);
    assert_eq!((&output["matches"][1]["line"], &output["matches"][1]["column"]), (&json!("äöü needle"), &json!(5)));
}

#[tokio::test]
async fn binary_files_pipes_and_links_are_left_out_and_other_encodings_searched() {
    let bench = Bench::with(&[("a.txt", "needle\n")]);
    bench.write("image.bin", b"needle\n\0\0needle\n");
    bench.write("late.bin", &[b"needle\n".repeat(50_000), b"\0".to_vec()].concat());
    bench.write("latin1.txt", b"gr\xfc\xdfe needle\n");
    bench.write(
        "utf16.txt",
        &[0xff, 0xfe].into_iter().chain("needle\n".bytes().flat_map(|byte| [byte, 0])).collect::<Vec<u8>>(),
    );
    std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap();
    std::os::unix::fs::symlink("/etc", bench.path("etc")).unwrap();
    std::os::unix::fs::symlink("a.txt", bench.path("link")).unwrap();
    let output = bench.output(&Grep::default(), json!({"pattern": "needle"})).await;
    assert_eq!(output["counts"].to_string(), r#"{"a.txt":1,"latin1.txt":1,"utf16.txt":1}"#);
    assert_eq!(output["files_skipped"], 2);
    assert_eq!(files_of(&output), ["a.txt", "latin1.txt", "utf16.txt"]);
}

// covers: U19
#[tokio::test]
async fn searches_do_not_leave_the_workspace() {
    let bench = Bench::with(&[("a.txt", "root")]);
    std::os::unix::fs::symlink("/etc", bench.path("etc")).unwrap();
    for path in ["..", "/etc", "etc", "etc/passwd", "a.txt/../../work-too"] {
        let refusal = bench.refusal(&Grep::default(), json!({"pattern": "root", "path": path})).await;
        assert!(refusal.contains("outside workspace") || refusal.contains("not a folder"), "{path}: {refusal}");
        let refusal = bench.refusal(&Finder::default(), json!({"query": "root", "path": path})).await;
        assert!(refusal.contains("outside workspace") || refusal.contains("not a folder"), "{path}: {refusal}");
    }
}

// covers: U20
#[tokio::test]
async fn finder_knows_every_extension_of_a_kind_and_counts_the_files_it_searched() {
    let bench = Bench::with(&[("a.ts", "x needle"), ("b.tsx", "needle"), ("c.mts", "none"), ("d.js", "needle")]);
    let tool = Finder::default();
    let output = bench.output(&tool, json!({"query": "needle", "file_type": "typescript"})).await;
    assert_eq!(files_of(&output), ["a.ts", "b.tsx"]);
    assert_eq!((&output["files_searched"], &output["total_matches"]), (&json!(3), &json!(2)));
    let expected = "2 lines with \"needle\" in 3 files.\nThe lines:\n| File | Line number | Text |\n| --- | --- | --- |\n| a.ts | 1 | x needle |\n| b.tsx | 1 | needle |";
    assert_eq!(tool.present(&output), expected);
    let types = tool.spec().parameters["properties"]["file_type"]["enum"].as_array().unwrap();
    assert_eq!(types.len(), 22);
    for kind in types {
        bench.output(&tool, json!({"query": "needle", "file_type": kind})).await;
    }
}

#[tokio::test]
async fn finder_takes_patterns_and_exclusions() {
    let bench =
        Bench::with(&[("a.py", "needle"), ("lib/b.py", "needle"), ("lib/test/c.py", "needle"), ("d.md", "needle")]);
    let tool = Finder::default();
    for (arguments, files) in [
        (json!({"query": "needle"}), vec!["a.py", "d.md", "lib/b.py", "lib/test/c.py"]),
        (json!({"query": "needle", "file_pattern": "*.py"}), vec!["a.py", "lib/b.py", "lib/test/c.py"]),
        (json!({"query": "needle", "file_pattern": "lib/**"}), vec!["lib/b.py", "lib/test/c.py"]),
        (json!({"query": "needle", "file_type": "python", "exclude": ["test"]}), vec!["a.py", "lib/b.py"]),
        (json!({"query": "needle", "path": "lib", "file_pattern": "*.py", "exclude": ["test/**"]}), vec!["lib/b.py"]),
        (json!({"query": "NEEDLE", "case_sensitive": true}), vec![]),
    ] {
        let output = bench.output(&tool, arguments.clone()).await;
        assert_eq!(files_of(&output), files, "{arguments}");
    }
    let output = bench.output(&tool, json!({"query": "needle", "file_pattern": "*.rs", "file_type": "rust"})).await;
    let expected = "There was no file to search. No file is one of *.rs, rust; leave that out to search all files.";
    assert_eq!(tool.present(&output), expected);
    assert!(bench.refusal(&tool, json!({"query": ""})).await.contains("empty"));
    assert!(bench.refusal(&tool, json!({"query": "x", "file_pattern": "["})).await.contains("glob"));
    assert!(bench.refusal(&tool, json!({"query": "(", "regex": true})).await.contains("unclosed"));
}

#[tokio::test]
async fn a_hundred_thousand_files_are_searched_in_time_and_a_search_can_be_stopped() {
    let bench = Bench::new();
    for folder in 0..100 {
        let folder = bench.path(&format!("d{folder}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("needle.txt"), "needle\n").unwrap();
        std::fs::write(folder.join("0.txt"), "hay\n").unwrap();
        // Names are what takes time; their contents may be one and the same.
        for file in 1..999 {
            std::fs::hard_link(folder.join("0.txt"), folder.join(format!("{file}.txt"))).unwrap();
        }
    }
    let began = Instant::now();
    let output = bench.output(&Grep::default(), json!({"pattern": "needle"})).await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!((&output["files_searched"], &output["total_matches"]), (&json!(100_000), &json!(100)));
    assert_eq!(output["counts"].as_object().unwrap().len(), 2000);
    assert_eq!(output["counts_left_out"], 98_000);
    assert!(Grep::default().present(&output).len() < 6000);
    let cancel = bench.context.cancel.clone();
    let stopper = std::thread::spawn(move || cancel.cancel());
    let stopped = bench.call(&Grep::default(), json!({"pattern": "needle"})).await;
    stopper.join().unwrap();
    assert_eq!(stopped, Err(ToolStop::Cancelled));
}

#[tokio::test]
async fn what_is_cut_out_of_a_file_shows_no_half_of_a_secret() {
    let secret = "s3cret-of/the+crm=42";
    let long = format!("{}key {secret} {}\n", "x".repeat(380), "y".repeat(380));
    let mut bench = Bench::with(&[("leak.txt", &long)]);
    bench.context.mask = Arc::new(Mask::of([&Secret::new(secret)]));
    for pattern in ["key", "xkey", "yyy", "cret"] {
        let told = bench.output(&Grep::default(), json!({"pattern": pattern})).await["matches"].to_string();
        assert!(!told.contains("s3c") && !told.contains("=42"), "{told}");
    }
    // Read in any pieces, it is never seen.
    for (offset, most) in (370..410).flat_map(|offset| [1, 7, 19, 60].map(|most| (offset, most))) {
        let output =
            bench.output(&Read::default(), json!({"path": "leak.txt", "offset": offset, "max_bytes": most})).await;
        let told = output["content"].as_str().unwrap().replace("⟦secret⟧", "");
        assert!(!told.contains(['3', '=', '+', '/', '4', '2']), "{offset} {most}: {told}");
        assert_eq!(output["next_offset"], offset + most);
    }
    let output = bench.output(&Read::default(), json!({"path": "leak.txt"})).await;
    assert_eq!(output["content"], long.replace(secret, "⟦secret⟧"));
}

#[tokio::test]
async fn files_that_may_hold_secrets_are_left_out_of_a_search_and_that_is_said() {
    let bench = Bench::with(&[("a.txt", "token=1\n"), (".env", "token=2\n"), ("app/tls.pem", "token=3\n")]);
    let (grep, finder) = (Grep::default(), Finder::default());
    for (tool, arguments) in [(&grep as &dyn Tool, json!({"pattern": "token"})), (&finder, json!({"query": "token"}))] {
        let output = bench.output(tool, arguments).await;
        assert_eq!((files_of(&output), &output["files_searched"]), (vec!["a.txt"], &json!(1)));
        assert_eq!(output["secret_files_left_out"], json!([".env", "app/tls.pem"]));
        let told = tool.present(&output);
        let said = "Left out, because they may hold secrets: .env, app/tls.pem. To search one, name it as the path.\n";
        assert!(told.starts_with(said), "{told}");
    }
    let output = bench.output(&grep, json!({"pattern": "token", "path": ".env"})).await;
    assert_eq!(
        (files_of(&output), &output["secret_files_left_out"]),
        (vec![".env"], &Value::Null),
        "it was asked about"
    );
    let only = bench.output(&grep, json!({"pattern": "token", "path": "app"})).await;
    assert!(grep.present(&only).contains("app/tls.pem"), "{only}");
}

#[tokio::test]
async fn a_link_is_no_other_name_for_a_file_of_secrets() {
    let bench = Bench::with(&[(".env", "token=2\n")]);
    std::os::unix::fs::symlink(".env", bench.path("notes.txt")).unwrap();
    let refused = bench.refusal(&Read::default(), json!({"path": "notes.txt"})).await;
    assert_eq!(refused, "notes.txt leads to .env, which may hold secrets: read it by that name");
    assert_eq!(bench.output(&Read::default(), json!({"path": ".env"})).await["content"], "token=2\n");
}
