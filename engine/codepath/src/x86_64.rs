//! Single steps on x86-64 Linux, and what their instructions are.

mod counts;
mod executed;
mod extensions;
mod memory;
mod single_step;
mod trap;

use std::io;

use crate::{CodePath, Counts, Unavailable};

pub fn trace(call: &mut dyn FnMut(), most_steps: u32) -> Result<CodePath, Unavailable> {
    let steps = single_step::run(call, most_steps)?;
    executed::code_path(steps).map_err(unreadable)
}

pub fn count(call: &mut dyn FnMut(), most_steps: u32) -> Result<Counts, Unavailable> {
    let steps = single_step::run(call, most_steps)?;
    counts::count(steps).map_err(unreadable)
}

fn unreadable(error: io::Error) -> Unavailable {
    Unavailable(format!("the code that was executed cannot be read from /proc/self: {error}"))
}
