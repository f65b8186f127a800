//! Algorithms of a user's own, from the folder that [`VARIABLE`] names.
//!
//! `algorithms/NAME.toml` has the facts and `algorithms/vectors/NAME.json` the test vectors, in the form of the
//! files that are embedded. The engine's worker processes inherit the variable and read the same files.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ciphermark_record::description::Algorithm;

use crate::facts;

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

/// The algorithms of the folder, none without one.
///
/// The error is a sentence that names the file and the fault.
pub(crate) fn algorithms() -> &'static Result<Vec<Algorithm>, String> {
    static ALGORITHMS: OnceLock<Result<Vec<Algorithm>, String>> = OnceLock::new();
    ALGORITHMS.get_or_init(|| match folder() {
        Some(folder) => read_algorithms(&folder.join("algorithms")),
        None => Ok(Vec::new()),
    })
}

/// The files of test vectors of the folder.
pub(crate) fn vector_files() -> Result<Vec<Extension>, String> {
    folder().map_or(Ok(Vec::new()), |folder| files(&folder.join("algorithms/vectors"), "json"))
}

fn folder() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn read_algorithms(folder: &Path) -> Result<Vec<Algorithm>, String> {
    let read = |file: Extension| {
        facts::read(&file.stem, &file.text)
            .map_err(|problem| format!("{}: {problem}", file.path.display()))
    };
    files(folder, "toml")?.into_iter().map(read).collect()
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

    fn folder_with(name: &str, content: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        folder
    }

    #[test]
    fn an_own_algorithm_is_read() {
        let facts = crate::embedded::FACTS.iter().find(|(stem, _)| *stem == "umac-64").unwrap().1;
        let own = facts.replace("\"umac-64\"", "\"mine\"").replace("\"umac64\"", "");
        let folder = folder_with("mine.toml", &own);
        let read = read_algorithms(folder.path()).unwrap();
        assert_eq!(read.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["mine"]);
    }

    #[test]
    fn a_fault_names_the_file() {
        let folder = folder_with("mine.toml", "name = \"other\"");
        let problem = read_algorithms(folder.path()).unwrap_err();
        assert!(problem.contains("mine.toml: "), "{problem}");
    }

    #[test]
    fn a_folder_that_is_missing_has_none() {
        assert!(read_algorithms(Path::new("/nonexistent")).unwrap().is_empty());
    }
}
