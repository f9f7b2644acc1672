//! Where addresses lead: the window stays on its own page, and what leads elsewhere is opened by the system or by
//! nobody.
//!
//! The page handles its links itself and asks for them to be opened. What is here holds also for what it overlooks:
//! a model's text that lies about itself, something that is dropped onto the window, a script that should not be there.

use tauri::Url;
use tauri::webview::{DownloadEvent, NewWindowFeatures, NewWindowResponse, Webview};
use tauri::{Runtime, WebviewWindowBuilder};

use crate::wire::{ErrorCode, Failure};

/// Fields of a mail that a link may fill in. Others make some mail programs attach files.
const MAIL_FIELDS: [&str; 6] = ["to", "cc", "bcc", "subject", "body", "in-reply-to"];

/// Keeps a window on its page. `development` is the page's address while it is developed.
pub fn guard<'a, R: Runtime, M: tauri::Manager<R>>(
    window: WebviewWindowBuilder<'a, R, M>,
    development: Option<Url>,
) -> WebviewWindowBuilder<'a, R, M> {
    window
        .on_navigation(move |address| {
            let stays = is_page(address, development.as_ref());
            if !stays {
                tracing::warn!("the window was not led to {}:", address.scheme());
            }
            stays
        })
        .on_new_window(leads_out)
        .on_download(no_download)
}

/// Opens an address outside of the window: in the browser, or in the mail program.
///
/// # Errors
/// [`ErrorCode::Invalid`] for an address that leads elsewhere.
pub fn open_outside(address: &str) -> Result<(), Failure> {
    let address = outside(address)?;
    open::that_detached(address.as_str())
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("{address} could not be opened: {error}")))
}

/// Whether an address is that of the window's own page.
fn is_page(address: &Url, development: Option<&Url>) -> bool {
    let own = match (address.scheme(), address.host_str()) {
        ("tauri", Some("localhost")) => true,
        // A web view of Windows knows no scheme of ours.
        ("http" | "https", Some("tauri.localhost")) => cfg!(windows),
        _ => development.is_some_and(|page| page.origin() == address.origin()),
    };
    own && matches!(address.path(), "" | "/" | "/index.html")
}

/// An address that the system may open.
fn outside(address: &str) -> Result<Url, Failure> {
    let refused = |reason: &str| Failure::new(ErrorCode::Invalid, format!("{address:?} is not opened: {reason}"));
    let parsed = Url::parse(address).map_err(|_| refused("it is no address"))?;
    match parsed.scheme() {
        "http" | "https" => Ok(parsed),
        "mailto" => {
            let fits = |name: &str| MAIL_FIELDS.contains(&name.to_ascii_lowercase().as_str());
            let other = parsed.query_pairs().find(|(name, _)| !fits(name));
            other.map_or(Ok(()), |(name, _)| Err(refused(&format!("it sets {name:?} of the mail"))))?;
            Ok(parsed)
        }
        _ => Err(refused("only http, https and mailto addresses are")),
    }
}

/// A link that asks for a window of its own, by its target or by the middle button: the system opens it, or nobody.
fn leads_out<R: Runtime>(address: Url, _features: NewWindowFeatures) -> NewWindowResponse<R> {
    if let Err(failure) = open_outside(address.as_str()) {
        tracing::warn!("{}", failure.message);
    }
    NewWindowResponse::Deny
}

fn no_download<R: Runtime>(_view: Webview<R>, _event: DownloadEvent<'_>) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(address: &str, development: Option<&str>) -> bool {
        is_page(&address.parse().unwrap(), development.map(|page| page.parse().unwrap()).as_ref())
    }

    #[test]
    fn the_window_stays_on_its_own_page() {
        for page in ["tauri://localhost", "tauri://localhost/", "tauri://localhost/index.html"] {
            assert!(leads(page, None), "{page}");
        }
        for elsewhere in [
            "https://example.org/",
            "http://localhost/",
            "tauri://localhost.example.org/",
            "tauri://localhost/assets/index.js",
            "file:///etc/passwd",
            "data:text/html,hello",
            "blob:tauri://localhost/1",
            "about:blank",
            "javascript:alert(1)",
        ] {
            assert!(!leads(elsewhere, None), "{elsewhere}");
        }
        assert_eq!(leads("http://tauri.localhost/", None), cfg!(windows));
    }

    #[test]
    fn while_it_is_developed_the_page_comes_from_its_server() {
        let server = Some("http://127.0.0.1:1420/");
        assert!(leads("http://127.0.0.1:1420/", server));
        assert!(!leads("http://127.0.0.1:1421/", server));
        assert!(!leads("data:text/html,hello", server));
    }

    #[test]
    fn the_web_and_mail_are_opened_outside_and_nothing_else() {
        for address in
            ["https://example.org/a?b#c", "http://example.org", "mailto:ada@example.org?Subject=Hello&cc=b@c"]
        {
            assert!(outside(address).is_ok(), "{address}");
        }
        for address in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,hello",
            "smb://host/share",
            "tauri://localhost/",
            "nonsense",
            "",
            "mailto:ada@example.org?attach=/etc/passwd",
            "mailto:ada@example.org?subject=a&Attachment=/etc/passwd",
        ] {
            assert_eq!(outside(address).unwrap_err().code, ErrorCode::Invalid, "{address}");
        }
    }
}
