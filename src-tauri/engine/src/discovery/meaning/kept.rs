//! Vectors of tools in a file of their own, so that no text is worked out twice. It may be thrown away at any time.
//!
//! A head of 64 bytes names the form and the encoder. Behind it stand records of one length, each the key of a text and
//! its vector; one that was cut off by a crash is left out. One process writes; what another works out meanwhile is
//! worked out again.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use assent_meaning::Vector;

/// The beginning of a text's SHA-256.
pub(super) type Key = [u8; 16];

const HEAD: usize = 64;
/// A file with more begins anew: most of it is of tools that are long gone.
const MOST: u64 = 20_000;

/// The file, while it is written to.
pub(super) struct Kept {
    /// None where another process writes, or nobody can.
    file: Option<File>,
}

impl Kept {
    /// Opens the file, made if it is not there or of another encoder, and gives the vectors that are wanted. A file that
    /// cannot be used is as good as none.
    pub fn open(
        path: &Path,
        encoder: &str,
        width: usize,
        wants: impl Fn(&Key) -> bool,
    ) -> (Self, HashMap<Key, Vector>) {
        read(path, encoder, width, wants).unwrap_or_else(|error| {
            tracing::warn!("vectors of tools are not kept in {}: {error}", path.display());
            (Self { file: None }, HashMap::new())
        })
    }

    /// Keeps one more.
    pub fn add(&mut self, key: &Key, vector: &Vector) {
        let record = [&key[..], &vector.bytes()].concat();
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(&record)) {
            tracing::warn!("vectors of tools are kept no more: {error}");
            self.file = None;
        }
    }
}

fn read(
    path: &Path,
    encoder: &str,
    width: usize,
    wants: impl Fn(&Key) -> bool,
) -> io::Result<(Kept, HashMap<Key, Vector>)> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    let is_ours = file.try_lock().is_ok();
    let head = head_of(encoder);
    let mut found = HashMap::new();
    let mut count = 0;
    let mut record = vec![0; size_of::<Key>() + width];
    let mut reader = BufReader::new(&file);
    let mut first = [0; HEAD];
    let is_known = reader.read_exact(&mut first).is_ok() && first == head;
    while is_known && count < MOST && reader.read_exact(&mut record).is_ok() {
        count += 1;
        if let Some((key, vector)) = record.split_first_chunk()
            && wants(key)
        {
            found.extend(Vector::from_bytes(vector, width).map(|vector| (*key, vector)));
        }
    }
    if !is_ours {
        return Ok((Kept { file: None }, found));
    }
    if is_known && count < MOST {
        file.set_len(HEAD as u64 + count * record.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
    } else {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head)?;
    }
    Ok((Kept { file: Some(file) }, found))
}

fn head_of(encoder: &str) -> [u8; HEAD] {
    let text = format!("assent vectors 1 {encoder}");
    let mut head = [b' '; HEAD];
    head.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    head[HEAD - 1] = b'\n';
    head
}
