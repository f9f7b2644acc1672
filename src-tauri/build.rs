//! Builds the shell's context from `tauri.conf.json`, its capability included.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    make_small();
    Ok(tauri_build::try_build(tauri_build::Attributes::new())?)
}

/// Let the linker fold equal functions and pack relocations, where the linker is one that can (the one that comes with
/// Rust on this platform).
fn make_small() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", "x86_64-unknown-linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all,-z,pack-relative-relocs");
    }
}
