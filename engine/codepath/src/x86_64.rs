//! Single steps on x86-64 Linux, and what their instructions are.

mod executed;
mod extensions;
mod memory;
mod single_step;
mod trap;

use crate::{CodePath, Unavailable};

pub fn trace(call: &mut dyn FnMut(), most_steps: u32) -> Result<CodePath, Unavailable> {
    let steps = single_step::run(call, most_steps)?;
    executed::code_path(steps).map_err(|error| {
        Unavailable(format!("the code that was executed cannot be read from /proc/self: {error}"))
    })
}
