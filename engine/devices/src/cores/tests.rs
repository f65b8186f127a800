//! Devices of one or more CPUs around small real providers, and around one that fails as it is told.

use std::collections::BTreeMap;
use std::thread;

use ciphermark_harness::pinning;

use super::*;
use ciphermark_registry as registry;

const KEYS: usize = 3;
const BATCH: usize = 5;

fn cpus(most: usize) -> Vec<u32> {
    let allowed = pinning::allowed_cpus().expect("the kernel tells");
    allowed.into_iter().take(most).collect()
}

fn provider(name: &str) -> Box<dyn Provider> {
    let registration = registry::find(name).expect("it is registered");
    (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
}

fn key(number: usize) -> [u8; 16] {
    [number as u8 + 1; 16]
}

/// An implementation among the kernels that takes several messages a call.
fn with_lanes(provider: &dyn Provider) -> Implementation {
    let mut all = provider.implementations().into_iter();
    all.find(|it| it.algorithm == "uea1" && it.most_lanes as usize >= BATCH)
        .expect("the kernels have one for every machine")
}

fn nonce(algorithm: &str) -> Vec<u8> {
    let facts = ciphermark_algorithms::find(algorithm).expect("it has facts");
    vec![0; facts.nonce_bytes as usize]
}

/// What the function itself answers to some messages under keys in turn.
fn right(provider: &dyn Provider, request: &Request<'_>, messages: &[Message<'_>]) -> Vec<Vec<u8>> {
    let mut function = provider.create(request).expect("it has the function");
    let answer = |(number, message): (usize, &Message<'_>)| {
        function.set_key(&key(number % KEYS)).expect("the key fits");
        let mut answer = vec![0; message.input.len()];
        function.process(message, &mut answer).expect("the message fits");
        answer
    };
    messages.iter().enumerate().map(answer).collect()
}

fn submitted(device: &mut dyn Device, messages: &[Message<'_>]) -> Result<Ticket, CallError> {
    let keys: Vec<u32> = (0..messages.len()).map(|it| (it % KEYS) as u32).collect();
    let lengths: Vec<usize> = messages.iter().map(|message| message.input.len()).collect();
    device.submit(&keys, messages, &lengths)
}

fn collected(
    device: &mut dyn Device,
    ticket: Ticket,
    messages: &[Message<'_>],
) -> Result<(Vec<Vec<u8>>, DeviceTimes), CallError> {
    let mut answers: Vec<_> = messages.iter().map(|it| vec![0; it.input.len()]).collect();
    let mut outputs: Vec<_> = answers.iter_mut().map(Vec::as_mut_slice).collect();
    let times = device.collect(ticket, &mut outputs)?;
    Ok((answers, times))
}

fn keyed(provider: &dyn Provider, request: &Request<'_>) -> Box<dyn Device> {
    let mut device = provider.create_device(request, KEYS).expect("it can be made");
    for number in 0..KEYS {
        device.set_key(number, &key(number)).expect("the key fits");
    }
    device
}

#[test]
fn answers_are_those_of_the_function_itself() {
    let several = with_lanes(provider("kernels").as_ref()).backend;
    let implementations =
        [("rustcrypto", "aes-128-ctr", "default"), ("kernels", "uea1", several.as_str())];
    for (name, algorithm, backend) in implementations {
        let provider = provider(name);
        let request = Request::usual(algorithm, backend, Operation::Encrypt);
        let cores = Cores::of(provider.as_ref(), &cpus(2)).expect("the CPUs are there");
        let mut device = keyed(&cores, &request);
        let nonce = &nonce(algorithm);
        let inputs: Vec<Vec<u8>> = (0..BATCH).map(|it| vec![it as u8; 40 + 100 * it]).collect();
        let messages: Vec<_> = inputs.iter().map(|it| Message::new(nonce, it)).collect();
        let right = right(provider.as_ref(), &request, &messages);
        let in_flight = device.capacities().in_flight;
        let tickets: Vec<Ticket> = (0..in_flight)
            .map(|_| submitted(device.as_mut(), &messages).expect("there is room"))
            .collect();
        assert_eq!(submitted(device.as_mut(), &messages), Err(CallError::Unsupported));
        for &ticket in tickets.iter().rev() {
            let (answers, times) =
                collected(device.as_mut(), ticket, &messages).expect("it is answered");
            assert_eq!(answers, right, "{name}");
            assert!(times.in_ns.is_some() && times.compute_ns.is_some() && times.out_ns.is_some());
            assert_eq!(device.poll(ticket), Err(CallError::Unsupported));
        }
        assert!(cores.cpu_ns() > 0);
    }
}

#[test]
fn functions_and_lanes_wait_for_the_device() {
    let provider = provider("kernels");
    let cores = Cores::of(provider.as_ref(), &cpus(1)).expect("the CPU is there");
    let backend = with_lanes(provider.as_ref()).backend;
    let request = Request::usual("uea1", &backend, Operation::Encrypt);
    let nonce = nonce("uea1");
    let inputs: Vec<Vec<u8>> = (0..BATCH).map(|it| vec![it as u8; 64]).collect();
    let messages: Vec<_> = inputs.iter().map(|it| Message::new(&nonce, it)).collect();
    let right = right(provider.as_ref(), &request, &messages);

    let mut function = cores.create(&request).expect("it has the function");
    function.set_key(&key(0)).expect("the key fits");
    let mut answer = [0; 64];
    function.process(&messages[0], &mut answer).expect("the message fits");
    assert_eq!(answer[..], right[0]);

    let mut lanes = cores.create_lanes(&request, BATCH, KEYS).expect("it takes several");
    (0..KEYS).for_each(|it| lanes.set_key(it, &key(it)).expect("the key fits"));
    let mut answers = vec![[0; 64]; BATCH];
    let mut outputs: Vec<_> = answers.iter_mut().map(|it| it.as_mut_slice()).collect();
    lanes.process(&messages, &mut outputs).expect("the messages fit");
    assert_eq!(answers.iter().map(|it| it.to_vec()).collect::<Vec<_>>(), right);
    assert!(cores.create_lanes(&request, MOST_MESSAGES + 1, 1).is_err());
}

#[test]
fn wrong_tags_are_refused_and_wrong_lengths_are_errors() {
    let provider = provider("rustcrypto");
    let cores = Cores::of(provider.as_ref(), &cpus(1)).expect("the CPU is there");
    let request = Request::usual("hmac-sha256", "default", Operation::Verify);
    let mut device = cores.create_device(&request, 1).expect("it can be made");
    device.set_key(0, &key(0)).expect("the key fits");
    let forged = Message::new(&[], &[0; 64]);
    let ticket = device.submit(&[0], &[forged], &[0]).expect("there is room");
    assert_eq!(device.collect(ticket, &mut [&mut []]), Err(CallError::Refused));
    assert_eq!(device.submit(&[0], &[], &[]), Err(CallError::Length));
    let ticket = device.submit(&[7], &[forged], &[0]).expect("there is room");
    assert_eq!(device.collect(ticket, &mut [&mut []]), Err(CallError::Length));
    assert_eq!(device.set_key(1, &key(1)), Err(CallError::Length));
}

#[test]
fn a_hundred_callers_share_one_device_cpu() {
    let provider = provider("rustcrypto");
    let cores = Cores::of(provider.as_ref(), &cpus(1)).expect("the CPU is there");
    let request = Request::usual("aes-128-ctr", "default", Operation::Encrypt);
    let cores = &cores;
    thread::scope(|scope| {
        for caller in 0..100_u8 {
            let provider = provider.as_ref();
            scope.spawn(move || {
                let input = vec![caller; 256];
                let nonce = nonce("aes-128-ctr");
                let message = Message::new(&nonce, &input);
                let right = right(provider, &request, &[message]);
                let mut function = cores.create(&request).expect("it has the function");
                function.set_key(&key(0)).expect("the key fits");
                for _ in 0..50 {
                    let mut answer = vec![0; 256];
                    function.process(&message, &mut answer).expect("it is answered");
                    assert_eq!(answer, right[0]);
                }
            });
        }
    });
}

#[test]
fn cpus_that_are_not_there_are_no_device() {
    let provider = provider("rustcrypto");
    let refused =
        |cpus: &[u32]| Cores::of(provider.as_ref(), cpus).err().expect("it is refused").to_string();
    assert!(refused(&[1000]).contains("CPU 1000"), "{}", refused(&[1000]));
    assert!(refused(&[]).contains("without a CPU"));
}

/// A provider whose function panics over the message `PANIC`.
struct Panicking;

const PANIC: &[u8] = b"panic";

impl Provider for Panicking {
    fn library(&self) -> Library {
        Library { version: String::new(), location: String::new(), build: String::new() }
    }

    fn implementations(&self) -> Vec<Implementation> {
        vec![Implementation {
            algorithm: "copy".into(),
            provider: "panicking".into(),
            backend: "default".into(),
            default: true,
            backend_evidence: BackendEvidence::Forced,
            constant_time: None,
            operations: vec![Operation::Encrypt],
            patterns: vec![],
            most_lanes: 1,
            takes_repeats: false,
            path: String::new(),
            switches: BTreeMap::new(),
            features: Vec::new(),
            leaves_vectors_dirty: None,
        }]
    }

    fn create(&self, _: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        Ok(Box::new(Copy))
    }
}

struct Copy;

impl Function for Copy {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        assert_ne!(message.input, PANIC, "as the test wants it");
        output.copy_from_slice(message.input);
        Ok(())
    }
}

#[test]
fn what_is_under_way_when_a_device_thread_panics_ends_with_an_error() {
    let cores = Cores::of(&Panicking, &cpus(1)).expect("the CPU is there");
    let request = Request::usual("copy", "default", Operation::Encrypt);
    let mut devices = [keyed(&cores, &request), keyed(&cores, &request)];
    let [one, other] = &mut devices;
    let good = [Message::new(&[], b"sound")];
    let bad = [Message::new(&[], PANIC)];
    let answered = submitted(one.as_mut(), &good).expect("there is room");
    let (answers, _) = collected(one.as_mut(), answered, &good).expect("it is answered");
    assert_eq!(answers, [b"sound"]);

    // What comes behind may be refused at once, when the thread has ended already.
    let fatal = submitted(one.as_mut(), &bad).expect("there is room");
    let behind: Vec<_> = (0..4).map(|_| submitted(other.as_mut(), &good)).collect();
    assert_eq!(collected(one.as_mut(), fatal, &bad), Err(slot::DIED));
    for ticket in behind {
        let outcome = ticket.and_then(|ticket| collected(other.as_mut(), ticket, &good));
        assert_eq!(outcome, Err(slot::DIED));
    }
    // Its functions are lost at once, its thread within a moment.
    assert_eq!(one.set_key(0, &key(0)), Err(slot::DIED));
    while submitted(other.as_mut(), &good).is_ok() {
        thread::yield_now();
    }
    assert_eq!(submitted(other.as_mut(), &good), Err(slot::DIED));
}
