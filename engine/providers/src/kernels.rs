//! Our own kernels: the C of `kernels/`, compiled into the engine.
//!
//! Each row of their tables is a backend of its own, chosen by name: the evidence is `reported`.
//! What is timed is a call of a row's function, as of a shim, and nothing of the checks that other
//! callers get (`kernels/call.c`), since the engine makes its own.

use std::path::Path;
use std::sync::OnceLock;

use crate::api::*;
use crate::compiled_in;
use crate::shim::{self, abi};
use crate::table::TableProvider;

const NAME: &str = "kernels";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "ciphermark", open, listed: true, switches: None };

fn open(path: Option<&Path>) -> Opened {
    compiled_in::refuse_path(NAME, path)?;
    let library = Library {
        version: env!("CARGO_PKG_VERSION").into(),
        location: compiled_in::LOCATION.into(),
        build: ciphermark_kernels::COMPILER.into(),
    };
    let kernels = kernels();
    let table = shim::algorithms(kernels);
    Ok(Box::new(TableProvider { name: NAME, functions: kernels, library, table }))
}

/// The rows that this processor can run, as the table of one library.
fn kernels() -> &'static abi::Library {
    static KERNELS: OnceLock<abi::Library> = OnceLock::new();
    KERNELS.get_or_init(|| abi::Library::of(ciphermark_kernels::rows().leak()))
}
