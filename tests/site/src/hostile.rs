//! Pages that nobody wishes to meet.

use crate::Answer;

/// What stands at a hostile address; `None`: it is none.
pub fn answer(target: &str) -> Option<Answer> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Some(match path {
        "/h/loop" => Answer::to("/h/loop"),
        "/h/ping" => Answer::to("/h/pong"),
        "/h/pong" => Answer::to("/h/ping"),
        "/h/chain" => Answer::to(format!(
            "/h/chain?n={}",
            query.strip_prefix("n=").and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) + 1
        )),
        "/h/hop" => Answer::to("/about"),
        "/h/to-private" => Answer::to("http://169.254.169.254/latest/meta-data/"),
        "/h/to-neighbour" => Answer::to("http://127.0.0.2/secret"),
        "/h/to-forbidden" => Answer::to("/private/"),
        "/h/to-file" => Answer::to("file:///etc/passwd"),
        "/h/huge" => Answer { times: 1_600, ..Answer::page("<p>words and words </p>".repeat(2_979)) },
        "/h/endless" => Answer { times: 20_000, hangs: true, ..Answer::page("<p>words and words </p>".repeat(2_979)) },
        "/h/silent" => Answer { times: 0, hangs: true, ..Answer::page("") },
        "/h/latin" => Answer::of("text/html; charset=utf-8", b"<title>caf\xe9</title><p>caf\xe9 au lait</p>".to_vec()),
        "/h/utf8" => Answer::of("text/html; charset=iso-8859-1", "<title>café</title><p>café</p>".as_bytes().to_vec()),
        "/h/sixteen" => {
            let text: Vec<u8> = "\u{feff}<p>zwölf</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
            Answer::of("text/html; charset=utf-8", text)
        }
        "/h/deep" => Answer::page(format!("<p>deep</p>{}<p>below</p>", "<div><b><i>".repeat(100_000))),
        "/h/links" => Answer::page((0..150_000).map(|n| format!("<a href=/x/{n}>link {n}</a>")).collect::<String>()),
        "/h/attributes" => {
            Answer::page(format!("<p {}>x</p>", (0..200_000).map(|n| format!("a{n}=1 ")).collect::<String>()))
        }
        "/h/broken" => Answer::page("<ul><li><a href='/x>one<li><b>two</i></ul></table><td>three<p"),
        "/h/unclosed" => Answer::page("<a ".repeat(20_000) + &"x".repeat(2_000_000)),
        "/h/quotes" => Answer::page("<a b=\"x ".repeat(20_001) + &"x".repeat(2_000_000)),
        // As many lists as there are pairs of links, and as many buttons.
        "/h/lists" => Answer::page(
            (0..2_000).map(|n| format!("<p class=p{}><a href=/x/{n}>link {n}</a>", word(n / 2))).collect::<String>(),
        ),
        "/h/buttons" => Answer::page(
            (0..5_000)
                .map(|n| format!("<p>x<div class=more-{} data-url=/x/{n}></div>", word(n / 2)))
                .collect::<String>(),
        ),
        // Each link says two thousand numbers.
        "/h/numbers" => Answer::page(format!(
            "<base href=\"/{}\">{}",
            "1/".repeat(990),
            (1..=2_000).map(|n| format!("<a href={n}>{n}</a>")).collect::<String>()
        )),
        "/h/classes" => Answer::page(format!(
            "{}{}",
            format!("<div class=\"{}\">", "x1 ".repeat(5_000)).repeat(190),
            (0..2_000).map(|n| format!("<a href=/x/{n}>link {n}</a>")).collect::<String>()
        )),
        "/h/nested" => Answer::page(format!(
            "<title>words</title>{}{}",
            "<div class=a>".repeat(190),
            format!("<p>{}</p>", "words and words ".repeat(20)).repeat(1_500)
        )),
        "/h/title" => Answer::page(format!(
            "<title>{}</title>{}<p>{}</p>",
            "ab ".repeat(700_000),
            "<h2>ab abc</h2>".repeat(15_000),
            "words and words ".repeat(40)
        )),
        "/h/keys" => {
            let fields: String = (0..100_000).map(|n| format!("\"{n}\": 1, ")).collect();
            let body =
                format!("{{\"items\": [{{\"url\": \"/a\"}}], \"{}\": {{{fields}\"z\": 1}}}}", "a".repeat(1_000_000));
            Answer::of("application/json", body.into_bytes())
        }
        "/h/binary" => Answer::of("application/octet-stream", vec![0, 159, 146, 150]),
        "/h/picture" => Answer::of("text/html", b"\x89PNG\r\n\x1a\n\0\0\0\0".repeat(50)),
        "/h/401" => Answer::page("<h1>Who are you?</h1>").status(401),
        "/h/403" => Answer::page("<h1>Not you</h1>").status(403),
        "/h/407" => Answer::page("<h1>Who is there?</h1>").status(407),
        "/h/500" => Answer::page("").status(500),
        _ => return None,
    })
}

/// A number in letters.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect()
}
