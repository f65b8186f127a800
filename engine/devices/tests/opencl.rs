//! Kernels on the OpenCL device that is here, against our kernels on the CPU: batches, submissions side
//! by side, wrong tags; and devices with faults.

#[path = "opencl/faults.rs"]
mod faults;

use std::time::{Duration, Instant};

use ciphermark_algorithms::{Algorithm, find, nonce};
use ciphermark_providers::api::*;
use ciphermark_registry as registry;

/// Packets of a submission: one alone, around a group of work items, and many.
const BATCHES: [usize; 6] = [1, 63, 64, 65, 1000, 4096];

/// Keys of a device, fewer than most batches have packets.
const KEYS: usize = 50;

/// Longest packet, bytes: several blocks of every algorithm, and parts of one.
const MAX_BYTES: u64 = 2400;

/// A message with all that belongs to it.
struct Packet {
    key: u32,
    nonce: Vec<u8>,
    input: Vec<u8>,
}

#[test]
fn packets_of_mixed_lengths_and_keys_are_answered_as_by_our_kernels() {
    let Some(provider) = opened() else { return };
    for Implementation { algorithm, operations, .. } in provider.implementations() {
        let facts = find(&algorithm).expect("it has facts");
        let sending = facts.kind.sending();
        let mut device = device(provider.as_ref(), facts, sending);
        for packets in BATCHES.map(|count| batch(facts, count)) {
            let expected = by_our_kernels(facts, &packets);
            let answers = answered(device.as_mut(), facts, sending, &packets);
            assert!(answers.as_ref() == Ok(&expected), "{algorithm}, {} packets", packets.len());
        }
        assert!(operations.contains(&sending));
    }
}

/// Around every block, and what is padded and what is not.
#[test]
fn macs_of_every_short_length_are_those_of_our_kernels() {
    let Some(provider) = opened() else { return };
    for name in ["cmac-aes-128", "cmac-aes-256", "hmac-sha1", "hmac-sha256"] {
        let facts = find(name).expect("it has facts");
        let mut device = device(provider.as_ref(), facts, Operation::Mac);
        let packets: Vec<Packet> = (0..200)
            .map(|length| Packet {
                key: length as u32 % KEYS as u32,
                nonce: Vec::new(),
                input: bytes(length, length as usize),
            })
            .collect();
        let answers = answered(device.as_mut(), facts, Operation::Mac, &packets);
        assert!(answers == Ok(by_our_kernels(facts, &packets)), "{name}");
    }
}

#[test]
fn submissions_are_under_way_side_by_side() {
    let Some(provider) = opened() else { return };
    let facts = find("uea1").expect("it has facts");
    let mut device = device(provider.as_ref(), facts, Operation::Encrypt);
    let most = device.capacities().in_flight;
    let batches: Vec<_> = (0..most).map(|it| batch(facts, 100 + it)).collect();
    for _ in 0..3 {
        let tickets: Vec<_> = batches
            .iter()
            .map(|packets| submit(device.as_mut(), facts, Operation::Encrypt, packets))
            .map(|ticket| ticket.expect("there is room"))
            .collect();
        let more = submit(device.as_mut(), facts, Operation::Encrypt, &batches[0]);
        assert_eq!(more, Err(CallError::Unsupported), "one too many");
        // The last first.
        for (packets, ticket) in batches.iter().zip(tickets).rev() {
            until_done(device.as_mut(), ticket);
            let (answers, times) = collect(device.as_mut(), facts, ticket, packets);
            assert!(answers == Ok(by_our_kernels(facts, packets)), "{} packets", packets.len());
            let told = [times.in_ns, times.compute_ns, times.out_ns];
            assert!(told.iter().all(|ns| ns.is_some_and(|ns| ns >= 0.0)), "{times:?}");
            assert!(device.poll(ticket).is_err(), "a ticket is spent");
        }
    }
}

fn until_done(device: &mut dyn Device, ticket: Ticket) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !device.poll(ticket).expect("it goes well") {
        assert!(Instant::now() < deadline, "it never ends");
        std::thread::yield_now();
    }
}

#[test]
fn one_wrong_tag_among_many_is_refused() {
    let Some(provider) = opened() else { return };
    for name in ["uia1", "umac-64", "cmac-aes-128", "hmac-sha1", "hmac-sha256"] {
        let facts = find(name).expect("it has facts");
        let mut device = device(provider.as_ref(), facts, Operation::Verify);
        let mut packets = batch(facts, 200);
        for (packet, tag) in packets.iter_mut().zip(by_our_kernels(facts, &batch(facts, 200))) {
            packet.input.extend(tag);
        }
        let mut verified = |packets: &[Packet]| {
            answered(device.as_mut(), facts, Operation::Verify, packets).map(drop)
        };
        assert_eq!(verified(&packets), Ok(()), "{name}");
        *packets[150].input.last_mut().expect("it has a tag") ^= 0x80;
        assert_eq!(verified(&packets), Err(CallError::Refused), "{name}");
        *packets[150].input.last_mut().expect("it has a tag") ^= 0x80;
        assert_eq!(verified(&packets), Ok(()), "{name}: nothing is left of it");
    }
}

#[test]
fn submissions_that_cannot_be_are_refused_and_leave_room() {
    let Some(provider) = opened() else { return };
    let facts = find("aes-128-ctr").expect("it has facts");
    let mut device = device(provider.as_ref(), facts, Operation::Encrypt);
    let Capacities { messages, in_flight, bytes } = device.capacities();
    let one = batch(facts, 1);
    let message = one[0].message();
    let huge = vec![0; bytes];
    let length = message.input.len();
    let mut refused = |what, keys: &[u32], messages: &[Message<'_>], lengths: &[usize]| {
        for _ in 0..=in_flight {
            let refused = device.submit(keys, messages, lengths);
            assert_eq!(refused, Err(CallError::Length), "{what}");
        }
    };
    refused("nothing", &[], &[], &[]);
    let too_many = messages + 1;
    refused("too many", &vec![0; too_many], &vec![message; too_many], &vec![length; too_many]);
    refused("no such key", &[KEYS as u32], &[message], &[length]);
    refused("another length", &[0], &[message], &[length + 1]);
    refused("too long", &[0], &[Message { input: &huge, ..message }], &[bytes]);
    let answers = answered(device.as_mut(), facts, Operation::Encrypt, &one);
    assert_eq!(answers, Ok(by_our_kernels(facts, &one)));
}

#[test]
fn a_device_says_where_it_computes() {
    let Some(provider) = opened() else { return };
    let facts = find("sha256").expect("it has facts");
    let place = device(provider.as_ref(), facts, Operation::Digest).place();
    assert_eq!(provider.library().build, place);
    let kinds = ["CPU: ", "GPU: ", "accelerator: "];
    let kind = kinds.iter().find(|kind| place.starts_with(*kind)).expect("it says its kind");
    for it in provider.implementations() {
        assert_eq!(it.backend, kind.trim_end_matches(": ").to_lowercase());
        assert_eq!(it.backend_evidence, BackendEvidence::Reported);
    }
}

/// The provider; without a platform it says why.
fn opened() -> Option<Box<dyn Provider>> {
    let registration = registry::find("opencl").expect("registered");
    (registration.open)(None).map_err(|why| eprintln!("skipped: {why}")).ok()
}

/// A device with keys.
fn device(provider: &dyn Provider, facts: &Algorithm, operation: Operation) -> Box<dyn Device> {
    let request = Request::usual(&facts.name, "default", operation);
    let created = provider.create_device(&request, KEYS);
    let mut device = created.unwrap_or_else(|error| panic!("{}: {error}", facts.name));
    for number in 0..KEYS {
        device.set_key(number, &key(facts, number as u32)).expect("a key of the right length");
    }
    device
}

fn key(facts: &Algorithm, number: u32) -> Vec<u8> {
    bytes(number.into(), facts.key_bytes as usize)
}

impl Packet {
    fn message(&self) -> Message<'_> {
        Message::new(&self.nonce, &self.input)
    }
}

/// Packets with lengths, keys and nonces that look random.
fn batch(facts: &Algorithm, count: usize) -> Vec<Packet> {
    let packet = |number: u64| {
        let random = bytes(number + 10_000 * count as u64, 16);
        let number = |at: usize| u64::from_le_bytes(*random[at..].first_chunk().expect("eight"));
        let mut nonce = bytes(number(0), facts.nonce_bytes as usize);
        nonce::confine(facts, &mut nonce);
        let length = (number(0) % MAX_BYTES).max(facts.min_message_bytes);
        Packet {
            key: (number(8) % KEYS as u64) as u32,
            nonce,
            input: bytes(number(8), length as usize),
        }
    };
    (0..count as u64).map(packet).collect()
}

/// Bytes that look random and are the same every time (Marsaglia's xorshift64).
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = (seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// What our kernels answer on the sending side, one message at a time.
fn by_our_kernels(facts: &Algorithm, packets: &[Packet]) -> Vec<Vec<u8>> {
    let kernels = (registry::find("kernels").expect("registered").open)(None);
    let kernels = kernels.unwrap_or_else(|why| panic!("{why}"));
    let request = Request::usual(&facts.name, "default", facts.kind.sending());
    let mut function = kernels.create(&request).expect("our kernels have it");
    let answer = |packet: &Packet| {
        let mut output = vec![0; length(facts, facts.kind.sending(), packet)];
        function.set_key(&key(facts, packet.key)).expect("a key of the right length");
        function.process(&packet.message(), &mut output).expect("it is answered");
        output
    };
    packets.iter().map(answer).collect()
}

fn length(facts: &Algorithm, operation: Operation, packet: &Packet) -> usize {
    output_bytes(operation, packet.input.len(), Expansion::of(facts))
}

fn submit(
    device: &mut dyn Device,
    facts: &Algorithm,
    operation: Operation,
    packets: &[Packet],
) -> Result<Ticket, CallError> {
    let keys: Vec<_> = packets.iter().map(|packet| packet.key).collect();
    let messages: Vec<_> = packets.iter().map(Packet::message).collect();
    let lengths: Vec<_> = packets.iter().map(|it| length(facts, operation, it)).collect();
    device.submit(&keys, &messages, &lengths)
}

type Answers = Result<Vec<Vec<u8>>, CallError>;

fn answered(
    device: &mut dyn Device,
    facts: &Algorithm,
    operation: Operation,
    packets: &[Packet],
) -> Answers {
    let ticket = submit(device, facts, operation, packets)?;
    take(device, ticket, packets.iter().map(|it| length(facts, operation, it))).0
}

/// The answers of the sending side.
fn collect(
    device: &mut dyn Device,
    facts: &Algorithm,
    ticket: Ticket,
    packets: &[Packet],
) -> (Answers, DeviceTimes) {
    let lengths = packets.iter().map(|it| length(facts, facts.kind.sending(), it));
    take(device, ticket, lengths)
}

fn take(
    device: &mut dyn Device,
    ticket: Ticket,
    lengths: impl Iterator<Item = usize>,
) -> (Answers, DeviceTimes) {
    let mut outputs: Vec<_> = lengths.map(|length| vec![0xa5; length]).collect();
    let mut slices: Vec<_> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    match device.collect(ticket, &mut slices) {
        Ok(times) => (Ok(outputs), times),
        Err(error) => (Err(error), DeviceTimes::default()),
    }
}
