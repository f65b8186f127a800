//! Algorithms of a user's own, from the folder that [`VARIABLE`] names.
//!
//! `algorithms/NAME.toml` has the facts and `algorithms/vectors/NAME.json` the test vectors, in the form of the
//! files that are embedded. The engine's worker processes inherit the variable and read the same files.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Environment variable with the folder of extensions.
pub const VARIABLE: &str = "CIPHERMARK_EXTENSIONS";

/// Longest file of facts, and of test vectors, bytes.
const MOST_BYTES: u64 = 64 << 20;
const MOST_FILES: usize = 1000;

/// A file with its stem.
pub(crate) struct Extension {
    pub stem: String,
    pub path: PathBuf,
    pub text: String,
}

/// The files of facts of the folder, none without one.
///
/// The error is a sentence that names the file and the fault.
pub(crate) fn fact_files() -> Result<Vec<Extension>, String> {
    folder().map_or(Ok(Vec::new()), |folder| files(&folder.join("algorithms"), "toml"))
}

/// The files of test vectors of the folder.
pub(crate) fn vector_files() -> Result<Vec<Extension>, String> {
    folder().map_or(Ok(Vec::new()), |folder| files(&folder.join("algorithms/vectors"), "json"))
}

fn folder() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The files of a folder with that extension, by name; none where there is no such folder.
fn files(folder: &Path, extension: &str) -> Result<Vec<Extension>, String> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let unreadable = |path: &Path, error| format!("{} cannot be read: {error}", path.display());
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_none_or(|it| it != extension) {
            continue;
        }
        if found.len() == MOST_FILES {
            return Err(format!("{} has more than {MOST_FILES} files", folder.display()));
        }
        let text = text(&path).map_err(|error| unreadable(&path, error))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        found.push(Extension { stem, path, text });
    }
    found.sort_by(|a, b| a.stem.cmp(&b.stem));
    Ok(found)
}

/// The text of a plain file: opening a pipe would wait for its writer.
fn text(path: &Path) -> std::io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    match text.len() as u64 > MOST_BYTES {
        true => Err(std::io::Error::other(format!("it is longer than {} MiB", MOST_BYTES >> 20))),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_extension_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.toml", "a.toml", "a.json"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let found = files(folder.path(), "toml").unwrap();
        let stems: Vec<_> = found.iter().map(|it| (it.stem.as_str(), it.text.as_str())).collect();
        assert_eq!(stems, [("a", "a.toml"), ("b", "b.toml")]);
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a.toml")).unwrap();
        let problem = files(folder.path(), "toml").err().unwrap();
        assert!(problem.contains("a.toml cannot be read: it is no file"), "{problem}");
    }

    #[test]
    fn a_folder_that_is_missing_has_none() {
        assert!(files(Path::new("/nonexistent"), "toml").unwrap().is_empty());
    }
}
