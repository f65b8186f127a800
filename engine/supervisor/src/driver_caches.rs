//! Where drivers of OpenCL keep the programs that they have compiled: in our cache and not beside it,
//! unless the user has said where. Without one, every worker would compile anew.

use std::env;
use std::path::PathBuf;

/// The environment variables by which drivers are told, and our folder for each. Those of Mesa and
/// Intel keep to the user's cache folder (`XDG_CACHE_HOME`) and are left alone.
const FOLDERS: [(&str, &str); 2] = [("POCL_CACHE_DIR", "pocl"), ("CUDA_CACHE_PATH", "cuda")];

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
}
