//! One request over HTTP, bounded in bytes and time. Nothing is followed here, and no proxy is asked: it would look a name
//! up by itself, where nobody sees what it leads to.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use url::Url;

use super::{FetchError, PRODUCT, retry_after};
use crate::address::{Reach, Refused};
use crate::http;

/// Asks servers.
pub(super) struct Wire {
    client: Client,
}

/// What a server answered.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) location: Option<String>,
    /// How long the server wants to be left alone, where it says that.
    pub(super) retry_after: Option<Duration>,
    pub(super) bytes: Vec<u8>,
    /// Whether there was more than was wanted.
    pub(super) was_cut: bool,
}

impl Wire {
    pub(super) fn new(reach: Reach) -> Result<Self, String> {
        let client = http::client()
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(Lookup(reach)))
            .user_agent(format!("{PRODUCT}/{}", env!("CARGO_PKG_VERSION")))
            .build();
        client.map(|client| Self { client }).map_err(|error| error.to_string())
    }

    pub(super) async fn ask(&self, url: &Url, most: usize, time: Duration) -> Result<Answer, FetchError> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let asked = tokio::time::timeout(time, self.ask_patiently(url, most)).await;
        match asked {
            Ok(answer) => answer.map_err(|error| told(host, error)),
            Err(_) => Err(FetchError::TimedOut { host, seconds: time.as_secs() }),
        }
    }

    async fn ask_patiently(&self, url: &Url, most: usize) -> reqwest::Result<Answer> {
        let accepted = "text/html, application/xhtml+xml, application/json;q=0.9, */*;q=0.5";
        let response = self.client.get(url.clone()).header(ACCEPT, accepted).send().await?;
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (status, location) = (response.status().as_u16(), header(LOCATION));
        let content_type = header(CONTENT_TYPE).unwrap_or_default();
        let retry_after = retry_after(response.headers()).filter(|_| matches!(status, 429 | 503));
        let (mut bytes, mut was_cut) = (Vec::new(), false);
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            let room = most - bytes.len();
            bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
            if piece.len() > room {
                was_cut = true;
                break;
            }
        }
        Ok(Answer { status, content_type, location, retry_after, bytes, was_cut })
    }
}

/// Why a request failed; what was refused while a name was looked up is told as that.
fn told(host: String, error: reqwest::Error) -> FetchError {
    let error = error.without_url();
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    let mut reason = error.to_string();
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return FetchError::Refused(refused.clone());
        }
        reason = inner.to_string();
        cause = inner.source();
    }
    FetchError::Network { host, reason }
}

/// Looks names up and keeps what may be talked to: what was checked is what is connected to.
struct Lookup(Reach);

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let kept: Vec<SocketAddr> =
                found.into_iter().filter(|address| reach.admits_address(&host, address.ip())).collect();
            if kept.is_empty() {
                return Err(Refused::Private(host).into());
            }
            Ok(Box::new(kept.into_iter()) as Addrs)
        })
    }
}
