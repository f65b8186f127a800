//! Test vectors: read from files, given their algorithm, and turned into calls to check.
//!
//! The schema of the files is described in `algorithms/vectors/README.md`.

mod asked;
mod expected;
mod file;
mod question;
mod stems;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ciphermark_record::plan::Operation;

use crate::embedded::VECTORS;
use crate::extensions;
use crate::facts::find;
pub use expected::Expected;
use file::{Entry, VectorFile};
use question::Question;
use stems::Stem;

/// One test vector.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Name within its file.
    pub id: String,
    /// Name of the file: `aes-gcm.json`.
    pub file: String,
    /// Canonical name of the algorithm it is for, which need not be one that has facts.
    pub algorithm: String,
    /// The parameters by which it is of another function than its algorithm's usual one.
    variant: Option<String>,
    /// What is asked, or the parameters that no call can carry.
    question: Result<Question, String>,
}

/// One call and the answer that is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub operation: Operation,
    /// Empty for hashes.
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub aad: Vec<u8>,
    /// As the operation takes it: for `open` and `verify` the tag comes last.
    pub input: Vec<u8>,
    /// Low bits of the last byte of the message that are no part of it.
    pub unused_bits: u8,
    /// How often the operation is done, each time on the answer before.
    pub iterations: u32,
    pub expected: Expected,
}

impl Vector {
    /// The calls that this vector checks, or the names of the parameters that are not supported.
    pub fn checks(&self) -> Result<Vec<Check>, String> {
        let tag_bytes = find(&self.algorithm).map(|algorithm| algorithm.tag_bytes as usize);
        self.question.as_ref().map_err(String::clone)?.checks(tag_bytes)
    }

    /// The parameters by which it is of another function than the one that its algorithm's name
    /// usually means, with their values: `sbox identity`.
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    fn new(file: &str, stem: &Stem, mut entry: Entry) -> Result<Self, String> {
        let id = entry.id.clone();
        let variant = stem.variant(&entry);
        let within = |problem: String| format!("vector {id}: {problem}");
        let algorithm = stem.algorithm(&entry).map_err(within)?;
        let fields = find(&algorithm).map_or(&[][..], |facts| &facts.nonce_fields);
        let question = match stem.unsupported(&entry, fields) {
            Some(parameters) => Err(parameters),
            None => {
                entry.pack_nonce(fields).map_err(within)?;
                Ok(Question::new(stem.kind, entry).map_err(within)?)
            }
        };
        Ok(Self { file: format!("{file}.json"), algorithm, variant, question, id })
    }
}

/// The vectors of `algorithms/vectors/`, in the order of their files, then the user's own.
pub fn known() -> &'static [Vector] {
    // There are some 2,000, and a worker runs those of each algorithm that its library has.
    static KNOWN: OnceLock<Vec<Vector>> = OnceLock::new();
    let read = |(stem, text): &(&str, &str)| {
        read(stem, text).unwrap_or_else(|problem| panic!("vectors/{stem}.json: {problem}"))
    };
    let own = || own().into_iter().flatten();
    KNOWN.get_or_init(|| VECTORS.iter().flat_map(read).chain(own()).collect())
}

/// Checks the user's own vectors. The error names the file.
pub(crate) fn check_extensions() -> Result<(), String> {
    own().map(drop)
}

fn own() -> Result<Vec<Vector>, String> {
    let mut vectors = Vec::new();
    for file in extensions::vector_files()? {
        let within = |problem| format!("{}: {problem}", file.path.display());
        vectors.extend(read(&file.stem, &file.text).map_err(within)?);
    }
    Ok(vectors)
}

/// The vectors of all `.json` files in a folder, in the order of their names.
///
/// The error is a sentence that names the file and what is wrong with it.
pub fn read_dir(folder: &Path) -> Result<Vec<Vector>, String> {
    let paths = vector_files(folder)
        .map_err(|error| format!("cannot read the folder {}: {error}", folder.display()))?;
    if paths.is_empty() {
        return Err(format!("{} has no vector files (*.json)", folder.display()));
    }
    let mut vectors = Vec::new();
    for path in paths {
        let within = |problem| format!("{}: {problem}", path.display());
        vectors.extend(read_file(&path).map_err(within)?);
    }
    Ok(vectors)
}

fn vector_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read_file(path: &Path) -> Result<Vec<Vector>, String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"))?;
    read(&stem, &text)
}

fn read(name: &str, text: &str) -> Result<Vec<Vector>, String> {
    let stem = Stem::find(name)?;
    let file: VectorFile =
        serde_json::from_str(text).map_err(|error| format!("not a vector file: {error}"))?;
    file.vectors.into_iter().map(|entry| Vector::new(name, &stem, entry)).collect()
}

#[cfg(test)]
mod tests;
