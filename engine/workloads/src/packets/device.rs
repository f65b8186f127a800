//! Batches that a worker has a device do.

use std::collections::VecDeque;

use ciphermark_harness::{Calibration, Clock, HostClock};
use ciphermark_providers::api::{CallError, Device, Message, Request, Ticket};
use ciphermark_record::packets::DeviceTimes;

use super::Execution;
use super::buffers::{Packets, Stage};
use crate::failure::Failure;
use crate::offloaded::Offloaded;

/// Additions between two looks at the device: under a tenth of a microsecond.
const USEFUL_ADDITIONS: u32 = 256;

/// A device with the keys of all flows, of one thread.
pub fn open(
    execution: &Execution<'_>,
    offloaded: &Offloaded<'_>,
    keys: &[Vec<u8>],
) -> Result<Box<dyn Device>, Failure> {
    let (case, load) = (execution.case, execution.load);
    let request = Request::usual(&case.algorithm, &case.backend, case.operation);
    let mut device = offloaded.provider().create_device(&request, keys.len())?;
    let most = device.capacities();
    if most.messages < load.batch as usize {
        return Err(Failure::Machine(format!(
            "{} takes {} messages at once and not {}: write --batch {1}",
            device.place(),
            most.messages,
            load.batch
        )));
    }
    if most.in_flight < load.in_flight as usize {
        return Err(Failure::Machine(format!(
            "{} takes {} batches at once and not {}: write --in-flight {1}",
            device.place(),
            most.in_flight,
            load.in_flight
        )));
    }
    for (number, key) in keys.iter().enumerate() {
        device.set_key(number, key)?;
    }
    Ok(device)
}

/// A batch that is under way.
struct UnderWay {
    ticket: Ticket,
    batch: u32,
    numbers: Vec<u32>,
    submitted_at: u64,
}

/// A device at work on the packets of a pass.
pub struct Remote<'a> {
    device: &'a mut dyn Device,
    packets: &'a Packets,
    /// Batches that may be under way at once.
    most: usize,
    under_way: VecDeque<UnderWay>,
    /// Lists of packets for batches to come.
    spare: Vec<Vec<u32>>,
    flows: Vec<u32>,
    messages: Vec<Message<'a>>,
    output_bytes: Vec<usize>,
    answers: Vec<&'a mut [u8]>,
    pub times: DeviceTimes,
    pub useful_cycles: f64,
}

impl<'a> Remote<'a> {
    pub fn new(
        device: &'a mut dyn Device,
        packets: &'a Packets,
        most: usize,
        batch: usize,
    ) -> Self {
        Self {
            device,
            packets,
            most,
            under_way: VecDeque::with_capacity(most),
            spare: (0..most).map(|_| Vec::with_capacity(batch)).collect(),
            flows: Vec::with_capacity(batch),
            messages: Vec::with_capacity(batch),
            output_bytes: Vec::with_capacity(batch),
            answers: Vec::with_capacity(batch),
            times: DeviceTimes::default(),
            useful_cycles: 0.0,
        }
    }

    pub fn has_room(&self) -> bool {
        self.under_way.len() < self.most
    }

    /// Whether the worker waits for what it submits.
    pub fn is_synchronous(&self) -> bool {
        self.most == 1
    }

    /// # Safety
    ///
    /// Nobody else has anything of these packets, which are all different, until they are collected.
    pub unsafe fn submit(
        &mut self,
        batch: u32,
        numbers: &[u32],
        clock: &mut HostClock,
    ) -> Result<(), CallError> {
        for &number in numbers {
            // SAFETY: as the caller promises; nothing of the packet is kept beyond this call.
            let (message, answer) = unsafe { self.packets.parts(number, Stage::First) };
            self.flows.push(self.packets.flow(number));
            self.messages.push(message);
            self.output_bytes.push(answer.len());
        }
        let submitted_at = clock.ticks();
        let ticket = self.device.submit(&self.flows, &self.messages, &self.output_bytes);
        self.flows.clear();
        self.messages.clear();
        self.output_bytes.clear();
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(numbers);
        self.under_way.push_back(UnderWay { ticket: ticket?, batch, numbers: kept, submitted_at });
        Ok(())
    }

    /// Whether the batch that was submitted first is ready to be collected; absent where none is
    /// under way.
    pub fn poll(&mut self) -> Option<Result<bool, CallError>> {
        let ticket = self.under_way.front()?.ticket;
        Some(self.device.poll(ticket))
    }

    /// Waits for the batch that was submitted first, and copies its answers.
    pub fn collect(
        &mut self,
        clock: &mut HostClock,
        calibration: &Calibration,
    ) -> Result<Option<u32>, CallError> {
        let Some(first) = self.under_way.pop_front() else { return Ok(None) };
        for &number in &first.numbers {
            // SAFETY: whoever submitted them promised that nobody else has them until now.
            let (_, answer) = unsafe { self.packets.parts(number, Stage::First) };
            self.answers.push(answer);
        }
        let told = self.device.collect(first.ticket, &mut self.answers);
        self.answers.clear();
        let told = told?;
        let ticks = clock.ticks() - first.submitted_at;
        let wall_ns = ticks as f64 / calibration.ticks_per_ns;
        let times = DeviceTimes {
            submissions: 1,
            in_ns: told.in_ns,
            compute_ns: told.compute_ns,
            out_ns: told.out_ns,
            wall_ns,
        };
        self.times = sum(self.times, times);
        self.spare.push(first.numbers);
        Ok(Some(first.batch))
    }

    /// Does something of use while the device works.
    pub fn be_useful(&mut self, clock: &mut HostClock) {
        clock.additions(USEFUL_ADDITIONS);
        self.useful_cycles += f64::from(USEFUL_ADDITIONS);
    }
}

/// Both together. What a device does not tell of all submissions it does not tell.
pub fn sum(one: DeviceTimes, other: DeviceTimes) -> DeviceTimes {
    if one.submissions == 0 {
        return other;
    }
    if other.submissions == 0 {
        return one;
    }
    let both = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
    DeviceTimes {
        submissions: one.submissions + other.submissions,
        in_ns: both(one.in_ns, other.in_ns),
        compute_ns: both(one.compute_ns, other.compute_ns),
        out_ns: both(one.out_ns, other.out_ns),
        wall_ns: one.wall_ns + other.wall_ns,
    }
}
