//! How every request over HTTP of this program begins: what takes long to read is read once.

use std::sync::OnceLock;

use native_tls::TlsConnector;
use reqwest::ClientBuilder;

/// Begins a client. All clients check servers by the same connector: where OpenSSL is what does that, each would read all
/// certificates of the system by itself, which takes longer than many a server needs to answer. Those that come to the
/// system later count from the next start of the program on.
pub fn client() -> ClientBuilder {
    static SHARED: OnceLock<Option<TlsConnector>> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "the one place in which clients begin")]
    let builder = ClientBuilder::new();
    match SHARED.get_or_init(|| TlsConnector::new().ok()) {
        Some(connector) => builder.tls_backend_preconfigured(connector.clone()),
        // It fails once more where the client is built, and says why.
        None => builder,
    }
}
