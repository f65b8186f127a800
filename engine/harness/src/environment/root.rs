//! The files that everything is read from, under a folder that tests replace.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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

    pub fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    /// What a symbolic link points at.
    pub fn link(&self, path: &str) -> Option<String> {
        let target = fs::read_link(self.0.join(path)).ok()?;
        Some(target.to_string_lossy().into_owned())
    }
}
