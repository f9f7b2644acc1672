use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::testing::Bench;
use super::{Kind, PlaceError, Workspace};

fn workspace(bench: &Bench) -> Workspace {
    Workspace::open(&bench.context).unwrap()
}

fn outside(path: &str) -> PlaceError {
    PlaceError::Outside { path: path.to_owned() }
}

#[test]
fn no_spelling_of_a_path_leads_out() {
    let bench = Bench::with(&[("folder/inside.txt", "in")]);
    std::fs::write(bench.outer.path().join("secret.txt"), "out").unwrap();
    symlink(bench.outer.path().join("secret.txt"), bench.path("absolute-link")).unwrap();
    symlink("../secret.txt", bench.path("relative-link")).unwrap();
    symlink("..", bench.path("up")).unwrap();
    let secret = bench.outer.path().join("secret.txt").display().to_string();
    let workspace = workspace(&bench);
    for path in [
        "../secret.txt",
        "folder/../../secret.txt",
        &secret,
        "/etc/passwd",
        "absolute-link",
        "relative-link",
        "up/secret.txt",
        "up/new.txt",
        "../new.txt",
        "/new.txt",
    ] {
        assert_eq!(workspace.existing(path), Err(outside(path)), "{path}");
        assert_eq!(workspace.target(path), Err(outside(path)), "{path}");
    }
}

#[test]
fn the_same_file_is_found_under_every_name_it_has_inside() {
    let bench = Bench::with(&[("folder/inside.txt", "in")]);
    symlink("folder", bench.path("link")).unwrap();
    symlink(&bench.context.workspace, bench.outer.path().join("other-name")).unwrap();
    let absolute = bench.path("folder/inside.txt").display().to_string();
    let by_link = bench.outer.path().join("other-name/folder/inside.txt").display().to_string();
    let workspace = workspace(&bench);
    for path in ["folder/inside.txt", "./folder/inside.txt", "folder/../link/inside.txt", &absolute, &by_link] {
        assert_eq!(workspace.existing(path).unwrap().shown(), "folder/inside.txt", "{path}");
        assert_eq!(workspace.target(path).unwrap().shown(), "folder/inside.txt", "{path}");
    }
    assert_eq!(workspace.existing(".").unwrap().shown(), ".");
    assert_eq!(workspace.existing(&bench.context.workspace.display().to_string()).unwrap().shown(), ".");
}

#[test]
fn a_place_that_is_not_there_yet_may_be_deep_and_a_link_to_nowhere_is_none() {
    let bench = Bench::with(&[("file", "x")]);
    symlink("nowhere", bench.path("dangling")).unwrap();
    let workspace = workspace(&bench);
    assert_eq!(workspace.target("a/b/c.txt").unwrap().shown(), "a/b/c.txt");
    assert_eq!(workspace.target("dangling"), Err(PlaceError::NotFound { path: "dangling".into() }));
    assert_eq!(workspace.target("file/below"), Err(PlaceError::NotFolder { path: "file/below".into() }));
    assert_eq!(workspace.target(""), Err(PlaceError::Empty));
    assert!(workspace.target("a\0b").is_err());
    assert!(workspace.target("missing/../new.txt").is_err());
}

#[test]
fn a_hidden_folder_inside_the_workspace_is_not_there() {
    let mut bench = Bench::with(&[("data/assent.db", "x"), ("open.txt", "y")]);
    bench.context.hidden = vec![bench.path("data")];
    let workspace = workspace(&bench);
    assert_eq!(workspace.existing("data/assent.db"), Err(outside("data/assent.db")));
    assert_eq!(workspace.target("data/new"), Err(outside("data/new")));
    let names = workspace.list(&workspace.existing(".").unwrap()).unwrap();
    assert_eq!(names, [("open.txt".to_owned(), "file")]);
}

#[test]
fn a_link_that_appears_between_the_check_and_the_use_is_not_followed() {
    let bench = Bench::with(&[("folder/file.txt", "in")]);
    std::fs::create_dir(bench.outer.path().join("out")).unwrap();
    std::fs::write(bench.outer.path().join("out/file.txt"), "out").unwrap();
    let workspace = workspace(&bench);
    let place = workspace.existing("folder/file.txt").unwrap();
    std::fs::remove_dir_all(bench.path("folder")).unwrap();
    symlink(bench.outer.path().join("out"), bench.path("folder")).unwrap();
    assert!(workspace.read_whole(&place).is_err());
    assert!(workspace.write(&place, b"changed", true).is_err());
    assert!(workspace.remove(&place).is_err());
    assert_eq!(std::fs::read_to_string(bench.outer.path().join("out/file.txt")).unwrap(), "out");
    assert_eq!(std::fs::read_dir(bench.outer.path().join("out")).unwrap().count(), 1);
}

#[test]
fn a_last_name_that_became_a_link_is_replaced_and_not_followed() {
    let bench = Bench::with(&[("file.txt", "in")]);
    let secret = bench.outer.path().join("secret.txt");
    std::fs::write(&secret, "out").unwrap();
    let workspace = workspace(&bench);
    let place = workspace.existing("file.txt").unwrap();
    std::fs::remove_file(bench.path("file.txt")).unwrap();
    symlink(&secret, bench.path("file.txt")).unwrap();
    assert_eq!(workspace.read_whole(&place), Err(PlaceError::NotRegular { path: "file.txt".into() }));
    assert_eq!(workspace.write(&place, b"x", false), Err(PlaceError::NotRegular { path: "file.txt".into() }));
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "out");
}

#[test]
fn pipes_and_devices_are_never_opened() {
    let bench = Bench::new();
    let made = std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap();
    assert!(made.success());
    let workspace = workspace(&bench);
    let pipe = workspace.existing("pipe").unwrap();
    let refused = PlaceError::NotRegular { path: "pipe".into() };
    assert_eq!(workspace.kind(&pipe), Ok(Some(Kind::Other)));
    assert_eq!(workspace.read(&pipe, 10), Err(refused.clone()));
    assert_eq!(workspace.write(&pipe, b"x", false), Err(refused));
}

#[test]
fn writing_keeps_permissions_leaves_other_names_alone_and_no_remains() {
    let bench = Bench::with(&[("script.sh", "old")]);
    std::fs::set_permissions(bench.path("script.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    std::fs::hard_link(bench.path("script.sh"), bench.outer.path().join("second-name")).unwrap();
    let workspace = workspace(&bench);
    workspace.write(&workspace.target("script.sh").unwrap(), b"new", false).unwrap();
    let mode = std::fs::metadata(bench.path("script.sh")).unwrap().permissions().mode();
    assert_eq!((bench.text("script.sh").as_str(), mode & 0o777), ("new", 0o750));
    assert_eq!(std::fs::read_to_string(bench.outer.path().join("second-name")).unwrap(), "old");
    assert_eq!(std::fs::read_dir(&bench.context.workspace).unwrap().count(), 1);
}

#[test]
fn a_workspace_that_is_gone_stops_the_run() {
    let bench = Bench::new();
    std::fs::remove_dir(&bench.context.workspace).unwrap();
    assert!(matches!(Workspace::open(&bench.context), Err(super::ToolStop::Workspace { .. })));
}
