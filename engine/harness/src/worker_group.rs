//! A control group of memory for each worker (cgroups(7)), so that only the worker is killed whose
//! library fills the memory with files: they count for its group, though for no process.

use std::fs;
use std::path::PathBuf;

use crate::environment::root::Root;
use crate::environment::{self, ControlGroup};
use crate::quota;

/// Part of the free memory that a worker may fill; the engine and its caller have the rest.
const SHARE: f64 = 0.75;

/// Least limit: with less free memory, a worker might take the part of the others.
const LEAST_BYTES: u64 = 64 << 20;

/// Groups of workers have this name, with the number of the process behind it.
const NAME: &str = "ciphermark-worker-";

/// Moves this process, which has one thread, into a group of its own; does nothing where that is not
/// allowed.
pub fn join() {
    let free_bytes = environment::available_bytes().unwrap_or(0);
    join_below(&Root::default(), std::process::id(), free_bytes);
}

/// Removes the groups of workers that have ended.
pub fn remove_abandoned() {
    let root = Root::default();
    let own = ControlGroup::find(&root, "memory");
    if let Some(folder) = own.and_then(|own| folder_of_workers(&root, &own)) {
        quota::remove_abandoned_in(&folder, NAME);
    }
}

fn join_below(root: &Root, process: u32, free_bytes: u64) -> Option<()> {
    let bytes = (free_bytes as f64 * SHARE) as u64;
    if bytes < LEAST_BYTES {
        return None;
    }
    let own = ControlGroup::find(root, "memory")?;
    let group = root.path(&folder_of_workers(root, &own)?).join(format!("{NAME}{process}"));
    // The kernel moves the calling thread at once, and a whole process only after a wait of some 10 ms.
    // In version 2 threads of one process cannot have different groups of memory.
    let (limit, swap, swap_bytes, members) = match own.unified {
        true => ("memory.max", "memory.swap.max", 0, "cgroup.procs"),
        false => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", bytes, "tasks"),
    };
    let write = |file: &str, text: u64| fs::write(group.join(file), text.to_string());
    // A group that an ended worker of that number has left is as good as a new one.
    let _ = fs::create_dir(&group);
    let joined = write(limit, bytes).and_then(|()| {
        // Where memory is not swapped, there is no such file.
        let _ = write(swap, swap_bytes);
        write(members, 0)
    });
    if joined.is_err() {
        let _ = fs::remove_dir(&group);
    }
    joined.ok()
}

/// Returns the folder in which groups of workers are made: the own group, or in version 2 the one above,
/// as a group with processes cannot lend the controller. Absent where it is not lent, and where a worker
/// would leave bounds of its CPUs behind.
fn folder_of_workers(root: &Root, own: &ControlGroup) -> Option<PathBuf> {
    if !own.unified {
        return Some(own.folder.clone());
    }
    let above = own.folder.parent().filter(|it| it.starts_with(&own.mount))?;
    let text = |file: PathBuf| fs::read_to_string(root.path(&file)).unwrap_or_default();
    let lends =
        text(above.join("cgroup.subtree_control")).split_whitespace().any(|it| it == "memory");
    let quota = text(own.folder.join("cpu.max"));
    let is_bound = !quota.is_empty() && !quota.starts_with("max")
        || !text(own.folder.join("cpuset.cpus")).trim().is_empty();
    (lends && !is_bound).then(|| above.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Tree;

    const FREE: u64 = 1 << 30;
    const LIMIT: &str = "805306368";

    const OLD: &str = "=== proc/self/cgroup\n4:memory:/box\n\
                       === proc/self/mountinfo\n\
                       33 20 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                       === sys/fs/cgroup/memory/box/tasks\n7\n";
    const NEW: &str = "=== proc/self/cgroup\n0::/user/shell\n\
                       === proc/self/mountinfo\n31 20 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n\
                       === sys/fs/cgroup/user/cgroup.subtree_control\ncpu memory pids\n\
                       === sys/fs/cgroup/user/shell/cpu.max\nmax 100000\n";

    /// The texts of these files of the group that process 17 has joined.
    fn joined<const N: usize>(tree: &Tree, group: &str, files: [&str; N]) -> [Option<String>; N] {
        let root = tree.root();
        join_below(&root, 17, FREE);
        files.map(|file| root.text(&format!("sys/fs/cgroup/{group}/ciphermark-worker-17/{file}")))
    }

    #[test]
    fn version_1_has_groups_of_workers_below_the_own_one() {
        let files = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "tasks"];
        let texts = joined(&Tree::new(OLD), "memory/box", files).map(Option::unwrap);
        assert_eq!(texts, [LIMIT, LIMIT, "0"]);
    }

    #[test]
    fn version_2_has_groups_of_workers_beside_the_own_one() {
        let files = ["memory.max", "memory.swap.max", "cgroup.procs"];
        let texts = joined(&Tree::new(NEW), "user", files).map(Option::unwrap);
        assert_eq!(texts, [LIMIT, "0", "0"]);
    }

    #[test]
    fn a_worker_stays_where_it_would_lose_a_bound_or_nothing_is_lent() {
        for (file, text) in [
            ("user/cgroup.subtree_control", "cpu pids"),
            ("user/shell/cpu.max", "50000 100000"),
            ("user/shell/cpuset.cpus", "2-3"),
        ] {
            let tree = Tree::new(NEW);
            tree.write(&format!("sys/fs/cgroup/{file}"), text);
            assert_eq!(joined(&tree, "user", ["memory.max"]), [None], "{file}");
        }
        let tree = Tree::new(NEW);
        tree.write("proc/self/cgroup", "0::/");
        assert_eq!(joined(&tree, "", ["memory.max"]), [None]);
    }

    #[test]
    fn a_worker_stays_where_little_is_free() {
        assert_eq!(join_below(&Tree::new(OLD).root(), 17, LEAST_BYTES), None);
    }
}
