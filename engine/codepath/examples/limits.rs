//! What the kernels over many packets and the universal hashes execute, how long this processor
//! needs for so many instructions at least, and how long it takes.
//!
//! ```text
//! cargo run --release -p ciphermark-codepath --example limits [ALGORITHM ...]
//! ```
//!
//! The limit is the largest of several times: that of all computing vector instructions at the rate
//! of the plainest, that of the shuffles and shifts, of products of each kind, of rounds of AES, of
//! the loads, and that of all instructions, each at the rate at which this core executes nothing
//! else. What is above it is waiting: of one instruction for another, as in a polynomial, or for
//! units of which two kinds want the same. Instructions are counted by executing two calls one by
//! one, of which the longer one has so many bytes more; of a short message all are counted. Figures
//! are core cycles, by a chain of dependent additions.

#[cfg(target_arch = "x86_64")]
#[path = "limits/rates.rs"]
mod rates;

#[cfg(target_arch = "x86_64")]
#[path = "limits/instructions.rs"]
mod instructions;

#[cfg(target_arch = "x86_64")]
#[path = "limits/kernels.rs"]
mod kernels;

#[cfg(target_arch = "x86_64")]
#[path = "limits/hashes.rs"]
mod hashes;

#[cfg(target_arch = "x86_64")]
use ciphermark_registry::REGISTRY;

#[cfg(target_arch = "x86_64")]
fn main() -> Result<(), ciphermark_codepath::Unavailable> {
    let rates = rates::Rates::measure();
    rates.print();
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|it| it == name);
    let kernels = REGISTRY.iter().find(|it| it.name == "kernels").expect("it is ours");
    let provider = (kernels.open)(None).expect("it is compiled in");
    kernels::print_all(&rates, provider.as_ref(), is_chosen)?;
    hashes::print_all(&rates, provider.as_ref(), is_chosen)
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("instructions can be counted on x86-64 only");
}
