//! The kernels over many packets: what they execute, and how long they take.

use std::time::Instant;

use ciphermark_codepath::{Counts, Unavailable, count};
use ciphermark_providers::api::{
    Expansion, Lanes, Message, Operation, Provider, Request, output_bytes,
};

use crate::instructions::Instructions;
use crate::rates::{Rates, cycle_seconds};

const ALGORITHMS: [(&str, Operation); 6] = [
    ("uea1", Operation::Encrypt),
    ("uia1", Operation::Mac),
    ("uea2", Operation::Encrypt),
    ("uia2", Operation::Mac),
    ("eea3", Operation::Encrypt),
    ("eia3", Operation::Mac),
];
/// Packets of a call that is counted, a multiple of those that any kernel takes at once.
const PACKETS: usize = 256;
/// Two lengths; what the longer one takes more is what a byte takes.
const SHORT: usize = 64;
const LONG: usize = 128;
/// What is timed, and how often; the least time counts.
const TIMED: usize = 1500;
const REPEATS: u32 = 60;
/// More than the slowest of these takes.
const MOST_STEPS: u32 = 4_000_000;

pub fn print_all(
    rates: &Rates,
    provider: &dyn Provider,
    is_chosen: impl Fn(&str) -> bool,
) -> Result<(), Unavailable> {
    let asked: Vec<_> = ALGORITHMS.iter().filter(|(it, _)| is_chosen(it)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    println!("per byte, {PACKETS} packets under {PACKETS} keys; cycles at {TIMED} bytes");
    println!(
        "                             instructions   of which                         cycles\n\
         function  backend              computing   shuffles   AES  products  loads    limit  \
         measured  share"
    );
    for (algorithm, operation) in asked {
        print_backends(rates, provider, algorithm, *operation)?;
    }
    println!();
    Ok(())
}

fn print_backends(
    rates: &Rates,
    provider: &dyn Provider,
    algorithm: &str,
    operation: Operation,
) -> Result<(), Unavailable> {
    for it in provider.implementations() {
        if it.algorithm == algorithm && it.most_lanes as usize >= PACKETS {
            let mut batch = Batch::new(provider, algorithm, &it.backend, operation);
            let per_byte = batch.per_byte()?;
            let (limit, _) = per_byte.limit(rates);
            let measured = batch.cycles_per_byte(TIMED);
            println!(
                "{algorithm:<10}{:<22}{:>8.2}{:>11.2}{:>6.2}{:>10.2}{:>7.2}{limit:>9.3}{measured:>10.3}{:>6.0}%",
                it.backend,
                per_byte.computing,
                per_byte.shuffles,
                per_byte.aes,
                per_byte.products + per_byte.carryless_products,
                per_byte.loads,
                100.0 * limit / measured,
            );
        }
    }
    Ok(())
}

/// Packets of one length, each under a key of its own.
struct Batch {
    lanes: Box<dyn Lanes>,
    nonce: Vec<u8>,
    tag_bytes: usize,
    operation: Operation,
}

impl Batch {
    fn new(provider: &dyn Provider, algorithm: &str, backend: &str, operation: Operation) -> Self {
        let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
        let request = Request::usual(algorithm, backend, operation);
        let mut lanes =
            provider.create_lanes(&request, PACKETS, PACKETS).expect("it has so many lanes");
        for lane in 0..PACKETS {
            let key = vec![lane as u8; facts.key_bytes as usize];
            lanes.set_key(lane, &key).expect("a key of the right length");
        }
        let nonce = vec![1; facts.nonce_bytes as usize];
        Self { lanes, nonce, tag_bytes: facts.tag_bytes as usize, operation }
    }

    /// Calls that follow each other, each of all packets.
    fn call(&mut self, bytes: usize, mut calls: impl FnMut(&mut dyn FnMut())) {
        let input = vec![0x5a; bytes * PACKETS];
        let answer = output_bytes(self.operation, bytes, Expansion::Tag(self.tag_bytes));
        let mut output = vec![0; answer * PACKETS];
        let messages: Vec<_> =
            input.chunks(bytes).map(|input| Message::new(&self.nonce, input)).collect();
        let mut outputs: Vec<_> = output.chunks_mut(answer).collect();
        let lanes = self.lanes.as_mut();
        calls(&mut || lanes.process(&messages, &mut outputs).expect("it processes its messages"));
    }

    fn per_byte(&mut self) -> Result<Instructions, Unavailable> {
        let (short, long) = (self.count(SHORT)?, self.count(LONG)?);
        let bytes = (LONG - SHORT) * PACKETS;
        Ok(Instructions::of(&long).less(&Instructions::of(&short)).each(bytes))
    }

    fn count(&mut self, bytes: usize) -> Result<Counts, Unavailable> {
        let mut counted = Err(Unavailable("nothing was counted".into()));
        self.call(bytes, |call| {
            call(); // binds symbols
            counted = count(call, MOST_STEPS);
        });
        counted
    }

    fn cycles_per_byte(&mut self, bytes: usize) -> f64 {
        let (mut least, mut cycle) = (f64::INFINITY, f64::INFINITY);
        self.call(bytes, |call| {
            for _ in 0..REPEATS {
                cycle = cycle.min(cycle_seconds());
                let begin = Instant::now();
                call();
                least = least.min(begin.elapsed().as_secs_f64());
            }
        });
        least / cycle / (bytes * PACKETS) as f64
    }
}
