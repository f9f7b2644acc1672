//! What a described tool does with its arguments: a command line, or a request to one host.
//!
//! A value can never become more than a value: in a command it is quoted as a part of one word, in an address it is
//! encoded, and the host stands in the template.

use std::fmt::Write as _;

use assent_core::contract::Risk;
use reqwest::header::HeaderMap;
use reqwest::{Method, Url};
use serde_json::{Map, Value};

use super::headers::{Headers, KEY, Secrets, is_private};
use crate::vault::named_in;

/// Words of a command.
const MOST_WORDS: usize = 100;

/// What a call does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Template {
    /// Words of a command line with `{parameter}` in them.
    Command(Vec<String>),
    /// A request.
    Http(HttpTemplate),
}

/// A request with `{parameter}` in its path, query and body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HttpTemplate {
    method: Method,
    url: String,
    host: String,
    query: Vec<(String, String)>,
    body: Option<Value>,
    headers: Headers,
}

/// A request that is ready.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) body: Option<Value>,
    pub(super) headers: HeaderMap,
}

impl Template {
    /// Reads one of the two.
    pub(super) fn read(command: Option<Value>, http: Option<Value>, parameters: &Value) -> Result<Self, String> {
        let template = match (command, http) {
            (Some(command), None) => Self::command(&command)?,
            (None, Some(http)) => Self::http(&http)?,
            _ => return Err("it has to have either a command or an http template".to_owned()),
        };
        let known = |name: &&str| parameters.get("properties").and_then(|all| all.get(*name)).is_some();
        let texts = template.texts();
        match texts.iter().flat_map(|text| names(text)).find(|name| !known(name)) {
            Some(name) => Err(format!("its template names {name:?}, which is no parameter")),
            None => Ok(template),
        }
    }

    fn command(words: &Value) -> Result<Self, String> {
        let words: Option<Vec<String>> =
            words.as_array().and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect());
        let words = words.filter(|words| !words.is_empty() && words.len() <= MOST_WORDS);
        let words = words.ok_or("its command is no list of words: the program, then its arguments")?;
        if words[0].trim().is_empty()
            || names(&words[0]).next().is_some()
            || words.iter().any(|word| word.contains('\0'))
        {
            return Err("the program of its command has to stand there literally".to_owned());
        }
        Ok(Self::Command(words))
    }

    fn http(http: &Value) -> Result<Self, String> {
        let text = |key: &str| http.get(key).and_then(Value::as_str);
        let method = text("method").unwrap_or("GET").to_ascii_uppercase();
        let method = match method.as_str() {
            "GET" => Method::GET,
            "POST" => Method::POST,
            "PUT" => Method::PUT,
            "PATCH" => Method::PATCH,
            "DELETE" => Method::DELETE,
            _ => return Err("its method is none of GET, POST, PUT, PATCH, DELETE".to_owned()),
        };
        let url = text("url").unwrap_or_default().to_owned();
        let address = Url::parse(&url).map_err(|error| format!("its url is none: {error}"))?;
        let host = address.host_str().unwrap_or_default().to_owned();
        let before_path = url.splitn(4, '/').take(3).collect::<String>();
        let plain = names(&before_path).next().is_none() && !before_path.contains(['{', '}']);
        let open = address.username().is_empty() && address.password().is_none();
        if !matches!(address.scheme(), "http" | "https") || host.is_empty() || !plain || !open {
            return Err(
                "its url has to begin with http:// or https:// and a host that stands there literally".to_owned()
            );
        }
        let query = match http.get("query") {
            None => Vec::new(),
            Some(Value::Object(fields)) => {
                let pairs = fields.iter().map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
                pairs.collect::<Option<Vec<_>>>().ok_or("its query has a value that is no text")?
            }
            Some(_) => return Err("its query is no object".to_owned()),
        };
        let headers = Headers::read(http.get("headers"), &address)?;
        let template = HttpTemplate { method, url, host, query, body: http.get("body").cloned(), headers };
        let beside = [template.url.clone(), Value::from_iter(template.query.clone()).to_string()];
        let body = template.body.iter().map(Value::to_string);
        if beside.into_iter().chain(body).any(|text| text.contains(KEY) || !named_in(&text).is_empty()) {
            return Err(format!("{KEY} and {{$vault:NAME}} may stand in a header only"));
        }
        Ok(Self::Http(template))
    }

    fn texts(&self) -> Vec<String> {
        match self {
            Self::Command(words) => words.clone(),
            Self::Http(http) => {
                let body = http.body.iter().map(Value::to_string);
                let query = http.query.iter().map(|(_, value)| value.clone());
                let headers = http.headers.texts().cloned();
                let all = std::iter::once(http.url.clone()).chain(query).chain(headers);
                all.chain(body.flat_map(|body| bodies(&body))).collect()
            }
        }
    }

    /// The least that a call of it can do, whatever the description says.
    pub(super) fn least_risk(&self) -> Risk {
        match self {
            Self::Command(_) => Risk::Execute,
            Self::Http(http) if http.method == Method::DELETE => Risk::Destructive,
            Self::Http(_) => Risk::Network,
        }
    }
}

/// The texts of a body that may name parameters: its strings, without the braces of JSON itself.
fn bodies(body: &str) -> Vec<String> {
    fn strings(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
            Value::Object(fields) => fields.values().for_each(|item| strings(item, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    strings(&serde_json::from_str(body).unwrap_or(Value::Null), &mut found);
    found
}

/// The parameters that a text names as `{parameter}`.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let named = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
        named.then_some(name)
    })
}

/// A text with its parameters filled in; `None` where one of them has no value.
pub(super) fn filled(text: &str, arguments: &Value, encode: impl Fn(&str) -> String) -> Option<String> {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        done.push_str(before);
        match after.split_once('}').filter(|(name, _)| names(&format!("{{{name}}}")).next().is_some()) {
            Some((name, behind)) => {
                done.push_str(&encode(&plain(arguments.get(name)?)?));
                rest = behind;
            }
            None => {
                done.push('{');
                rest = after;
            }
        }
    }
    done.push_str(rest);
    Some(done)
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The command line for a shell. A word whose parameter has no value is left out.
pub(super) fn command_line(words: &[String], arguments: &Value) -> Result<String, String> {
    let mut line = String::new();
    for word in words {
        let Some(text) = filled(word, arguments, str::to_owned) else { continue };
        if text.contains('\0') {
            return Err("an argument holds a NUL character".to_owned());
        }
        // The whole word is a value: it must not become an option of the program.
        let is_value = word.starts_with('{') && names(word).next().is_some();
        if is_value && text.starts_with('-') && text.parse::<f64>().is_err() {
            return Err(format!("a value may not begin with \"-\", as {word} does here"));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&quoted(&text));
    }
    Ok(line)
}

fn quoted(text: &str) -> String {
    let safe = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,@%+".contains(letter);
    if !text.is_empty() && text.chars().all(safe) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl HttpTemplate {
    /// The one host that it talks to.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Whether it asks and changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        self.method == Method::GET
    }

    /// Whether a key goes with it.
    pub(super) fn wants_key(&self) -> bool {
        self.headers.want_key()
    }

    /// The names of the credentials that go with it.
    pub(super) fn credentials(&self) -> impl Iterator<Item = &str> {
        self.headers.credentials()
    }

    /// Whether nobody on the way can read what is sent.
    pub(super) fn is_private(&self) -> bool {
        Url::parse(&self.url).is_ok_and(|url| is_private(&url))
    }

    /// The request for these arguments.
    pub(super) fn ready(&self, arguments: &Value, secrets: &Secrets) -> Result<Ready, String> {
        let url = filled(&self.url, arguments, encoded).ok_or("a value for its address is missing")?;
        let parsed = |url: &str| Url::parse(url).map_err(|error| format!("the address cannot be made: {error}"));
        let (mut url, meant) = (parsed(&url)?, parsed(&self.url)?);
        // A value like `..` takes away a part of the path, however it is encoded.
        let parts = |url: &Url| url.path_segments().map(Iterator::count);
        if url.host_str() != Some(self.host.as_str()) || parts(&url) != parts(&meant) {
            return Err("the values lead to another address than the tool's".to_owned());
        }
        for (key, value) in &self.query {
            if let Some(value) = filled(value, arguments, str::to_owned) {
                url.query_pairs_mut().append_pair(key, &value);
            }
        }
        let body = self.body.as_ref().map(|body| with_values(body, arguments));
        let headers = self.headers.ready(arguments, secrets)?;
        Ok(Ready { method: self.method.clone(), url, body, headers })
    }
}

/// A body with its parameters filled in: a text that is one parameter becomes its value, whatever its type.
fn with_values(body: &Value, arguments: &Value) -> Value {
    match body {
        Value::String(text) => {
            let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            let whole = name.and_then(|name| arguments.get(name)).cloned();
            whole.or_else(|| filled(text, arguments, str::to_owned).map(Value::String)).unwrap_or(Value::Null)
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| with_values(item, arguments)).collect()),
        Value::Object(fields) => {
            let filled = fields.iter().map(|(key, value)| (key.clone(), with_values(value, arguments)));
            Value::Object(filled.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn encoded(text: &str) -> String {
    let mut safe = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(safe, "%{byte:02X}");
        }
    }
    safe
}
