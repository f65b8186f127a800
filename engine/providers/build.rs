//! Tells the providers that are compiled in what they are made of, and compiles the shims.

#[path = "build/compiler.rs"]
mod compiler;
#[path = "build/crates.rs"]
mod crates;
#[path = "build/elf.rs"]
mod elf;
#[path = "build/shims.rs"]
mod shims;

fn main() {
    shims::build();
    crates::tell();
}
