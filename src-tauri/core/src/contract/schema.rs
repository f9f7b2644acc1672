//! A JSON Schema (draft 2020-12), compiled once and checked many times.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::LocationSegment;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};
use thiserror::Error;

use super::address::is_address;
use super::bounds::{by_places, comes_to_an_end, within_bounds};
use super::defaults::filled;
use super::effort::Effort;
use super::top::required_of;
use super::{Fault, PathPart, Stage};

/// Faults of one instance that are told, and those among which another of the same object is looked for.
const MOST_FAULTS: usize = 1_000;
const NEAR: usize = 64;

/// Names of fields that are told in a sentence, and of those that were given; characters of a name, a list of options or a
/// sentence.
const MOST_NAMES: usize = 20;
const MOST_PROVIDED: usize = 200;
const MOST_CHARS: usize = 300;

/// Bytes that a pattern may take once it is compiled, and steps back of a look at one text.
const MOST_PATTERN_BYTES: usize = 2 << 20;
const MOST_STEPS_BACK: usize = 100_000;

/// Schemas that this program has compiled.
static COMPILED: AtomicUsize = AtomicUsize::new(0);

/// How many schemas this program has compiled so far. Nothing is decided by it: tests show by it that a call compiles none.
pub fn compilations() -> usize {
    COMPILED.load(Ordering::Relaxed)
}

/// A schema that cannot be used: not a schema of the draft, or one that points outside itself.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the schema cannot be used: {message}")]
pub struct UnusableSchema {
    /// What the compiler says.
    pub message: String,
    /// Where in the schema.
    pub place: String,
}

/// A compiled schema, cheap to clone.
#[derive(Clone)]
pub struct Schema {
    source: Arc<Value>,
    validator: Arc<Validator>,
    effort: Arc<Effort>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Schema").field(&self.source).finish()
    }
}

impl Schema {
    /// Compiles a schema. `format` is asserted, `uri` as people write addresses; a `$ref` that leaves the document is
    /// refused, and so are references that come back to where they began.
    ///
    /// # Errors
    /// [`UnusableSchema`] when the value is not a schema of draft 2020-12, refers to another document, or is endless.
    pub fn compile(source: Value) -> Result<Self, UnusableSchema> {
        let effort = comes_to_an_end(&source)?;
        COMPILED.fetch_add(1, Ordering::Relaxed);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_format("uri", is_address)
            .with_pattern_options(
                PatternOptions::fancy_regex().size_limit(MOST_PATTERN_BYTES).backtrack_limit(MOST_STEPS_BACK),
            )
            .offline()
            .build(&source)
            .map_err(|error| UnusableSchema {
                message: error.to_string(),
                place: error.instance_path().as_str().to_owned(),
            })?;
        Ok(Self { source: Arc::new(source), validator: Arc::new(validator), effort: Arc::new(effort) })
    }

    /// The schema as it was written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The names that the schema requires of its object, also by what it refers to at its top and by its `allOf`.
    pub fn required(&self) -> Vec<String> {
        required_of(&self.source)
    }

    /// Compiles a schema of unknown origin: one that is not too large, too deep, or dependent on another document. What it
    /// holds then is the same schema with its references written as places in it.
    ///
    /// # Errors
    /// As [`Schema::compile`], and what is out of bounds.
    pub fn compile_foreign(source: Value) -> Result<Self, UnusableSchema> {
        within_bounds(&source)?;
        Self::compile(by_places(source)?)
    }

    /// Whether an instance holds, without saying why not. One of which that takes too long to find out does not.
    pub fn is_valid(&self, instance: &Value) -> bool {
        !(self.effort.multiplies() && self.effort.takes_too_long(instance)) && self.validator.is_valid(instance)
    }

    /// Everything that does not hold, missing fields of one object as one fault. Values are never quoted. Where it would
    /// take too long to find all of it, that something does not hold is all that is told.
    pub fn check(&self, instance: &Value, stage: Stage) -> Vec<Fault> {
        // The only question whose answer takes no longer where a schema refers to itself in several ways: what was found of
        // such a value is remembered.
        if self.is_valid(instance) {
            return Vec::new();
        }
        if self.effort.takes_too_long(instance) {
            let message = "it does not fit; it is too large or too deep to tell what of it does not";
            return vec![Fault::new(stage, message).hint("Give less at once, or with fewer levels.")];
        }
        let mut faults: Vec<Fault> = Vec::new();
        for error in self.validator.iter_errors(instance).take(MOST_FAULTS) {
            let fault = fault_of(&error, stage, &self.source);
            if faults.iter().rev().take(NEAR).any(|seen| *seen == fault) {
                continue;
            }
            // What one object lacks comes in a row.
            let twin = faults.iter_mut().rev().take(NEAR).find(|seen| is_twin(seen, &fault));
            match twin {
                Some(seen) => {
                    // Two parts of a schema may ask for the same.
                    let more: Vec<String> =
                        fault.missing.into_iter().filter(|name| !seen.missing.contains(name)).collect();
                    seen.missing.extend(more);
                }
                None => faults.push(fault),
            }
        }
        for fault in &mut faults {
            complete(fault, instance);
            shorten(&mut fault.path);
        }
        faults
    }

    /// The instance with the defaults of absent properties filled in, also in the objects that are there, and those that the
    /// schema refers to by a place. An object that lacks a required property all the same stays unchanged, so that a fault
    /// lists what the caller really gave.
    pub fn with_defaults(&self, instance: Value) -> Value {
        filled(&self.source, instance)
    }
}

fn is_twin(seen: &Fault, fault: &Fault) -> bool {
    !seen.missing.is_empty() && !fault.missing.is_empty() && seen.path == fault.path
}

fn fault_of(error: &ValidationError<'_>, stage: Stage, schema: &Value) -> Fault {
    let path: Vec<PathPart> = error
        .instance_path()
        .segments()
        .map(|segment| match segment {
            LocationSegment::Property(name) => PathPart::Key(name.into_owned()),
            LocationSegment::Index(index) => PathPart::Index(index),
        })
        .collect();
    let mut fault = Fault::new(stage, said(error, "the value"));
    fault.path = path;
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            fault.missing = vec![property.as_str().map_or_else(|| property.to_string(), str::to_owned)];
        }
        ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::UnevaluatedProperties { .. } => {
            fault.hint = "Leave these out.".to_owned();
        }
        ValidationErrorKind::Enum { options } => {
            fault.hint = format!("Use one of {}.", beginning(&options.to_string()))
        }
        ValidationErrorKind::MinItems { limit } => fault.hint = format!("Give at least {limit} of them."),
        ValidationErrorKind::Contains => {
            fault.hint = wanted(error, schema).map_or_else(|| "Add it.".to_owned(), |text| format!("Add {text}."));
        }
        ValidationErrorKind::Not { schema } => {
            fault.hint = format!("Give one that does not fit {}.", beginning(&schema.to_string()));
        }
        ValidationErrorKind::PropertyNames { .. } => fault.hint = "Give that field another name.".to_owned(),
        ValidationErrorKind::Type { .. } => fault.hint = "Give a value of that type.".to_owned(),
        _ => fault.hint = "Correct this value.".to_owned(),
    }
    fault
}

/// What is wrong in a sentence of a bounded length, in which `of` stands for what was looked at.
fn said(error: &ValidationError<'_>, of: &str) -> String {
    let text = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            format!("'{name}' is a required property")
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            return format!("unexpected: {}", some(unexpected));
        }
        ValidationErrorKind::Contains => "an item that has to be among them is not".to_owned(),
        // The validator would write the whole schema here, and the name there.
        ValidationErrorKind::Not { .. } => format!("{of} is what it must not be"),
        ValidationErrorKind::PropertyNames { error } => {
            format!("a field has a name that it must not have: {}", said(error, "the name"))
        }
        _ => error.masked_with(of).to_string(),
    };
    beginning(&text)
}

/// What the items have to contain, in the words of the schema: its `title`, else the fields that it fixes.
fn wanted(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    let contains = schema.pointer(error.schema_path().as_str())?;
    if let Some(title) = contains.get("title").and_then(Value::as_str) {
        return Some(beginning(title));
    }
    let fields = contains.get("properties")?.as_object()?;
    let fixed = fields.iter().filter_map(|(name, field)| Some(format!("{name} {}", field.get("const")?)));
    let fixed: Vec<String> = fixed.collect();
    (!fixed.is_empty()).then(|| format!("an item with {}", beginning(&fixed.join(" and "))))
}

fn some(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| beginning(name)).collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Fills in what the faults of an object's missing fields say about that object.
fn complete(fault: &mut Fault, instance: &Value) {
    if fault.missing.is_empty() {
        return;
    }
    let object: Option<&Map<String, Value>> = at(instance, &fault.path).and_then(Value::as_object);
    let provided = object.into_iter().flat_map(Map::keys).take(MOST_PROVIDED);
    fault.provided = provided.map(|name| beginning(name)).collect();
    fault.hint = format!("Please provide all required fields: {}", some(&fault.missing));
}

/// The place of a fault with no more of a long name than tells it from others.
fn shorten(path: &mut [PathPart]) {
    for part in path {
        if let PathPart::Key(name) = part {
            *name = beginning(name);
        }
    }
}

fn at<'a>(instance: &'a Value, path: &[PathPart]) -> Option<&'a Value> {
    path.iter().try_fold(instance, |value, part| match part {
        PathPart::Index(index) => value.get(index),
        PathPart::Key(key) => value.get(key),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Fault, Schema, Stage};

    fn schema() -> Schema {
        Schema::compile(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "depth": {"type": "integer", "minimum": 0, "default": 3},
                "kind": {"enum": ["file", "folder"]}
            },
            "required": ["path", "kind"],
            "additionalProperties": false
        }))
        .unwrap()
    }

    #[test]
    fn missing_fields_are_one_fault_that_names_them_all() {
        let faults = schema().check(&json!({"depth": 1}), Stage::ToolArguments);
        let expected = Fault {
            missing: vec!["path".into(), "kind".into()],
            provided: vec!["depth".into()],
            ..Fault::new(Stage::ToolArguments, "'path' is a required property")
                .hint("Please provide all required fields: path, kind")
        };
        assert_eq!(faults, [expected]);
    }

    #[test]
    fn a_fault_has_its_place_and_never_the_value() {
        let faults = schema().check(&json!({"path": "x", "kind": "s3cret-value", "depth": -1}), Stage::InputContract);
        let places: Vec<String> = faults.iter().map(Fault::place).collect();
        assert_eq!(places.len(), 2);
        assert!(places.contains(&"kind".to_owned()) && places.contains(&"depth".to_owned()));
        assert!(faults.iter().all(|fault| !fault.to_string().contains("s3cret")));
    }

    #[test]
    fn defaults_are_filled_only_when_nothing_required_is_missing() {
        assert_eq!(
            schema().with_defaults(json!({"path": "x", "kind": "file"})),
            json!({"path": "x", "kind": "file", "depth": 3})
        );
        assert_eq!(schema().with_defaults(json!({"path": "x"})), json!({"path": "x"}));
    }

    #[test]
    fn a_schema_that_points_elsewhere_is_refused() {
        let refused = Schema::compile(json!({"$ref": "https://example.com/other.json"}));
        assert!(refused.is_err());
        assert!(Schema::compile(json!({"type": "no such type"})).is_err());
    }
}
