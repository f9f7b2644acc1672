//! A stream of output, read to its end and kept in part.

use std::collections::VecDeque;
use std::io::Read;
use std::time::{Duration, Instant};

use crate::vault::Veil;

/// Bytes of the beginning that are kept.
const HEAD: usize = 32 * 1024;
/// Bytes of the end that are kept.
const TAIL: usize = 64 * 1024;
/// Between two signs of progress.
const PAUSE: Duration = Duration::from_millis(100);
/// Bytes of one sign of progress.
const NEWEST: usize = 2048;

/// The beginning and the end of what was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// As text; what is no UTF-8 is replaced.
    pub text: String,
    /// Whether the middle is missing; the text says so where it is.
    pub truncated: bool,
}

#[derive(Default)]
struct Ends {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: usize,
}

impl Ends {
    fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len();
        let room = (HEAD - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
    }

    fn into_kept(self) -> Kept {
        let left_out = self.total - self.head.len() - self.tail.len();
        let tail: Vec<u8> = self.tail.into();
        if left_out == 0 {
            let whole = [self.head, tail].concat();
            return Kept { text: String::from_utf8_lossy(&whole).into_owned(), truncated: false };
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        Kept { text: format!("{head}\n[{left_out} bytes are left out here]\n{tail}"), truncated: true }
    }
}

/// Reads to the end, telling at intervals what is newest. Secrets are hidden before anything is left out.
pub(super) fn drain(mut from: impl Read, mut veil: Veil, progress: impl Fn(String)) -> Kept {
    let mut ends = Ends::default();
    let mut buffer = vec![0_u8; 16 * 1024];
    let mut told: Option<Instant> = None;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = veil.take(&buffer[..read]);
        ends.take(&bytes);
        if !bytes.is_empty() && told.is_none_or(|at| at.elapsed() >= PAUSE) {
            told = Some(Instant::now());
            progress(String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(NEWEST)..]).into_owned());
        }
    }
    ends.take(&veil.rest());
    ends.into_kept()
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::sync::Arc;

    use super::{HEAD, Kept, TAIL, drain};
    use crate::model::Secret;
    use crate::vault::{Mask, Veil};

    #[test]
    fn a_short_stream_is_kept_whole_also_where_it_is_no_text() {
        let kept = drain(&b"one\ntwo \xff\n"[..], Veil::default(), |_| {});
        assert_eq!(kept, Kept { text: "one\ntwo \u{fffd}\n".to_owned(), truncated: false });
    }

    #[test]
    fn a_secret_at_a_cut_leaves_no_half() {
        let secret = "s3cret-of/the+crm=42";
        let mask = Arc::new(Mask::of([&Secret::new(secret)]));
        let text = format!("{}{secret}{}{secret}{}", "x".repeat(HEAD - 8), "y".repeat(300_000), "z".repeat(TAIL - 8));
        let told = RefCell::new(String::new());
        let kept = drain(text.as_bytes(), Veil::new(mask), |sign| told.borrow_mut().push_str(&sign));
        assert!(kept.truncated);
        for text in [&kept.text, &*told.borrow()] {
            assert!(!text.contains("s3c") && !text.contains("=42"), "{text}");
        }
    }

    #[test]
    fn a_flood_keeps_its_ends_says_what_is_missing_and_tells_of_itself_seldom() {
        let flood = "x".repeat(10_000_000);
        let told = Cell::new(0);
        let kept = drain(flood.as_bytes(), Veil::default(), |_| told.set(told.get() + 1));
        assert!(kept.truncated && kept.text.len() < HEAD + TAIL + 100);
        assert!(kept.text.contains(&format!("[{} bytes are left out here]", 10_000_000 - HEAD - TAIL)));
        assert!(told.get() < 100, "{}", told.get());
    }
}
