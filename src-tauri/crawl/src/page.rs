//! What a server answered, and what kind of page it is.

use std::collections::HashMap;

use serde::Serialize;
use url::Url;

use crate::html::{Dom, name_of, text_of};
use crate::links::is_in_frame;

/// An answer as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The address that was asked first.
    pub asked: Url,
    /// The address that answered.
    pub url: Url,
    /// How often it was sent on.
    pub redirects: usize,
    /// The status that HTTP knows.
    pub status: u16,
    /// What the server says it is, without parameters and in small letters.
    pub content_type: String,
    /// The text; empty where it is none.
    pub text: String,
    /// The name of the encoding that it was read in.
    pub encoding: &'static str,
    /// What was said about the encoding and is not so.
    pub lie: Option<String>,
    /// Whether there was more than is read.
    pub was_cut: bool,
    /// What kind of page it is.
    pub kind: Kind,
}

/// Kinds of pages, as far as a crawl is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// There is something to read.
    Content,
    /// Data for programs: JSON.
    Data,
    /// There is nothing on it.
    Empty,
    /// Who wants to read it has to sign in.
    Login,
    /// The server gives it to no program, whoever asks.
    Forbidden,
    /// A proxy on the way wants to know who asks.
    Proxy,
    /// Its content is made by scripts, in a browser.
    NeedsBrowser,
    /// It is not there, or the server failed.
    Failed,
    /// It is no text.
    Other,
}

impl Page {
    /// Whether the server says that there is no such page, now or any more.
    pub fn is_gone(&self) -> bool {
        matches!(self.status, 404 | 410)
    }
}

impl Kind {
    /// Whether somebody is asked for before it is given.
    pub fn is_withheld(self) -> bool {
        matches!(self, Self::Login | Self::Forbidden | Self::Proxy)
    }

    /// What it is called where it is told.
    pub fn words(self) -> &'static str {
        match self {
            Self::Content => "a page with content",
            Self::Data => "data for programs",
            Self::Empty => "an empty page",
            Self::Login => "a page that needs a login",
            Self::Forbidden => "a page that the server refuses to programs",
            Self::Proxy => "a page behind a proxy that wants a login",
            Self::NeedsBrowser => "a page that needs a browser",
            Self::Failed => "a page that the server does not give",
            Self::Other => "no text",
        }
    }
}

/// Whether a content type is one of text that is read here.
pub(crate) fn is_text(content_type: &str) -> bool {
    content_type.is_empty()
        || content_type.starts_with("text/")
        || ["json", "xml", "javascript"].iter().any(|part| content_type.contains(part))
}

/// Characters of text below which a page may be empty, wait for a browser or for a login.
const LITTLE: usize = 200;
/// With more than so many a page with a field for a password has content beside it.
const MUCH: usize = 800;

/// Links of a page that is there for them, and those of them that are enough where they say so much as a title does.
const MANY: usize = 10;
const MANY_TITLES: usize = 5;

/// Judges an answer.
pub fn judge(status: u16, content_type: &str, text: &str) -> Kind {
    match status {
        401 => return Kind::Login,
        403 => return Kind::Forbidden,
        407 => return Kind::Proxy,
        200..300 => {}
        _ => return Kind::Failed,
    }
    if !is_text(content_type) {
        return Kind::Other;
    }
    if text.trim().is_empty() {
        return Kind::Empty;
    }
    if content_type.contains("json") || (!content_type.contains("html") && is_json(text)) {
        return Kind::Data;
    }
    let dom = Dom::parse(text);
    let seen = text_of(&dom.body());
    if !dom.each("input[type=password]").is_empty() && seen.chars().count() < MUCH && !is_list(&dom) {
        return Kind::Login;
    }
    let links = dom.each("a[href]").len();
    if seen.chars().count() >= LITTLE || links >= MANY {
        return Kind::Content;
    }
    match (waits_for_scripts(&dom), seen.is_empty()) {
        (true, _) => Kind::NeedsBrowser,
        (false, true) if links == 0 => Kind::Empty,
        _ => Kind::Content,
    }
}

/// Whether a page with a field for a password is a list all the same: outside of that form and of menus it leads on.
fn is_list(dom: &Dom) -> bool {
    const MOST_LOOKED_AT: usize = 1_000;
    const WORDS_OF_A_TITLE: usize = 4;
    let forms = dom.each("input[type=password]").into_iter().take(MANY);
    let forms: Vec<_> = forms
        .filter_map(|field| field.ancestors_it(None).find(|above| above.has_name("form")))
        .map(|form| form.id)
        .collect();
    let mut frames = HashMap::new();
    let links = dom.each("a[href]").into_iter().take(MOST_LOOKED_AT);
    let outside = links.filter(|link| {
        !link.ancestors_it(None).any(|above| forms.contains(&above.id)) && !is_in_frame(link, &mut frames)
    });
    let words: Vec<usize> = outside.map(|link| text_of(&link).split_whitespace().count()).collect();
    words.len() >= MANY || words.iter().filter(|words| **words >= WORDS_OF_A_TITLE).count() >= MANY_TITLES
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// Whether a page with little text has scripts that are to fill it: an element that waits for them, a word to those
/// who have none, or scripts alone.
fn waits_for_scripts(dom: &Dom) -> bool {
    const MOUNTS: &str =
        "#root, #app, #__next, #__nuxt, #main-app, #application, app-root, [data-reactroot], [ng-app], [data-app]";
    if dom.each("script[src], script:not([type]), script[type=module], script[type='text/javascript']").is_empty() {
        return false;
    }
    let is_empty_mount = |node: &crate::html::Node<'_>| text_of(node).chars().count() < LITTLE;
    let says_so = dom.each("noscript").iter().any(|node| {
        let text = node.text().to_lowercase();
        text.contains("javascript") || text.contains("scripts")
    });
    let only_scripts =
        || dom.body().children_it(false).filter(|node| node.is_element()).all(|node| name_of(&node) == "script");
    says_so || dom.each(MOUNTS).iter().any(is_empty_mount) || only_scripts()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_beside_which_one_may_sign_in_is_no_login() {
        let form = "<form><input name=u><input type=password><a href=/lost>I have lost my password</a></form>";
        let links = |count: usize, text: &str| -> String {
            (0..count).map(|n| format!("<li><a href=/{n}>{text} {n}</a></li>")).collect()
        };
        let kind = |page: String| judge(200, "text/html", &page);
        assert_eq!(kind(format!("<aside>{form}</aside><ul>{}</ul>", links(5, "A long story told"))), Kind::Content);
        assert_eq!(kind(format!("<ul>{}</ul>{form}", links(10, "Part"))), Kind::Content);
        // What leads on from a login are menus, other ways to sign in, and a word or two.
        let others = links(6, "Sign in with another");
        let inside = form.replace("</form>", &format!("{others}</form>"));
        for page in [
            format!("<nav>{}</nav>{form}", links(30, "A long story told")),
            format!("<div class=site-menu>{}</div>{form}", links(30, "A long story told")),
            inside,
            format!("{form}<p>{}</p>", links(4, "Terms")),
        ] {
            assert_eq!(kind(page.clone()), Kind::Login, "{page}");
        }
    }

    #[test]
    fn kinds_are_told_apart() {
        let long = "Words that somebody wrote to be read. ".repeat(30);
        for (status, kind_of_text, text, kind) in [
            (200, "text/html", format!("<h1>A</h1><p>{long}"), Kind::Content),
            (200, "text/html", "<h1>Short, but there</h1><a href=/x>on</a>".to_owned(), Kind::Content),
            (200, "text/html", String::new(), Kind::Empty),
            (
                200,
                "text/html",
                "<html><head><title>x</title></head><body> \n<div></div></body>".to_owned(),
                Kind::Empty,
            ),
            (200, "application/json", "{}".to_owned(), Kind::Data),
            (200, "text/plain", "[1, 2]".to_owned(), Kind::Data),
            (200, "image/png", "x".to_owned(), Kind::Other),
            (401, "text/html", long.clone(), Kind::Login),
            (403, "text/html", String::new(), Kind::Forbidden),
            (407, "text/html", String::new(), Kind::Proxy),
            (404, "text/html", long.clone(), Kind::Failed),
            (503, "text/html", String::new(), Kind::Failed),
            (200, "text/html", "<form><input name=u><input type=password></form>".to_owned(), Kind::Login),
            (200, "text/html", format!("<form><input type=password></form><article>{long}</article>"), Kind::Content),
            (200, "text/html", "<div id=root></div><script src=/app.js></script>".to_owned(), Kind::NeedsBrowser),
            (200, "text/html", "<script>draw()</script>".to_owned(), Kind::NeedsBrowser),
            (
                200,
                "text/html",
                "<p>Loading</p><noscript>You need to enable JavaScript.</noscript><script src=x></script>".to_owned(),
                Kind::NeedsBrowser,
            ),
            (200, "text/html", format!("<div id=root><p>{long}</div><script src=/app.js></script>"), Kind::Content),
        ] {
            assert_eq!(judge(status, kind_of_text, &text), kind, "{status} {kind_of_text} {text:.80}");
        }
    }
}
