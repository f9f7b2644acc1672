//! From a JSON Schema to rules: a subset that is exact where small models need it, and wider everywhere else.
//!
//! Exact: types, enumerations, constants, required and optional properties, bounds of short strings and small ranges,
//! items, local references, alternatives. Left out, to be checked afterwards: patterns, formats, `not`, conditions,
//! dependencies, uniqueness. Depth and number of nodes are bounded, so that neither recursion nor size matters.

use serde_json::{Map, Value};

use super::{MAX_REPEAT, Rules, literal};

const MAX_DEPTH: usize = 8;
const MAX_NODES: usize = 400;
const MAX_PROPERTIES: usize = 40;
const MAX_OPTIONS: usize = 100;
const MAX_NAME: usize = 100;
const MAX_ITEMS: usize = 64;

/// The rule of a whole schema.
pub(super) fn compile(rules: &mut Rules, schema: &Value) -> String {
    Compiler { rules, root: schema, nodes: MAX_NODES }.value(schema, MAX_DEPTH)
}

/// The rule of a tool's arguments: always an object, the empty one where nothing is declared.
pub(super) fn compile_object(rules: &mut Rules, schema: &Value) -> String {
    let mut compiler = Compiler { rules, root: schema, nodes: MAX_NODES };
    let Some(fields) = compiler.resolve(schema).and_then(Value::as_object) else {
        return compiler.rules.any_object(2);
    };
    if let Some(parts) = fields.get("allOf").and_then(Value::as_array) {
        let merged = compiler.merge(fields, parts);
        return compiler.object(&merged, MAX_DEPTH);
    }
    let declares = |key: &str| fields.contains_key(key);
    if declares("anyOf") || declares("oneOf") {
        return compiler.rules.any_object(2);
    }
    let nothing = fields.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    if nothing && !declares("required") && !fields.get("additionalProperties").is_some_and(Value::is_object) {
        return compiler.rules.add(r#""{}""#.to_owned());
    }
    compiler.object(fields, MAX_DEPTH)
}

struct Compiler<'a> {
    rules: &'a mut Rules,
    root: &'a Value,
    nodes: usize,
}

impl Compiler<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> String {
        if depth == 0 || self.nodes == 0 {
            return self.rules.any_value(1);
        }
        self.nodes -= 1;
        let Some(schema) = self.resolve(schema) else {
            return self.rules.any_value(2);
        };
        let Some(fields) = schema.as_object() else {
            return self.rules.any_value(2);
        };
        if let Some(constant) = fields.get("const") {
            return self.constants(std::slice::from_ref(constant));
        }
        if let Some(options) = fields.get("enum").and_then(Value::as_array)
            && !options.is_empty()
        {
            return self.constants(options);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(options) = fields.get(key).and_then(Value::as_array) {
                return self.alternatives(options, depth);
            }
        }
        if let Some(parts) = fields.get("allOf").and_then(Value::as_array) {
            let merged = self.merge(fields, parts);
            return self.typed(&merged, depth);
        }
        self.typed(fields, depth)
    }

    fn typed(&mut self, fields: &Map<String, Value>, depth: usize) -> String {
        match fields.get("type") {
            Some(Value::String(kind)) => self.of_type(kind, fields, depth),
            Some(Value::Array(kinds)) if (1..=7).contains(&kinds.len()) => {
                let options: Vec<String> =
                    kinds.iter().filter_map(Value::as_str).map(|kind| self.of_type(kind, fields, depth)).collect();
                self.rules.add(options.join(" | "))
            }
            _ if fields.contains_key("properties") => self.object(fields, depth),
            _ if fields.contains_key("items") => self.array(fields, depth),
            _ => self.rules.any_value(2),
        }
    }

    fn of_type(&mut self, kind: &str, fields: &Map<String, Value>, depth: usize) -> String {
        match kind {
            "object" => self.object(fields, depth),
            "array" => self.array(fields, depth),
            "string" => {
                let least = count(fields, "minLength").unwrap_or(0);
                self.rules.string(least, count(fields, "maxLength"))
            }
            "integer" => self.integer(fields),
            "number" => self.rules.number(),
            "boolean" => self.rules.add(r#""true" | "false""#.to_owned()),
            "null" => literal("null"),
            _ => self.rules.any_value(1),
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> String {
        let empty = Map::new();
        let properties = fields.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required: Vec<&str> =
            fields.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let sayable = |name: &&str| name.len() <= MAX_NAME;
        if !required.iter().all(sayable) || required.len() > MAX_PROPERTIES {
            return self.rules.any_object(2);
        }
        if properties.is_empty() && required.is_empty() {
            return match fields.get("additionalProperties") {
                Some(Value::Bool(false)) => self.rules.add(r#""{}""#.to_owned()),
                Some(values @ Value::Object(_)) => {
                    let value = self.value(values, depth - 1);
                    self.rules.map_of(&value)
                }
                _ => self.rules.any_object(1),
            };
        }
        let needed: Vec<String> =
            required.iter().map(|name| self.pair(name, properties.get(*name).unwrap_or(&Value::Null), depth)).collect();
        let room = MAX_PROPERTIES - needed.len();
        let others = properties.iter().filter(|(name, _)| name.len() <= MAX_NAME && !required.contains(&name.as_str()));
        let optional: Vec<String> = others.take(room).map(|(name, schema)| self.pair(name, schema, depth)).collect();
        self.members(&needed, &optional)
    }

    /// `"name":value` as a rule.
    fn pair(&mut self, name: &str, schema: &Value, depth: usize) -> String {
        let value = self.value(schema, depth - 1);
        let key = literal(&format!("{}:", Value::from(name)));
        self.rules.add(format!("{key} {value}"))
    }

    /// An object with all of `needed`, then any of `optional`, in order.
    fn members(&mut self, needed: &[String], optional: &[String]) -> String {
        let body = if needed.is_empty() {
            let mut starts = Vec::with_capacity(optional.len());
            let mut tail = String::new();
            for pair in optional.iter().rev() {
                starts.push(format!("{pair}{tail}"));
                tail = format!(" {}", self.rules.add(format!("(\",\" {pair})?{tail}")));
            }
            starts.reverse();
            format!("({})?", starts.join(" | "))
        } else {
            let tail: String = optional.iter().map(|pair| format!(" (\",\" {pair})?")).collect();
            format!("{}{tail}", needed.join(" \",\" "))
        };
        self.rules.add(format!(r#""{{" {body} "}}""#))
    }

    fn array(&mut self, fields: &Map<String, Value>, depth: usize) -> String {
        let item = match fields.get("items") {
            Some(items) if !fields.contains_key("prefixItems") => self.value(items, depth - 1),
            _ => self.rules.any_value(1),
        };
        let most = count(fields, "maxItems").unwrap_or(MAX_ITEMS).min(MAX_ITEMS);
        let least = count(fields, "minItems").unwrap_or(0).min(most);
        if most == 0 {
            return self.rules.add(r#""[]""#.to_owned());
        }
        let more = format!(r#"{item} ("," {item}){{{},{}}}"#, least.saturating_sub(1), most - 1);
        let body = if least == 0 { format!("({more})?") } else { more };
        self.rules.add(format!(r#""[" {body} "]""#))
    }

    fn integer(&mut self, fields: &Map<String, Value>) -> String {
        let bound = |key: &str| fields.get(key).and_then(Value::as_i64);
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

    fn alternatives(&mut self, options: &[Value], depth: usize) -> String {
        if options.is_empty() || options.len() > MAX_OPTIONS {
            return self.rules.any_value(2);
        }
        let compiled: Vec<String> = options.iter().map(|option| self.value(option, depth - 1)).collect();
        self.rules.add(compiled.join(" | "))
    }

    fn constants(&mut self, options: &[Value]) -> String {
        let written: Vec<String> = options.iter().map(Value::to_string).collect();
        if written.len() > MAX_OPTIONS || written.iter().map(String::len).sum::<usize>() > 4000 {
            return self.rules.any_value(1);
        }
        let literals: Vec<String> = written.iter().map(|text| literal(text)).collect();
        self.rules.add(literals.join(" | "))
    }

    /// One level of `allOf`: the properties and requirements of all parts together.
    fn merge(&self, fields: &Map<String, Value>, parts: &[Value]) -> Map<String, Value> {
        let mut merged = fields.clone();
        merged.remove("allOf");
        for part in parts.iter().take(MAX_OPTIONS).filter_map(|part| self.resolve(part)?.as_object()) {
            for (key, value) in part {
                match (merged.get_mut(key), value) {
                    (Some(Value::Object(known)), Value::Object(more)) => {
                        known.extend(more.iter().map(|(name, schema)| (name.clone(), schema.clone())));
                    }
                    (Some(Value::Array(known)), Value::Array(more)) => {
                        let fresh: Vec<Value> = more.iter().filter(|item| !known.contains(item)).cloned().collect();
                        known.extend(fresh);
                    }
                    (Some(_), _) => {}
                    (None, value) => {
                        merged.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        merged
    }

    /// Follows references inside the document; `None` where one leads nowhere, in a circle or elsewhere.
    fn resolve<'b>(&self, schema: &'b Value) -> Option<&'b Value>
    where
        Self: 'b,
    {
        let mut at = schema;
        for _ in 0..MAX_DEPTH {
            let Some(reference) = at.get("$ref") else {
                return Some(at);
            };
            let pointer = reference.as_str()?.strip_prefix('#')?;
            at = self.root.pointer(pointer)?;
        }
        None
    }
}

/// A count that the server can repeat; anything else is as good as absent.
fn count(fields: &Map<String, Value>, key: &str) -> Option<usize> {
    let number = fields.get(key)?.as_u64()?;
    usize::try_from(number).ok().filter(|number| *number <= MAX_REPEAT)
}
