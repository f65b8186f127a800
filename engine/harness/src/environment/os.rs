//! Operating system, container, kernel and load.

use super::root::Root;

/// Inode of the machine's first process namespace (`PROC_PID_INIT_INO` in Linux'
/// `include/linux/proc_ns.h`): whoever is in it is in no container.
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Name of the distribution, and the container that it is the inside of.
pub fn name(root: &Root) -> String {
    let release = root.text("etc/os-release").or_else(|| root.text("usr/lib/os-release"));
    let name = release.as_deref().and_then(pretty_name).unwrap_or_else(|| "Linux".to_owned());
    match container(root) {
        Some(container) => format!("{name}, in {container}"),
        None => name,
    }
}

pub fn kernel(root: &Root) -> String {
    let release = root.text("proc/sys/kernel/osrelease");
    release.map_or_else(|| "Linux".to_owned(), |release| format!("Linux {release}"))
}

/// Runnable and waiting tasks, averaged over a minute.
pub fn load_1min(root: &Root) -> Option<f64> {
    root.text("proc/loadavg")?.split_whitespace().next()?.parse().ok()
}

fn pretty_name(release: &str) -> Option<String> {
    let value = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = value.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The container that this process is in. Virtual machines made from container images carry the
/// marks of containers too, so that a mark alone proves nothing.
fn container(root: &Root) -> Option<String> {
    if root.link("proc/self/ns/pid")? == FIRST_PID_NAMESPACE {
        return None;
    }
    Some(container_mark(root).unwrap_or_else(|| "a container".to_owned()))
}

fn container_mark(root: &Root) -> Option<String> {
    let marks = [(".dockerenv", "docker"), ("run/.containerenv", "podman")];
    let marked = marks.iter().find(|(mark, _)| root.exists(mark));
    // Written by systemd-nspawn, LXC and others that follow systemd's container interface.
    marked.map(|(_, name)| (*name).to_owned()).or_else(|| root.text("run/systemd/container"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    fn name_of(tree: &str) -> String {
        name(&Tree::new(tree).root())
    }

    #[test]
    fn a_mark_counts_only_in_a_namespace_of_its_own() {
        let own = "=== proc/self/ns/pid -> pid:[4026532777]\n";
        let first = "=== proc/self/ns/pid -> pid:[4026531836]\n";
        let mark = "=== run/systemd/container\nlxc\n";
        assert_eq!(name_of(&[own, mark].concat()), "Linux, in lxc");
        assert_eq!(name_of(&[first, mark].concat()), "Linux");
        assert_eq!(name_of(own), "Linux, in a container");
    }

    #[test]
    fn the_name_is_taken_out_of_its_quotes() {
        assert_eq!(name_of("=== etc/os-release\nNAME=x\nPRETTY_NAME='Arch Linux'\n"), "Arch Linux");
        assert_eq!(name_of("=== usr/lib/os-release\nPRETTY_NAME=\"Yocto\"\n"), "Yocto");
        assert_eq!(name_of("=== etc/os-release\nPRETTY_NAME=\"\"\n"), "Linux");
    }
}
