//! Packs the texts that Assent brings along into one compressed piece, with a list of what stands where in it.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The folders, each with the name under which its files are asked for.
const FOLDERS: [(&str, &str); 4] =
    [("prompts", "prompts"), ("packs", "../packs"), ("data", "data"), ("migrations", "src/store/migrations")];

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    for (name, folder) in FOLDERS {
        println!("cargo:rerun-if-changed={folder}");
        list(Path::new(folder), name, &mut files)?;
    }
    files.sort();
    let mut encoder = DeflateEncoder::new(fs::File::create(out.join("texts"))?, Compression::best());
    let (mut places, mut start) = (String::from("["), 0);
    for (name, path) in files {
        let text = fs::read_to_string(&path)?;
        encoder.write_all(text.as_bytes())?;
        write!(places, "({name:?}, {start}, {}),", start + text.len())?;
        start += text.len();
    }
    encoder.finish()?;
    Ok(fs::write(out.join("places.rs"), places + "]")?)
}

fn list(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            list(&path, &name, files)?;
        } else {
            files.push((name, path));
        }
    }
    Ok(())
}
