//! How every request over HTTP of this program begins: what takes long to read is not read for each.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use native_tls::TlsConnector;
use reqwest::ClientBuilder;

/// So long what was read holds: a certificate that a person adds to the system counts from the next minute on.
const HOLDS: Duration = Duration::from_secs(60);

/// Begins a client. Clients share what they check servers by: where OpenSSL does that, each would read all certificates of
/// the system by itself, which takes longer than many a server needs to answer.
pub fn client() -> ClientBuilder {
    #[expect(clippy::disallowed_methods, reason = "the one place in which clients begin")]
    let builder = ClientBuilder::new();
    match connector(Instant::now()) {
        Some(connector) => builder.tls_backend_preconfigured(connector),
        // It fails once more where the client is built, and says why.
        None => builder,
    }
}

fn connector(now: Instant) -> Option<TlsConnector> {
    static READ: Mutex<Option<(Instant, TlsConnector)>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, connector)) = &*read
        && now.saturating_duration_since(*at) < HOLDS
    {
        return Some(connector.clone());
    }
    let connector = TlsConnector::new().ok()?;
    *read = Some((now, connector.clone()));
    Some(connector)
}
