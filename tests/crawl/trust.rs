//! Whom clients trust: servers with a certificate that the system knows, and no others.

use std::error::Error as _;
use std::io::{ErrorKind, Read as _};
use std::net::TcpListener;
use std::thread;

use assent_crawl::http;
use native_tls::{Identity, TlsAcceptor};

/// The key protects nothing: it was made for this test.
const CERTIFICATE: &[u8] = include_bytes!("trust/certificate.pem");
const KEY: &[u8] = include_bytes!("trust/key.pem");

/// A server on this machine that vouches for itself; it ends after one connection with what it read there.
fn server() -> (u16, thread::JoinHandle<Vec<u8>>) {
    let acceptor = TlsAcceptor::new(Identity::from_pkcs8(CERTIFICATE, KEY).unwrap()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (connection, _) = listener.accept().unwrap();
        let mut read = Vec::new();
        // A client that turns away ends the connection, in whatever way.
        let _ended = acceptor
            .accept(connection)
            .map_err(|_| ErrorKind::Other.into())
            .and_then(|mut opened| opened.read_to_end(&mut read));
        read
    });
    (port, server)
}

#[tokio::test]
async fn a_server_that_vouches_for_itself_is_told_nothing_however_many_clients_share_what_they_trust() {
    for client in [http::client(), http::client()] {
        let (port, server) = server();
        let asked = client.no_proxy().build().unwrap().get(format!("https://localhost:{port}/secret")).send().await;
        let error = asked.unwrap_err();
        let mut reasons = Vec::new();
        let mut cause = error.source();
        while let Some(reason) = cause {
            reasons.push(reason.to_string());
            cause = reason.source();
        }
        assert!(reasons.join(": ").to_lowercase().contains("certificate"), "{reasons:?}");
        assert!(server.join().unwrap().is_empty(), "it was told something");
    }
}
