//! Builds the shell's context from `tauri.conf.json`, its capability included, and packs the page into the program.

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The page as it was built, from the folder of the package.
const PAGE: &str = "ui/dist";

fn main() -> Result<(), Box<dyn Error>> {
    make_small();
    pack(Path::new(PAGE))?;
    Ok(tauri_build::try_build(tauri_build::Attributes::new())?)
}

/// Let the linker fold equal functions and pack relocations, where the linker is one that can (the one that comes with
/// Rust on this platform).
fn make_small() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", "x86_64-unknown-linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all,-z,pack-relative-relocs");
    }
}

/// Writes the files of the page, compressed, with a list of them that the program takes in. What they are compressed by is
/// what the engine reads archives by: another way would be in the program a second time.
fn pack(page: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", page.display());
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    // A page that a development server serves need not be there.
    if page.is_dir() {
        list(page, &mut files)?;
    } else if env::var_os("CARGO_FEATURE_CUSTOM_PROTOCOL").is_some() {
        return Err(format!("there is no page in {}: build it with scripts/build-page", page.display()).into());
    }
    files.sort();
    let mut named = String::from("[");
    for (at, file) in files.iter().enumerate() {
        let (whole, packed) = (fs::read(file)?, out.join(format!("page-{at}")));
        let mut encoder = DeflateEncoder::new(fs::File::create(&packed)?, Compression::best());
        encoder.write_all(&whole)?;
        encoder.finish()?;
        let name: Vec<_> = file.strip_prefix(page)?.iter().map(|part| part.to_string_lossy()).collect();
        let (name, length) = (format!("/{}", name.join("/")), whole.len());
        named += &format!("({name:?}, {length}, include_bytes!({:?}).as_slice()),", packed.display().to_string());
    }
    Ok(fs::write(out.join("page.rs"), named + "]")?)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
