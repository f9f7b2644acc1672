//! How things look in a terminal.

pub mod change;
pub mod contract;
pub mod costs;
pub mod event;
pub mod heap;
pub mod plan;
pub mod published;
pub mod request;

use std::time::Duration;

/// A duration as a person says it.
pub fn duration(millis: u64) -> String {
    let whole = Duration::from_millis(millis);
    match whole.as_secs() {
        0 => format!("{millis} ms"),
        seconds @ 1..60 => format!("{seconds}.{} s", whole.subsec_millis() / 100),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// How long ago something was, in one word or two.
pub fn ago(now: i64, then: i64) -> String {
    let seconds = (now - then).max(0) / 1000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// The first characters of an id: enough to name it.
pub fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// Ids begin with the time in ten characters; two more tell those of one millisecond apart.
const SHORT: usize = 12;

#[cfg(test)]
mod tests {
    use super::{ago, duration};

    #[test]
    fn times_are_said_as_a_person_says_them() {
        assert_eq!(duration(12), "12 ms");
        assert_eq!(duration(1250), "1.2 s");
        assert_eq!(duration(61_000), "1 min 1 s");
        assert_eq!(ago(100_000, 100_000), "just now");
        assert_eq!(ago(7_200_000, 0), "2 h ago");
        assert_eq!(ago(0, 5_000), "just now");
    }
}
