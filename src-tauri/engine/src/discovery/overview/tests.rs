use std::fs;

use super::*;

fn overview(root: &Path) -> Vec<String> {
    workspace_overview(root, &[], Detail::Values)
}

#[test]
fn a_model_elsewhere_is_told_names_and_shapes_and_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("people.csv"), "name,age\nAda Lovelace,36\n").unwrap();
    fs::write(root.join("rows.csv"), "Ada,London\nGrace,Washington\n").unwrap();
    fs::write(root.join("log.jsonl"), "{\"user\": \"Ada\", \"ms\": 12}\n").unwrap();
    fs::write(root.join("a.json"), "{\"user\": \"Ada\"}").unwrap();
    fs::write(root.join("b.json"), "{\"user\": \"Ada").unwrap();
    assert_eq!(
        workspace_overview(root, &[], Detail::of(false)),
        [
            "a.json: 1 lines, holds: {\"user\": text}",
            "b.json: 1 lines",
            "log.jsonl: 1 lines, holds: lines like {\"user\": text, \"ms\": number}",
            "people.csv: 2 lines, columns: name, age",
            "rows.csv: 2 lines, 2 columns",
        ]
    );
}

#[test]
fn hidden_folders_and_files_of_secrets_are_told_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("app/data")).unwrap();
    fs::write(root.join("app/data/assent.db"), "x").unwrap();
    for name in ["id_rsa", "server.pem", "credentials.json", "secrets.yaml", "app/token.key", "app/notes.md"] {
        fs::write(root.join(name), "x\n").unwrap();
    }
    let hidden = [root.join("app/data")];
    assert_eq!(workspace_overview(root, &hidden, Detail::Values), ["app/notes.md: 1 lines, begins: x"]);
    assert_eq!(workspace_overview(&root.join("app/data"), &hidden, Detail::Values), Vec::<String>::new());
}

#[test]
fn files_are_listed_with_what_helps_to_name_things() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("data/.hidden")).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join("data/.hidden/secret.csv"), "a,b\n").unwrap();
    fs::write(root.join(".env"), "KEY=1\n").unwrap();
    fs::write(root.join("MIT"), "one\ntwo\n").unwrap();
    fs::write(root.join("data/sales.csv"), "region,amount\nnorth,1\n").unwrap();
    fs::write(root.join("data/a.json"), "{\n  \"title\":\t\"x\"\n}\n").unwrap();
    fs::write(root.join("image.png"), [0x89, 0xff, 0x00]).unwrap();
    fs::write(root.join("empty.csv"), "").unwrap();
    fs::write(root.join("line\nbreak"), "x").unwrap();
    let connection = rusqlite::Connection::open(root.join("shop.db")).unwrap();
    let sql = "create table orders (id integer primary key, total real); create table c (name text); create index i on c (name);";
    connection.execute_batch(sql).unwrap();
    drop(connection);
    assert_eq!(
        overview(root),
        [
            "(this folder is a git repository)",
            "MIT: 2 lines, begins: one ↵ two",
            "data/a.json: 3 lines, holds: {\"title\": \"x\"}",
            "data/sales.csv: 2 lines, first line: region,amount; next line: north,1",
            "empty.csv: 0 lines",
            "image.png",
            "line break: 1 lines",
            "shop.db: SQLite, orders(id, total); c(name)",
        ]
    );
}

#[test]
fn many_files_are_counted_and_long_ones_bounded() {
    let folder = tempfile::tempdir().unwrap();
    for at in 0..45 {
        fs::write(folder.path().join(format!("{at:02}.txt")), "x\n").unwrap();
    }
    fs::write(folder.path().join("00.csv"), "ä".repeat(1 << 20)).unwrap();
    let lines = overview(folder.path());
    assert_eq!((lines.len(), lines[40].as_str()), (41, "and 6 more files"));
    assert!(lines[0].starts_with("00.csv: more than 1 lines, first line: ää") && lines[0].chars().count() < 160);
    assert_eq!(overview(Path::new("/nowhere/at/all")), Vec::<String>::new());
}

#[test]
fn one_text_of_each_kind_in_a_folder_is_told_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("bills")).unwrap();
    for (name, text) in [
        ("bills/a.txt", "Bill 7\n\nTotal: 3 EUR\n"),
        ("bills/b.txt", "Bill 8\n"),
        ("bills/note.md", "# Paid\n"),
        ("list.txt", "tent\nrope\n"),
        ("empty.yaml", "\n"),
        ("deploy.yaml", "web:\n  port: 80\n"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    let told = [
        "bills/a.txt: 3 lines, begins: Bill 7 ↵ Total: 3 EUR",
        "bills/b.txt: 1 lines",
        "bills/note.md: 1 lines, begins: # Paid",
        "deploy.yaml: 2 lines, begins: web: ↵ port: 80",
        "empty.yaml: 1 lines",
        "list.txt: 2 lines, begins: tent ↵ rope",
    ];
    assert_eq!(overview(root), told);
    let shapes = workspace_overview(root, &[], Detail::Shapes);
    assert!(shapes.iter().all(|line| !line.contains("begins")), "no value leaves the machine: {shapes:?}");
    fs::write(root.join("long.log"), "x".repeat(5_000)).unwrap();
    assert!(overview(root).iter().all(|line| line.chars().count() < 200));
    for at in 0..20 {
        fs::write(root.join(format!("z.{at}")), "word\n").unwrap();
    }
    assert_eq!(overview(root).iter().filter(|line| line.contains("begins: ")).count(), 8);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.csv"), "key\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.csv"), folder.path().join("s.csv")).unwrap();
    assert_eq!(overview(folder.path()), Vec::<String>::new());
}

#[test]
fn files_are_named_by_their_paths_without_hidden_and_ignored_ones() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("notes/old")).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    for path in ["b.txt", "a run.log", "notes/last year.md", "notes/old/x", ".env"] {
        fs::write(root.join(path), "x").unwrap();
    }
    assert_eq!(workspace_files(root), ["b.txt", "notes/last year.md", "notes/old/x"]);
    assert!(workspace_files(&root.join("nowhere")).is_empty());
}

#[test]
fn a_file_that_is_to_be_changed_is_told_as_it_is_and_of_a_long_one_what_the_task_is_about() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("other.txt"), "not ours\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (root, hidden) = (folder.path(), folder.path().canonicalize().unwrap().join("hidden"));
    fs::create_dir(root.join("hidden")).unwrap();
    let long: String = (0..500).map(|at| format!("setting{at} = {at}\n")).collect();
    let long = long.replace("setting250 = 250", "  workers = 4");
    for (name, text) in [
        ("short.toml", "[log]\nlevel = \"info\"\n\n"),
        ("long.toml", &long),
        ("hidden/x.txt", "x\n"),
        ("credentials.json", "{\"password\": \"hunter2\"}"),
        ("empty.txt", "\n"),
        ("bytes.bin", "a\0b"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    fs::write(root.join("latin.txt"), b"caf\xe9\n").unwrap();
    let told = |file: &str, task: &str| text_for_change(root, std::slice::from_ref(&hidden), file, task);
    assert_eq!(told("short.toml", "set the level to debug").as_deref(), Some("[log]\nlevel = \"info\""));
    assert_eq!(
        told("long.toml", "In long.toml, change the workers from 4 to 8").as_deref(),
        Some("…\nsetting248 = 248\nsetting249 = 249\n  workers = 4\nsetting251 = 251\nsetting252 = 252\n…")
    );
    let many = told("long.toml", "Double every setting in long.toml").unwrap();
    assert!(many.chars().count() <= 2_100 && many.starts_with("setting0 = 0\n") && many.ends_with('…'), "{many}");
    assert_eq!(told("long.toml", "Rename nobody"), None);
    let elsewhere = outside.path().join("other.txt");
    let names = ["hidden/x.txt", "credentials.json", "empty.txt", "bytes.bin", "latin.txt", "none.txt", "hidden"];
    for file in names.into_iter().chain(["../other.txt", elsewhere.to_str().unwrap()]) {
        assert_eq!(told(file, "change x to y"), None, "{file}");
    }
}
