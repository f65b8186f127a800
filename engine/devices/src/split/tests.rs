//! Split functions of all providers beside the same functions whole.

use proptest::prelude::*;

use super::*;
use ciphermark_registry as registry;

/// Cores at most: more than a message has parts where it is short.
const MOST_CORES: usize = 5;

fn provider(name: &str) -> Box<dyn Provider> {
    let registration = registry::find(name).expect("it is registered");
    (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
}

/// What both are asked about.
struct Pair {
    request: Request<'static>,
    facts: &'static Algorithm,
    whole: Box<dyn Function>,
    split: Box<dyn Function>,
    /// Of the sending side, where this is the receiving one.
    sender: Option<Box<dyn Function>>,
}

impl Pair {
    /// The error is that of the split function.
    fn of(
        provider: &dyn Provider,
        request: Request<'static>,
        cores: usize,
    ) -> Result<Self, CreateError> {
        let facts = ciphermark_algorithms::find(request.algorithm).expect("it has facts");
        let team = Arc::new(Team::crowded(cores - 1));
        let split = Split::of(provider, request.operation, team).create(&request)?;
        let whole = provider.create(&request).expect("the provider has it");
        let sending = Request { operation: facts.kind.sending(), ..request };
        let sender = (sending.operation != request.operation)
            .then(|| provider.create(&sending).expect("the provider has it"));
        let mut pair = Self { request, facts, whole, split, sender };
        pair.set_key(1);
        Ok(pair)
    }

    fn set_key(&mut self, first: u8) {
        let key = bytes(self.facts.key_bytes as usize, first);
        self.whole.set_key(&key).expect("the key fits");
        self.split.set_key(&key).expect("the key fits");
        if let Some(sender) = &mut self.sender {
            sender.set_key(&key).expect("the key fits");
        }
    }

    /// Refuses to go on where both answer differently, or the split function accepts a flipped bit.
    fn compare(&mut self, nonce: &[u8], aad: &[u8], text: &[u8]) {
        let expansion = ciphermark_providers::api::Expansion::of(self.facts);
        let operation = self.request.operation;
        let message = Message { nonce, aad, input: text, unused_bits: 0 };
        let mut input = text.to_vec();
        if let Some(sender) = &mut self.sender {
            let mut sent = vec![0; output_bytes(self.facts.kind.sending(), text.len(), expansion)];
            if sender.process(&message, &mut sent).is_err() {
                return; // The library has no such length; of the same ones it refuses the parts too.
            }
            input = if operation == Operation::Verify { [text, &sent].concat() } else { sent };
        }
        let answer = |function: &mut dyn Function, input: &[u8]| {
            let mut answer = vec![0xA5; output_bytes(operation, text.len(), expansion)];
            function.process(&Message { input, ..message }, &mut answer).map(|()| answer)
        };
        let (whole, split) = (self.whole.as_mut(), self.split.as_mut());
        let Ok(right) = answer(whole, &input) else { return };
        assert_eq!(answer(split, &input), Ok(right), "{} bytes", text.len());
        if matches!(operation, Operation::Open | Operation::Verify) {
            for place in [0, input.len() / 2, input.len() - 1] {
                input[place] ^= 0x10;
                assert_eq!(answer(split, &input), Err(CallError::Refused), "byte {place}");
                input[place] ^= 0x10;
            }
        }
    }

    /// Rounds down to a length that the function has.
    fn fitting(&self, bytes: usize) -> usize {
        let block = self.facts.block_bytes as usize;
        (bytes / block * block).max(self.facts.min_message_bytes as usize)
    }
}

/// Bytes that differ from each other, and follow no pattern of blocks.
fn bytes(count: usize, first: u8) -> Vec<u8> {
    let mut state = u32::from(first) | 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

/// Each operation that is cut, and an algorithm that has it.
const CUT: &[(&str, Operation)] = &[
    ("aes-128-ctr", Operation::Encrypt),
    ("camellia-256-ctr", Operation::Decrypt),
    ("rc6-32-20-16-ctr", Operation::Encrypt),
    ("aes-128-cbc", Operation::Decrypt),
    ("idea-cbc", Operation::Decrypt),
    ("aes-128-ecb", Operation::Encrypt),
    ("idea-ecb", Operation::Decrypt),
    ("aes-128-gcm", Operation::Seal),
    ("aes-128-gcm", Operation::Open),
    ("camellia-256-gcm", Operation::Seal),
    ("aes-256-gcm", Operation::Open),
    ("gmac-aes-128", Operation::Mac),
    ("gmac-aes-256", Operation::Verify),
    ("blake3", Operation::Digest),
    ("blake3-mac", Operation::Mac),
    ("blake3-mac", Operation::Verify),
];

/// What cannot be cut by the interface of a provider, or by this repository's to it. Whoever mends one
/// of these strikes it out.
const NOT_BY_INTERFACE: &[(&str, &str)] = &[
    // No counter mode.
    ("libsodium", "aes-256-gcm"),
    // Nonces of 12 bytes alone.
    ("rustcrypto", "aes-128-gcm"),
    ("rustcrypto", "camellia-256-gcm"),
];

/// All lengths up to some parts and a bit, and some long ones.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=6 * cut::GRANULE + 5).chain([4096, 16_384 + 16, 100_000, 1 << 20])
}

#[test]
fn every_length_is_answered_as_whole_by_every_provider() {
    let mut refused = Vec::new();
    for registration in registry::REGISTRY {
        let Ok(provider) = (registration.open)(None) else { continue };
        let has = provider.implementations();
        for &(algorithm, operation) in CUT {
            let is_it = |it: &&Implementation| it.algorithm == algorithm && it.default;
            if !has.iter().any(|it| is_it(&it)) {
                continue;
            }
            let request = Request::usual(algorithm, "default", operation);
            let mut pair = match Pair::of(provider.as_ref(), request, 3) {
                Ok(pair) => pair,
                Err(why) => {
                    refused.push((registration.name, algorithm));
                    println!("{} {algorithm} {operation}: {why}", registration.name);
                    continue;
                }
            };
            println!("{} {algorithm} {operation}", registration.name);
            let nonce = bytes(pair.facts.nonce_bytes as usize, 7);
            let has_aad = matches!(operation, Operation::Seal | Operation::Open);
            for length in lengths() {
                let fits = pair.fitting(length) == length;
                let aad = bytes(if has_aad { length % 40 } else { 0 }, 9);
                if fits {
                    pair.compare(&nonce, &aad, &bytes(length, 3));
                }
            }
        }
    }
    assert!(refused.iter().all(|it| NOT_BY_INTERFACE.contains(it)), "{refused:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_message_is_answered_as_whole_by_any_number_of_cores(
        which in 0..CUT.len(),
        cores in 2..=MOST_CORES,
        keys in any::<[u8; 2]>(),
        nonce in any::<u8>(),
        aad_bytes in 0_usize..70,
        text_bytes in 0_usize..40_000,
    ) {
        let (algorithm, operation) = CUT[which];
        // Those that are compiled in, and let nonces have 16 bytes where it is GCM.
        let name = match algorithm {
            "blake3" | "blake3-mac" => "blake3",
            "aes-128-gcm" | "aes-256-gcm" => "aws-lc",
            "camellia-256-gcm" => return Ok(()),
            _ => "rustcrypto",
        };
        let provider = provider(name);
        let request = Request::usual(algorithm, "default", operation);
        let mut pair = Pair::of(provider.as_ref(), request, cores).expect("it is cut");
        let nonce = bytes(pair.facts.nonce_bytes as usize, nonce);
        let is_aead = matches!(operation, Operation::Seal | Operation::Open);
        let aad = bytes(if is_aead { aad_bytes } else { 0 }, 9);
        for key in keys {
            pair.set_key(key);
            pair.compare(&nonce, &aad, &bytes(pair.fitting(text_bytes), key));
        }
    }

    /// Counters that begin anew within the message, on each side of each width.
    #[test]
    fn counters_begin_anew_as_in_the_whole_function(
        full in 0_usize..=16,
        before in 0_u8..40,
        cores in 2..=MOST_CORES,
        name in prop::sample::select(vec!["rustcrypto", "kernels", "aws-lc"]),
    ) {
        let provider = provider(name);
        let request = Request::usual("aes-128-ctr", "default", Operation::Encrypt);
        let mut pair = Pair::of(provider.as_ref(), request, cores).expect("it is cut");
        let mut nonce = [7; 16];
        nonce[16 - full..].fill(u8::MAX);
        nonce[15] = nonce[15].wrapping_sub(before);
        pair.compare(&nonce, &[], &bytes(1500, 3));
    }
}

#[test]
fn plaintext_of_a_wrong_tag_is_not_given_out() {
    let provider = provider("rustcrypto");
    let request = Request::usual("aes-128-gcm", "default", Operation::Open);
    let mut pair = Pair::of(provider.as_ref(), request, 2).expect("it is cut");
    let mut output = vec![0xA5; 4096];
    let forged = bytes(4096 + 16, 3);
    let message = Message::new(&[0; 12], &forged);
    assert_eq!(pair.split.process(&message, &mut output), Err(CallError::Refused));
    assert!(output.iter().all(|&byte| byte == 0xA5));
}

#[test]
fn what_cannot_be_cut_is_refused_with_its_reason() {
    let cases = [
        ("rustcrypto", "aes-128-cbc", Operation::Encrypt, "each block needs the one before"),
        ("rustcrypto", "hmac-sha1", Operation::Mac, "each block needs the one before"),
        ("rustcrypto", "sha256", Operation::Digest, "each block needs the one before"),
        ("rustcrypto", "cmac-aes-128", Operation::Verify, "each block needs the one before"),
        ("rustcrypto", "poly1305", Operation::Mac, "does not tell the state"),
        ("kernels", "umac-64", Operation::Mac, "does not tell the state"),
        ("rustcrypto", "chacha20", Operation::Encrypt, "begin within a message"),
        ("rustcrypto", "aes-128-gcm", Operation::Setup, "a key setup has no message"),
    ];
    for (name, algorithm, operation, words) in cases {
        let provider = provider(name);
        let team = Arc::new(Team::crowded(1));
        let request = Request::usual(algorithm, "default", operation);
        let why = Split::of(provider.as_ref(), operation, team).create(&request).err();
        let why = why.expect(algorithm).to_string();
        assert!(why.starts_with("not supported: ") && why.contains(words), "{why}");
        assert!(why.contains("split over cores"), "{why}");
    }
}

/// Which providers would let ChaCha20 begin at a counter: a block counter before its nonce.
#[test]
fn no_interface_lets_chacha20_begin_within_a_message() {
    const COUNTER_BYTES: usize = 4;
    for registration in registry::REGISTRY {
        let Ok(provider) = (registration.open)(None) else { continue };
        if !registration.listed {
            continue; // It takes everything and does nothing.
        }
        let request = Request {
            nonce_bytes: Some(12 + COUNTER_BYTES),
            ..Request::usual("chacha20", "default", Operation::Keystream)
        };
        assert!(provider.create(&request).is_err(), "{} has it now", registration.name);
    }
}

#[test]
fn other_operations_stay_whole() {
    let provider = provider("rustcrypto");
    let team = Arc::new(Team::crowded(1));
    let split = Split::of(provider.as_ref(), Operation::Decrypt, team);
    let request = Request::usual("aes-128-cbc", "default", Operation::Encrypt);
    assert!(split.create(&request).is_ok());
}
