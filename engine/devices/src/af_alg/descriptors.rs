//! How many sockets a device may open: each key needs one that has it, and one for each request that
//! is under way.

use std::fs;

use nix::sys::resource::{Resource, getrlimit};

use ciphermark_providers::api::CreateError;

/// Files that are left for everything else.
const RESERVED: usize = 16;

/// Sockets for requests that each of `keys` keys may have, at most `most`.
pub fn requests_per_key(keys: usize, most: usize) -> Result<usize, CreateError> {
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE)
        .map_err(|errno| CreateError::Failed(errno.desc().to_owned()))?;
    let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    share(keys, most, usize::try_from(limit).unwrap_or(usize::MAX), open)
}

fn share(keys: usize, most: usize, limit: usize, open: usize) -> Result<usize, CreateError> {
    if keys == 0 {
        return Err(CreateError::Unsupported("no key".into()));
    }
    let needed = open + RESERVED;
    match (limit.saturating_sub(needed) / keys).saturating_sub(1) {
        0 => Err(CreateError::Failed(format!(
            "{keys} keys need {} sockets, and of {limit} files that this process may open {open} are \
             open: take fewer keys, or type ulimit -n {} first",
            2 * keys,
            2 * keys + needed
        ))),
        room => Ok(room.min((most / keys).max(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_share_what_may_be_open() {
        assert_eq!(share(1, 256, 1024, 20), Ok(256));
        assert_eq!(share(8, 256, 1024, 20), Ok(32));
        assert_eq!(share(300, 256, 1024, 20), Ok(1));
        assert_eq!(share(10, 256, 100, 20), Ok(5));
    }

    #[test]
    fn too_many_keys_are_refused_with_the_limit_that_they_need() {
        let refused = share(500, 256, 1000, 20);
        let Err(CreateError::Failed(sentence)) = refused else { panic!("{refused:?}") };
        assert_eq!(
            sentence,
            "500 keys need 1000 sockets, and of 1000 files that this process may open 20 are open: \
             take fewer keys, or type ulimit -n 1036 first"
        );
    }
}
