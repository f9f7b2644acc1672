//! A value as a schema describes it: for people who read a contract, and for templates that are tried before they are used.
//!
//! The schema may be anybody's. Whatever it holds, the value is made soon and is of a bounded size. A pattern, and what
//! only sometimes has to hold, it may miss.

use serde_json::{Map, Value, json};

use super::Schema;
use super::parts::parts;

/// Schemas that are looked at for one value, and bytes of what is taken out of them.
const MOST_LOOKS: usize = 20_000;
const MOST_BYTES: usize = 1 << 20;
/// Fields of one object, items of one list, characters of one text, and levels of them inside one another.
const MOST_FIELDS: usize = 400;
const MOST_ITEMS: usize = 16;
const MOST_TEXT: usize = 1_000;
const MOST_DEPTH: usize = 8;
/// References and alternatives that are looked through on the way to one value's own keywords.
const MOST_HOPS: usize = 16;

/// What a text may be that has a format.
const FORMATS: [(&str, &str); 19] = [
    ("date", "2026-01-31"),
    ("date-time", "2026-01-31T12:00:00Z"),
    ("time", "12:00:00Z"),
    ("duration", "P1D"),
    ("email", "ada@example.com"),
    ("idn-email", "ada@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/news"),
    ("iri", "https://example.com/news"),
    ("uri-reference", "/news"),
    ("iri-reference", "/news"),
    ("uri-template", "https://example.com/{page}"),
    ("uuid", "123e4567-e89b-42d3-a456-426614174000"),
    ("json-pointer", "/items/0"),
    ("relative-json-pointer", "0/items"),
    ("regex", "^[a-z]+$"),
];

/// A value of the shape that a schema describes: its own examples where it has some, else one of each field.
pub fn sample_of(schema: &Value) -> Value {
    Sampler::of(schema, Wanted::All).sample(&[schema], 0)
}

/// A value that fits a schema: of several that are tried the first; `None` where none of them does.
pub fn fitting_sample(schema: &Schema) -> Option<Value> {
    let tries = [Wanted::All, Wanted::Required, Wanted::Made, Wanted::MadeRequired].into_iter();
    let mut tried = tries.map(|wanted| Sampler::of(schema.source(), wanted).sample(&[schema.source()], 0));
    tried.find(|sample| schema.is_valid(sample))
}

/// What a value is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// All fields, with the examples and defaults that stand in the schema.
    All,
    /// The same, of the fields that have to be there.
    Required,
    /// All fields, and nothing that the schema gives as an example or a default: that need not fit.
    Made,
    /// The same, of the fields that have to be there.
    MadeRequired,
}

struct Sampler<'a> {
    whole: &'a Value,
    /// What is left of [`MOST_LOOKS`] and [`MOST_BYTES`].
    looks: usize,
    bytes: usize,
    wanted: Wanted,
    /// Which of several values that must differ is made.
    turn: usize,
}

impl<'a> Sampler<'a> {
    fn of(whole: &'a Value, wanted: Wanted) -> Self {
        Self { whole, looks: MOST_LOOKS, bytes: MOST_BYTES, wanted, turn: 0 }
    }

    /// A value of which all these schemas say what it is; of two that say it otherwise, the first counts.
    fn sample(&mut self, schemas: &[&'a Value], depth: usize) -> Value {
        if depth > MOST_DEPTH || self.is_through() {
            return Value::Null;
        }
        let parts = self.parts(schemas);
        self.looks = self.looks.saturating_sub(1 + parts.len());
        if let Some(own) = self.own(&parts) {
            return self.taken(own);
        }
        let fields = self.fields(&parts, depth);
        let kind = match first(&parts, "type") {
            Some(Value::Array(kinds)) => kinds.first(),
            kind => kind,
        };
        match kind.and_then(Value::as_str) {
            _ if !fields.is_empty() => Value::Object(fields),
            Some("array") => self.items(&parts, depth),
            None if ["items", "prefixItems", "contains"].iter().any(|key| first(&parts, key).is_some()) => {
                self.items(&parts, depth)
            }
            Some("object") => json!({}),
            Some("integer" | "number") => number(&parts, self.turn),
            Some("boolean") => json!(true),
            Some("null") => Value::Null,
            _ => text(&parts, self.turn),
        }
    }

    /// A value that stands in the schema.
    fn own(&self, parts: &[&'a Value]) -> Option<&'a Value> {
        let nth = |key: &str| {
            let all = first(parts, key)?.as_array().filter(|all| !all.is_empty())?;
            all.get(self.turn % all.len())
        };
        let is_given = matches!(self.wanted, Wanted::All | Wanted::Required);
        let given = || {
            let once = |key: &str| first(parts, key).filter(|_| self.turn == 0);
            nth("examples").or_else(|| once("example")).or_else(|| once("default"))
        };
        first(parts, "const").or_else(|| given().filter(|_| is_given)).or_else(|| nth("enum"))
    }

    /// What schemas of one value are made of, with the first of their alternatives.
    fn parts(&self, schemas: &[&'a Value]) -> Vec<&'a Value> {
        let mut parts = parts(self.whole, schemas, MOST_HOPS);
        loop {
            let ways = ["anyOf", "oneOf"]
                .into_iter()
                .flat_map(|key| parts.iter().filter_map(move |part| part.get(key)?.get(0)));
            let all: Vec<&Value> = parts.iter().copied().chain(ways).collect();
            let more = self::parts(self.whole, &all, MOST_HOPS);
            if more.len() == parts.len() {
                return parts;
            }
            parts = more;
        }
    }

    fn fields(&mut self, parts: &[&'a Value], depth: usize) -> Map<String, Value> {
        let mut fields = Map::new();
        let properties = parts.iter().filter_map(|part| part.get("properties")?.as_object()).flat_map(Map::keys);
        let required = parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let only = matches!(self.wanted, Wanted::Required | Wanted::MadeRequired);
        let named = properties.map(String::as_str).filter(|name| !only || required.contains(name));
        let least = first(parts, "minProperties").and_then(Value::as_u64).and_then(|least| usize::try_from(least).ok());
        let least = least.unwrap_or(0).min(MOST_FIELDS);
        let others: Vec<String> = (1..=least).map(|number| format!("field_{number}")).collect();
        let others = others.iter().map(String::as_str);
        let is_other = |name: &&str| others.clone().any(|other| other == *name);
        for name in named.chain(required.iter().copied()).chain(others.clone()) {
            if is_other(&name) && fields.len() >= least && !required.contains(&name) {
                break;
            }
            if fields.len() >= MOST_FIELDS || self.is_through() {
                break;
            }
            if !fields.contains_key(name) {
                self.bytes = self.bytes.saturating_sub(name.len());
                let of = |part: &&'a Value| {
                    part.get("properties").and_then(|all| all.get(name)).or(part.get("additionalProperties"))
                };
                let schemas: Vec<&Value> = parts.iter().filter_map(of).collect();
                fields.insert(name.to_owned(), self.sample(&schemas, depth + 1));
            }
        }
        fields
    }

    /// A list with each item that has to be in it.
    fn items(&mut self, parts: &[&'a Value], depth: usize) -> Value {
        let items: Vec<&Value> = parts.iter().filter_map(|part| part.get("items")).collect();
        let row = first(parts, "prefixItems").and_then(Value::as_array).into_iter().flatten().map(|one| vec![one]);
        let wanted = parts.iter().filter_map(|part| part.get("contains"));
        let wanted = wanted.map(|one| std::iter::once(one).chain(items.iter().copied()).collect());
        let mut open: Vec<Vec<&Value>> = row.chain(wanted).take(MOST_ITEMS).collect();
        let bound = |key: &str| first(parts, key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
        let least = bound("minItems").unwrap_or(0).max(usize::from(!items.is_empty())).min(MOST_ITEMS);
        while open.len() < least {
            open.push(items.clone());
        }
        open.truncate(bound("maxItems").unwrap_or(usize::MAX));
        let must_differ = parts.iter().any(|part| part.get("uniqueItems") == Some(&Value::Bool(true)));
        let turn = self.turn;
        let mut made: Vec<Value> = Vec::with_capacity(open.len());
        for schemas in open {
            self.turn = turn;
            let mut item = self.sample(&schemas, depth + 1);
            while must_differ && made.contains(&item) && self.turn < turn + MOST_ITEMS {
                self.turn += 1;
                item = self.sample(&schemas, depth + 1);
            }
            made.push(item);
        }
        self.turn = turn;
        Value::Array(made)
    }

    /// A value that stands in the schema; nothing once too much was taken.
    fn taken(&mut self, own: &Value) -> Value {
        let left = self.bytes.checked_sub(own.to_string().len());
        self.bytes = left.unwrap_or(0);
        left.map_or(Value::Null, |_| own.clone())
    }

    fn is_through(&self) -> bool {
        self.looks == 0 || self.bytes == 0
    }
}

fn first<'a>(parts: &[&'a Value], key: &str) -> Option<&'a Value> {
    parts.iter().find_map(|part| part.get(key))
}

/// A number within its bounds, in steps of what it has to be a multiple of; another one at each turn.
fn number(parts: &[&Value], turn: usize) -> Value {
    let usual = within(parts);
    let Some(step) = first(parts, "multipleOf").filter(|step| step.as_f64().is_some_and(|step| step > 0.0)) else {
        return if turn == 0 { usual } else { moved(&usual, &json!(1), turn) };
    };
    let all = match (usual.as_i64(), step.as_i64()) {
        (Some(usual), Some(step)) => json!(usual.saturating_add((step - usual.rem_euclid(step)) % step)),
        _ => match (usual.as_f64(), step.as_f64()) {
            (Some(usual), Some(step)) => json!((usual / step).ceil() * step),
            _ => usual,
        },
    };
    if turn == 0 { all } else { moved(&all, step, turn) }
}

/// A number so many steps on.
fn moved(from: &Value, step: &Value, turn: usize) -> Value {
    let turn = i32::try_from(turn).unwrap_or(i32::MAX);
    match (from.as_i64(), step.as_i64()) {
        (Some(from), Some(step)) => json!(from.saturating_add(step.saturating_mul(i64::from(turn)))),
        _ => json!(from.as_f64().unwrap_or_default() + step.as_f64().unwrap_or_default() * f64::from(turn)),
    }
}

fn within(parts: &[&Value]) -> Value {
    let bound = |key: &str| first(parts, key).and_then(Value::as_number);
    let beyond = |key: &str, by: i64| {
        let (bound, step) = (bound(key)?, i32::try_from(by).ok()?);
        bound
            .as_i64()
            .map(|whole| json!(whole.saturating_add(by)))
            .or(bound.as_f64().map(|bound| json!(bound + f64::from(step))))
    };
    let least = bound("minimum").map(|bound| json!(bound)).or_else(|| beyond("exclusiveMinimum", 1));
    let most = bound("maximum").map(|bound| json!(bound)).or_else(|| beyond("exclusiveMaximum", -1));
    let usual = least.or_else(|| bound("multipleOf").map(|step| json!(step))).unwrap_or_else(|| json!(1));
    match most {
        Some(most) if most.as_f64() < usual.as_f64() => most,
        _ => usual,
    }
}

fn text(parts: &[&Value], turn: usize) -> Value {
    let format = first(parts, "format").and_then(Value::as_str);
    if let Some((_, text)) = FORMATS.iter().find(|(name, _)| Some(*name) == format) {
        return json!(text);
    }
    let bound = |key: &str| first(parts, key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
    let usual = "text".chars().count();
    let least = bound("minLength").unwrap_or(0).min(MOST_TEXT);
    let length = usual.max(least).min(bound("maxLength").unwrap_or(usize::MAX));
    let text = "text ".chars().cycle().take(length);
    // Its end tells one from the other.
    let end = if turn == 0 { String::new() } else { turn.to_string() };
    let kept = match bound("maxLength") {
        Some(most) => length.min(most.saturating_sub(end.len())),
        None => length,
    };
    json!(text.take(kept).chain(end.chars()).collect::<String>())
}
