//! What set-up refuses, it refuses before it fetches anything.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

#[test]
fn a_rust_that_is_too_old_is_told_before_anything_is_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("rustc");
    std::fs::write(&old, "#!/bin/sh\necho 'rustc 1.63.0 (4b91a6ea7 2022-08-08)'\n").unwrap();
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/setup");
    let ran = Command::new(script).arg("run").env("PATH", path).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{told}");
    assert!(told.contains("Rust 1.63.0 is too old") && told.contains("or newer"), "{told}");
    assert!(ran.stdout.is_empty(), "nothing was begun: {}", String::from_utf8_lossy(&ran.stdout));
}
