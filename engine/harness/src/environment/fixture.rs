//! The file tree of another machine, unpacked from one text for a test.
//!
//! A line `=== path` begins a file that holds the lines after it, a line `=== path -> target` is a
//! symbolic link.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::root::Root;

/// Removed when dropped.
pub struct Tree(TempDir);

impl Tree {
    pub fn new(text: &str) -> Self {
        let tree = Self(TempDir::new().unwrap());
        let entries = text.strip_prefix("=== ").unwrap_or(text).split("\n=== ");
        for entry in entries.filter(|entry| !entry.is_empty()) {
            let (heading, content) = entry.split_once('\n').unwrap_or((entry, ""));
            tree.write(heading, content);
        }
        tree
    }

    pub fn root(&self) -> Root {
        Root::at(&self.0)
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.0.path().join(path)).unwrap();
    }

    pub fn write(&self, heading: &str, content: &str) {
        let (path, target) = match heading.split_once(" -> ") {
            Some((path, target)) => (path, Some(target)),
            None => (heading, None),
        };
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match target {
            Some(target) => symlink(target, path).unwrap(),
            None => fs::write(path, content).unwrap(),
        }
    }
}
