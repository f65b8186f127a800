//! What other processors and systems answer; no call is made.

use crate::{CodePath, Counts, Unavailable};

const ONLY: &str = "which code path ran can be seen on x86-64 Linux only";

pub fn trace(_call: &mut dyn FnMut(), _most_steps: u32) -> Result<CodePath, Unavailable> {
    Err(Unavailable(ONLY.into()))
}

pub fn count(_call: &mut dyn FnMut(), _most_steps: u32) -> Result<Counts, Unavailable> {
    Err(Unavailable(ONLY.into()))
}
