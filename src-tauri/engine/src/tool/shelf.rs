//! Things by their names, of which more come while others are in use. What was handed out stays where it is: nothing
//! that stands here is moved or dropped before the whole is; what was taken off is only not found any more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;

/// The things: those from the beginning, then those of each owner, in the order in which they came.
pub(crate) struct Shelf<T> {
    first: IndexMap<String, T>,
    added: OnceLock<Box<Added<T>>>,
}

/// What came with one owner.
struct Added<T> {
    owner: String,
    things: IndexMap<String, T>,
    gone: AtomicBool,
    next: OnceLock<Box<Added<T>>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { first: IndexMap::new(), added: OnceLock::new() }
    }
}

impl<T> FromIterator<(String, T)> for Shelf<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(things: I) -> Self {
        Self { first: things.into_iter().collect(), added: OnceLock::new() }
    }
}

impl<T> Shelf<T> {
    /// What stands here from the beginning.
    pub(crate) fn first_mut(&mut self) -> &mut IndexMap<String, T> {
        &mut self.first
    }

    /// The thing of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.first.get(name).or_else(|| self.here().find_map(|added| added.things.get(name)))
    }

    /// The place of a name among all that ever came, which what goes does not change.
    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.first.get_index_of(name).or_else(|| {
            let mut before = self.first.len();
            self.all().find_map(|added| {
                let place = added.things.get_index_of(name).filter(|_| added.is_here());
                let index = place.map(|place| before + place);
                before += added.things.len();
                index
            })
        })
    }

    /// All things.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.first.values().chain(self.here().flat_map(|added| added.things.values()))
    }

    /// Whether a name is taken by somebody else than this owner.
    pub(crate) fn is_taken(&self, name: &str, owner: &str) -> bool {
        let mut others = self.here().filter(|added| added.owner != owner);
        self.first.contains_key(name) || others.any(|added| added.things.contains_key(name))
    }

    /// Puts an owner's things here in the place of what they had, and gives the names of that. No name that stays is
    /// ever missing meanwhile.
    pub(crate) fn put(&self, owner: &str, things: IndexMap<String, T>) -> Vec<String> {
        let before: Vec<&Added<T>> = self.here().filter(|added| added.owner == owner).collect();
        self.append(owner, things);
        take_off(before.into_iter())
    }

    fn append(&self, owner: &str, things: IndexMap<String, T>) {
        let (gone, next) = (AtomicBool::new(false), OnceLock::new());
        let mut coming = Box::new(Added { owner: owner.to_owned(), things, gone, next });
        let mut place = &self.added;
        loop {
            while let Some(added) = place.get() {
                place = &added.next;
            }
            // Somebody else may have put something there meanwhile; then it comes after that.
            match place.set(coming) {
                Ok(()) => return,
                Err(back) => coming = back,
            }
        }
    }

    /// Takes an owner's things off, and gives their names.
    pub(crate) fn take(&self, owner: &str) -> Vec<String> {
        take_off(self.here().filter(|added| added.owner == owner))
    }

    /// A number that is another one after anything has come or gone.
    pub(crate) fn revision(&self) -> usize {
        self.all().map(|added| if added.is_here() { 1 } else { 2 }).sum()
    }

    fn all(&self) -> impl Iterator<Item = &Added<T>> {
        std::iter::successors(self.added.get(), |added| added.next.get()).map(Box::as_ref)
    }

    fn here(&self) -> impl Iterator<Item = &Added<T>> {
        self.all().filter(|added| added.is_here())
    }
}

impl<T> Added<T> {
    fn is_here(&self) -> bool {
        !self.gone.load(Ordering::Acquire)
    }
}

fn take_off<'a, T: 'a>(all: impl Iterator<Item = &'a Added<T>>) -> Vec<String> {
    let mut names = Vec::new();
    for added in all {
        if !added.gone.swap(true, Ordering::AcqRel) {
            names.extend(added.things.keys().cloned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::Shelf;

    fn things(names: &[&str]) -> indexmap::IndexMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), name.to_uppercase())).collect()
    }

    #[test]
    fn what_was_handed_out_stays_while_others_come_and_go() {
        let shelf: Shelf<String> = things(&["a", "b"]).into_iter().collect();
        let held = shelf.get("b").unwrap();
        shelf.put("one", things(&["c", "d"]));
        shelf.put("two", things(&["e"]));
        let there = |shelf: &Shelf<String>| shelf.values().map(String::as_str).collect::<Vec<_>>().join("");
        assert_eq!((there(&shelf).as_str(), shelf.index_of("e")), ("ABCDE", Some(4)));
        let before = shelf.revision();
        let also_held = shelf.get("c").unwrap();
        assert_eq!(shelf.take("one"), ["c", "d"]);
        assert_eq!((there(&shelf).as_str(), shelf.get("c"), shelf.index_of("c")), ("ABE", None, None));
        assert_eq!((held.as_str(), also_held.as_str(), shelf.index_of("e")), ("B", "C", Some(4)));
        assert!(shelf.revision() > before);
        let before = shelf.revision();
        assert_eq!(shelf.take("one"), Vec::<String>::new());
        assert_eq!(shelf.revision(), before);
        shelf.put("one", things(&["c"]));
        assert_eq!((there(&shelf).as_str(), shelf.index_of("c")), ("ABEC", Some(5)));
    }

    #[test]
    fn what_an_owner_puts_takes_the_place_of_what_they_had() {
        let shelf: Shelf<String> = things(&["a"]).into_iter().collect();
        shelf.put("one", things(&["b", "c"]));
        shelf.put("two", things(&["d"]));
        let held = shelf.get("b").unwrap();
        assert!(shelf.is_taken("d", "one") && shelf.is_taken("a", "one") && !shelf.is_taken("b", "one"));
        let before = shelf.revision();
        assert_eq!(shelf.put("one", things(&["c", "e"])), ["b", "c"]);
        let there: Vec<&str> = shelf.values().map(String::as_str).collect();
        assert_eq!((there, held.as_str(), shelf.get("b")), (vec!["A", "D", "C", "E"], "B", None));
        assert!(shelf.revision() > before);
    }

    #[test]
    fn several_may_put_at_once() {
        let shelf = Shelf::<String>::default();
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                let shelf = &shelf;
                scope.spawn(move || drop(shelf.put(name, things(&[name]))));
            }
        });
        assert_eq!(shelf.values().count(), 4);
    }
}
