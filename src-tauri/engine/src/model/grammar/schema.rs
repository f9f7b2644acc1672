//! From a JSON Schema to rules: a subset that is exact where small models need it, and wider everywhere else.
//!
//! Exact: types, enumerations, constants, required and optional properties, bounds of short strings and small ranges,
//! items, local references, alternatives, and all of these beside each other. Left out, to be checked afterwards: patterns,
//! formats, `not`, conditions, dependencies, uniqueness. Depth and number of nodes are bounded, so that neither recursion nor
//! size matters.
//!
//! No value that fits is out of reach but in its writing: fields come in the order of the schema, those that it does not
//! speak of do not come where it speaks of others, and what is long ends somewhere.

use assent_core::contract::Resolved;
use indexmap::IndexMap;
use serde_json::Value;

use super::{MAX_REPEAT, Rules, literal};

const MAX_DEPTH: usize = 8;
const MAX_NODES: usize = 400;
const MAX_PROPERTIES: usize = 40;
const MAX_OPTIONS: usize = 100;
const MAX_NAME: usize = 100;
const MAX_ITEMS: usize = 64;

/// The rule of a whole schema.
pub(super) fn compile(rules: &mut Rules, schema: &Value) -> String {
    Compiler { rules, root: schema, nodes: MAX_NODES }.value(&[schema], MAX_DEPTH)
}

/// The rule of a tool's arguments: always an object, the empty one where nothing is declared.
pub(super) fn compile_object(rules: &mut Rules, schema: &Value) -> String {
    let mut compiler = Compiler { rules, root: schema, nodes: MAX_NODES };
    let said = Resolved::of(schema, &[schema]);
    let is_object = said.kinds().is_none_or(|kinds| kinds.contains(&"object"));
    if !said.is_whole || !schema.is_object() || !is_object {
        return compiler.rules.any_object(2);
    }
    let ways = ways_of(&said.parts);
    let wants = said.first("minProperties").is_some_and(|least| least != 0);
    let is_open = said.first("additionalProperties") == Some(&Value::Bool(true));
    if ways.is_empty() && Fields::of(&said).says_nothing() {
        return match wants || is_open || !in_conditions(&said).is_empty() {
            true => compiler.rules.any_object(2),
            false => compiler.rules.add(r#""{}""#.to_owned()),
        };
    }
    compiler.ways(&said, &ways, MAX_DEPTH, true)
}

struct Compiler<'a, 's> {
    rules: &'a mut Rules,
    root: &'s Value,
    nodes: usize,
}

impl<'s> Compiler<'_, 's> {
    /// A value of which all these schemas say what it is.
    fn value(&mut self, schemas: &[&'s Value], depth: usize) -> String {
        let said = Resolved::of(self.root, schemas);
        if !said.is_whole {
            return self.rules.any_value(2);
        }
        self.ways(&said, &ways_of(&said.parts), depth, false)
    }

    /// One of each list of alternatives, each together with all that is said beside it.
    fn ways(&mut self, said: &Resolved<'s>, ways: &[&'s [Value]], depth: usize, is_object: bool) -> String {
        if depth == 0 || self.nodes == 0 {
            return if is_object { self.rules.any_object(2) } else { self.rules.any_value(1) };
        }
        self.nodes -= 1;
        if let Some(options) = options_of(said).filter(|_| !is_object) {
            return self.constants(&options);
        }
        let Some((options, others)) = ways.split_first() else {
            return if is_object { self.object(said, depth) } else { self.typed(said, depth) };
        };
        if options.is_empty() || options.len() > MAX_OPTIONS {
            return if is_object { self.rules.any_object(2) } else { self.rules.any_value(2) };
        }
        let mut compiled = Vec::with_capacity(options.len());
        for option in *options {
            let option = Resolved::of(self.root, &[option]);
            let known = |part: &&&Value| said.parts.iter().any(|known| std::ptr::eq(*known, **part));
            let fresh: Vec<&Value> = option.parts.iter().filter(|part| !known(part)).copied().collect();
            let both = said.and(&option);
            // No value is of this one and of what is said beside it.
            if both.kinds().is_some_and(|kinds| kinds.is_empty() || is_object && !kinds.contains(&"object")) {
                continue;
            }
            let open: Vec<&[Value]> = others.iter().copied().chain(ways_of(&fresh)).collect();
            compiled.push(match both.is_whole {
                true => self.ways(&both, &open, depth - 1, is_object),
                false if is_object => self.rules.any_object(2),
                false => self.rules.any_value(2),
            });
        }
        compiled.dedup();
        match compiled.is_empty() {
            true if is_object => self.rules.any_object(2),
            true => self.rules.any_value(2),
            false => self.rules.add(compiled.join(" | ")),
        }
    }

    fn typed(&mut self, said: &Resolved<'s>, depth: usize) -> String {
        match said.kinds() {
            Some(kinds) if (1..=7).contains(&kinds.len()) => {
                let options: Vec<String> = kinds.iter().map(|kind| self.of_type(kind, said, depth)).collect();
                self.rules.add(options.join(" | "))
            }
            None if said.first("properties").is_some() => self.object(said, depth),
            None if said.first("items").is_some() => self.array(said, depth),
            _ => self.rules.any_value(2),
        }
    }

    fn of_type(&mut self, kind: &str, said: &Resolved<'s>, depth: usize) -> String {
        match kind {
            "object" => self.object(said, depth),
            "array" => self.array(said, depth),
            "string" => self.rules.string(count(said, "minLength").unwrap_or(0), count(said, "maxLength")),
            "integer" => self.integer(said),
            "number" => self.rules.number(),
            "boolean" => self.rules.add(r#""true" | "false""#.to_owned()),
            "null" => literal("null"),
            _ => self.rules.any_value(1),
        }
    }

    fn object(&mut self, said: &Resolved<'s>, depth: usize) -> String {
        let fields = Fields::of(said);
        let sayable = |name: &&str| name.len() <= MAX_NAME;
        if !fields.required.iter().all(sayable) || fields.required.len() > MAX_PROPERTIES {
            return self.rules.any_object(2);
        }
        let more = fields.more.iter().map(|more| self.value(std::slice::from_ref(more), depth - 1));
        let more: Vec<String> = more.collect();
        let more = (!more.is_empty()).then(|| self.rules.add(more.join(" | ")));
        if fields.named.is_empty() && fields.required.is_empty() {
            return match more {
                Some(value) => self.rules.map_of(&value),
                None if fields.is_closed => self.rules.add(r#""{}""#.to_owned()),
                None => self.rules.any_object(1),
            };
        }
        let nothing = Vec::new();
        let needed = fields.required.iter();
        let needed: Vec<String> =
            needed.map(|name| self.pair(name, fields.named.get(name).unwrap_or(&nothing), depth)).collect();
        let room = MAX_PROPERTIES - needed.len();
        let others = fields.named.iter();
        let others = others.filter(|(name, _)| name.len() <= MAX_NAME && !fields.required.contains(name));
        let optional: Vec<String> = others.take(room).map(|(name, said)| self.pair(name, said, depth)).collect();
        let more = more.map(|value| self.rules.pair_of(&value));
        self.members(&needed, &optional, more.as_deref())
    }

    /// `"name":value` as a rule.
    fn pair(&mut self, name: &str, schemas: &[&'s Value], depth: usize) -> String {
        let value = self.value(schemas, depth - 1);
        let key = literal(&format!("{}:", Value::from(name)));
        self.rules.add(format!("{key} {value}"))
    }

    /// An object with all of `needed`, then any of `optional`, in order, then as many of `more` as are wanted.
    fn members(&mut self, needed: &[String], optional: &[String], more: Option<&str>) -> String {
        let last = more.map(|pair| format!(" (\",\" {pair})*")).unwrap_or_default();
        let body = if needed.is_empty() {
            let mut starts: Vec<String> = more.map(|pair| format!("{pair}{last}")).into_iter().collect();
            let mut tail = last;
            for pair in optional.iter().rev() {
                starts.push(format!("{pair}{tail}"));
                tail = format!(" {}", self.rules.add(format!("(\",\" {pair})?{tail}")));
            }
            starts.reverse();
            format!("({})?", starts.join(" | "))
        } else {
            let tail: String = optional.iter().map(|pair| format!(" (\",\" {pair})?")).collect();
            format!("{}{tail}{last}", needed.join(" \",\" "))
        };
        self.rules.add(format!(r#""{{" {body} "}}""#))
    }

    fn array(&mut self, said: &Resolved<'s>, depth: usize) -> String {
        let items: Vec<&Value> = said.all("items").filter(|items| !items.is_boolean()).collect();
        let row: Vec<&Value> = said.all("prefixItems").filter_map(Value::as_array).flatten().take(MAX_ITEMS).collect();
        let mut kinds: Vec<String> = row.into_iter().map(|one| self.value(&[one], depth - 1)).collect();
        kinds.push(if items.is_empty() { self.rules.any_value(1) } else { self.value(&items, depth - 1) });
        kinds.dedup();
        let item = self.rules.add(kinds.join(" | "));
        let least = said
            .first("minItems")
            .and_then(Value::as_u64)
            .map_or(0, |least| usize::try_from(least).unwrap_or(usize::MAX));
        let most = count(said, "maxItems").unwrap_or(MAX_ITEMS).min(MAX_ITEMS);
        if most == 0 {
            return self.rules.add(r#""[]""#.to_owned());
        }
        // One that has to be longer than that is as long as its writer makes it.
        let repeated = match least > MAX_ITEMS {
            true => "*".to_owned(),
            false => format!("{{{},{}}}", least.min(most).saturating_sub(1), most - 1),
        };
        let more = format!(r#"{item} ("," {item}){repeated}"#);
        let body = if least == 0 { format!("({more})?") } else { more };
        self.rules.add(format!(r#""[" {body} "]""#))
    }

    fn integer(&mut self, said: &Resolved<'s>) -> String {
        let bound = |key: &str| said.first(key).and_then(Value::as_i64);
        let least = bound("minimum").or_else(|| bound("exclusiveMinimum").and_then(|least| least.checked_add(1)));
        let most = bound("maximum").or_else(|| bound("exclusiveMaximum").and_then(|most| most.checked_sub(1)));
        if let (Some(least), Some(most)) = (least, most)
            && (0..=32).contains(&most.saturating_sub(least))
        {
            let options: Vec<String> = (least..=most).map(|number| literal(&number.to_string())).collect();
            return self.rules.add(options.join(" | "));
        }
        let body = match least {
            Some(least) if least > 0 => r"[1-9] [0-9]{0,15}",
            Some(0) => r#""0" | [1-9] [0-9]{0,15}"#,
            _ => r#""-"? ("0" | [1-9] [0-9]{0,15})"#,
        };
        self.rules.add(body.to_owned())
    }

    fn constants(&mut self, options: &[&Value]) -> String {
        let written: Vec<String> = options.iter().map(ToString::to_string).collect();
        if written.len() > MAX_OPTIONS || written.iter().map(String::len).sum::<usize>() > 4000 {
            return self.rules.any_value(1);
        }
        let literals: Vec<String> = written.iter().map(|text| literal(text)).collect();
        self.rules.add(literals.join(" | "))
    }
}

/// What is said of the fields of an object.
struct Fields<'s> {
    /// By name, with all that is said of each.
    named: IndexMap<&'s str, Vec<&'s Value>>,
    required: Vec<&'s str>,
    /// What fields may be that have no name in the schema.
    more: Vec<&'s Value>,
    /// Whether there are no other fields.
    is_closed: bool,
}

impl<'s> Fields<'s> {
    fn of(said: &Resolved<'s>) -> Self {
        let mut named: IndexMap<&str, Vec<&Value>> = IndexMap::new();
        for (name, property) in said.all("properties").filter_map(Value::as_object).flatten() {
            named.entry(name.as_str()).or_default().push(property);
        }
        let mut required: Vec<&str> = Vec::new();
        for name in said.all("required").filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
            if !required.contains(&name) {
                required.push(name);
            }
        }
        // What a condition speaks of may be there, whatever it says of it: whether it holds is not known here.
        if !named.is_empty() || !required.is_empty() {
            for name in in_conditions(said) {
                named.entry(name).or_default();
            }
        }
        let others = said.all("additionalProperties");
        let (closed, others): (Vec<&Value>, Vec<&Value>) = others.partition(|others| **others == Value::Bool(false));
        let others = others.into_iter().filter(|others| others.is_object() && closed.is_empty());
        let patterns = said.all("patternProperties").filter_map(Value::as_object).flat_map(|all| all.values());
        Self { named, required, more: patterns.chain(others).collect(), is_closed: !closed.is_empty() }
    }

    fn says_nothing(&self) -> bool {
        self.named.is_empty() && self.required.is_empty() && self.more.is_empty()
    }
}

/// Names of fields in conditions and dependencies.
fn in_conditions<'s>(said: &Resolved<'s>) -> Vec<&'s str> {
    let one =
        ["if", "then", "else"].into_iter().flat_map(|key| said.parts.iter().filter_map(move |part| part.get(key)));
    let dependent = said.all("dependentSchemas").filter_map(Value::as_object).flat_map(|all| all.values());
    let mut names: Vec<&str> = Vec::new();
    for schema in one.chain(dependent) {
        names.extend(
            schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str()),
        );
        names.extend(schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str));
    }
    for (name, needs) in said.all("dependentRequired").filter_map(Value::as_object).flatten() {
        names.push(name.as_str());
        names.extend(needs.as_array().into_iter().flatten().filter_map(Value::as_str));
    }
    names
}

/// The lists of alternatives in parts of a schema.
fn ways_of<'s>(parts: &[&'s Value]) -> Vec<&'s [Value]> {
    let lists =
        parts.iter().flat_map(|part| ["anyOf", "oneOf"].into_iter().filter_map(|key| part.get(key)?.as_array()));
    lists.map(Vec::as_slice).collect()
}

/// The values that a schema names as the only ones, in all of its lists.
fn options_of<'s>(said: &Resolved<'s>) -> Option<Vec<&'s Value>> {
    if let Some(constant) = said.first("const") {
        return Some(vec![constant]);
    }
    let mut lists = said.all("enum").filter_map(Value::as_array).filter(|options| !options.is_empty());
    let first = lists.next()?;
    let others: Vec<&Vec<Value>> = lists.collect();
    let common: Vec<&Value> = first.iter().filter(|one| others.iter().all(|list| list.contains(one))).collect();
    Some(if common.is_empty() { first.iter().collect() } else { common })
}

/// A count that the server can repeat; anything else is as good as absent.
fn count(said: &Resolved<'_>, key: &str) -> Option<usize> {
    let number = said.first(key)?.as_u64()?;
    usize::try_from(number).ok().filter(|number| *number <= MAX_REPEAT)
}
