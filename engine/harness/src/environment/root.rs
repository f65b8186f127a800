//! The files that everything is read from, under a folder that tests replace.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

/// Where `/` is.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Default for Root {
    fn default() -> Self {
        Self::at("/")
    }
}

impl Root {
    pub fn at(folder: impl AsRef<Path>) -> Self {
        Self(folder.as_ref().to_owned())
    }

    /// Returns where a path from `/` is, below this folder.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A file's text without the white space and NULs around it (device-tree strings end in NUL);
    /// absent when the file is, cannot be read, or is empty.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.0.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A file that holds one value.
    pub fn parse<T: FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// A file's text, or why it cannot be read.
    pub fn read(&self, path: &str) -> io::Result<String> {
        fs::read_to_string(self.0.join(path))
    }

    /// Names of what is in a folder, sorted; none where it cannot be read.
    pub fn entries(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.0.join(path)) else { return Vec::new() };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    pub fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    /// What a symbolic link points at.
    pub fn link(&self, path: &str) -> Option<String> {
        let target = fs::read_link(self.0.join(path)).ok()?;
        Some(target.to_string_lossy().into_owned())
    }
}
