//! Things by their names, of which more come while others are in use. What was handed out stays where it is: nothing
//! that stands here is moved or dropped before the whole is; what was taken off is only not found any more. So what comes
//! again as it was stays what it is, and only what is another takes room.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use indexmap::IndexMap;

/// The things: those from the beginning, then those of each owner, in the order in which they came.
pub(crate) struct Shelf<T> {
    first: IndexMap<String, T>,
    added: OnceLock<Box<Added<T>>>,
    /// How often something has come or gone.
    changes: AtomicUsize,
}

/// What came at once with one owner.
struct Added<T> {
    owner: String,
    things: IndexMap<String, Thing<T>>,
    next: OnceLock<Box<Added<T>>>,
}

struct Thing<T> {
    it: T,
    gone: AtomicBool,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self::from_iter([])
    }
}

impl<T> FromIterator<(String, T)> for Shelf<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(things: I) -> Self {
        Self { first: things.into_iter().collect(), added: OnceLock::new(), changes: AtomicUsize::new(0) }
    }
}

impl<T> Shelf<T> {
    /// What stands here from the beginning.
    pub(crate) fn first_mut(&mut self) -> &mut IndexMap<String, T> {
        &mut self.first
    }

    /// The thing of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.first.get(name).or_else(|| self.all().find_map(|added| added.here(name)))
    }

    /// The place of a name among all that ever came, which what goes does not change.
    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.first.get_index_of(name).or_else(|| {
            let mut before = self.first.len();
            self.all().find_map(|added| {
                let place = added.things.get_index_of(name).filter(|_| added.here(name).is_some());
                let index = place.map(|place| before + place);
                before += added.things.len();
                index
            })
        })
    }

    /// All things.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        let added = self.all().flat_map(|added| added.things.values());
        self.first.values().chain(added.filter(|thing| thing.is_here()).map(|thing| &thing.it))
    }

    /// Whether a name is taken by somebody else than this owner.
    pub(crate) fn is_taken(&self, name: &str, owner: &str) -> bool {
        let mut others = self.all().filter(|added| added.owner != owner);
        self.first.contains_key(name) || others.any(|added| added.here(name).is_some())
    }

    /// Puts an owner's things here in the place of what they had. What they had already and is the `same` stays as it
    /// is. Gives the names of what went and of what came; one that is another now is in both. No name that stays is ever
    /// missing meanwhile.
    pub(crate) fn put(
        &self,
        owner: &str,
        mut things: IndexMap<String, T>,
        same: impl Fn(&T, &T) -> bool,
    ) -> (Vec<String>, Vec<String>) {
        let before: Vec<(&String, &Thing<T>)> = self.of(owner).collect();
        let mut going = Vec::new();
        for (name, thing) in before {
            match things.get(name) {
                Some(coming) if same(&thing.it, coming) => drop(things.shift_remove(name)),
                _ => going.push((name, thing)),
            }
        }
        let come: Vec<String> = things.keys().cloned().collect();
        if !things.is_empty() {
            self.append(owner, things);
        }
        (self.take_off(going), come)
    }

    fn append(&self, owner: &str, things: IndexMap<String, T>) {
        let thing = |it: T| Thing { it, gone: AtomicBool::new(false) };
        let things = things.into_iter().map(|(name, it)| (name, thing(it))).collect();
        let mut coming = Box::new(Added { owner: owner.to_owned(), things, next: OnceLock::new() });
        let mut place = &self.added;
        loop {
            while let Some(added) = place.get() {
                place = &added.next;
            }
            // Somebody else may have put something there meanwhile; then it comes after that.
            match place.set(coming) {
                Ok(()) => break,
                Err(back) => coming = back,
            }
        }
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes an owner's things off, and gives their names.
    pub(crate) fn take(&self, owner: &str) -> Vec<String> {
        self.take_off(self.of(owner).collect())
    }

    fn take_off(&self, things: Vec<(&String, &Thing<T>)>) -> Vec<String> {
        let goes = |(_, thing): &(&String, &Thing<T>)| !thing.gone.swap(true, Ordering::AcqRel);
        let names: Vec<String> = things.into_iter().filter(goes).map(|(name, _)| name.clone()).collect();
        if !names.is_empty() {
            self.changes.fetch_add(1, Ordering::AcqRel);
        }
        names
    }

    /// A number that is another one after anything has come or gone.
    pub(crate) fn revision(&self) -> usize {
        self.changes.load(Ordering::Acquire)
    }

    fn all(&self) -> impl Iterator<Item = &Added<T>> {
        std::iter::successors(self.added.get(), |added| added.next.get()).map(Box::as_ref)
    }

    /// What an owner has here.
    fn of(&self, owner: &str) -> impl Iterator<Item = (&String, &Thing<T>)> {
        let of_owner = self.all().filter(move |added| added.owner == owner);
        of_owner.flat_map(|added| added.things.iter()).filter(|(_, thing)| thing.is_here())
    }
}

impl<T> Added<T> {
    fn here(&self, name: &str) -> Option<&T> {
        self.things.get(name).filter(|thing| thing.is_here()).map(|thing| &thing.it)
    }
}

impl<T> Thing<T> {
    fn is_here(&self) -> bool {
        !self.gone.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::Shelf;

    fn things(names: &[&str]) -> indexmap::IndexMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), name.to_uppercase())).collect()
    }

    fn same(one: &String, other: &String) -> bool {
        one == other
    }

    #[test]
    fn what_was_handed_out_stays_while_others_come_and_go() {
        let shelf: Shelf<String> = things(&["a", "b"]).into_iter().collect();
        let held = shelf.get("b").unwrap();
        shelf.put("one", things(&["c", "d"]), same);
        shelf.put("two", things(&["e"]), same);
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
        shelf.put("one", things(&["c"]), same);
        assert_eq!((there(&shelf).as_str(), shelf.index_of("c")), ("ABEC", Some(5)));
    }

    #[test]
    fn what_an_owner_puts_takes_the_place_of_what_they_had_and_what_is_the_same_stays() {
        let shelf: Shelf<String> = things(&["a"]).into_iter().collect();
        shelf.put("one", things(&["b", "c"]), same);
        shelf.put("two", things(&["d"]), same);
        let (held, kept) = (shelf.get("b").unwrap(), shelf.get("c").unwrap());
        assert!(shelf.is_taken("d", "one") && shelf.is_taken("a", "one") && !shelf.is_taken("b", "one"));
        let before = shelf.revision();
        assert_eq!(shelf.put("one", things(&["c", "e"]), same), (vec!["b".to_owned()], vec!["e".to_owned()]));
        let there: Vec<&str> = shelf.values().map(String::as_str).collect();
        assert_eq!((there, held.as_str(), shelf.get("b")), (vec!["A", "C", "D", "E"], "B", None));
        assert!(std::ptr::eq(kept, shelf.get("c").unwrap()), "nothing is kept twice");
        assert!(shelf.revision() > before);

        let other = [("c".to_owned(), "another".to_owned()), ("e".to_owned(), "E".to_owned())];
        let (gone, come) = shelf.put("one", other.into_iter().collect(), same);
        assert_eq!((gone, come), (vec!["c".to_owned()], vec!["c".to_owned()]));
        assert_eq!((kept.as_str(), shelf.get("c").map(String::as_str)), ("C", Some("another")));
    }

    #[test]
    fn what_comes_again_as_it_was_takes_no_room() {
        let shelf = Shelf::<String>::default();
        shelf.put("one", things(&["a", "b"]), same);
        let before = shelf.revision();
        for _ in 0..100 {
            assert_eq!(shelf.put("one", things(&["a", "b"]), same), (Vec::new(), Vec::new()));
        }
        assert_eq!((shelf.revision(), shelf.all().count()), (before, 1));
    }

    #[test]
    fn several_may_put_at_once() {
        let shelf = Shelf::<String>::default();
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                let shelf = &shelf;
                scope.spawn(move || drop(shelf.put(name, things(&[name]), same)));
            }
        });
        assert_eq!(shelf.values().count(), 4);
    }
}
