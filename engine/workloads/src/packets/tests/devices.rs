//! A device that works beside the calling core: here it takes some looks at it.

use std::collections::HashMap;

use ciphermark_providers::api::{
    CallError, Capacities, CreateError, Device, DeviceTimes, Function, Implementation, Library,
    Message, Request, Ticket,
};
use ciphermark_record::plan::Offload;

use super::bench::provider;
use super::*;

const CAPACITIES: Capacities = Capacities { messages: 64, in_flight: 4, bytes: 1 << 20 };

/// Looks after which a submission is ready.
const LOOKS: u32 = 5;

struct WithDevice(Box<dyn Provider>);

impl Provider for WithDevice {
    fn library(&self) -> Library {
        self.0.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.0.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        self.0.create(request)
    }

    fn create_device(
        &self,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Box<dyn Device>, CreateError> {
        let functions: Result<Vec<_>, _> = (0..keys).map(|_| self.0.create(request)).collect();
        Ok(Box::new(Slow { functions: functions?, under_way: HashMap::new(), submissions: 0 }))
    }
}

struct Slow {
    functions: Vec<Box<dyn Function>>,
    /// Answers, and looks that are still to come.
    under_way: HashMap<u64, (Vec<Vec<u8>>, u32)>,
    submissions: u64,
}

impl Device for Slow {
    fn place(&self) -> String {
        "a slow device".into()
    }

    fn capacities(&self) -> Capacities {
        CAPACITIES
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.functions[number].set_key(key)
    }

    fn submit(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<Ticket, CallError> {
        assert!(self.under_way.len() < CAPACITIES.in_flight);
        let mut answers = Vec::new();
        for ((&key, message), &bytes) in keys.iter().zip(messages).zip(output_bytes) {
            let mut answer = vec![0; bytes];
            self.functions[key as usize].process(message, &mut answer)?;
            answers.push(answer);
        }
        self.submissions += 1;
        self.under_way.insert(self.submissions, (answers, LOOKS));
        Ok(Ticket(self.submissions))
    }

    fn poll(&mut self, ticket: Ticket) -> Result<bool, CallError> {
        let (_, looks) = self.under_way.get_mut(&ticket.0).ok_or(CallError::Library(1))?;
        *looks = looks.saturating_sub(1);
        Ok(*looks == 0)
    }

    fn collect(
        &mut self,
        ticket: Ticket,
        outputs: &mut [&mut [u8]],
    ) -> Result<DeviceTimes, CallError> {
        let (answers, _) = self.under_way.remove(&ticket.0).ok_or(CallError::Library(2))?;
        for (answer, output) in answers.iter().zip(outputs) {
            output.copy_from_slice(answer);
        }
        Ok(DeviceTimes { in_ns: Some(1.0), compute_ns: Some(2.0), out_ns: None })
    }
}

fn fixture(in_flight: u32) -> Fixture {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    fixture.provider = Box::new(WithDevice(provider("rustcrypto")));
    fixture.case.offload = Offload::Opencl;
    fixture.load.in_flight = in_flight;
    fixture
}

#[test]
fn a_device_does_the_work_and_its_times_are_told() {
    for in_flight in [1, 4] {
        let run = fixture(in_flight).ran();
        assert_eq!((run.device.as_deref(), run.alone), (Some("a slow device"), None));
        for pass in &run.passes {
            let times = pass.device.expect("there is a device");
            let batches = 500_u64.div_ceil(32);
            if pass.kind == PassKind::Transfer {
                assert_eq!(times.submissions, 0);
                continue;
            }
            assert_eq!((times.submissions, times.out_ns), (batches, None));
            assert_eq!(times.in_ns, Some(batches as f64));
            assert_eq!(times.compute_ns, Some(2.0 * batches as f64));
            assert!(times.wall_ns > 0.0);
            // Whoever waits for each batch does nothing else meanwhile.
            assert_eq!(pass.cores[1].useful_cycles > 0.0, in_flight > 1, "{pass:?}");
        }
    }
}

#[test]
fn what_a_device_does_not_take_is_refused_with_its_number() {
    let mut large = fixture(1);
    large.load.batch = 65;
    for (fixture, words) in [(large, "--batch 64"), (fixture(5), "--in-flight 4")] {
        let outcome = fixture.run();
        let Err(Failure::Machine(sentence)) = outcome else { panic!("{outcome:?}") };
        assert!(sentence.contains(words), "{sentence}");
    }
}
