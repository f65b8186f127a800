//! A bound on the CPU time of this process, by a control group of its own (cgroups(7)).
//!
//! Both versions of control groups are known. The group is made below the one that the process is in,
//! so that only those who may write there, root or whom root has lent it to, can have a quota.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::{self, ControlGroup};

/// The time in which the quota is given anew; the kernel's own default.
const PERIOD_US: f64 = 100_000.0;

/// Groups of ours are told by this name, with the number of the process behind it.
const NAME: &str = "ciphermark-";

/// This process is bound until this is dropped.
#[derive(Debug)]
pub struct Quota {
    parent: PathBuf,
    group: PathBuf,
}

impl Quota {
    /// Bounds the CPU time of this process to that of so many CPUs. The error is a sentence.
    pub fn of_cpus(cpus: f64) -> Result<Self, String> {
        let hierarchy = hierarchy()?;
        let parent = hierarchy.folder.clone();
        let quota = Self { group: parent.join(format!("{NAME}{}", std::process::id())), parent };
        let refused = |what: &str, why: std::io::Error| {
            format!(
                "a quota needs a control group that this user may write: {what} in {} failed ({why})",
                quota.parent.display()
            )
        };
        if hierarchy.unified {
            let control = quota.parent.join("cgroup.subtree_control");
            fs::write(control, "+cpu").map_err(|why| refused("lending the controller cpu", why))?;
        }
        fs::create_dir(&quota.group).map_err(|why| refused("making one", why))?;
        for (file, text) in settings(hierarchy.unified, cpus) {
            fs::write(quota.group.join(file), text).map_err(|why| refused("writing to it", why))?;
        }
        move_to(&quota.group).map_err(|why| refused("moving there", why))?;
        Ok(quota)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; whoever started this process looks again.
        let _ = move_to(&self.parent);
        let _ = fs::remove_dir(&self.group);
    }
}

/// Removes groups of processes that have died without doing so themselves.
pub fn remove_abandoned() {
    if let Ok(ControlGroup { folder, .. }) = hierarchy() {
        remove_abandoned_in(&folder, NAME);
    }
}

/// Removes groups in a folder whose name is this one and the number of a process that has ended.
pub(crate) fn remove_abandoned_in(folder: &Path, name: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| is_abandoned(path, name)) {
        // The kernel refuses this for a group that still has a process.
        let _ = fs::remove_dir(path);
    }
}

fn is_abandoned(group: &Path, name: &str) -> bool {
    let own = group.file_name().map(|own| own.to_string_lossy().into_owned());
    let process = own.and_then(|own| own.strip_prefix(name)?.parse::<u32>().ok());
    process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists())
}

fn move_to(group: &Path) -> std::io::Result<()> {
    fs::write(group.join("cgroup.procs"), std::process::id().to_string())
}

fn settings(unified: bool, cpus: f64) -> Vec<(&'static str, String)> {
    let quota_us = (cpus * PERIOD_US).max(1000.0); // the least that the kernel takes
    if unified {
        return vec![("cpu.max", format!("{quota_us:.0} {PERIOD_US:.0}"))];
    }
    vec![
        ("cpu.cfs_period_us", format!("{PERIOD_US:.0}")),
        ("cpu.cfs_quota_us", format!("{quota_us:.0}")),
    ]
}

fn hierarchy() -> Result<ControlGroup, String> {
    environment::control_group("cpu").ok_or_else(|| {
        "a quota needs the kernel's control groups, which are not mounted here".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_a_part_of_a_period() {
        assert_eq!(settings(true, 0.5), [("cpu.max", "50000 100000".to_owned())]);
        assert_eq!(settings(false, 1.5)[1], ("cpu.cfs_quota_us", "150000".to_owned()));
    }

    #[test]
    fn a_group_of_a_living_process_is_not_abandoned() {
        let group = |process: u32| PathBuf::from(format!("/groups/{NAME}{process}"));
        assert!(!is_abandoned(&group(std::process::id()), NAME));
        assert!(is_abandoned(&group(u32::MAX - 1), NAME));
        assert!(!is_abandoned(Path::new("/groups/other-17"), NAME));
    }
}
