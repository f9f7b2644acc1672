//! Builds the shell's context from `tauri.conf.json`, its capability included, and packs the page into the program.

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The page as it was built, from the folder of the package.
const PAGE: &str = "ui/dist";

fn main() -> Result<(), Box<dyn Error>> {
    make_small()?;
    pack(Path::new(PAGE))?;
    Ok(tauri_build::try_build(tauri_build::Attributes::new())?)
}

/// What has the linker fold equal functions and pack relocations.
const SMALL: &str = "-Wl,--icf=all,-z,pack-relative-relocs";

/// Lets the linker make the program small, where it is one that can: the one that comes with Rust on this platform can,
/// that of the system may not.
fn make_small() -> Result<(), Box<dyn Error>> {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", "x86_64-unknown-linux-gnu") {
        if links(SMALL)? {
            println!("cargo:rustc-link-arg-bins={SMALL}");
        } else {
            println!("cargo:warning=the linker knows no {SMALL}: the program becomes larger than it has to be");
        }
    }
    Ok(())
}

/// Whether the linker of this build makes a program with an argument.
fn links(argument: &str) -> Result<bool, Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (source, program) = (out.join("empty.rs"), out.join("empty"));
    fs::write(&source, "fn main() {}")?;
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.arg(&source).arg("-o").arg(&program).args(["--target", &env::var("TARGET")?]);
    rustc.args(env::var("CARGO_ENCODED_RUSTFLAGS")?.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    Ok(rustc.arg(format!("-Clink-arg={argument}")).output()?.status.success())
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
