//! The site: five sections, each with a way of its own to go on and with a markup of its own, and pages that a crawl has
//! to leave alone.

use crate::{Answer, hostile};

/// A section of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// A link to the next page.
    News,
    /// Numbered pages.
    Blog,
    /// A button that loads more, by an offset.
    Reports,
    /// A list that grows while one scrolls: an endpoint with marks.
    Stream,
    /// Months.
    Archive,
}

impl Section {
    pub const ALL: [Self; 5] = [Self::News, Self::Blog, Self::Reports, Self::Stream, Self::Archive];

    /// Its path.
    pub fn path(self) -> &'static str {
        match self {
            Self::News => "/news/",
            Self::Blog => "/blog/",
            Self::Reports => "/reports/",
            Self::Stream => "/stream/",
            Self::Archive => "/archive/",
        }
    }

    /// Articles of it, and how many a page has.
    fn size(self) -> (usize, usize) {
        match self {
            Self::News => (24, 8),
            Self::Blog => (30, 10),
            Self::Reports => (18, 6),
            Self::Stream => (20, 5),
            Self::Archive => (16, 4),
        }
    }

    fn articles(self) -> Vec<Article> {
        (0..self.size().0).map(|number| Article::new(self, number)).collect()
    }
}

/// What is known of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    pub section: Section,
    pub path: String,
    pub title: String,
    /// `2024-05-31`.
    pub date: String,
    pub author: String,
    /// The text as it is read, its paragraphs one after the other.
    pub body: String,
    paragraphs: Vec<String>,
}

const PEOPLE: [&str; 7] =
    ["Ann Lee", "Bo Ek", "Carla Souza", "Dimitri Vance", "Eva Löfgren", "Farid Haddad", "Grace O'Neill"];
const THINGS: [&str; 10] = [
    "The harbour",
    "A quiet library",
    "Every second bridge",
    "The old tram line",
    "One small orchard",
    "The night market",
    "A school of bakers",
    "The lighthouse",
    "Our river",
    "The north gate",
];
const DOINGS: [&str; 11] = [
    "opens again after the flood",
    "is counted for the first time",
    "has a new keeper",
    "closes for repairs in winter",
    "moves to the other bank",
    "asks its neighbours for help",
    "is painted by volunteers",
    "wins a prize & a debt",
    "loses its last clock",
    "is described by those who left",
    "turns one hundred",
];
const SENTENCES: [&str; 8] = [
    "Nobody had expected it to take so long, and everybody had said so before.",
    "The council met twice and wrote down what it had heard.",
    "From the hill one sees the whole of it, also in the rain.",
    "There are three keys, and two of them fit.",
    "Those who work there begin at five and speak little.",
    "A map of 1911 shows it on the other side of the road.",
    "What it costs is known; what it is worth is not.",
    "On Sundays the doors stand open and the lamps are lit.",
];

impl Article {
    fn new(section: Section, number: usize) -> Self {
        let seed = section as usize * 37 + number;
        let title = format!("{} {}", THINGS[seed % THINGS.len()], DOINGS[(seed * 3 + number) % DOINGS.len()]);
        let title = format!("{title}, part {}", number + 1);
        let months = [(2024, 5), (2024, 4), (2024, 3), (2024, 2)];
        let (year, month) = months[(number / 4) % 4];
        let day = 28 - number % 4 * 3 - section as usize;
        let sentence = |at: usize| SENTENCES[at % SENTENCES.len()];
        let paragraphs: Vec<String> = (0..3)
            .map(|at| {
                format!(
                    "{title}. {} {} {}",
                    sentence(seed + at),
                    sentence(seed * 5 + at + 1),
                    sentence(seed * 7 + at + 3)
                )
            })
            .collect();
        let path = match section {
            Section::News => format!("/news/{year}/{month:02}/{day:02}/item-{}", number + 1),
            Section::Blog => format!("/blog/entry/{}", 100 + number),
            Section::Reports => format!("/reports/view?id={}", 7 + number),
            Section::Stream => format!("/s/{number}-note"),
            Section::Archive => format!("/archive/{year}/{month:02}/piece-{}.html", number + 1),
        };
        let date = format!("{year}-{month:02}-{day:02}");
        let author = PEOPLE[seed % PEOPLE.len()].to_owned();
        Self { section, path, title, date, author, body: paragraphs.join(" "), paragraphs }
    }

    /// The date as the section writes it.
    fn written(&self) -> String {
        let (year, rest) = self.date.split_once('-').unwrap();
        let (month, day) = rest.split_once('-').unwrap();
        let name = ["", "January", "February", "March", "April", "May"][month.parse::<usize>().unwrap()];
        match self.section {
            Section::Blog => format!("{day}.{month}.{year}"),
            Section::Archive => format!("{name} {}, {year}", day.trim_start_matches('0')),
            _ => format!("{} {name} {year}", day.trim_start_matches('0')),
        }
    }

    fn page(&self) -> String {
        let (title, author, written) = (escape(&self.title), escape(&self.author), self.written());
        let text: String = self.paragraphs.iter().map(|text| format!("<p>{}</p>\n", escape(text))).collect();
        let (head, main) = match self.section {
            Section::News => (
                String::new(),
                format!(
                    "<article class=\"story\"><header><h1>{title}</h1><p class=\"meta\">By <a rel=\"author\" href=\"/people\">{author}</a> \
                     <time datetime=\"{}T08:00:00Z\">{written}</time></p></header><div class=\"story-body\">{text}</div></article>",
                    self.date
                ),
            ),
            Section::Blog => (
                String::new(),
                format!(
                    "<div id=content><h1 class=site-name>The Daily Bridge</h1><div class=entry><h2 class=entry-title>{title}</h2>\
                     <span class=entry-date>{written}</span> | <span class=entry-by>by {author}</span><div class=entry-text>{text}</div></div></div>"
                ),
            ),
            Section::Reports => (
                format!(
                    "<meta property=\"og:title\" content=\"{title}\"><meta name=\"author\" content=\"{author}\">\
                     <meta property=\"article:published_time\" content=\"{}\">",
                    self.date
                ),
                format!(
                    "<section class='css-1x9k2z report'><h2>{title}</h2><div class=\"report-text\">{text}</div></section>"
                ),
            ),
            Section::Stream => (
                String::new(),
                format!(
                    "<div itemscope><h1 itemprop=headline>{title}</h1><span itemprop=author>{author}</span>\
                     <meta itemprop=datePublished content={}><div itemprop=articleBody>{text}</div></div>",
                    self.date
                ),
            ),
            Section::Archive => (
                String::new(),
                // As a table, and never closed.
                format!(
                    "<table class=page width=100%><tr><td class=piece><h3>{title}</h3><font size=2 class=byline>{author}</font><br>\
                     <em class=when>{written}</em><div class=col>{text}"
                ),
            ),
        };
        page(&format!("{title} - The Daily Bridge"), &head, &main)
    }

    /// As it stands in a list of its section.
    fn entry(&self) -> String {
        let (path, title) = (escape(&self.path), escape(&self.title));
        match self.section {
            Section::News => format!(
                "<li class=\"teaser\"><h3><a href=\"{path}\">{title}</a></h3><p>{}</p><a href=\"/tag/x\">town</a></li>",
                self.written()
            ),
            Section::Blog => format!(
                "<div class=row><a class=more href='{path}'>{title}</a> <small>{}</small></div>",
                self.written()
            ),
            _ => format!("<p class=item><a href=\"{path}\">{title}</a></p>"),
        }
    }
}

/// Everything that a crawl of the site has to find.
pub fn articles() -> Vec<Article> {
    Section::ALL.into_iter().flat_map(Section::articles).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn page(title: &str, head: &str, main: &str) -> String {
    let menu: String =
        Section::ALL.iter().map(|section| format!("<li><a href=\"{}\">{section:?}</a></li>", section.path())).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=en><head><title>{title}</title>{head}<style>nav {{ color: red }}</style></head><body><nav><ul>{menu}\
         <li><a href=/about>About us</a><li><a href=/private/>Private</a><li><a href=/members/>Members</a><li><a href=/app/>The app</a>\
         <li><a href=/blank>Blank</a></ul></nav><main>{main}</main><footer><a href=/imprint>Imprint</a> \
         <a href=/terms>Terms</a></footer></body></html>"
    )
}

fn slice(section: Section, from: usize) -> (String, bool) {
    let (all, size) = (section.articles(), section.size().1);
    let entries: String = all.iter().skip(from).take(size).map(Article::entry).collect();
    (entries, from + size < all.len())
}

fn number(query: &str, name: &str) -> Option<usize> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(|value| value.parse().unwrap_or(0))
}

/// What the site answers.
pub fn answer(target: &str) -> Answer {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let known = articles().into_iter().find(|article| article.path == target);
    if let Some(article) = known {
        return Answer::page(article.page());
    }
    match path {
        "/" => home(),
        "/robots.txt" => {
            Answer::of("text/plain", b"User-agent: *\nDisallow: /private/\nDisallow: /*?print=\n".to_vec())
        }
        "/news/" => news(number(query, "p").unwrap_or(1)),
        "/blog/" => blog(number(query, "page").unwrap_or(1)),
        "/reports/" | "/reports/more" => reports(path, number(query, "offset").unwrap_or(0)),
        "/stream/" => Answer::page(page(
            "Stream - The Daily Bridge",
            "",
            "<h1>Stream</h1><p>What is new, as it comes.</p><div class=feed data-endpoint=\"/api/stream?limit=5\" data-cursor=\"\" \
             data-param=\"after\"></div><script src=/feed.js></script>",
        )),
        "/api/stream" => stream(query),
        "/about" | "/imprint" | "/terms" | "/tag/x" | "/people" => {
            Answer::page(page("About", "", "<h1>About</h1><p>A paper for those who live near bridges.</p>"))
        }
        "/private/" => Answer::page(page("Private", "", "<p>Nobody should read this.</p>")),
        "/members/" => Answer::page(page(
            "Members",
            "",
            "<form method=post><input name=user><input type=password name=secret><button>Sign in</button></form>",
        )),
        "/app/" => Answer::page("<html><body><div id=root></div><script src=/app.js></script></body></html>"),
        "/blank" => Answer::page(""),
        path if path.starts_with("/archive/") => archive(path),
        _ => hostile::answer(target).unwrap_or_else(Answer::missing),
    }
}

/// The same site, whose archive says the author of an article in an element that tells nothing of itself.
pub fn quiet(target: &str) -> Answer {
    let mut answer = answer(target);
    if let Ok(text) = String::from_utf8(answer.body.clone()) {
        let quiet = text.replace("<font size=2 class=byline>", "<i class=\"q7\">").replace("</font><br>", "</i><br>");
        answer.body = quiet.into_bytes();
    }
    answer
}

fn home() -> Answer {
    let teasers: String = Section::ALL
        .iter()
        .flat_map(|section| section.articles().into_iter().take(2))
        .map(|article| {
            format!("<div class=top><a href=\"{}\">{}</a></div>", escape(&article.path), escape(&article.title))
        })
        .collect();
    Answer::page(page(
        "The Daily Bridge",
        "<link rel=canonical href=/>",
        &format!("<h1>The Daily Bridge</h1>{teasers}"),
    ))
}

fn news(page_number: usize) -> Answer {
    let (entries, is_more) = slice(Section::News, page_number.saturating_sub(1) * 8);
    let next = if is_more {
        format!("<a class=\"pg older\" href=\"?p={}\">Older news »</a>", page_number + 1)
    } else {
        String::new()
    };
    Answer::page(page(
        "News - The Daily Bridge",
        "",
        &format!("<h1>News</h1><ul class=\"teasers\">{entries}</ul><p class=pages>{next}</p>"),
    ))
}

fn blog(page_number: usize) -> Answer {
    let (entries, _) = slice(Section::Blog, page_number.saturating_sub(1) * 10);
    let pages: String = (1..=3)
        .filter(|page| *page != page_number)
        .map(|page| format!(" <a href=\"/blog/?page={page}\">{page}</a>"))
        .collect();
    let entries = if entries.is_empty() { "<p>There is nothing here.</p>".to_owned() } else { entries };
    Answer::page(page(
        "Blog - The Daily Bridge",
        "",
        &format!("<h1>Blog</h1><div class=rows>{entries}</div><div class=pagination>{pages}</div>"),
    ))
}

fn reports(path: &str, offset: usize) -> Answer {
    let (entries, is_more) = slice(Section::Reports, offset);
    let more = if is_more {
        format!("<button class=\"btn load-more\" data-url=\"/reports/more?offset={}\">Load more</button>", offset + 6)
    } else {
        String::new()
    };
    let list = format!("<div class=list>{entries}</div>{more}");
    match path {
        "/reports/" => Answer::page(page("Reports - The Daily Bridge", "", &format!("<h1>Reports</h1>{list}"))),
        // A part of a page, as scripts put it into one.
        _ => Answer::page(list),
    }
}

fn stream(query: &str) -> Answer {
    let all = Section::Stream.articles();
    let after = query.split('&').find_map(|pair| pair.strip_prefix("after=")).unwrap_or_default();
    let from = after.strip_prefix("m").and_then(|mark| mark.parse().ok()).unwrap_or(0);
    let items: Vec<String> = all
        .iter()
        .skip(from)
        .take(5)
        .map(|article| {
            format!(
                "{{\"id\": {from}, \"headline\": \"{}\", \"url\": \"{}\"}}",
                article.title.replace('"', ""),
                article.path
            )
        })
        .collect();
    let next = if from + 5 < all.len() { format!("\"m{}\"", from + 5) } else { "null".to_owned() };
    let body = format!("{{\"meta\": {{\"next_cursor\": {next}, \"count\": 5}}, \"items\": [{}]}}", items.join(", "));
    Answer::of("application/json", body.into_bytes())
}

fn archive(path: &str) -> Answer {
    let month = path.trim_start_matches("/archive/").trim_end_matches('/');
    let of_month: String = Section::Archive
        .articles()
        .iter()
        .filter(|article| article.path.starts_with(&format!("/archive/{month}/")))
        .map(Article::entry)
        .collect();
    let months = ["2024/05", "2024/04", "2024/03", "2024/02"];
    match month {
        "" => {
            let links: String =
                months.iter().map(|month| format!("<li><a href=\"/archive/{month}/\">{month}</a></li>")).collect();
            Answer::page(page(
                "Archive - The Daily Bridge",
                "",
                &format!("<h1>Archive</h1><ul class=months>{links}</ul>"),
            ))
        }
        month if months.contains(&month) => Answer::page(page(
            "Archive - The Daily Bridge",
            "",
            &format!("<h1>{month}</h1><div class=list>{of_month}</div>"),
        )),
        _ => Answer::missing(),
    }
}
