//! Prints which code path each library here runs for some algorithms, how many instructions that
//! takes and what following them costs.

use std::time::Instant;

use ciphermark_codepath::{Unavailable, name, trace};
use ciphermark_providers::api::{
    CallError, Expansion, Function, Message, Operation, Provider, Request, output_bytes,
};
use ciphermark_registry::REGISTRY;

const ALGORITHMS: [(&str, Operation); 4] = [
    ("aes-128-gcm", Operation::Seal),
    ("sha256", Operation::Digest),
    ("chacha20-poly1305", Operation::Seal),
    ("aes-128-ctr", Operation::Encrypt),
];
const MESSAGE_BYTES: usize = 1024;
/// More than the slowest of these takes.
const MOST_STEPS: u32 = 100_000;

fn main() -> Result<(), Unavailable> {
    println!("provider     algorithm          code path               steps  µs/step  extensions");
    for registration in REGISTRY.iter().filter(|registration| registration.listed) {
        match (registration.open)(None) {
            Err(why) => println!("{:<13}{why}", registration.name),
            Ok(provider) => print_paths(registration.name, provider.as_ref())?,
        }
    }
    Ok(())
}

fn print_paths(provider_name: &str, provider: &dyn Provider) -> Result<(), Unavailable> {
    for (algorithm, operation) in ALGORITHMS {
        let request = Request::usual(algorithm, "default", operation);
        if let Ok(mut function) = provider.create(&request) {
            print!("{provider_name:<13}{algorithm:<19}");
            print_path(algorithm, operation, function.as_mut())?;
        }
    }
    Ok(())
}

fn print_path(
    algorithm: &str,
    operation: Operation,
    function: &mut dyn Function,
) -> Result<(), Unavailable> {
    let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
    let [key, mut nonce] =
        [facts.key_bytes, facts.nonce_bytes].map(|bytes| vec![1; bytes as usize]);
    let input = [0; MESSAGE_BYTES];
    let mut output = vec![0; output_bytes(operation, MESSAGE_BYTES, Expansion::of(facts))];
    let mut result: Result<(), CallError> = function.set_key(&key);
    let mut process = || {
        nonce.iter_mut().take(1).for_each(|byte| *byte += 1);
        let message = Message::new(&nonce, &input);
        result = result.and_then(|()| function.process(&message, &mut output));
    };
    process(); // binds symbols
    let begin = Instant::now();
    let path = trace(&mut process, MOST_STEPS)?;
    let micros_per_step = begin.elapsed().as_secs_f64() * 1e6 / f64::from(path.steps);
    match result {
        Err(error) => println!("{error}"),
        Ok(()) => {
            let (name, extensions) = (name(&path.features), path.features.join(" "));
            println!("{name:<20}{:>9}{micros_per_step:>9.1}  {extensions}", path.steps);
        }
    }
    Ok(())
}
