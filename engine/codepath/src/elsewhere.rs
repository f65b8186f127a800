//! What other processors and systems answer; no call is made.

use crate::{CodePath, Unavailable};

pub fn trace(_call: &mut dyn FnMut(), _most_steps: u32) -> Result<CodePath, Unavailable> {
    Err(Unavailable("which code path ran can be seen on x86-64 Linux only".into()))
}
