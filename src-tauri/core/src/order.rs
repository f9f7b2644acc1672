//! Sorting what is not worth a sort of its own.
//!
//! The library's sort is compiled anew for each type and each comparison, at five kilobytes of the program each. Here all
//! share one, which sorts places: for lists of a few hundred things, on which a person or a model waits anyway.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sorts as [`slice::sort_by`] does: what compares equal stays in its order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = places(items.len(), &|one, other| compare(&items[one], &items[other]));
    arrange(items, order);
}

/// Sorts as [`slice::sort_by_key`] does.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts as [`slice::sort`] does.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// A map of things, the last of each key: as `collect` makes it, which would sort them by a sort of its own.
pub fn map<K: Ord, V>(things: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(things);
    map
}

/// The places of so many things, in their order.
fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// Brings to each place what belongs there: `order` says where it stands.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for first in 0..order.len() {
        let mut place = first;
        // Round a circle of things that stand in each other's places; those that are done stand for themselves.
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == first {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn things_are_sorted_as_the_library_sorts_them(
            things in proptest::collection::vec((0_u8..6, any::<u16>()), 0..60),
        ) {
            let (mut ours, mut expected) = (things.clone(), things);
            let backwards = |one: &(u8, u16), other: &(u8, u16)| other.0.cmp(&one.0);
            sort_by(&mut ours, backwards);
            expected.sort_by(backwards);
            prop_assert_eq!(&ours, &expected);
            sort_by_key(&mut ours, |thing| thing.1);
            expected.sort_by_key(|thing| thing.1);
            prop_assert_eq!(&ours, &expected);
            sort(&mut ours);
            expected.sort();
            prop_assert_eq!(&ours, &expected);
            prop_assert_eq!(map(ours), expected.into_iter().collect::<BTreeMap<_, _>>());
        }
    }
}
