//! Tells the providers that are compiled in what they are made of, and compiles the shims.

#[path = "build/compiler.rs"]
mod compiler;
#[path = "build/crates.rs"]
mod crates;
#[path = "build/shims.rs"]
mod shims;

fn main() {
    shims::build();
    crates::tell();
}
