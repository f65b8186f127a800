//! What the kernels over many packets execute for a byte, how long this processor needs for so
//! many instructions at least, and how long it takes.
//!
//! ```text
//! cargo run --release -p ciphermark-codepath --example limits [ALGORITHM ...]
//! ```
//!
//! The limit is the largest of three times: that of all computing vector instructions at the rate
//! of the plainest, that of the shuffles and shifts, that of the loads, each at the rate at which
//! this core executes nothing else. Instructions are counted by executing two calls that differ by
//! 64 bytes a packet one by one. Figures are core cycles, by a chain of dependent additions.

#[cfg(target_arch = "x86_64")]
#[path = "limits/rates.rs"]
mod rates;

#[cfg(target_arch = "x86_64")]
#[path = "limits/kernels.rs"]
mod kernels;

#[cfg(target_arch = "x86_64")]
fn main() -> Result<(), ciphermark_codepath::Unavailable> {
    let rates = rates::Rates::measure();
    rates.print();
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    kernels::print_all(&rates, &chosen)
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("instructions can be counted on x86-64 only");
}
