//! Which addresses may be asked, and when two of them are the same page.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use url::{Host, Url};

/// Why an address is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// Only pages of the web are fetched.
    #[error("{0} is no address of the web: only http and https are fetched")]
    Scheme(String),
    /// It has a name or a password in it.
    #[error("the address of {0} has a name or a password in it, which is not sent")]
    Credentials(String),
    /// Nobody said that this host may be asked.
    #[error("nobody has allowed to talk to {0}")]
    Host(String),
    /// It lies in a network that is not the public one.
    #[error("{0} is not on the public network; only who names such a host as it stands in the address may ask it")]
    Private(String),
}

/// The hosts that may be asked. A public one and the same with `www.` before it are one: a site of either name sends to
/// the other.
///
/// A host outside of the public network is asked only where it was named as it stands in the address (`127.0.0.1`,
/// `localhost`): neither `*` nor a public name that leads there is enough, so that no page leads a crawl into the
/// network that it runs in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    hosts: Vec<String>,
}

impl Reach {
    /// These hosts; `*` are all public ones.
    pub fn new<S: Into<String>>(hosts: impl IntoIterator<Item = S>) -> Self {
        Self { hosts: hosts.into_iter().map(|host| host.into().to_lowercase()).collect() }
    }

    /// Whether an address may be asked, as far as its words tell.
    ///
    /// # Errors
    /// Why not.
    pub fn admits(&self, url: &Url) -> Result<(), Refused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused::Scheme(url.scheme().to_owned()));
        }
        let Some(host) = url.host() else {
            return Err(Refused::Host(url.to_string()));
        };
        let name = host.to_string();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials(name));
        }
        let is_private = match &host {
            Host::Domain(name) => is_local_name(name),
            Host::Ipv4(address) => !is_public(IpAddr::V4(*address)),
            Host::Ipv6(address) => !is_public(IpAddr::V6(*address)),
        };
        match (self.names(&name), is_private) {
            (true, _) => Ok(()),
            (false, true) => Err(Refused::Private(name)),
            (false, false) if self.hosts.iter().any(|host| host == "*") => Ok(()),
            (false, false) => Err(Refused::Host(name)),
        }
    }

    /// Whether what a host's name was looked up to may be talked to.
    pub fn admits_address(&self, host: &str, address: IpAddr) -> bool {
        is_public(address) || (is_local_name(host) && self.names(host) && address.is_loopback())
    }

    fn names(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        // IPv6 stands in brackets in an address.
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_named = |host: &str| self.hosts.iter().any(|named| named.eq_ignore_ascii_case(host));
        let without = |host: &str| host.strip_prefix("www.").is_some_and(|rest| rest.contains('.') && is_named(rest));
        let is_sibling = |host: &str| !is_local_name(host) && (without(host) || is_named(&format!("www.{host}")));
        is_named(host) || is_named(bare) || is_sibling(host)
    }
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_lowercase();
    name == "localhost"
        || [".localhost", ".local", ".internal", ".home.arpa"].iter().any(|ending| name.ends_with(ending))
}

/// Whether an address belongs to the public network, by the registries of special-purpose addresses (RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19)))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // An IPv4 address in one of its forms: mapped, compatible (`::` and `::1` among them), translated, tunnelled.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        [0x2001, 0x0db8, ..] => false,
        // Global unicast is 2000::/3; all else is local, multicast or not given out.
        [first, ..] => (first & 0xe000) == 0x2000,
    }
}

/// What is the same for two addresses of one page: without fragment, an empty query and marks of campaigns.
pub fn key(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !name.starts_with("utm_") && !matches!(name.as_ref(), "fbclid" | "gclid"))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if kept.is_empty() {
        url.set_query(None);
    } else if kept.len() != url.query_pairs().count() {
        url.query_pairs_mut().clear().extend_pairs(kept);
    }
    url.to_string()
}

/// An address as it stands in a page of this address; `None` for what is no page of the web.
pub fn join(base: &Url, reference: &str) -> Option<Url> {
    /// Longer ones are no addresses but contents.
    const MOST_CHARS: usize = 2_000;
    let reference = reference.trim();
    if reference.is_empty() || reference.len() > MOST_CHARS {
        return None;
    }
    let mut url = base.join(reference).ok()?;
    url.set_fragment(None);
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_what_was_named_is_asked_and_nothing_private_by_a_star() {
        let star = Reach::new(["*"]);
        assert_eq!(star.admits(&url("https://example.com/a")), Ok(()));
        for private in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[64:ff9b::a00:1]/",
            "http://[fe80::1]/",
            "http://10.1.2.3/",
            "http://169.254.169.254/latest/meta-data/",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://printer.local/",
        ] {
            assert!(matches!(star.admits(&url(private)), Err(Refused::Private(_))), "{private}");
        }
        let named = Reach::new(["Example.com", "127.0.0.1", "localhost", "::1"]);
        for allowed in ["https://EXAMPLE.com/x", "http://127.0.0.1:8080/", "http://localhost:1/", "http://[::1]:9/"] {
            assert_eq!(named.admits(&url(allowed)), Ok(()), "{allowed}");
        }
        assert_eq!(named.admits(&url("https://other.com/")), Err(Refused::Host("other.com".to_owned())));
        assert_eq!(named.admits(&url("https://www.example.com/")), Ok(()), "a site of one name sends to the other");
        assert_eq!(Reach::new(["www.example.com"]).admits(&url("https://example.com/")), Ok(()));
        for other in ["https://www2.example.com/", "https://www.example.com.evil.net/", "https://wwwexample.com/"] {
            assert!(matches!(named.admits(&url(other)), Err(Refused::Host(_))), "{other}");
        }
        assert!(matches!(named.admits(&url("http://www.localhost/")), Err(Refused::Private(_))));
        assert!(matches!(named.admits(&url("http://127.0.0.2/")), Err(Refused::Private(_))));
        assert_eq!(named.admits(&url("file:///etc/passwd")), Err(Refused::Scheme("file".to_owned())));
        assert!(matches!(named.admits(&url("https://me:secret@example.com/")), Err(Refused::Credentials(_))));
    }

    #[test]
    fn a_public_name_does_not_lead_into_the_private_network() {
        let reach = Reach::new(["example.com", "localhost"]);
        let at = |address: &str| address.parse::<IpAddr>().unwrap();
        assert!(reach.admits_address("example.com", at("93.184.216.34")));
        assert!(!reach.admits_address("example.com", at("127.0.0.1")));
        assert!(!reach.admits_address("example.com", at("192.168.1.1")));
        assert!(reach.admits_address("localhost", at("127.0.0.1")));
        assert!(!reach.admits_address("localhost", at("10.0.0.1")));
    }

    #[test]
    fn a_page_has_one_key_however_it_is_linked() {
        let of = |text: &str| key(&url(text));
        assert_eq!(of("https://a.org/x?utm_source=y#top"), "https://a.org/x");
        assert_eq!(of("https://a.org/x?id=1&utm_medium=z"), "https://a.org/x?id=1");
        assert_eq!(of("https://a.org:443/x?"), "https://a.org/x");
        assert_ne!(of("https://a.org/x?id=1"), of("https://a.org/x?id=2"));
        let base = url("https://a.org/news/");
        assert_eq!(join(&base, "../b#c").map(|url| url.to_string()), Some("https://a.org/b".to_owned()));
        assert_eq!(join(&base, "mailto:a@b.c"), None);
        assert_eq!(join(&base, "javascript:void(0)"), None);
        assert_eq!(join(&base, &"x".repeat(3_000)), None);
    }
}
