//! How much it takes to tell all that is wrong with a value.
//!
//! Whether a value holds is found by a look at each part of it. What is wrong with it is found by as many looks as there
//! are ways to a part: where a schema refers to itself in two ways at one place, twice as many with each level of the
//! value. A look that finds a fault may keep the whole value that it has looked at.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::refs::{Edge, Graph};

/// Values that are looked at, each with all that is in it and as often as it is looked at.
const MOST_LOOKED_AT: usize = 2_000_000;
/// Bytes of a text that count as much as a value.
const BYTES: usize = 64;

/// Schemas that look at a value, by their rank, and how often each does.
type Looks = BTreeMap<usize, usize>;

/// Where the schemas of a document lead, each by its rank: it is higher than that of all it leads to at the same value.
#[derive(Debug)]
pub(super) struct Effort {
    /// The rank of the whole.
    whole: usize,
    same_value: Vec<Vec<usize>>,
    below: Vec<Vec<(Part, usize)>>,
}

/// The parts of a value that a schema leads to.
#[derive(Debug)]
enum Part {
    Field(Box<str>),
    Item(usize),
    Each,
}

impl Effort {
    /// Keeps of a graph what is needed for any value. `order`: all its schemas, the inner first.
    pub(super) fn of(graph: &Graph<'_>, order: &[usize]) -> Self {
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, at)| ranks[*at] = rank);
        let part = |edge: &Edge<'_>| match edge {
            Edge::Field(name) => Some(Part::Field((*name).into())),
            Edge::Item(at) => Some(Part::Item(*at)),
            Edge::Each => Some(Part::Each),
            Edge::Same | Edge::Aside => None,
        };
        let same_value = |at: &usize| graph.same_value[*at].iter().map(|to| ranks[*to]).collect();
        let below =
            |at: &usize| graph.below[*at].iter().filter_map(|(edge, to)| Some((part(edge)?, ranks[*to]))).collect();
        Self {
            whole: ranks.first().copied().unwrap_or_default(),
            same_value: order.iter().map(same_value).collect(),
            below: order.iter().map(below).collect(),
        }
    }

    /// Whether it takes too long to tell all that is wrong with a value.
    pub(super) fn takes_too_long(&self, value: &Value) -> bool {
        if self.same_value.is_empty() {
            return false;
        }
        let mut weights = HashMap::new();
        weigh(value, &mut weights);
        let weight = |value: &Value| weights.get(&std::ptr::from_ref(value)).copied().unwrap_or(1);
        let (mut looked_at, mut open) = (0_usize, vec![(value, Looks::from([(self.whole, 1)]))]);
        while let Some((value, mut looks)) = open.pop() {
            let mut parts: HashMap<*const Value, (&Value, Looks)> = HashMap::new();
            // The outer first: how often an inner one looks at the value is known once all that lead to it were counted.
            while let Some((rank, times)) = looks.pop_last() {
                looked_at = looked_at.saturating_add(times.saturating_mul(weight(value)));
                if looked_at > MOST_LOOKED_AT {
                    return true;
                }
                for to in &self.same_value[rank] {
                    count(&mut looks, *to, times);
                }
                for (part, to) in &self.below[rank] {
                    for part in part.of(value) {
                        let (_, looks) = parts.entry(std::ptr::from_ref(part)).or_insert_with(|| (part, Looks::new()));
                        count(looks, *to, times);
                    }
                }
            }
            open.extend(parts.into_values());
        }
        false
    }
}

fn count(looks: &mut Looks, rank: usize, times: usize) {
    let so_far = looks.entry(rank).or_default();
    *so_far = so_far.saturating_add(times);
}

impl Part {
    /// These parts of a value.
    fn of<'v>(&'v self, value: &'v Value) -> Box<dyn Iterator<Item = &'v Value> + 'v> {
        match (self, value) {
            (Self::Field(name), Value::Object(fields)) => Box::new(fields.get(&**name).into_iter()),
            (Self::Item(at), Value::Array(items)) => Box::new(items.get(*at).into_iter()),
            (Self::Each, Value::Object(fields)) => Box::new(fields.values()),
            (Self::Each, Value::Array(items)) => Box::new(items.iter()),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// How much is in a value, and by address in each part of it that holds more than itself.
fn weigh(value: &Value, weights: &mut HashMap<*const Value, usize>) -> usize {
    let inside = match value {
        Value::String(text) => text.len() / BYTES,
        Value::Array(items) => items.iter().map(|item| weigh(item, weights)).sum(),
        Value::Object(fields) => fields.iter().map(|(name, part)| name.len() / BYTES + weigh(part, weights)).sum(),
        _ => 0,
    };
    if inside > 0 {
        weights.insert(std::ptr::from_ref(value), inside + 1);
    }
    inside + 1
}
