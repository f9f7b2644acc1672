//! Builds the shell's context from `tauri.conf.json` and the capabilities beside this file.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("src-tauri/capabilities/**/*");
    Ok(tauri_build::try_build(attributes)?)
}
