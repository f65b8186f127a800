//! Universal hashes of one message: what they execute, and how long they take.

use std::time::Instant;

use ciphermark_codepath::{Unavailable, count};
use ciphermark_providers::api::{Function, Message, Operation, Provider, Request};

use crate::instructions::Instructions;
use crate::rates::{Rates, cycle_seconds, reading};

const ALGORITHMS: [&str; 8] = [
    "umac-32",
    "umac-64",
    "umac-128",
    "uhash2000-2-4",
    "uhash2000-4-4",
    "vmac-64",
    "vmac-128",
    "hash127",
];
/// Two lengths; what the longer one takes more is what a byte takes. Whole blocks of all hashes.
const SHORT: usize = 8 * 1024;
const LONG: usize = 24 * 1024;
/// What is timed for a byte of a long message.
const TIMED: usize = 64 * 1024;
/// A short message, of whole words.
const PACKET: usize = 44;
/// The least time counts.
const REPEATS: u32 = 400;
/// Of one time: a clock is read less often than a short message is hashed.
const TIMED_BYTES: usize = 256 * 1024;
/// More than the slowest of these takes.
const MOST_STEPS: u32 = 4_000_000;
/// A byte of all nonces that chooses no part of a pad.
const COUNTED: usize = 3;
/// The backend that is written to be read.
const REFERENCE: &str = "reference";

pub fn print_all(
    rates: &Rates,
    provider: &dyn Provider,
    is_chosen: impl Fn(&str) -> bool,
) -> Result<(), Unavailable> {
    let asked: Vec<_> = ALGORITHMS.into_iter().filter(|it| is_chosen(it)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    println!(
        "per byte of a long message; cycles at {TIMED} bytes, of which {:.3} only to read them",
        reading(&vec![0x5a; TIMED]),
    );
    print_heading();
    for algorithm in &asked {
        print_backends(rates, provider, algorithm, Hash::per_byte, |hash| {
            hash.cycles(TIMED) / TIMED as f64
        })?;
    }
    println!("\nper message of {PACKET} bytes");
    print_heading();
    for algorithm in &asked {
        print_backends(
            rates,
            provider,
            algorithm,
            |hash| hash.count(PACKET),
            |hash| hash.cycles(PACKET),
        )?;
    }
    Ok(())
}

fn print_heading() {
    println!(
        "                               instructions  vector          of which        general   \
         vector          cycles\n\
         function       backend              all  computing  shuffles  AES  products  products   \
         loads    limit  measured  share  by"
    );
}

fn print_backends(
    rates: &Rates,
    provider: &dyn Provider,
    algorithm: &str,
    count: impl Fn(&mut Hash) -> Result<Instructions, Unavailable>,
    cycles: impl Fn(&mut Hash) -> f64,
) -> Result<(), Unavailable> {
    for it in provider.implementations() {
        if it.algorithm == algorithm && it.backend != REFERENCE {
            let mut hash = Hash::new(provider, algorithm, &it.backend);
            let found = count(&mut hash)?;
            let ((limit, by), measured) = (found.limit(rates), cycles(&mut hash));
            println!(
                "{algorithm:<15}{:<13}{:>11.3}{:>11.3}{:>10.3}{:>5.0}{:>10.3}{:>10.3}{:>8.3}{limit:>9.3}\
                 {measured:>10.3}{:>6.0}%  {by}",
                it.backend,
                found.all,
                found.computing,
                found.shuffles,
                found.aes,
                found.products + found.carryless_products,
                found.general_products,
                found.loads,
                100.0 * limit / measured,
            );
        }
    }
    Ok(())
}

/// A function with a key.
struct Hash {
    function: Box<dyn Function>,
    nonce: Vec<u8>,
    tag_bytes: usize,
}

impl Hash {
    fn new(provider: &dyn Provider, algorithm: &str, backend: &str) -> Self {
        let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
        let request = Request::usual(algorithm, backend, Operation::Mac);
        let mut function = provider.create(&request).expect("it is one of its implementations");
        let key = vec![0x5a; facts.key_bytes as usize];
        function.set_key(&key).expect("a key of the right length");
        let nonce = vec![1; facts.nonce_bytes as usize];
        Self { function, nonce, tag_bytes: facts.tag_bytes as usize }
    }

    /// Calls that follow each other, each with a nonce whose pad is in no block that was before.
    fn call(&mut self, bytes: usize, mut calls: impl FnMut(&mut dyn FnMut())) {
        let (input, mut tag) = (vec![0x5a; bytes], vec![0; self.tag_bytes]);
        let Self { function, nonce, .. } = self;
        calls(&mut || {
            if let Some(byte) = nonce.get_mut(COUNTED) {
                *byte = byte.wrapping_add(1);
            }
            let message = Message::new(nonce, &input);
            function.process(&message, &mut tag).expect("it hashes its message");
        });
    }

    fn per_byte(&mut self) -> Result<Instructions, Unavailable> {
        let (short, long) = (self.count(SHORT)?, self.count(LONG)?);
        Ok(long.less(&short).each(LONG - SHORT))
    }

    fn count(&mut self, bytes: usize) -> Result<Instructions, Unavailable> {
        let mut counted = Err(Unavailable("nothing was counted".into()));
        self.call(bytes, |call| {
            call(); // binds symbols
            counted = count(call, MOST_STEPS);
        });
        counted.map(|counts| Instructions::of(&counts))
    }

    /// Core cycles of a call.
    fn cycles(&mut self, bytes: usize) -> f64 {
        let calls = TIMED_BYTES / bytes;
        let (mut least, mut cycle) = (f64::INFINITY, f64::INFINITY);
        self.call(bytes, |call| {
            for _ in 0..REPEATS {
                cycle = cycle.min(cycle_seconds());
                let begin = Instant::now();
                (0..calls).for_each(|_| call());
                least = least.min(begin.elapsed().as_secs_f64());
            }
        });
        least / cycle / calls as f64
    }
}
