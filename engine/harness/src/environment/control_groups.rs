//! The control group of this process (cgroups(7)), in both versions of their hierarchy.

use std::path::{Path, PathBuf};

use super::root::Root;

/// Folder of the group that this process is in, for one controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlGroup {
    pub folder: PathBuf,
    /// True for version 2, which has one hierarchy for all controllers.
    pub unified: bool,
    /// Folder at which its hierarchy is mounted: above or the same.
    pub mount: PathBuf,
}

impl ControlGroup {
    /// Finds the group for a controller; absent where none is mounted.
    pub fn find(root: &Root, controller: &str) -> Option<Self> {
        let groups = root.text("proc/self/cgroup")?;
        find(&groups, &root.text("proc/self/mountinfo")?, controller)
    }

    /// Returns the bytes of memory that this group and those above it leave to their processes;
    /// absent where none has a limit. Pages of files that the kernel can drop count as free.
    pub fn memory_room(&self, root: &Root) -> Option<u64> {
        let (limit, usage, droppable) = if self.unified {
            ("memory.max", "memory.current", "inactive_file ")
        } else {
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
        };
        let room = |folder: &Path| {
            let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
            let limit: u64 = root.parse(&below(&file(limit)))?;
            let used: u64 = root.parse(&below(&file(usage)))?;
            let counts = root.text(&below(&file("memory.stat"))).unwrap_or_default();
            let cached = counts.lines().find_map(|line| line.strip_prefix(droppable)?.parse().ok());
            Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
        };
        let above = self.folder.ancestors().take_while(|it| it.starts_with(&self.mount));
        above.filter_map(room).min()
    }
}

/// A path as `Root` takes it.
fn below(path: &str) -> String {
    path.trim_start_matches('/').to_owned()
}

/// Lines of the first are `number:controllers:group`, where version 2 has no controllers; of the
/// second `… root mount-point … - type source options`.
fn find(groups: &str, mounts: &str, controller: &str) -> Option<ControlGroup> {
    let group_with = |controller: &str| {
        groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, group) = (fields.next()?, fields.next()?);
            controllers.split(',').any(|it| it == controller).then(|| group.to_owned())
        })
    };
    let mount_of = |kind: &str, option: &str| {
        mounts.lines().find_map(|line| {
            let (place, what) = line.split_once(" - ")?;
            let mut what = what.split(' ');
            let fits = what.next()? == kind
                && what.nth(1)?.split(',').any(|it| option.is_empty() || it == option);
            let mut place = place.split(' ').skip(3);
            let (root, point) = (place.next()?, place.next()?);
            fits.then(|| (root.to_owned(), point.to_owned()))
        })
    };
    let found = |group: String, (root, point): (String, String), unified: bool| {
        let below = group.strip_prefix(root.trim_end_matches('/')).unwrap_or(&group);
        let folder = Path::new(&point).join(below.trim_start_matches('/'));
        ControlGroup { folder, unified, mount: point.into() }
    };
    if let Some((group, mount)) = group_with(controller).zip(mount_of("cgroup", controller)) {
        return Some(found(group, mount, false));
    }
    let (group, mount) = group_with("").zip(mount_of("cgroup2", ""))?;
    Some(found(group, mount, true))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    #[test]
    fn both_versions_are_found() {
        let old = "9:name=systemd:/\n2:cpuacct:/\n1:cpu,cpuacct:/user/7\n0::/\n";
        let mounts = "30 20 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n\
                      31 20 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let found = find(old, mounts, "cpu").unwrap();
        assert_eq!(found.folder, PathBuf::from("/sys/fs/cgroup/cpu/user/7"));
        assert!(!found.unified);

        let mounts = "31 20 0:28 /box /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate\n";
        let found = find("0::/box/app\n", mounts, "cpu").unwrap();
        assert_eq!(found.folder, PathBuf::from("/sys/fs/cgroup/app"));
        assert!(found.unified);
        assert_eq!(find("0::/\n", "", "cpu"), None);
    }

    fn room(tree: &str) -> Option<u64> {
        let tree = Tree::new(tree);
        let root = tree.root();
        ControlGroup::find(&root, "memory")?.memory_room(&root)
    }

    #[test]
    fn the_narrowest_group_above_counts() {
        let tree = "=== proc/self/cgroup\n0::/pod/box\n\
                    === proc/self/mountinfo\n31 20 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n\
                    === sys/fs/cgroup/pod/memory.max\n1000\n\
                    === sys/fs/cgroup/pod/memory.current\n700\n\
                    === sys/fs/cgroup/pod/memory.stat\nanon 5\ninactive_file 100\n\
                    === sys/fs/cgroup/pod/box/memory.max\nmax\n\
                    === sys/fs/cgroup/pod/box/memory.current\n600\n";
        assert_eq!(room(tree), Some(400));
    }

    #[test]
    fn version_1_has_names_of_its_own() {
        let tree = "=== proc/self/cgroup\n4:memory:/box\n\
                    === proc/self/mountinfo\n\
                    33 20 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                    === sys/fs/cgroup/memory/box/memory.limit_in_bytes\n1000\n\
                    === sys/fs/cgroup/memory/box/memory.usage_in_bytes\n1200\n";
        assert_eq!(room(tree), Some(0));
    }

    #[test]
    fn without_a_limit_there_is_none() {
        let tree = "=== proc/self/cgroup\n0::/\n\
                    === proc/self/mountinfo\n31 20 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(room(tree), None);
    }
}
