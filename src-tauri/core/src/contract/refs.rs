//! Where the references of a schema lead, as the validator itself resolves them: by place, by `$anchor` and by the `$id`
//! of a document inside the document. Nothing is fetched: what is in no part of it is told.

use std::collections::HashMap;

use jsonschema::{Draft, ReferencingError, Registry, Retrieve, Uri, uri};
use serde_json::{Map, Value};

use super::UnusableSchema;

const DRAFT: Draft = Draft::Draft202012;
/// What references are relative to in a schema that does not say it.
const ROOT: &str = "json-schema:///";
/// Schemas of one document, each once for each base that its references are read against.
const MOST_SCHEMAS: usize = 50_000;

/// Keywords that hold schemas of the very value that is looked at.
const SAME: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// The same, by names of somebody's own.
const SAME_NAMED: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords that hold schemas of parts of it, whichever they are.
const BELOW: [&str; 7] = [
    "additionalProperties",
    "propertyNames",
    "items",
    "contains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
/// Keywords that refer to a schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords by which a schema can be referred to.
const NAMES: [&str; 3] = ["$id", "$anchor", "$dynamicAnchor"];

/// A schema with the means to follow its references.
pub(super) struct Document<'s> {
    schema: &'s Value,
    registry: Registry<'s>,
    base: Uri<String>,
    places: Places,
}

/// By address: what each value of a document stands in, and as what.
type Places = HashMap<*const Value, (Option<*const Value>, String)>;

/// The schemas of a document, and where each leads.
#[derive(Default)]
pub(super) struct Graph<'d> {
    schemas: Vec<&'d Value>,
    /// To schemas that look at the same value.
    pub(super) same_value: Vec<Vec<usize>>,
    /// To schemas that look at parts of it, and at which.
    pub(super) below: Vec<Vec<(Edge<'d>, usize)>>,
    /// To those that stand in it, and those that it refers to.
    pub(super) all: Vec<Vec<usize>>,
    references: Vec<Reference<'d>>,
    /// Schemas by their `$dynamicAnchor`.
    dynamic: HashMap<&'d str, Vec<usize>>,
}

/// A reference of a schema, and what stands where it leads first.
struct Reference<'d> {
    from: usize,
    keyword: &'static str,
    /// In whole.
    address: String,
    to: &'d Value,
}

/// How one schema leads to another: by the value that the other looks at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge<'d> {
    /// The same.
    Same,
    /// A field of it.
    Field(&'d str),
    /// An item of it.
    Item(usize),
    /// Each field and each item of it.
    Each,
    /// None: it stands there to be referred to.
    Aside,
}

/// Has no document beside the one at hand.
struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("nothing is fetched".into())
    }
}

impl<'s> Document<'s> {
    /// Reads where the parts of a schema are.
    ///
    /// # Errors
    /// It has a name for a part that is no address, or two parts of one name.
    pub(super) fn of(schema: &'s Value) -> Result<Self, UnusableSchema> {
        let resource = DRAFT.create_resource_ref(schema);
        let base = uri::from_str(resource.id().unwrap_or(ROOT).trim_end_matches('#')).map_err(unusable)?;
        let empty = Registry::new().draft(DRAFT).retriever(Nowhere);
        let (registry, places) =
            (empty.add(base.as_str(), resource).and_then(|filled| filled.prepare()), places(schema));
        match registry {
            Ok(registry) => Ok(Self { schema, registry, base, places }),
            Err(ReferencingError::Unretrievable { uri, .. }) => Err(elsewhere(&uri, schema, &places)),
            Err(error) => Err(unusable(error)),
        }
    }

    /// All schemas that a check may come to, and where each leads.
    ///
    /// # Errors
    /// A reference leads out of the document, or there are too many schemas.
    pub(super) fn graph(&self) -> Result<Graph<'_>, UnusableSchema> {
        let mut graph = Graph::default();
        let mut known: HashMap<(*const Value, String), usize> = HashMap::new();
        let mut dynamic: Vec<(usize, String)> = Vec::new();
        let mut open = vec![(self.schema, self.registry.resolver(self.base.clone()), DRAFT, None)];
        while let Some((value, resolver, draft, from)) = open.pop() {
            let Some(fields) = value.as_object() else { continue };
            let draft = draft.detect(value);
            let resolver = resolver.in_subresource(draft.create_resource_ref(value)).map_err(unusable)?;
            let key = (std::ptr::from_ref(value), resolver.base_uri().as_str().to_owned());
            let (is_new, at) = match known.get(&key) {
                Some(at) => (false, *at),
                None => (true, graph.add(value)),
            };
            if let Some((from, edge)) = from {
                graph.leads(from, at, edge);
            }
            if !is_new {
                continue;
            }
            known.insert(key, at);
            if at == MOST_SCHEMAS {
                return Err(fault(format!("it is made of more than {MOST_SCHEMAS} schemas"), String::new()));
            }
            open.extend(parts(fields).map(|(edge, part)| (part, resolver.clone(), draft, Some((at, edge)))));
            for keyword in REFERENCES {
                let Some(reference) = fields.get(keyword).and_then(Value::as_str) else { continue };
                // One that leads nowhere is the validator's to tell.
                let Ok(found) = resolver.lookup(reference) else { continue };
                let (to, resolver, draft) = found.into_inner();
                let name = reference.rsplit_once('#').map_or("", |(_, fragment)| fragment);
                if keyword != "$ref" {
                    dynamic.push((at, name.to_owned()));
                }
                let address = format!("{}#{name}", resolver.base_uri().as_str());
                graph.references.push(Reference { from: at, keyword, address, to });
                open.push((to, resolver, draft, Some((at, Edge::Same))));
            }
        }
        graph.follow_names(&dynamic);
        Ok(graph)
    }

    /// The same schema with each reference written as a place in the document, and without the names that are of no use
    /// then, so that whoever reads a part of it needs nothing but places. `None` where a reference leads to another schema
    /// each time, or to a value.
    pub(super) fn by_places(&self, graph: &Graph<'_>) -> Option<Value> {
        let mut whole = self.schema.clone();
        for schema in &graph.schemas {
            if !self.is_own(schema) {
                continue;
            }
            let place = self.place(schema);
            if is_value(&place) {
                return None;
            }
            let fields = whole.pointer_mut(&place)?.as_object_mut()?;
            NAMES.iter().for_each(|name| drop(fields.shift_remove(*name)));
        }
        for reference in &graph.references {
            let from = graph.schemas[reference.from];
            let is_one = |name: &str| graph.dynamic.get(name).is_none_or(|all| all.len() < 2);
            let name = reference.address.rsplit_once('#').map_or("", |(_, fragment)| fragment);
            let has_both = from.get("$ref").is_some() && reference.keyword != "$ref";
            if reference.keyword == "$recursiveRef" || has_both || (reference.keyword != "$ref" && !is_one(name)) {
                return None;
            }
            if !self.is_own(from) {
                continue;
            }
            let fields = whole.pointer_mut(&self.place(from))?.as_object_mut()?;
            let written = match self.is_own(reference.to) {
                true => format!("#{}", encoded(&self.place(reference.to))),
                false => reference.address.trim_end_matches('#').to_owned(),
            };
            fields.shift_remove(reference.keyword);
            fields.insert("$ref".to_owned(), Value::String(written));
        }
        Some(whole)
    }

    /// The schema as it is read from a document that holds it at another place. All its references are places.
    pub(super) fn moved(&self, graph: &Graph<'_>, place: &str) -> Value {
        let mut whole = self.schema.clone();
        for Reference { from, keyword, .. } in &graph.references {
            let at = self.place(graph.schemas[*from]);
            let written = whole.pointer_mut(&at).and_then(|fields| fields.get_mut(*keyword));
            if let Some(Value::String(written)) = written
                && let Some(fragment) = written.strip_prefix('#')
            {
                *written = format!("#{place}{fragment}");
            }
        }
        whole
    }

    /// All that references of the document say, as they are written.
    pub(super) fn written<'d>(&self, graph: &Graph<'d>) -> impl Iterator<Item = &'d str> {
        let own = graph.references.iter().filter(|one| self.is_own(graph.schemas[one.from]));
        own.filter_map(|one| graph.schemas[one.from].get(one.keyword)?.as_str())
    }

    /// Whether a schema of it has a name by which it may be referred to, or begins a document inside the document.
    pub(super) fn has_names(&self, graph: &Graph<'_>) -> bool {
        let mut own = graph.schemas.iter().filter(|schema| self.is_own(schema));
        own.any(|schema| NAMES.iter().any(|name| schema.get(name).is_some()))
    }

    /// The first schema that is written by rules which are not at hand, and where it is.
    pub(super) fn rules_of_elsewhere<'d>(&self, graph: &Graph<'d>) -> Option<(&'d str, String)> {
        let rules = |schema: &&'d Value| schema.get("$schema").and_then(Value::as_str);
        let is_known = |rules: &str| Draft::from_schema_uri(rules) != Draft::Unknown;
        let own = graph.schemas.iter().filter(|schema| self.is_own(schema));
        own.filter_map(|schema| Some((rules(schema)?, self.place(schema)))).find(|(rules, _)| !is_known(rules))
    }

    /// A JSON pointer to a value of the document; empty for the whole, and for what is none of it.
    pub(super) fn place(&self, value: &Value) -> String {
        place_of(&self.places, value)
    }

    fn is_own(&self, value: &Value) -> bool {
        self.places.contains_key(&std::ptr::from_ref(value))
    }
}

impl<'d> Graph<'d> {
    /// A schema, for its place.
    pub(super) fn schema(&self, at: usize) -> &'d Value {
        self.schemas[at]
    }

    /// Whether a schema looks at a value again to find what was not looked at.
    pub(super) fn looks_twice(&self, at: usize) -> bool {
        ["unevaluatedProperties", "unevaluatedItems"].iter().any(|keyword| self.schemas[at].get(keyword).is_some())
    }

    fn add(&mut self, schema: &'d Value) -> usize {
        let at = self.schemas.len();
        let anchor = schema.get("$dynamicAnchor").and_then(Value::as_str);
        let recursive = schema.get("$recursiveAnchor").and_then(Value::as_bool).unwrap_or_default();
        for name in anchor.into_iter().chain(recursive.then_some("")) {
            self.dynamic.entry(name).or_default().push(at);
        }
        self.schemas.push(schema);
        self.same_value.push(Vec::new());
        self.below.push(Vec::new());
        self.all.push(Vec::new());
        at
    }

    fn leads(&mut self, from: usize, to: usize, edge: Edge<'d>) {
        self.all[from].push(to);
        match edge {
            Edge::Same => self.same_value[from].push(to),
            Edge::Aside => {}
            _ => self.below[from].push((edge, to)),
        }
    }

    /// What is referred to by a name that several have may be any of them.
    fn follow_names(&mut self, references: &[(usize, String)]) {
        for (from, name) in references {
            let named = self.dynamic.get(name.as_str()).cloned().unwrap_or_default();
            named.into_iter().for_each(|to| self.leads(*from, to, Edge::Same));
        }
    }
}

/// The schemas that one holds.
fn parts(fields: &Map<String, Value>) -> impl Iterator<Item = (Edge<'_>, &Value)> {
    let alone = |keywords: &'static [&'static str], edge: Edge<'static>| {
        let held = keywords.iter().filter_map(|keyword| fields.get(*keyword));
        held.flat_map(|held| held.as_array().map_or_else(|| std::slice::from_ref(held), Vec::as_slice))
            .map(move |part| (edge, part))
    };
    let held = |keyword: &str| fields.get(keyword).and_then(Value::as_object).into_iter().flatten();
    let named = |keywords: &'static [&'static str], edge: Edge<'static>| {
        keywords.iter().flat_map(move |keyword| held(keyword)).map(move |(_, part)| (edge, part))
    };
    let in_a_row = fields.get("prefixItems").and_then(Value::as_array).into_iter().flatten().enumerate();
    alone(&SAME, Edge::Same)
        .chain(named(&SAME_NAMED, Edge::Same))
        .chain(alone(&BELOW, Edge::Each))
        .chain(named(&["patternProperties"], Edge::Each))
        .chain(held("properties").map(|(name, part)| (Edge::Field(name), part)))
        .chain(in_a_row.map(|(at, part)| (Edge::Item(at), part)))
        .chain(named(&["$defs", "definitions"], Edge::Aside))
        .chain(alone(&["contentSchema"], Edge::Aside))
}

fn places(whole: &Value) -> Places {
    let mut places = HashMap::new();
    let mut open: Vec<(&Value, Option<*const Value>, String)> = vec![(whole, None, String::new())];
    while let Some((value, above, part)) = open.pop() {
        let at = std::ptr::from_ref(value);
        match value {
            Value::Object(fields) => open.extend(fields.iter().map(|(key, value)| (value, Some(at), escaped(key)))),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (item, Some(at), index.to_string())));
            }
            _ => {}
        }
        places.insert(at, (above, part));
    }
    places
}

fn place_of(places: &Places, value: &Value) -> String {
    let (mut parts, mut at) = (Vec::new(), std::ptr::from_ref(value));
    while let Some((Some(above), part)) = places.get(&at) {
        parts.push(part.as_str());
        at = *above;
    }
    parts.iter().rev().map(|part| format!("/{part}")).collect()
}

/// The fault of a reference to a document that is not at hand, at the first place that can be it.
fn elsewhere(document: &str, schema: &Value, places: &Places) -> UnusableSchema {
    let document = document.split('#').next().unwrap_or_default();
    let leads = |reference: &str| {
        let named = reference.split('#').next().unwrap_or_default();
        !named.is_empty() && document.ends_with(named.trim_start_matches(['.', '/']))
    };
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                let referring = REFERENCES.into_iter().chain(["$schema"]);
                if let Some(to) = referring.filter_map(|key| fields.get(key)?.as_str()).find(|to| leads(to)) {
                    return fault(format!("it refers to another document: {}", cut(to)), place_of(places, value));
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    fault(format!("it refers to another document: {}", cut(document)), String::new())
}

/// Whether a place lies in what is a value for its keyword, and must stay what it is.
fn is_value(place: &str) -> bool {
    place.split('/').any(|part| matches!(part, "const" | "enum"))
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A pointer as it stands in an address.
fn encoded(pointer: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte);
    let mut text = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match is_plain(byte) {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

fn unusable(error: ReferencingError) -> UnusableSchema {
    fault(cut(&error.to_string()), String::new())
}

fn fault(message: String, place: String) -> UnusableSchema {
    UnusableSchema { message, place }
}

fn cut(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_control()).take(200).collect()
}
