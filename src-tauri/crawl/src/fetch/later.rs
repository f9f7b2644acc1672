//! When a server wants to be asked again: `Retry-After` in seconds or as a date (RFC 9110, sections 5.6.7 and 10.2.3).
//!
//! A date is compared with the server's own `Date`, so that no clock of this machine is read and none has to be right.

use std::time::Duration;

use reqwest::header::HeaderMap;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The wait that a server asks for: `retry-after-ms`, or `retry-after` in seconds or as a date. A date that has
/// passed is no wait; one without a `Date` beside it says nothing.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|millis| millis / 1000.0).or_else(|| number("retry-after"));
    if let Some(seconds) = seconds {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let (then, now) = (seconds_of(text("retry-after")?)?, seconds_of(text("date")?)?);
    Some(Duration::from_secs(u64::try_from(then - now).unwrap_or(0)))
}

/// Seconds since 1970 of a date in the one form that is in use: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<i64> {
    let (_, date) = date.split_once(", ")?;
    let words: Vec<&str> = date.split(' ').collect();
    let [day, month, year, time, "GMT"] = words[..] else { return None };
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let clock: Vec<i64> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = clock[..] else { return None };
    let (day, year) = (day.parse::<i64>().ok()?, year.parse::<i64>().ok()?);
    let in_range = (1..=31).contains(&day)
        && (1970..=9999).contains(&year)
        && (0..24).contains(&hours)
        && (0..60).contains(&minutes)
        && (0..=60).contains(&seconds);
    in_range.then(|| days(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

/// Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderName};

    use super::{retry_after, seconds_of};

    #[test]
    fn a_date_is_the_seconds_since_1970() {
        // The example of RFC 9110.
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of("Tue, 29 Feb 2028 12:00:00 GMT"), Some(1_835_438_400));
        for wrong in ["", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994"]
        {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_wait_is_told_in_milliseconds_in_seconds_or_as_a_date_beside_the_endpoints_own() {
        let wait = |headers: &[(&str, &str)]| {
            let headers: HeaderMap = headers
                .iter()
                .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap()))
                .collect();
            retry_after(&headers).map(|wait| wait.as_millis())
        };
        let (at, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:49 GMT");
        assert_eq!(wait(&[("retry-after", "3"), ("retry-after-ms", "250")]), Some(250));
        assert_eq!(wait(&[("retry-after", "3")]), Some(3000));
        assert_eq!(wait(&[("retry-after", later), ("date", at)]), Some(12_000));
        assert_eq!(wait(&[("retry-after", at), ("date", later)]), Some(0));
        assert_eq!(wait(&[("retry-after", later)]), None);
        assert_eq!(wait(&[("retry-after", "-3")]), None);
        assert_eq!(wait(&[]), None);
    }
}
