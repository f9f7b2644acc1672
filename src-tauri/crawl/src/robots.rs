//! What a site asks of programs: `robots.txt` by RFC 9309, and the widespread `Crawl-delay`.

use std::time::Duration;

/// Bytes that are read of a file; the standard asks for at least so many.
pub const MOST_BYTES: usize = 500 << 10;

/// A longer delay is no wish of a site that wants to be read at all; more is not waited.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// What a site lets one program fetch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    rules: Vec<Rule>,
    delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allows: bool,
    /// With its escapes in one spelling.
    pattern: Vec<u8>,
}

/// A group: the programs that it is for, and what it says.
#[derive(Default)]
struct Group {
    agents: Vec<String>,
    rules: Vec<Rule>,
    delay: Option<Duration>,
    /// Whether anything but an agent has been said in it: then the next agent begins another group.
    is_closed: bool,
}

impl Robots {
    /// Everything may be fetched: there is no such file.
    pub fn open() -> Self {
        Self::default()
    }

    /// Nothing may be fetched: the site could not say.
    pub fn closed() -> Self {
        Self { rules: vec![Rule { allows: false, pattern: b"/".to_vec() }], ..Self::default() }
    }

    /// What a file says to the program of this product token, `assent` for instance. Nothing in a file is an error.
    pub fn parse(text: &str, product: &str) -> Self {
        let mut end = text.len().min(MOST_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (groups, sitemaps) = groups(text.get(..end).unwrap_or_default().trim_start_matches('\u{feff}'));
        let product = product.to_lowercase();
        let of =
            |wanted: &str| groups.iter().filter(|group| group.agents.iter().any(|agent| agent == wanted)).collect();
        let mut meant: Vec<&Group> = of(&product);
        if meant.is_empty() {
            meant = of("*");
        }
        Self {
            rules: meant.iter().flat_map(|group| group.rules.clone()).collect(),
            delay: meant.iter().find_map(|group| group.delay),
            sitemaps,
        }
    }

    /// Whether a path with its query may be fetched: the longest rule that fits decides, of two as long the one that
    /// allows.
    pub fn allows(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let path = plain(path.as_bytes());
        let fitting = self.rules.iter().filter(|rule| fits(&rule.pattern, &path));
        fitting.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }

    /// How long to wait between two requests.
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }

    /// Addresses of its site maps, as they are written.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

fn groups(text: &str) -> (Vec<Group>, Vec<String>) {
    const MOST_SITEMAPS: usize = 20;
    let (mut groups, mut sitemaps): (Vec<Group>, Vec<String>) = (Vec::new(), Vec::new());
    for line in text.split(['\n', '\r']) {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim().to_lowercase().as_str() {
            "user-agent" => {
                if groups.last().is_none_or(|group| group.is_closed) {
                    groups.push(Group::default());
                }
                // A version after the name says nothing (`assent/1.0`).
                let name = value.split(['/', ' ']).next().unwrap_or_default().to_lowercase();
                if let Some(group) = groups.last_mut() {
                    group.agents.push(name);
                }
            }
            rule @ ("allow" | "disallow") => {
                let Some(group) = groups.last_mut() else { continue };
                group.is_closed = true;
                if !value.is_empty() {
                    group.rules.push(Rule { allows: rule == "allow", pattern: plain(value.as_bytes()) });
                }
            }
            "crawl-delay" => {
                let Some(group) = groups.last_mut() else { continue };
                group.is_closed = true;
                let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
                group.delay = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(60.0)).min(LONGEST_DELAY));
            }
            "sitemap" if sitemaps.len() < MOST_SITEMAPS => sitemaps.push(value.to_owned()),
            _ => {}
        }
    }
    (groups, sitemaps)
}

/// A path or pattern with its escapes in one spelling: what needs none has none, what has one is in capitals.
fn plain(text: &[u8]) -> Vec<u8> {
    let hex =
        |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16)).and_then(|n| u8::try_from(n).ok());
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    let escape = |byte: u8, out: &mut Vec<u8>| out.extend_from_slice(format!("%{byte:02X}").as_bytes());
    while let Some(&byte) = text.get(at) {
        if byte == b'%'
            && let (Some(high), Some(low)) = (hex(text.get(at + 1)), hex(text.get(at + 2)))
        {
            let byte = high << 4 | low;
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                out.push(byte);
            } else {
                escape(byte, &mut out);
            }
            at += 3;
            continue;
        }
        if byte.is_ascii_graphic() {
            out.push(byte);
        } else {
            escape(byte, &mut out);
        }
        at += 1;
    }
    out
}

/// Whether a pattern fits the beginning of a path; `*` is any text, `$` at its end the end of the path.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, to_end) = match pattern.split_last() {
        Some((b'$', rest)) => (rest, true),
        _ => (pattern, false),
    };
    let mut parts = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&[u8]> = parts.collect();
    // What stands between two stars fits at its first place; what stands last before the `$` at its last.
    let last = if to_end { parts.pop() } else { None };
    for part in parts {
        match find(rest, part) {
            Some(place) => rest = rest.get(place + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => !to_end || rest.is_empty(),
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() { Some(0) } else { text.windows(part.len()).position(|window| window == part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(text: &str, path: &str) -> bool {
        Robots::parse(text, "Assent").allows(path)
    }

    #[test]
    fn the_longest_rule_decides_and_of_two_as_long_the_one_that_allows() {
        let text = "User-agent: *\nDisallow: /a/\nAllow: /a/b\nDisallow: /c\nAllow: /c\nDisallow:";
        assert!(allows(text, "/") && allows(text, "/a/b/c") && allows(text, "/c/d"));
        assert!(!allows(text, "/a/x") && allows(text, "/A/x"));
        assert!(allows("User-agent: *\nDisallow: /", "/robots.txt"));
        assert!(!allows("User-agent: *\nDisallow: /", "/"));
    }

    #[test]
    fn stars_and_ends_are_understood() {
        let text = "user-agent: *\ndisallow: /*.pdf$\ndisallow: /x*y*z\ndisallow: /end$\ndisallow: /*?print=";
        assert!(!allows(text, "/a/b.pdf") && allows(text, "/a/b.pdf?x") && !allows(text, "/a.pdf/c.pdf"));
        assert!(!allows(text, "/x1y2z3") && allows(text, "/x1z"));
        assert!(!allows(text, "/end") && allows(text, "/ending"));
        assert!(!allows(text, "/a?print=1") && allows(text, "/a?page=1"));
    }

    #[test]
    fn a_group_of_ones_own_counts_alone_and_groups_of_one_name_together() {
        let text = "User-agent: other\nUser-agent: ASSENT/2.0\nDisallow: /own\n\nUser-agent: *\nDisallow: /all\n\
                    Crawl-delay: 9\nUser-agent: assent\nCrawl-delay: 0.5\nDisallow: /more\nSitemap: https://a.org/s.xml";
        assert!(!allows(text, "/own") && !allows(text, "/more") && allows(text, "/all"));
        let robots = Robots::parse(text, "assent");
        assert_eq!(robots.delay(), Some(Duration::from_millis(500)));
        assert_eq!(robots.sitemaps(), ["https://a.org/s.xml"]);
    }

    #[test]
    fn escapes_have_one_spelling() {
        let text = "User-agent: *\nDisallow: /a%3cd\nDisallow: /%7ejoe/\nDisallow: /ö";
        assert!(!allows(text, "/a%3Cd") && !allows(text, "/~joe/x") && !allows(text, "/%C3%B6"));
        assert!(allows(text, "/a<d"), "what is reserved is not the same as its escape");
    }

    #[test]
    fn no_file_is_an_error_and_none_takes_long() {
        let stars = format!("User-agent: *\nDisallow: /{}x$\n", "*a".repeat(1_000));
        let path = format!("/{}", "a".repeat(2_000));
        assert!(allows(&stars, &path));
        let huge = format!("User-agent: *\nDisallow: /x\n{}", "é".repeat(MOST_BYTES));
        assert!(!allows(&huge, "/x"));
        for text in ["", "\0\0", ":", "Disallow: /x", "User-agent\nDisallow: /", "<html>no</html>", "Crawl-delay: nan"]
        {
            assert!(allows(text, "/x"), "{text:?}");
        }
        assert!(!Robots::closed().allows("/x") && Robots::open().allows("/x"));
        let long = Robots::parse("User-agent: *\nCrawl-delay: 1e9", "assent");
        assert_eq!(long.delay(), Some(Duration::from_secs(60)));
    }
}
