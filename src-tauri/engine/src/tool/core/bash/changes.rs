//! What a command did to the files, seen from before and after.

use std::collections::{BTreeMap, HashSet};
use std::fs::Metadata;
use std::ops::ControlFlow;
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::tool::present::{one_line, window};
use crate::tool::secrets::{Gathered, LOOKED_AT};
use crate::tool::workspace::{Aside, Place, Walk, Workspace};
use crate::vault::Mask;

/// In a larger workspace nobody looks.
const MOST_FILES: usize = 20_000;
/// So much of what lies in folders whose name begins with a dot is looked at.
const MOST_ASIDE: usize = 5000;
/// So long files of secrets are looked for: what is not found by then, a command can read. It is long, since a command may
/// wait, and only many files on a slow disk take it.
const LONGEST_SEARCH: Duration = Duration::from_secs(10);
/// More names are not given.
const MOST_NAMES: usize = 200;
/// Files whose beginning is given, how many lines of each, and how wide.
const PREVIEWS: usize = 3;
const PREVIEW_LINES: usize = 6;
const PREVIEW_WIDTH: usize = 160;
/// Larger files are not previewed.
const PREVIEW_BYTES: u64 = 4 * 1024 * 1024;

type Files = BTreeMap<String, (Place, Option<SystemTime>, u64)>;

/// A workspace at one time.
pub(super) struct Snapshot {
    /// The files that a person sees: when each was written, and its size.
    files: Files,
    /// Everything that is there, folders and links too, with what is another once anything was done to it.
    marks: BTreeMap<String, Mark>,
    /// Whether that is all there is, but for the folders that nobody looks into.
    is_whole: bool,
    /// Whether there are such folders.
    has_unseen: bool,
}

/// Of a file when it, its name or its rights were last changed, of a folder its rights: what is made in it stands for
/// itself.
type Mark = (i64, i64, u32);

/// What is different.
#[derive(Debug, Default, Serialize)]
pub(super) struct Changes {
    pub written: Vec<String>,
    pub gone: Vec<String>,
    /// Of those that are gone, what is nowhere else under another name, and what was emptied.
    pub lost: Vec<String>,
    /// Of those that were written, what had something in it before and has now.
    pub rewritten: Vec<String>,
    pub previews: Vec<Preview>,
    /// What else: folders, links, rights, and what lies where nobody looks.
    pub other: Vec<String>,
    /// Whether nothing else is different in the folders that are looked into.
    pub are_known: bool,
    /// Whether that is the whole workspace.
    pub are_all: bool,
}

/// The beginning of a text file that was written.
#[derive(Debug, Serialize)]
pub(super) struct Preview {
    file: String,
    lines: usize,
    begins: String,
}

/// Looks through a workspace once: takes it in where that is wanted, and gathers the files of secrets. There is no
/// snapshot when there are too many files to look, or it takes longer than `longest`: the folder may lie on a slow disk.
pub(super) fn look(
    workspace: &Workspace,
    takes_in: bool,
    mut secrets: Option<&mut Gathered>,
    longest: Duration,
    cancel: &CancellationToken,
) -> Option<Snapshot> {
    let mut taken = takes_in.then(|| (BTreeMap::new(), BTreeMap::new()));
    let begun = Instant::now();
    let most = if takes_in { MOST_ASIDE } else { 0 };
    let aside = Aside { most, beyond: if secrets.is_some() { LOOKED_AT } else { 0 } };
    let survey = workspace.survey(aside, cancel, |met| {
        if let Some(secrets) = &mut secrets {
            secrets.meet(&met);
        }
        if let Some((files, marks)) = &mut taken
            && !met.is_beyond
            && let Some(state) = met.state()
        {
            let name = met.place.shown();
            marks.insert(name.clone(), mark(&state));
            if state.is_file() && !met.is_aside {
                files.insert(name, (met.place, state.modified().ok(), state.len()));
            }
            if files.len() > MOST_FILES || marks.len() > MOST_FILES + MOST_ASIDE {
                taken = None;
            }
        }
        let passed = begun.elapsed();
        if passed > longest {
            taken = None;
        }
        let is_over = |secrets: &&mut Gathered| secrets.is_over() || passed > LONGEST_SEARCH;
        let is_done = taken.is_none() && secrets.as_ref().is_none_or(is_over);
        if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let (files, marks) = taken.filter(|_| survey.walk == Walk::Whole)?;
    Some(Snapshot { files, marks, is_whole: survey.is_whole, has_unseen: survey.has_skipped })
}

impl Snapshot {
    /// What is different now.
    pub(super) fn changes(
        self,
        workspace: &Workspace,
        longest: Duration,
        mask: &Mask,
        cancel: &CancellationToken,
    ) -> Changes {
        let Some(after) = look(workspace, true, None, longest, cancel) else {
            return Changes::default();
        };
        let gone: Vec<String> = self.files.keys().filter(|name| !after.files.contains_key(*name)).cloned().collect();
        let is_written = |(name, (_, time, size)): &(&String, &(Place, Option<SystemTime>, u64))| {
            self.files.get(*name).is_none_or(|(_, before, length)| (before, length) != (time, size))
        };
        let lost = self.lost(&after);
        let written: Vec<(&String, &Place)> =
            after.files.iter().filter(is_written).map(|(name, (place, ..))| (name, place)).collect();
        let previews = written.iter().filter_map(|(_, place)| preview(workspace, mask, place)).take(PREVIEWS).collect();
        let written: Vec<String> = written.into_iter().map(|(name, _)| name.clone()).collect();
        let has_content = |files: &Files, name: &String| files.get(name).is_some_and(|(.., size)| *size > 0);
        let is_rewritten = |name: &&String| has_content(&self.files, name) && has_content(&after.files, name);
        let rewritten: Vec<String> = written.iter().filter(is_rewritten).cloned().collect();
        let other = self.marks.keys().chain(after.marks.keys().filter(|name| !self.marks.contains_key(*name)));
        let is_other = |name: &&String| self.marks.get(*name) != after.marks.get(*name);
        let named = |name: &&String| written.binary_search(name).is_ok() || gone.binary_search(name).is_ok();
        let other: Vec<String> = other.filter(is_other).filter(|name| !named(name)).cloned().collect();
        let few = [&written, &gone, &other].iter().all(|names| names.len() <= MOST_NAMES);
        let are_known = self.is_whole && after.is_whole && few;
        let are_all = are_known && !self.has_unseen && !after.has_unseen;
        Changes {
            written: named_of(written),
            gone: named_of(gone),
            lost: named_of(lost),
            rewritten: named_of(rewritten),
            previews,
            other: named_of(other),
            are_known,
            are_all,
        }
    }
}

impl Snapshot {
    /// The files of which nothing is left afterwards. One that was moved has its time and its size under another name.
    fn lost(&self, after: &Self) -> Vec<String> {
        let found: HashSet<(SystemTime, u64)> =
            after.files.values().filter_map(|(_, time, size)| Some(((*time)?, *size))).collect();
        let is_lost =
            |(name, (_, time, size)): &(&String, &(Place, Option<SystemTime>, u64))| match after.files.get(*name) {
                Some((.., now)) => *now == 0 && *size > 0,
                None => time.is_none_or(|time| !found.contains(&(time, *size))),
            };
        self.files.iter().filter(is_lost).map(|(name, _)| name.clone()).collect()
    }
}

fn named_of(mut names: Vec<String>) -> Vec<String> {
    names.truncate(MOST_NAMES);
    names
}

#[cfg(unix)]
fn mark(state: &Metadata) -> Mark {
    use std::os::unix::fs::MetadataExt as _;
    if state.is_dir() { (0, 0, state.mode()) } else { (state.ctime(), state.ctime_nsec(), state.mode()) }
}

#[cfg(not(unix))]
fn mark(state: &Metadata) -> Mark {
    if state.is_dir() {
        return (0, 0, 0);
    }
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
    let written = state.modified().ok().and_then(since).unwrap_or_default();
    (i64::try_from(written.as_nanos()).unwrap_or(0), i64::try_from(state.len()).unwrap_or(0), 0)
}

fn preview(workspace: &Workspace, mask: &Mask, place: &Place) -> Option<Preview> {
    let (bytes, size) = workspace.read(place, PREVIEW_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| size <= PREVIEW_BYTES && !text.contains('\0'))?;
    let text = if mask.is_empty() { text } else { mask.text(&text) };
    let first: Vec<String> =
        text.lines().take(PREVIEW_LINES).map(|line| one_line(&window(line, 0, PREVIEW_WIDTH).0)).collect();
    Some(Preview { file: place.shown(), lines: text.lines().count(), begins: first.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_takes_too_long_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "a").unwrap();
        let workspace = Workspace::at(folder.path(), &[]).unwrap();
        let look = |longest| look(&workspace, true, None, longest, &CancellationToken::new());
        assert!(look(Duration::ZERO).is_none());
        let before = look(Duration::MAX).unwrap();
        assert!(before.changes(&workspace, Duration::MAX, &Mask::default(), &CancellationToken::new()).are_all);
        let before = look(Duration::MAX).unwrap();
        assert!(!before.changes(&workspace, Duration::ZERO, &Mask::default(), &CancellationToken::new()).are_known);
    }
}
