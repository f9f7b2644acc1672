//! What the head of a GGUF file says about its model, read without loading it.
//!
//! The format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>. Little-endian: magic, version, number of
//! tensors, number of pairs, then the pairs of keys and typed values. The file is a stranger's: every length is bounded.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

/// What is asked of the head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The model's name for people.
    pub name: Option<String>,
    /// The tokens that the model was trained for; none in a file that holds no language model.
    pub context_tokens: Option<u32>,
}

const MAGIC: &[u8] = b"GGUF";
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;
const MAX_PAIRS: u64 = 10_000;
/// Vocabularies are the largest values: some millions of bytes.
const MAX_BYTES: u64 = 256 << 20;
const MAX_TEXT: u64 = 4096;

/// Reads the head of a file.
///
/// # Errors
/// The file cannot be read, or ([`ErrorKind::InvalidData`]) is none of the format.
pub fn head(path: &Path) -> io::Result<Head> {
    read(&mut BufReader::new(File::open(path)?).take(MAX_BYTES))
}

fn read(source: &mut impl Read) -> io::Result<Head> {
    let mut magic = [0_u8; 4];
    source.read_exact(&mut magic).map_err(|_| wrong("it is too short for a GGUF file"))?;
    if magic != MAGIC {
        return Err(wrong("it is no GGUF file"));
    }
    let version = u32::from_le_bytes(bytes(source)?);
    if !VERSIONS.contains(&version) {
        return Err(wrong(&format!("it has version {version} of the format, and 2 and 3 are known")));
    }
    let _tensors: [u8; 8] = bytes(source)?;
    let pairs = u64::from_le_bytes(bytes(source)?);
    if pairs > MAX_PAIRS {
        return Err(wrong("its head is damaged"));
    }
    let mut head = Head::default();
    for _ in 0..pairs {
        let key = text(source)?.unwrap_or_default();
        let kind = u32::from_le_bytes(bytes(source)?);
        match (key.as_str(), kind) {
            ("general.name", STRING) => head.name = text(source)?.filter(|name| !name.trim().is_empty()),
            (key, U32) if key.ends_with(".context_length") => {
                head.context_tokens = Some(u32::from_le_bytes(bytes(source)?));
            }
            _ => skip(source, kind)?,
        }
        if head.name.is_some() && head.context_tokens.is_some() {
            break;
        }
    }
    Ok(head)
}

const U32: u32 = 4;
const STRING: u32 = 8;
const ARRAY: u32 = 9;

/// The size of a value of fixed size.
fn size(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

fn skip(source: &mut impl Read, kind: u32) -> io::Result<()> {
    match (kind, size(kind)) {
        (_, Some(size)) => pass(source, size),
        (STRING, _) => text(source).map(drop),
        (ARRAY, _) => {
            let inner = u32::from_le_bytes(bytes(source)?);
            let count = u64::from_le_bytes(bytes(source)?);
            match size(inner) {
                Some(size) => pass(source, count.saturating_mul(size)),
                None if inner == STRING => (0..count).try_for_each(|_| text(source).map(drop)),
                None => Err(wrong("its head is damaged")),
            }
        }
        _ => Err(wrong("its head is damaged")),
    }
}

/// A text; none where it is longer than anything that is asked for here.
fn text(source: &mut impl Read) -> io::Result<Option<String>> {
    let length = u64::from_le_bytes(bytes(source)?);
    if length > MAX_TEXT {
        return pass(source, length).map(|()| None);
    }
    let mut found = Vec::new();
    source.take(length).read_to_end(&mut found)?;
    if found.len() as u64 != length {
        return Err(wrong("it ends in the middle of its head"));
    }
    Ok(Some(String::from_utf8_lossy(&found).into_owned()))
}

fn pass(source: &mut impl Read, length: u64) -> io::Result<()> {
    if io::copy(&mut source.take(length), &mut io::sink())? == length {
        return Ok(());
    }
    Err(wrong("it ends in the middle of its head"))
}

fn bytes<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut found = [0_u8; N];
    source.read_exact(&mut found).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => wrong("it ends in the middle of its head"),
        _ => error,
    })?;
    Ok(found)
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
        [&written(key)[..], &kind.to_le_bytes(), value].concat()
    }

    fn written(text: &str) -> Vec<u8> {
        [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
    }

    fn file(pairs: &[Vec<u8>]) -> Vec<u8> {
        let count = pairs.len() as u64;
        [b"GGUF".to_vec(), 3_u32.to_le_bytes().to_vec(), vec![0; 8], count.to_le_bytes().to_vec(), pairs.concat()]
            .concat()
    }

    fn whole() -> Vec<u8> {
        let words = [&STRING.to_le_bytes()[..], &2_u64.to_le_bytes(), &written("a"), &written("b")].concat();
        let numbers = [&6_u32.to_le_bytes()[..], &3_u64.to_le_bytes(), &[0; 12]].concat();
        file(&[
            pair("general.architecture", STRING, &written("qwen2")),
            pair("tokenizer.ggml.tokens", ARRAY, &words),
            pair("tokenizer.ggml.scores", ARRAY, &numbers),
            pair("qwen2.context_length", U32, &32_768_u32.to_le_bytes()),
            pair("general.file_type", 7, &[1]),
            pair("general.name", STRING, &written("Small One")),
        ])
    }

    #[test]
    fn the_name_and_the_context_are_found_among_everything_else() {
        let found = read(&mut whole().as_slice()).unwrap();
        assert_eq!(found, Head { name: Some("Small One".into()), context_tokens: Some(32_768) });
        assert_eq!(read(&mut file(&[]).as_slice()).unwrap(), Head::default());
    }

    #[test]
    fn what_is_no_such_file_is_said_and_no_length_is_believed() {
        let problem = |bytes: &[u8]| read(&mut &*bytes).unwrap_err().to_string();
        assert_eq!(problem(b""), "it is too short for a GGUF file");
        assert_eq!(problem(b"PK\x03\x04 and more"), "it is no GGUF file");
        assert_eq!(problem(b"GGUF\x09\0\0\0"), "it has version 9 of the format, and 2 and 3 are known");
        let endless = pair("x", STRING, &u64::MAX.to_le_bytes());
        assert_eq!(problem(&file(&[endless])), "it ends in the middle of its head");
        let list = [&STRING.to_le_bytes()[..], &u64::MAX.to_le_bytes()].concat();
        assert_eq!(problem(&file(&[pair("x", ARRAY, &list)])), "it ends in the middle of its head");
        let good = whole();
        for length in 0..good.len() {
            assert!(read(&mut &good[..length]).is_err(), "{length}");
        }
        let mut many = file(&[]);
        many[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(problem(&many), "its head is damaged");
    }
}
