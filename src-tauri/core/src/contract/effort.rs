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
/// As often as this at most, a schema that counts as plain looks at one part of a value; and so many values it is given
/// without a count of its looks.
const FEW: usize = 8;
const SMALL: usize = MOST_LOOKED_AT / FEW / 8;

/// Schemas that look at a value, by their rank, and how often each does.
type Looks = BTreeMap<usize, usize>;

/// Where the schemas of a document lead, each by its rank: it is higher than that of all it leads to at the same value.
#[derive(Debug)]
pub(super) struct Effort {
    /// The rank of the whole.
    whole: usize,
    same_value: Vec<Vec<usize>>,
    below: Vec<Vec<(Part, usize)>>,
    /// Whether a part of a value may be looked at more often than [`FEW`] times without a schema that comes back to itself.
    multiplies: bool,
    /// Whether no part of any value is: then it takes as long as the value is large.
    is_plain: bool,
}

/// The parts of a value that a schema leads to.
#[derive(Debug, PartialEq, Eq, Hash)]
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
        let mut effort = Self {
            whole: ranks.first().copied().unwrap_or_default(),
            same_value: order.iter().map(same_value).collect(),
            below: order.iter().map(below).collect(),
            multiplies: false,
            is_plain: false,
        };
        let (inner_first, comes_back) = effort.inner_first();
        effort.multiplies = effort.leads_there_often(&inner_first);
        effort.is_plain = !comes_back && !effort.multiplies;
        effort
    }

    /// Whether some part of a value may be looked at many times even where no schema comes back to itself: then each look at
    /// it is one anew, also where it is only asked whether the value holds.
    pub(super) fn multiplies(&self) -> bool {
        self.multiplies
    }

    /// Whether some schema leads to one part of a value in more than a few ways. Where one comes back to itself, its way
    /// ends.
    fn leads_there_often(&self, inner_first: &[usize]) -> bool {
        let mut place = vec![0; inner_first.len()];
        inner_first.iter().enumerate().for_each(|(at, schema)| place[*schema] = at);
        let mut most = vec![1_usize; inner_first.len()];
        for at in inner_first.iter().copied() {
            let (mut looks, mut times_in_all) = (Looks::from([(at, 1)]), 0_usize);
            let mut parts: HashMap<&Part, usize> = HashMap::new();
            while let Some((rank, times)) = looks.pop_last() {
                times_in_all = times_in_all.saturating_add(times);
                if times_in_all > FEW {
                    return true;
                }
                for to in &self.same_value[rank] {
                    count(&mut looks, *to, times);
                }
                for (part, to) in &self.below[rank] {
                    let of_it = if place[*to] < place[at] { most[*to] } else { 1 };
                    let so_far = parts.entry(part).or_default();
                    *so_far = so_far.saturating_add(times.saturating_mul(of_it));
                }
            }
            let each = parts.remove(&Part::Each).unwrap_or_default();
            let of_parts = parts.into_values().max().unwrap_or_default().saturating_add(each);
            most[at] = times_in_all.max(of_parts);
            if most[at] > FEW {
                return true;
            }
        }
        false
    }

    /// All schemas, each after those that it leads to at any value, and whether one comes back to itself.
    fn inner_first(&self) -> (Vec<usize>, bool) {
        let leads_to = |at: usize| {
            let all = self.same_value[at].iter().copied().chain(self.below[at].iter().map(|(_, to)| *to));
            all.collect::<Vec<usize>>()
        };
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            Not,
            Open,
            Done,
        }
        let (mut seen, mut order) = (vec![Seen::Not; self.below.len()], Vec::with_capacity(self.below.len()));
        let mut comes_back = false;
        for first in (0..self.below.len()).rev() {
            let mut open = vec![(first, None)];
            while let Some((at, left)) = open.pop() {
                let mut left: Vec<usize> = match left {
                    Some(left) => left,
                    None if seen[at] == Seen::Not => leads_to(at),
                    None => {
                        comes_back |= seen[at] == Seen::Open;
                        continue;
                    }
                };
                seen[at] = Seen::Open;
                match left.pop() {
                    Some(next) => open.extend([(at, Some(left)), (next, None)]),
                    None => {
                        seen[at] = Seen::Done;
                        order.push(at);
                    }
                }
            }
        }
        (order, comes_back)
    }

    /// Whether it takes too long to tell all that is wrong with a value.
    pub(super) fn takes_too_long(&self, value: &Value) -> bool {
        if self.same_value.is_empty() || (self.is_plain && weigh(value, &mut |_, _| ()) <= SMALL) {
            return false;
        }
        let mut weights = HashMap::new();
        weigh(value, &mut |part, weight| {
            weights.insert(std::ptr::from_ref(part), weight);
        });
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

/// How much is in a value, itself included; `holds` is told of each part that holds more than itself, and of how much.
fn weigh<'v>(value: &'v Value, holds: &mut impl FnMut(&'v Value, usize)) -> usize {
    let inside = match value {
        Value::String(text) => text.len() / BYTES,
        Value::Array(items) => items.iter().map(|item| weigh(item, holds)).sum(),
        Value::Object(fields) => fields.iter().map(|(name, part)| name.len() / BYTES + weigh(part, holds)).sum(),
        _ => 0,
    };
    if inside > 0 {
        holds(value, inside + 1);
    }
    inside + 1
}
