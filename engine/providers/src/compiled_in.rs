//! Libraries that are compiled into the engine: there is one version of them, and no file.

use std::path::Path;

use crate::api::Unusable;

/// Where they are, in place of a path.
pub const LOCATION: &str = "compiled into the engine";

/// Refuses a path for the provider of that name.
pub fn refuse_path(provider: &str, path: Option<&Path>) -> Result<(), Unusable> {
    match path {
        None => Ok(()),
        Some(path) => Err(Unusable(format!(
            "{provider} is {LOCATION} and cannot be read from {}: leave out --library \
             {provider}=PATH",
            path.display()
        ))),
    }
}
