//! The copy of a library's file that the loader opens in its place.
//!
//! The file may be replaced while other processes still measure the old one. So the supervisor copies it
//! into memory, and its workers open the copy under the path of the file.

use std::io;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of the file and the descriptor of its copy.
static COPY: OnceLock<(PathBuf, RawFd)> = OnceLock::new();

/// A file that is to be loaded.
pub struct Found {
    /// Its path without links, which people are told.
    pub location: PathBuf,
    /// The path that the loader gets.
    pub opened: PathBuf,
}

/// Has an open descriptor stand for the file at `location` from here on. A process has one library, and
/// only the first call counts.
pub fn stand_for(location: &Path, descriptor: RawFd) {
    let _ = COPY.set((location.to_owned(), descriptor));
}

/// Finds the file at a path, or its copy, for which no file need be there any more.
pub fn find(path: &Path) -> io::Result<Found> {
    match COPY.get() {
        Some((location, descriptor)) if location == path => Ok(Found {
            location: location.clone(),
            opened: format!("/proc/self/fd/{descriptor}").into(),
        }),
        _ => {
            let location = path.canonicalize()?;
            Ok(Found { opened: location.clone(), location })
        }
    }
}
