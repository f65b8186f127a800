//! An algorithm on a device: messages are packed into a submission, and answers taken out of it.

use std::sync::Arc;

use ciphermark_algorithms::{Algorithm, nonce};
use opencl_sys::CL_MEM_READ_ONLY;

use super::algorithms::Recipe;
use super::devices::UsableDevice;
use super::host::Host;
use super::objects::{Buffer, Context, Kernel, Status};
use super::packets::{MOST_NONCE_BYTES, Packet};
use super::slot::{Launch, Slot};
use ciphermark_providers::api::*;
use ciphermark_providers::{checks, tag};

/// Messages of one submission: enough to fill the work items of a large GPU.
pub const MOST_MESSAGES: usize = 1 << 16;

/// Submissions under way at once: one each that is written, computed and read, and one that waits.
const MOST_IN_FLIGHT: usize = 4;

/// Bytes of one submission, where the device has buffers so large.
const MOST_BYTES: u64 = 64 << 20;

/// Work items of a group, where the device has groups so large: what GPUs run side by side is 32 or
/// 64 of them.
const GROUP: usize = 64;

/// Longest tag, bytes.
const MOST_TAG_BYTES: usize = 32;

pub struct OpenclDevice {
    place: String,
    capacities: Capacities,
    recipe: &'static Recipe,
    facts: &'static Algorithm,
    /// What is done with a message; for a setup the sending side.
    operation: Operation,
    nonce_bytes: usize,
    group: usize,
    host: Box<dyn Host>,
    /// Of all keys, one after the other, on the host and on the device.
    schedules: Vec<u8>,
    on_device: Buffer,
    /// Whether a key was set since they were written to the device.
    keys_are_new: bool,
    keys: usize,
    kernel: Kernel,
    /// In the order in which they were first needed.
    slots: Vec<Slot>,
    /// Of each slot, the submission that is in it.
    tickets: Vec<Option<Ticket>>,
    submissions: u64,
    context: Arc<Context>,
}

/// What [`OpenclDevice::new`] is given beside the request.
pub struct Made {
    pub context: Arc<Context>,
    pub kernel: Kernel,
    pub recipe: &'static Recipe,
    pub facts: &'static Algorithm,
}

impl OpenclDevice {
    pub fn new(
        found: &UsableDevice,
        made: Made,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Self, Status> {
        let Made { context, kernel, recipe, facts } = made;
        let host = (recipe.host)(keys);
        let schedules = vec![0; keys * host.schedule_bytes()];
        let operation = match request.operation {
            Operation::Setup => facts.kind.sending(),
            operation => operation,
        };
        Ok(Self {
            place: found.to_string(),
            capacities: Capacities {
                messages: MOST_MESSAGES,
                in_flight: MOST_IN_FLIGHT,
                bytes: found.buffer_bytes.min(MOST_BYTES) as usize,
            },
            recipe,
            facts,
            operation,
            nonce_bytes: request.nonce_bytes.unwrap_or(facts.nonce_bytes as usize),
            group: found.group.min(GROUP),
            host,
            on_device: context.buffer(CL_MEM_READ_ONLY, schedules.len())?,
            schedules,
            keys_are_new: true,
            keys,
            kernel,
            slots: Vec::new(),
            tickets: Vec::new(),
            submissions: 0,
            context,
        })
    }

    /// The text of a message and the tag that it brought.
    fn checked<'a>(
        &self,
        message: &Message<'a>,
        output_bytes: usize,
    ) -> Result<(&'a [u8], &'a [u8]), CallError> {
        let facts = self.facts;
        let tag_bytes = facts.tag_bytes as usize;
        let (text, tag) = match self.operation {
            Operation::Verify => checks::split_tag(message.input, tag_bytes)?,
            _ => (message.input, &[][..]),
        };
        let longest = facts.max_message_bytes.unwrap_or(u64::MAX);
        if !(facts.min_message_bytes..=longest).contains(&(text.len() as u64)) {
            return Err(CallError::Length);
        }
        let answer_bytes = ciphermark_providers::api::output_bytes(
            self.operation,
            text.len(),
            Expansion::Tag(tag_bytes),
        );
        checks::check_length(output_bytes, answer_bytes)?;
        self.check_nonce(message.nonce)?;
        Ok((text, tag))
    }

    fn check_nonce(&self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        let mut confined = [0; MOST_NONCE_BYTES];
        let confined = &mut confined[..nonce.len()];
        confined.copy_from_slice(nonce);
        nonce::confine(self.facts, confined);
        if confined == nonce { Ok(()) } else { Err(CallError::Length) }
    }

    /// The number of a slot that nothing is in.
    fn free_slot(&mut self) -> Result<usize, CallError> {
        if let Some(free) = self.tickets.iter().position(Option::is_none) {
            return Ok(free);
        }
        if self.slots.len() == MOST_IN_FLIGHT {
            return Err(CallError::Unsupported);
        }
        self.slots.push(Slot::new(&self.context)?);
        self.tickets.push(None);
        Ok(self.slots.len() - 1)
    }

    /// Packs the messages into a slot.
    fn pack(
        &mut self,
        slot: usize,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<(), CallError> {
        let mut packets = std::mem::take(&mut self.slots[slot].packets);
        packets.start(messages.len());
        let packed = keys.iter().zip(messages).zip(output_bytes).try_for_each(
            |((&key, message), &output_bytes)| {
                if key as usize >= self.keys {
                    return Err(CallError::Length);
                }
                let (text, tag) = self.checked(message, output_bytes)?;
                let packet = Packet::new(key, message.nonce, message.unused_bits, output_bytes);
                packets.push(packet, text, self.host.device_bytes(text.len()));
                packets.tags.extend_from_slice(tag);
                self.check_room(packets.input.len().max(packets.answer_bytes))
            },
        );
        self.slots[slot].packets = packets;
        packed
    }

    fn check_room(&self, bytes: usize) -> Result<(), CallError> {
        if bytes <= self.capacities.bytes { Ok(()) } else { Err(CallError::Length) }
    }

    /// Writes the schedules to the device where they are not there.
    fn write_schedules(&mut self, slot: usize) -> Result<(), CallError> {
        if self.keys_are_new && !self.schedules.is_empty() {
            self.slots[slot].write_now(&self.on_device, &self.schedules)?;
        }
        self.keys_are_new = false;
        Ok(())
    }

    fn begin(&mut self, slot: usize) -> Result<(), CallError> {
        let slot = &mut self.slots[slot];
        let item_bytes = self.recipe.item_bytes;
        let longest = slot.packets.longest;
        let items = item_bytes.map_or(1, |bytes| longest.div_ceil(bytes).max(1));
        // Work items are numbered with 32 bits.
        let all = u32::try_from(items * slot.packets.list.len() + self.group);
        all.map_err(|_| CallError::Length)?;
        let (kernel, schedules) = (&mut self.kernel, &self.on_device);
        slot.begin(Launch { kernel, schedules, items: items as u32, group: self.group })?;
        Ok(())
    }

    /// The slot that a submission is in.
    fn slot_of(&self, ticket: Ticket) -> Result<usize, CallError> {
        let slot = self.tickets.iter().position(|it| *it == Some(ticket));
        slot.ok_or(CallError::Unsupported)
    }
}

impl Device for OpenclDevice {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn capacities(&self) -> Capacities {
        self.capacities
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        if !self.recipe.any_key {
            checks::check_length(key.len(), self.facts.key_bytes as usize)?;
        }
        if number >= self.keys {
            return Err(CallError::Length);
        }
        let bytes = self.host.schedule_bytes();
        let schedule = &mut self.schedules[number * bytes..][..bytes];
        self.host.set_key(number, key, schedule);
        self.keys_are_new = true;
        Ok(())
    }

    fn submit(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<Ticket, CallError> {
        let count = messages.len();
        if keys.len() != count || output_bytes.len() != count {
            return Err(CallError::Length);
        }
        if !(1..=MOST_MESSAGES).contains(&count) {
            return Err(CallError::Length);
        }
        let slot = self.free_slot()?;
        self.pack(slot, keys, messages, output_bytes)?;
        self.write_schedules(slot)?;
        self.begin(slot)?;
        self.submissions += 1;
        let ticket = Ticket(self.submissions);
        self.tickets[slot] = Some(ticket);
        Ok(ticket)
    }

    fn poll(&mut self, ticket: Ticket) -> Result<bool, CallError> {
        let slot = self.slot_of(ticket)?;
        Ok(self.slots[slot].is_done()?)
    }

    fn collect(
        &mut self,
        ticket: Ticket,
        outputs: &mut [&mut [u8]],
    ) -> Result<DeviceTimes, CallError> {
        let slot = self.slot_of(ticket)?;
        self.tickets[slot] = None;
        let (packets, answers, times) = self.slots[slot].wait()?;
        checks::check_length(outputs.len(), packets.list.len())?;
        let tag_bytes = self.facts.tag_bytes as usize;
        let mut all_are_right = true;
        for (number, (packet, output)) in packets.list.iter().zip(outputs).enumerate() {
            checks::check_length(output.len(), packet.output_bytes)?;
            let answer = &answers[packet.answer()];
            let finish = |output: &mut [u8]| {
                self.host.finish(packet.key as usize, packet.nonce(), answer, output);
            };
            match self.operation {
                Operation::Verify => {
                    let mut computed = [0; MOST_TAG_BYTES];
                    finish(&mut computed[..tag_bytes]);
                    let brought = &packets.tags[number * tag_bytes..][..tag_bytes];
                    all_are_right &= tag::equal(&computed[..tag_bytes], brought);
                }
                Operation::Encrypt | Operation::Decrypt => {
                    finish(output);
                    clear_unused(output, packet.unused_bits);
                }
                _ => finish(output),
            }
        }
        if all_are_right { Ok(times) } else { Err(CallError::Refused) }
    }
}

/// Clears the bits that are no part of a text.
fn clear_unused(text: &mut [u8], bits: u8) {
    if let Some(last) = text.last_mut() {
        *last &= u8::MAX << bits;
    }
}
