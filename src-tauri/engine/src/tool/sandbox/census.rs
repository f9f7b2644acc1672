//! A process and everything below it, from `/proc`: of the command alone, whatever else the machine does. Where there is
//! no `/proc` there is nothing to see.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How often what is left of a command is looked for, and the pause between: two seconds in all.
const ROUNDS: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);

/// The processes of one command.
pub(super) struct Census {
    found: Vec<Entry>,
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    pid: i32,
    parent: i32,
    pages: u64,
}

/// Counts a process and everything below it, and stops counting when there are more than `enough`: a fork bomb is known
/// as one long before it is counted to its end.
pub(super) fn of(root: i32, enough: usize) -> Census {
    let found = if knows_children() { tree(root, enough) } else { with_descendants(root, entries()) };
    Census { found }
}

impl Census {
    /// How many processes there are; those that ended and wait to be noticed are none.
    pub(super) fn processes(&self) -> usize {
        self.found.len()
    }

    /// Whether they hold more memory than this. What several of them share counts once.
    pub(super) fn holds_more_than(&self, bytes: u64) -> bool {
        let page = rustix::param::page_size() as u64;
        let resident: u64 = self.found.iter().map(|entry| entry.pages.saturating_mul(page)).sum();
        // What each holds with its part of what is shared takes the kernel long to add up, and is never more.
        resident > bytes && self.found.iter().map(|entry| own_share(entry, page)).sum::<u64>() > bytes
    }
}

/// The proportional set size of proc(5) in bytes; where it may not be read, everything that is resident.
fn own_share(entry: &Entry, page: u64) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", entry.pid)).unwrap_or_default();
    share_in(&text).unwrap_or_else(|| entry.pages.saturating_mul(page))
}

fn share_in(rollup: &str) -> Option<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

/// Whether the kernel lists the children of a process.
fn knows_children() -> bool {
    Path::new("/proc/thread-self/children").exists()
}

fn tree(root: i32, enough: usize) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        if found.len() > enough {
            break;
        }
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        found.extend(entry_of(pid, &stat));
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        open.extend(
            lists.flat_map(|list| {
                list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
            }),
        );
    }
    found
}

/// Ends everything below a process, and everything that carries a mark in its environment.
pub(super) fn end(root: i32, mark: &str) {
    // What is ended while it starts something leaves that behind: so until nothing more is found, within bounds.
    // One that is ended is still found until it was given a core to end on.
    for _ in 0..ROUNDS {
        let all = entries();
        let marked: Vec<i32> = all.iter().map(|entry| entry.pid).filter(|pid| carries(*pid, mark)).collect();
        let mut pids: HashSet<i32> = with_descendants(root, all).into_iter().map(|entry| entry.pid).collect();
        pids.extend(marked);
        pids.remove(&root);
        pids.remove(&i32::try_from(std::process::id()).unwrap_or(0));
        if pids.is_empty() {
            return;
        }
        for pid in pids.into_iter().filter_map(Pid::from_raw) {
            // It may be gone already.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}

fn carries(pid: i32, mark: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}

fn with_descendants(root: i32, all: Vec<Entry>) -> Vec<Entry> {
    let mut children: HashMap<i32, Vec<Entry>> = HashMap::new();
    let mut found: Vec<Entry> = Vec::new();
    for entry in all {
        if entry.pid == root {
            found.push(entry);
        } else {
            children.entry(entry.parent).or_default().push(entry);
        }
    }
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
    use super::{Entry, entry_of, knows_children, of, share_in, with_descendants};

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_move_the_fields() {
        let line = "7 (a) b (c) S 3 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 100 9999 42 1844 1 1";
        let entry = entry_of(7, line).unwrap();
        assert_eq!((entry.pid, entry.parent, entry.pages), (7, 3, 42));
        assert!(entry_of(7, &line.replace(" S ", " Z ")).is_none());
    }

    #[test]
    fn descendants_are_found_at_every_depth_and_strangers_are_not() {
        let entry = |pid, parent| Entry { pid, parent, pages: 1 };
        let all = vec![entry(1, 0), entry(2, 1), entry(3, 2), entry(4, 3), entry(9, 8)];
        let mut found: Vec<i32> = with_descendants(1, all).iter().map(|entry| entry.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 4]);
    }

    #[test]
    fn a_share_of_memory_is_read_in_bytes_and_not_mistaken_for_its_parts() {
        let text = "5581d0000000-7ffe0000 ---p 00000000 00:00 0 [rollup]\nRss: 9 kB\nPss_Anon: 3 kB\nPss:  7 kB\n";
        assert_eq!(share_in(text), Some(7 * 1024));
        assert_eq!(share_in(""), None);
    }

    #[test]
    fn this_process_and_its_children_are_counted_and_no_further_than_asked_for() {
        if !knows_children() {
            return;
        }
        let own = i32::try_from(std::process::id()).unwrap();
        let mut children: Vec<std::process::Child> =
            (0..3).map(|_| std::process::Command::new("sleep").arg("60").spawn().unwrap()).collect();
        let (all, some) = (of(own, 1000).processes(), of(own, 1).processes());
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(all >= 4, "{all}");
        assert_eq!(some, 2);
    }
    #[test]
    fn memory_that_processes_share_counts_once() {
        use std::io::{BufRead as _, BufReader};
        use std::process::{Command, Stdio};
        if !knows_children() || !std::path::Path::new("/bin/bash").exists() {
            return;
        }
        // Twenty-four shells that wait, and share the 16 MiB of their parent.
        let script = "printf -v text '%16777216s' ''; exec 3<&0; \
                      for n in $(seq 24); do (read line <&3) & done; echo ready; read line";
        let mut parent = Command::new("/bin/bash");
        parent.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut parent = parent.spawn().unwrap();
        let mut said = String::new();
        BufReader::new(parent.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let census = of(i32::try_from(parent.id()).unwrap(), 1000);
        let (more_than_shared, more_than_one) = (census.holds_more_than(128 << 20), census.holds_more_than(8 << 20));
        // All of them end with what they wait for.
        drop(parent.stdin.take());
        parent.wait().unwrap();
        let resident: u64 = census.found.iter().map(|entry| entry.pages * rustix::param::page_size() as u64).sum();
        assert_eq!((said.as_str(), census.processes()), ("ready\n", 25));
        assert!(resident > 24 * (16 << 20), "{resident} bytes, were it counted for each");
        assert_eq!((more_than_shared, more_than_one), (false, true));
    }
}
