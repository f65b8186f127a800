//! Where drivers of OpenCL keep the programs that they have compiled: in our cache and not beside it,
//! unless the user has said where. Without one, every worker would compile anew.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs, io};

/// The environment variables by which drivers are told, and our folder for each. Those of Mesa and
/// Intel keep to the user's cache folder (`XDG_CACHE_HOME`) and are left alone.
const FOLDERS: [(&str, &str); 2] = [("POCL_CACHE_DIR", "pocl"), ("CUDA_CACHE_PATH", "cuda")];

/// PoCL makes an empty file of this name for each program that it compiles, and leaves it there.
const LEFTOVER: &str = "tempfile_";

/// A file that is older belongs to no compilation that still runs.
const LONGEST_COMPILATION: Duration = Duration::from_secs(3600);

/// Removes what PoCL has left in our cache; a folder that is not there or not ours has nothing.
pub fn sweep() {
    for (_, folder) in variables().filter(|(variable, _)| *variable == "POCL_CACHE_DIR") {
        let _ = sweep_folder(&folder, SystemTime::now());
    }
}

fn sweep_folder(folder: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let is_leftover = entry.file_name().to_string_lossy().starts_with(LEFTOVER)
            && metadata.is_file()
            && metadata.len() == 0;
        let age = now.duration_since(metadata.modified()?).unwrap_or_default();
        if is_leftover && age > LONGEST_COMPILATION {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// What a worker's environment has beside ours.
pub fn variables() -> impl Iterator<Item = (&'static str, PathBuf)> {
    let cache = cache(env::var_os("XDG_CACHE_HOME").map(PathBuf::from), env::home_dir());
    let unset = FOLDERS.into_iter().filter(|(variable, _)| env::var_os(variable).is_none());
    unset.filter_map(move |(variable, folder)| Some((variable, cache.as_ref()?.join(folder))))
}

/// Our cache, as the workbench has it (`measure/caches.py`).
fn cache(xdg: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let user = xdg.filter(|path| path.is_absolute());
    Some(user.or_else(|| Some(home?.join(".cache")))?.join("ciphermark"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_that_of_the_workbench() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(cache(path("/c"), path("/h")), path("/c/ciphermark"));
        assert_eq!(cache(path("relative"), path("/h")), path("/h/.cache/ciphermark"));
        assert_eq!(cache(None, path("/h")), path("/h/.cache/ciphermark"));
        assert_eq!(cache(None, None), None);
    }

    #[test]
    fn old_leftovers_are_swept_and_nothing_else() {
        let folder = env::temp_dir().join(format!("ciphermark-sweep-{}", std::process::id()));
        fs::create_dir_all(folder.join("AB")).expect("the folder can be made");
        for (name, text) in [("tempfile_1", ""), ("tempfile_2.cl", "kernel"), ("index", "")] {
            fs::write(folder.join(name), text).expect("files can be written");
        }
        let later = |seconds| SystemTime::now() + Duration::from_secs(seconds);
        let names = || {
            let entries = fs::read_dir(&folder).expect("the folder is there");
            let mut names: Vec<_> =
                entries.map(|entry| entry.expect("it can be read").file_name()).collect();
            names.sort();
            names
        };
        sweep_folder(&folder, later(60)).expect("the folder can be swept");
        assert_eq!(names(), ["AB", "index", "tempfile_1", "tempfile_2.cl"]);
        sweep_folder(&folder, later(7200)).expect("the folder can be swept");
        assert_eq!(names(), ["AB", "index", "tempfile_2.cl"]);
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
