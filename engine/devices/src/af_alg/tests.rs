//! Where the kernel has AF_ALG: as a device it answers as it does as a library, whatever is at work at
//! once. `tests/test_af_alg_guest.py` runs these in a kernel that has it.

use super::*;
use ciphermark_registry as registry;

const KEYS: usize = 3;

#[test]
fn every_line_has_facts() {
    ciphermark_providers::testing::every_line_has_facts(TABLE);
}

/// The provider; prints why it is left out.
fn kernel() -> Option<Box<dyn Provider>> {
    let opened = open(None);
    opened.inspect_err(|why| eprintln!("skipped: {why}")).ok()
}

#[test]
fn the_kernel_tells_its_drivers() {
    let Some(kernel) = kernel() else { return };
    let found = kernel.implementations();
    assert!(!found.is_empty(), "no algorithm at all");
    for implementation in found {
        let algorithm = &implementation.algorithm;
        assert_ne!(implementation.path, "", "{algorithm}");
        assert_eq!(implementation.backend_evidence, BackendEvidence::Reported, "{algorithm}");
        let request = Request::usual(algorithm, "default", implementation.operations[0]);
        let device = kernel.create_device(&request, 1).expect("what is a function is a device");
        assert_eq!(device.place(), format!("kernel: {}", implementation.path));
    }
}

/// A message, and the answer that is right.
struct Packet {
    key: usize,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    input: Vec<u8>,
    answer: Vec<u8>,
}

impl Packet {
    fn message(&self) -> Message<'_> {
        Message { nonce: &self.nonce, aad: &self.aad, input: &self.input, unused_bits: 0 }
    }
}

fn bytes(seed: usize, length: usize) -> Vec<u8> {
    (0..length).map(|n| (seed * 151 + n * 7 + n / 256) as u8).collect()
}

/// Packets of several lengths and keys, as the functions of those keys answer them.
fn packets(facts: &Algorithm, seed: usize, functions: &mut [Box<dyn Function>]) -> Vec<Packet> {
    let least = facts.min_message_bytes as usize;
    let mut packet = |number: usize| {
        let bytes_of_text =
            (least + 37 * number * number).next_multiple_of(facts.block_bytes as usize);
        let is_stream = facts.kind == Kind::Stream;
        let answer_bytes = output_bytes(facts.kind.sending(), bytes_of_text, Expansion::of(facts));
        let mut packet = Packet {
            key: (seed + number) % functions.len(),
            nonce: bytes(10 * seed + number, facts.nonce_bytes as usize),
            aad: bytes(number, if facts.kind == Kind::Aead { 5 * number } else { 0 }),
            input: bytes(seed + number, if is_stream { 0 } else { bytes_of_text }),
            answer: vec![0; answer_bytes],
        };
        // The nonces of VMAC have a bit that must be zero.
        packet.nonce.first_mut().into_iter().for_each(|first| *first &= 0x7f);
        let mut answer = packet.answer.clone();
        functions[packet.key].process(&packet.message(), &mut answer).expect("it has this length");
        Packet { answer, ..packet }
    };
    (0..10).map(&mut packet).collect()
}

fn submit(device: &mut dyn Device, packets: &[Packet]) -> Result<Ticket, CallError> {
    let keys: Vec<_> = packets.iter().map(|packet| packet.key as u32).collect();
    let messages: Vec<_> = packets.iter().map(Packet::message).collect();
    let lengths: Vec<_> = packets.iter().map(|packet| packet.answer.len()).collect();
    device.submit(&keys, &messages, &lengths)
}

fn collect(device: &mut dyn Device, ticket: Ticket, packets: &[Packet]) -> Result<(), CallError> {
    let mut outputs: Vec<_> = packets.iter().map(|it| vec![0xa5; it.answer.len()]).collect();
    let mut slices: Vec<_> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    device.collect(ticket, &mut slices)?;
    assert!(outputs.iter().eq(packets.iter().map(|it| &it.answer)), "an answer is another");
    Ok(())
}

/// Gives as much to the device as it takes, and collects the last first.
fn overlap(device: &mut dyn Device, facts: &Algorithm, functions: &mut [Box<dyn Function>]) {
    for (number, function) in functions.iter_mut().enumerate() {
        let key = bytes(number, facts.key_bytes as usize);
        if !key.is_empty() {
            function.set_key(&key).expect("a key of the right length");
            device.set_key(number, &key).expect("a key of the right length");
        }
    }
    let loads = (0..device.capacities().in_flight).map(|seed| packets(facts, seed, functions));
    let loads: Vec<Vec<Packet>> = loads.collect();
    // Twice, since nothing may stay behind.
    for _ in 0..2 {
        let tickets: Vec<Ticket> =
            loads.iter().map(|load| submit(device, load).expect("there is room")).collect();
        assert_eq!(submit(device, &loads[0]), Err(CallError::Unsupported), "it is full");
        for (load, &ticket) in loads.iter().zip(&tickets).rev() {
            while !device.poll(ticket).expect("it is under way") {
                std::thread::yield_now();
            }
            assert_eq!(collect(device, ticket, load), Ok(()), "{}", facts.name);
        }
    }
}

#[test]
fn devices_answer_as_functions() {
    let Some(kernel) = kernel() else { return };
    for implementation in kernel.implementations() {
        let facts = ciphermark_algorithms::find(&implementation.algorithm).expect("described");
        let request = Request::usual(&facts.name, "default", facts.kind.sending());
        let mut device = kernel.create_device(&request, KEYS).expect("a device");
        let function = |_| kernel.create(&request).expect("a function");
        overlap(device.as_mut(), facts, &mut (0..KEYS).map(function).collect::<Vec<_>>());
    }
}

/// A driver that hands each request to another thread of the kernel, as to an accelerator.
const QUEUED: Recipe = plain("cryptd(cbc(aes-generic))");

fn queued(keys: usize) -> Option<AsyncDevice> {
    kernel()?;
    let facts = ciphermark_algorithms::find("aes-128-cbc").expect("it has facts");
    let prepare = || {
        let request = Request::usual("aes-128-cbc", "default", Operation::Encrypt);
        QUEUED.prepare(facts, &request)
    };
    let queue = aio::Queue::new(device::MOST_REQUESTS).expect("asynchronous reads");
    let device = AsyncDevice::new("cryptd".into(), queue, keys, prepare);
    device.inspect_err(|why| eprintln!("skipped: {why}")).ok()
}

#[test]
fn a_driver_that_queues_answers_as_the_function() {
    let Some(mut device) = queued(KEYS) else { return };
    let kernel = kernel().expect("it was there");
    let facts = ciphermark_algorithms::find("aes-128-cbc").expect("it has facts");
    let request = Request::usual("aes-128-cbc", "default", Operation::Encrypt);
    let function = |_| kernel.create(&request).expect("a function");
    overlap(&mut device, facts, &mut (0..KEYS).map(function).collect::<Vec<_>>());
}

/// The memory that answers go to is given back only when none is under way.
#[test]
fn a_device_can_be_dropped_at_work() {
    let Some(mut device) = queued(1) else { return };
    device.set_key(0, &[1; 16]).expect("a key of the right length");
    let input = vec![0; 16384];
    for _ in 0..device.capacities().in_flight {
        let messages = [Message::new(&[0; 16], &input); 8];
        device.submit(&[0; 8], &messages, &[input.len(); 8]).expect("there is room");
    }
}

#[test]
fn a_wrong_tag_is_refused_among_others() {
    let Some(kernel) = kernel() else { return };
    let facts = ciphermark_algorithms::find("aes-128-gcm").expect("it has facts");
    let sealing = Request::usual("aes-128-gcm", "default", Operation::Seal);
    let opening = Request { operation: Operation::Open, ..sealing };
    let mut functions = [kernel.create(&sealing).expect("GCM is everywhere")];
    let mut device = kernel.create_device(&opening, 1).expect("GCM is everywhere");
    functions[0].set_key(&[3; 16]).expect("a key of the right length");
    device.set_key(0, &[3; 16]).expect("a key of the right length");
    let opened = |sealed: Packet| Packet { input: sealed.answer, answer: sealed.input, ..sealed };
    let mut given: Vec<_> = packets(facts, 1, &mut functions).into_iter().map(opened).collect();
    for wrong in [0, 4] {
        for (flipped, expected) in [(1, Err(CallError::Refused)), (1, Ok(()))] {
            given[wrong].input[3] ^= flipped;
            let ticket = submit(device.as_mut(), &given).expect("there is room");
            assert_eq!(collect(device.as_mut(), ticket, &given), expected);
        }
    }
}

#[test]
fn what_is_too_long_is_refused_at_once() {
    let Some(kernel) = kernel() else { return };
    for (algorithm, operation) in
        [("aes-128-gcm", Operation::Seal), ("aes-128-cbc", Operation::Encrypt)]
    {
        let facts = ciphermark_algorithms::find(algorithm).expect("it has facts");
        let tag_bytes = facts.tag_bytes as usize;
        let mut device = kernel
            .create_device(&Request::usual(algorithm, "default", operation), 1)
            .expect("the kernel has it");
        device.set_key(0, &[3; 16]).expect("a key of the right length");
        let nonce = vec![0; facts.nonce_bytes as usize];
        let most = (device.capacities().bytes - tag_bytes) / 16 * 16;
        let input = vec![7; most + 16];
        let mut answer = vec![0; most + tag_bytes];
        let longest = Message::new(&nonce, &input[..most]);
        let ticket = device.submit(&[0], &[longest], &[answer.len()]).expect("it fits");
        assert_eq!(device.collect(ticket, &mut [&mut answer]), Ok(DeviceTimes::default()));
        let longer = Message::new(&nonce, &input);
        let refused = device.submit(&[0], &[longer], &[input.len() + tag_bytes]);
        assert_eq!(refused, Err(CallError::Length));
    }
}

/// The kernel holds less than this at once.
#[test]
fn long_texts_are_given_in_parts() {
    let Some(kernel) = kernel() else { return };
    let peer = registry::find("rustcrypto").expect("it is registered");
    let peer = (peer.open)(None).expect("it is compiled in");
    let input = bytes(5, 1 << 20);
    for algorithm in ["aes-128-cbc", "aes-256-ctr", "serpent-128-ecb"] {
        let facts = ciphermark_algorithms::find(algorithm).expect("it has facts");
        let request = Request::usual(algorithm, "default", Operation::Encrypt);
        let nonce = bytes(1, facts.nonce_bytes as usize);
        let answers = [&kernel, &peer].map(|provider| {
            let mut function = provider.create(&request).expect("both have it");
            function.set_key(&bytes(2, facts.key_bytes as usize)).expect("the right length");
            let mut output = vec![0; input.len()];
            function.process(&Message::new(&nonce, &input), &mut output).expect("any length");
            output
        });
        assert!(answers[0] == answers[1], "{algorithm}");
    }
}

#[test]
fn messages_before_the_key_are_refused() {
    let Some(kernel) = kernel() else { return };
    ciphermark_providers::testing::messages_before_the_key_are_refused(kernel.as_ref(), |_| true);
}

#[test]
fn a_key_that_was_never_set_is_refused_by_the_device() {
    let Some(mut device) = queued(2) else { return };
    device.set_key(0, &[1; 16]).expect("a key of the right length");
    let message = Message::new(&[0; 16], &[0; 16]);
    assert_eq!(device.submit(&[1], &[message], &[16]), Err(CallError::Unsupported));
    assert_eq!(device.submit(&[2], &[message], &[16]), Err(CallError::Length));
}
