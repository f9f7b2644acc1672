//! Texts that a person hands over, as a file or on standard input: so much of them, and no more.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No plan, no schema and no message is larger. What never ends, such as a device, is not read on for ever.
const MOST_BYTES: u64 = 16 << 20;

/// The text of a file; `-` is standard input.
///
/// # Errors
/// It cannot be read, is larger than 16 MiB, or is no text.
pub fn text(file: &Path) -> Result<String, String> {
    let name = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let read = if file == Path::new("-") { bounded(std::io::stdin()) } else { File::open(file).and_then(bounded) };
    let bytes = read.map_err(|error| format!("{name} cannot be read: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{name} is larger than {} MiB, which nothing that is wanted here is", MOST_BYTES >> 20));
    }
    String::from_utf8(bytes).map_err(|_| format!("{name} is no text in UTF-8"))
}

fn bounded(source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
