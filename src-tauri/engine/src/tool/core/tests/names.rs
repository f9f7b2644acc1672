use serde_json::json;

use crate::tool::Tool;
use crate::tool::core::Glob;
use crate::tool::testing::Bench;

#[tokio::test]
async fn glob_finds_names_in_all_folders_and_paths_from_the_start() {
    let bench = Bench::with(&[
        ("b.csv", ""),
        ("data/a.csv", ""),
        ("data/deep/c.csv", ""),
        ("data/c.txt", ""),
        (".git/x.csv", ""),
        ("target/x.csv", ""),
        ("node_modules/m/x.csv", ""),
        ("vendor/x.csv", ""),
        (".hidden.csv", ""),
    ]);
    let tool = Glob::default();
    let all = json!([".hidden.csv", "b.csv", "data/a.csv", "data/deep/c.csv"]);
    for (arguments, files) in [
        (json!({"pattern": "*.csv"}), all.clone()),
        (json!({"pattern": "**/*.csv"}), all.clone()),
        (json!({"pattern": "./*.csv"}), all.clone()),
        (json!({"pattern": "data/*.csv"}), json!(["data/a.csv"])),
        (json!({"pattern": bench.path("data/*.csv")}), json!(["data/a.csv"])),
        (json!({"pattern": "*.csv", "path": "data"}), json!(["data/a.csv", "data/deep/c.csv"])),
        (json!({"pattern": "*.csv", "exclude": ["deep", ".*"]}), json!(["b.csv", "data/a.csv"])),
        (json!({"pattern": "d*", "include_dirs": true}), json!(["data", "data/deep"])),
        (json!({"pattern": "*.{txt,md}"}), json!(["data/c.txt"])),
        (json!({"pattern": "*.csv", "path": ".git"}), json!([".git/x.csv"])),
    ] {
        let output = bench.output(&tool, arguments.clone()).await;
        assert_eq!(output["files"], files, "{arguments}");
        assert_eq!(output["total_matches"], files.as_array().unwrap().len());
        assert_eq!(output["truncated"], false);
        assert_eq!(output["pattern"], arguments["pattern"]);
    }
}

#[tokio::test]
async fn glob_says_what_it_cut_and_where_it_did_not_look() {
    let bench = Bench::with(&[("a.txt", ""), ("b.txt", ""), ("c\nd.txt", "")]);
    let tool = Glob::default();
    let output = bench.output(&tool, json!({"pattern": "*.txt", "max_results": 2})).await;
    let expected = json!({"pattern": "*.txt", "truncated": true, "files": ["a.txt", "b.txt"], "total_matches": 3});
    assert_eq!(output, expected);
    assert_eq!(tool.present(&output), "3 match *.txt, the first 2:\na.txt\nb.txt");
    let output = bench.output(&tool, json!({"pattern": "c*"})).await;
    assert_eq!(tool.present(&output), "1 match c*:\nc\\nd.txt");
    let output = bench.output(&tool, json!({"pattern": "*.md"})).await;
    assert!(tool.present(&output).starts_with("No file matches *.md. (Not looked into:"));
    let output = bench.output(&tool, json!({"pattern": "xt"})).await;
    assert!(
        tool.present(&output).starts_with("No file matches xt. Without a * it is a whole name: *xt finds the names")
    );
}

// covers: U19
#[tokio::test]
async fn glob_does_not_leave_the_workspace() {
    let bench = Bench::with(&[("a.txt", "")]);
    std::fs::create_dir(bench.outer.path().join("out")).unwrap();
    std::fs::write(bench.outer.path().join("out/b.txt"), "").unwrap();
    std::os::unix::fs::symlink(bench.outer.path().join("out"), bench.path("link")).unwrap();
    let tool = Glob::default();
    for (arguments, part) in [
        (json!({"pattern": "*", "path": ".."}), "outside workspace"),
        (json!({"pattern": "*", "path": "/etc"}), "outside workspace"),
        (json!({"pattern": "*", "path": "link"}), "outside workspace"),
        (json!({"pattern": "*", "path": "missing"}), "does not exist"),
        (json!({"pattern": "["}), "error parsing glob"),
        (json!({"pattern": " "}), "empty"),
    ] {
        let refusal = bench.refusal(&tool, arguments.clone()).await;
        assert!(refusal.contains(part), "{arguments}: {refusal}");
    }
    for pattern in ["../**", "**/*.txt", "/etc/*"] {
        let output = bench.output(&tool, json!({"pattern": pattern})).await;
        let files = output["files"].as_array().unwrap();
        assert!(files.iter().all(|file| file == "a.txt"), "{pattern}: {files:?}");
    }
}
