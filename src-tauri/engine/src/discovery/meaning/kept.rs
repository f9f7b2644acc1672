//! Vectors of tools in a file of their own, so that no text is worked out twice. It may be thrown away at any time.
//!
//! A head of 64 bytes names the form, the width of a vector and the encoder. Behind it stand records of one length, each
//! the key of a text and its vector; one that was cut off by a crash is left out. One process writes; what another works
//! out meanwhile is worked out again. The file only grows at its end; to be made smaller it is written anew beside it.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use assent_meaning::Vector;

/// The beginning of a text's SHA-256.
pub(super) type Key = [u8; 16];

const HEAD: usize = 64;
type Head = [u8; HEAD];

/// In a file with more, most is of tools that are long gone: only those that are there are kept.
const MOST: usize = 20_000;

/// The file, while it is written to.
pub(super) struct Kept {
    /// None where another process writes, or nobody can.
    file: Option<File>,
}

impl Kept {
    /// Opens the file, made if it is not there or of another encoder, and gives the vectors that are wanted. A file that
    /// cannot be used is as good as none.
    pub fn open(path: &Path, encoder: &str, width: usize, wanted: &HashSet<Key>) -> (Self, HashMap<Key, Vector>) {
        opened(path, &head_of(encoder, width), width, wanted).unwrap_or_else(|error| {
            tracing::warn!("vectors of tools are not kept in {}: {error}", path.display());
            (Self { file: None }, HashMap::new())
        })
    }

    /// Keeps one more.
    pub fn add(&mut self, key: &Key, vector: &Vector) {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(&record(key, vector))) {
            tracing::warn!("vectors of tools are kept no more: {error}");
            self.file = None;
        }
    }

    /// Keeps only what is wanted.
    pub fn forget_others(&mut self, path: &Path, wanted: &HashSet<Key>) {
        if let Some(file) = self.file.take() {
            self.file = without_others(file, path, wanted);
        }
    }
}

/// Keeps only what is wanted in a file that this process does not write to. Another process that does is left to it.
pub(super) fn forget_others(path: &Path, wanted: &HashSet<Key>) {
    if let Ok(file) = private().open(path)
        && file.try_lock().is_ok()
    {
        without_others(file, path, wanted);
    }
}

/// The file with what is wanted of a locked one. Where it cannot be written nothing is kept: what should be forgotten is.
fn without_others(file: File, path: &Path, wanted: &HashSet<Key>) -> Option<File> {
    let written = read(&file, wanted).and_then(|found| written(path, &found.head, &found.vectors));
    written
        .inspect_err(|error| {
            tracing::warn!("vectors of tools are kept no more: {error}");
            let _ = std::fs::remove_file(path);
        })
        .ok()
}

/// What a file holds.
struct Found {
    head: Head,
    /// Whole records, wanted or not.
    count: usize,
    /// What is wanted.
    vectors: HashMap<Key, Vector>,
}

fn opened(path: &Path, head: &Head, width: usize, wanted: &HashSet<Key>) -> io::Result<(Kept, HashMap<Key, Vector>)> {
    let mut file = private().create(true).truncate(false).open(path)?;
    let is_ours = file.try_lock().is_ok();
    let found = read(&file, wanted).ok().filter(|found| found.head == *head);
    let file = match &found {
        _ if !is_ours => None,
        Some(found) if found.count <= MOST => {
            file.set_len((HEAD + found.count * (size_of::<Key>() + width)) as u64)?;
            file.seek(SeekFrom::End(0))?;
            Some(file)
        }
        _ => Some(written(path, head, found.as_ref().map_or(&HashMap::new(), |found| &found.vectors))?),
    };
    Ok((Kept { file }, found.map(|found| found.vectors).unwrap_or_default()))
}

fn read(mut file: &File, wanted: &HashSet<Key>) -> io::Result<Found> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file);
    let mut head = [0; HEAD];
    reader.read_exact(&mut head)?;
    let width = width_of(&head).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it has another form"))?;
    let mut found = Found { head, count: 0, vectors: HashMap::new() };
    let mut record = vec![0; size_of::<Key>() + width];
    while reader.read_exact(&mut record).is_ok() {
        found.count += 1;
        if let Some((key, vector)) = record.split_first_chunk()
            && wanted.contains(key)
        {
            found.vectors.extend(Vector::from_bytes(vector, width).map(|vector| (*key, vector)));
        }
    }
    Ok(found)
}

/// Writes a file anew in the place of the one that is there, and goes on writing to it.
fn written(path: &Path, head: &Head, vectors: &HashMap<Key, Vector>) -> io::Result<File> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut file = private().create(true).truncate(true).open(&beside)?;
    // Only who has the lock of the old file comes here; it is the new one that counts from now on.
    let _ = file.try_lock();
    let mut bytes = head.to_vec();
    bytes.extend(vectors.iter().flat_map(|(key, vector)| record(key, vector)));
    let done = file.write_all(&bytes).and_then(|()| std::fs::rename(&beside, path));
    done.inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
    Ok(file)
}

/// To read and write a file that is its owner's alone, like the database beside it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn record(key: &Key, vector: &Vector) -> Vec<u8> {
    [&key[..], &vector.bytes()].concat()
}

const FORM: &str = "assent vectors 2";

fn head_of(encoder: &str, width: usize) -> Head {
    let text = format!("{FORM} {width:5} {encoder}");
    let mut head = [b' '; HEAD];
    head.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    head[HEAD - 1] = b'\n';
    head
}

/// The width of the vectors behind a head; `None` for what is no head of ours.
fn width_of(head: &Head) -> Option<usize> {
    let text = str::from_utf8(head).ok()?.strip_prefix(FORM)?;
    let width = text.split_whitespace().next()?.parse().ok()?;
    (1..=MOST_WIDTH).contains(&width).then_some(width)
}

/// Wider vectors no encoder gives.
const MOST_WIDTH: usize = 4096;
