//! Data of endpoints: where the entries, their addresses and the next mark stand in it.

use serde_json::Value;
use url::Url;

use crate::address::join;

/// Places in data, as JSON Pointers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The list of entries.
    pub items: String,
    /// The address in an entry.
    pub link: String,
    /// The next mark; empty where nothing looks like one.
    pub next: String,
}

/// Values that are looked at.
const MOST: usize = 5_000;
/// Bytes of a place: whoever names a value in more words repeats them for all that lies below.
const MOST_PLACE: usize = 500;

/// Where things stand in data: the longest list of objects that have an address, and what is called like a mark.
pub(super) fn places(data: &Value, url: &Url) -> Option<Data> {
    let mut lists: Vec<(usize, String, String)> = Vec::new();
    let mut next = None;
    let mut open = vec![(String::new(), data)];
    let mut seen = 0;
    while let Some((place, value)) = open.pop() {
        seen += 1;
        if seen > MOST {
            break;
        }
        match value {
            Value::Array(items) => {
                let link = items.first().and_then(|item| address_in(item, url));
                lists.extend(link.map(|link| (items.len(), place.clone(), link)));
            }
            Value::Object(fields) => {
                let short = fields.iter().filter(|(name, _)| place.len() + name.len() <= MOST_PLACE);
                for (name, inner) in short.take(MOST.saturating_sub(open.len())) {
                    let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                    if is_mark(name) && (inner.is_string() || inner.is_number() || inner.is_null()) && next.is_none() {
                        next = Some(place.clone());
                    }
                    open.push((place, inner));
                }
            }
            _ => {}
        }
    }
    let (_, items, link) = lists.into_iter().max_by_key(|(length, ..)| *length)?;
    Some(Data { items, link, next: next.unwrap_or_default() })
}

fn is_mark(name: &str) -> bool {
    let name = name.to_lowercase().replace(['_', '-'], "");
    ["next", "cursor", "nextcursor", "after", "endcursor", "nextpage", "nexttoken", "continuation", "nextpagetoken"]
        .contains(&name.as_str())
}

fn address_in(item: &Value, url: &Url) -> Option<String> {
    let named = |name: &str| {
        let value = item.get(name)?.as_str()?;
        let is_one = value.starts_with(['/', '.']) || value.starts_with("http") || value.ends_with(".html");
        (is_one && join(url, value).is_some()).then(|| format!("/{name}"))
    };
    ["url", "link", "href", "permalink", "path", "canonical", "web_url"].into_iter().find_map(named)
}

/// The addresses of the entries of data, and the next mark; `None` where there is no such list in it.
pub fn read(data: &Value, places: &Data, url: &Url) -> Option<(Vec<Url>, Option<String>)> {
    let items = data.pointer(&places.items)?.as_array()?;
    let urls = items.iter().filter_map(|item| join(url, item.pointer(&places.link)?.as_str()?)).take(MOST).collect();
    let next = match data.pointer(&places.next) {
        Some(Value::String(mark)) if !mark.is_empty() && !places.next.is_empty() => Some(mark.clone()),
        Some(Value::Number(mark)) => Some(mark.to_string()),
        _ => None,
    };
    Some((urls, next))
}
