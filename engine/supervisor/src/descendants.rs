//! What libraries leave behind: processes that they have started, ended with the worker that called
//! them.
//!
//! A process whose parent dies gets the nearest living ancestor as its parent that has asked for that
//! (`PR_SET_CHILD_SUBREAPER`): while a worker lives that is the worker, and then the supervisor. So
//! all children of the supervisor but its living workers are what workers have left.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid,
};

/// What has not ended by then cannot be ended by us.
const LONGEST: Duration = Duration::from_millis(500);

/// Between two looks at processes that were told to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Ends all that descends from this process but these children of it, with what descends from them.
pub fn end_all_but(living: &BTreeSet<u32>) {
    let began = Instant::now();
    while has_children() && began.elapsed() < LONGEST {
        let left = descendants(&parents(), std::process::id(), living);
        if left.is_empty() {
            return;
        }
        for pid in left.iter().filter_map(|&pid| Pid::from_raw(pid as i32)) {
            // One that has ended meanwhile needs no ending; one that is no child yet cannot be
            // waited for, and is one in the next turn.
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// Whether there is any child, ended or not; quicker than a look at all processes.
fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, look), Err(Errno::CHILD))
}

/// Every process of the machine that can be seen, with its parent.
fn parents() -> BTreeMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers
        .filter_map(|number| {
            let status = std::fs::read(format!("/proc/{number}/stat")).ok()?;
            Some((number, parent(&String::from_utf8_lossy(&status))?))
        })
        .collect()
}

/// The fourth field of `/proc/<number>/stat`. The second is the name of the program in parentheses,
/// which may hold anything.
fn parent(status: &str) -> Option<u32> {
    status.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// What descends from `own`, without these children of it and what descends from them.
fn descendants(parents: &BTreeMap<u32, u32>, own: u32, without: &BTreeSet<u32>) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&number, &parent) in parents {
        children.entry(parent).or_default().push(number);
    }
    let mut all = Vec::new();
    let mut next = vec![own];
    while let Some(number) = next.pop() {
        let children = children.remove(&number).unwrap_or_default();
        let children = children.into_iter().filter(|child| !without.contains(child));
        let before = all.len();
        all.extend(children);
        next.extend_from_slice(&all[before..]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_told_whatever_the_program_is_called() {
        assert_eq!(parent("17 (sh) S 4 17 17 0 -1"), Some(4));
        assert_eq!(parent("17 (a ) R 9 (b)) S 4 17 17 0 -1"), Some(4));
        assert_eq!(parent("17 (sh"), None);
    }

    #[test]
    fn living_workers_keep_their_own_children() {
        let parents = [(2, 1), (3, 1), (4, 2), (5, 3), (6, 5), (7, 0)].into();
        assert_eq!(descendants(&parents, 1, &[2].into()), [3, 5, 6]);
        assert_eq!(descendants(&parents, 1, &[2, 3].into()), Vec::<u32>::new());
    }

    #[test]
    fn this_process_is_among_all() {
        let parents = parents();
        let own = std::process::id();
        assert_eq!(parents.get(&own), Some(&std::os::unix::process::parent_id()));
    }
}
