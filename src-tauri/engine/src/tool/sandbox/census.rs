//! The processes below a process, from `/proc`. Where there is no `/proc` there are none.

use std::collections::{HashMap, HashSet};

use rustix::process::{Pid, Signal, kill_process};

/// How many processes there are below one, and how much memory they hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Census {
    pub processes: usize,
    pub memory_bytes: u64,
}

struct Entry {
    pid: i32,
    parent: i32,
    pages: u64,
}

/// How many tasks there are on the whole machine: cheap however many they are. 0 where nobody knows.
pub(super) fn tasks() -> usize {
    let line = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let counts = line.split_ascii_whitespace().nth(3).and_then(|field| field.split_once('/'));
    counts.and_then(|(_, total)| total.parse().ok()).unwrap_or(0)
}

/// Counts everything below a process.
pub(super) fn below(root: i32) -> Census {
    let page = rustix::param::page_size() as u64;
    let all = entries();
    let found = descendants(root, &all);
    let memory_bytes = found.iter().map(|entry| entry.pages.saturating_mul(page)).sum();
    Census { processes: found.len(), memory_bytes }
}

/// Ends everything below a process, and everything that carries a mark in its environment.
pub(super) fn end(root: i32, mark: &str) {
    // What is ended while it starts something leaves that behind: so until nothing more is found, within bounds.
    for _ in 0..20 {
        let all = entries();
        let mut pids: HashSet<i32> = descendants(root, &all).into_iter().map(|entry| entry.pid).collect();
        pids.extend(all.iter().map(|entry| entry.pid).filter(|pid| carries(*pid, mark)));
        pids.remove(&root);
        pids.remove(&i32::try_from(std::process::id()).unwrap_or(0));
        if pids.is_empty() {
            return;
        }
        for pid in pids.into_iter().filter_map(Pid::from_raw) {
            // It may be gone already.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn carries(pid: i32, mark: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}

fn descendants(root: i32, all: &[Entry]) -> Vec<&Entry> {
    let mut children: HashMap<i32, Vec<&Entry>> = HashMap::new();
    for entry in all {
        children.entry(entry.parent).or_default().push(entry);
    }
    let mut found: Vec<&Entry> = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            open.push(child.pid);
            found.push(child);
        }
    }
    found
}

fn entries() -> Vec<Entry> {
    let Ok(folder) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| entry_of(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)).collect()
}

/// Reads a line of proc(5): the parent is field 4, the resident pages are field 24. The name, field 2, may hold
/// anything, brackets too, so that counting begins after its last bracket.
fn entry_of(pid: i32, stat: &str) -> Option<Entry> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let pages = fields.nth(19)?.parse().unwrap_or(0);
    (state != "Z").then_some(Entry { pid, parent, pages })
}

#[cfg(test)]
mod tests {
    use super::{descendants, entry_of};

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_move_the_fields() {
        let line = "7 (a) b (c) S 3 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 100 9999 42 1844 1 1";
        let entry = entry_of(7, line).unwrap();
        assert_eq!((entry.pid, entry.parent, entry.pages), (7, 3, 42));
        assert!(entry_of(7, &line.replace(" S ", " Z ")).is_none());
    }

    #[test]
    fn descendants_are_found_at_every_depth_and_strangers_are_not() {
        let entry = |pid, parent| super::Entry { pid, parent, pages: 1 };
        let all = [entry(2, 1), entry(3, 2), entry(4, 3), entry(9, 8)];
        let mut found: Vec<i32> = descendants(1, &all).iter().map(|entry| entry.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [2, 3, 4]);
    }
}
