//! Time and fresh identifiers as arguments, so that a test decides both.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970, UTC.
    fn now(&self) -> i64;
}

/// Makes identifiers that nobody else has made.
pub trait IdSource: Send + Sync {
    /// A fresh identifier, in lower-case letters and digits; later ones sort after earlier ones.
    fn fresh(&self) -> String;
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Identifiers from the time and the machine's randomness: ten characters of milliseconds, ten of chance. The first
/// twelve characters differ in all that one source makes, so that a person can name them by these.
#[derive(Debug, Default)]
pub struct RandomIds {
    last: Mutex<u128>,
}

impl IdSource for RandomIds {
    fn fresh(&self) -> String {
        let mut chance = [0_u8; 8];
        if getrandom::fill(&mut chance).is_err() {
            // Without randomness the process and the order still tell identifiers apart.
            chance = u64::from(std::process::id()).rotate_left(32).to_le_bytes();
        }
        let millis = u128::try_from(SystemClock.now()).unwrap_or(0);
        let chance = u128::from(u64::from_le_bytes(chance) >> 14);
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The first twelve of twenty characters, each of five bits.
        let named = ((millis << 10) | (chance >> 40)).max((*last >> 40) + 1);
        *last = (named << 40) | (chance & ((1 << 40) - 1));
        base32(*last)
    }
}

/// Crockford's alphabet in lower case: no letter that is taken for a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn base32(mut number: u128) -> String {
    let mut digits = [b'0'; 20];
    for place in digits.iter_mut().rev() {
        *place = ALPHABET[(number & 31) as usize];
        number >>= 5;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

/// A clock that stands still until it is told otherwise.
#[derive(Debug, Default)]
pub struct FakeClock(AtomicI64);

impl FakeClock {
    /// A clock that shows a time in milliseconds since 1970.
    pub fn at(millis: i64) -> Self {
        Self(AtomicI64::new(millis))
    }

    /// Moves the clock on.
    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Identifiers that count up: `id1`, `id2`, …
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn fresh(&self) -> String {
        format!("id{}", self.0.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{IdSource, RandomIds};

    #[test]
    fn random_ids_are_unique_and_sort_in_the_order_in_which_they_were_made() {
        let source = RandomIds::default();
        let made: Vec<String> = (0..10_000).map(|_| source.fresh()).collect();
        let mut sorted = made.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(made, sorted);
        assert!(made.iter().all(|id| id.len() == 20));
        let mut names: Vec<&str> = made.iter().map(|id| &id[..12]).collect();
        names.dedup();
        assert_eq!(names.len(), made.len(), "twelve characters name an identifier");
    }
}
