//! Room for one submission: a queue of its own, and memory on both sides, which grows to the largest
//! submission.

use std::sync::Arc;

use opencl_sys::{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, cl_mem_flags};

use super::objects::{Buffer, Context, Event, Kernel, Queue, Status};
use super::packets::Packets;
use ciphermark_providers::api::DeviceTimes;

/// Room that a buffer begins with, bytes.
const FIRST_BYTES: usize = 4096;

pub struct Slot {
    context: Arc<Context>,
    queue: Queue,
    input: Buffer,
    output: Buffer,
    pub packets: Packets,
    answers: Vec<u8>,
    under_way: Option<Events>,
}

/// The three commands of a submission.
struct Events {
    write: Event,
    run: Event,
    read: Event,
}

/// What one launch computes.
pub struct Launch<'a> {
    pub kernel: &'a mut Kernel,
    pub schedules: &'a Buffer,
    /// Work items for each packet.
    pub items: u32,
    /// Work items of a group.
    pub group: usize,
}

impl Slot {
    pub fn new(context: &Arc<Context>) -> Result<Self, Status> {
        Ok(Self {
            queue: context.queue()?,
            input: context.buffer(CL_MEM_READ_ONLY, FIRST_BYTES)?,
            output: context.buffer(CL_MEM_WRITE_ONLY, FIRST_BYTES)?,
            context: context.clone(),
            packets: Packets::default(),
            answers: Vec::new(),
            under_way: None,
        })
    }

    pub fn is_free(&self) -> bool {
        self.under_way.is_none()
    }

    /// Writes the start of a buffer and waits for it.
    pub fn write_now(&self, buffer: &Buffer, from: &[u8]) -> Result<(), Status> {
        self.queue.write_now(buffer, from)
    }

    /// Begins with the packets: in, through the kernel, and out again.
    pub fn begin(&mut self, launch: Launch<'_>) -> Result<(), Status> {
        let (bytes, answer_bytes) = (self.packets.input.len(), self.packets.answer_bytes);
        grow(&self.context, &mut self.input, CL_MEM_READ_ONLY, bytes)?;
        grow(&self.context, &mut self.output, CL_MEM_WRITE_ONLY, answer_bytes)?;
        self.answers.resize(answer_bytes, 0);
        let events = self.enqueue(launch);
        if events.is_err() {
            self.stop();
        }
        self.under_way = Some(events?);
        Ok(())
    }

    fn enqueue(&mut self, launch: Launch<'_>) -> Result<Events, Status> {
        let Launch { kernel, schedules, items, group } = launch;
        let count = self.packets.list.len();
        kernel.set_buffer(0, &self.input)?;
        kernel.set_buffer(1, schedules)?;
        kernel.set_buffer(2, &self.output)?;
        kernel.set_number(3, count as u32)?;
        kernel.set_number(4, items)?;
        let all = (count * items as usize).next_multiple_of(group);
        // SAFETY: neither the packets nor the answers are touched before the read is complete or the
        // queue is empty, see `stop`. Work items beyond the packets do nothing, and the others stay
        // within packets and answers, for which there is room. The schedules are kept by the device
        // that owns this slot.
        let events = unsafe {
            Events {
                write: self.queue.write(&self.input, &self.packets.input)?,
                run: self.queue.run(kernel, all, group)?,
                read: self.queue.read(&self.output, &mut self.answers)?,
            }
        };
        self.queue.flush()?;
        Ok(events)
    }

    /// Whether the answers are there; does not wait.
    pub fn is_done(&self) -> Result<bool, Status> {
        self.under_way.as_ref().map_or(Ok(true), |events| events.read.is_complete())
    }

    /// Waits for the answers, after which the slot is free.
    pub fn wait(&mut self) -> Result<(&Packets, &[u8], DeviceTimes), Status> {
        let waited = self.under_way.as_ref().map_or(Ok(()), |events| events.read.wait());
        if waited.is_err() {
            self.stop();
        }
        let times = self.under_way.take().map(|events| events.times()).unwrap_or_default();
        waited?;
        Ok((&self.packets, &self.answers, times))
    }

    /// Empties the queue, after which nothing looks at the memory of the host.
    fn stop(&mut self) {
        if self.queue.finish().is_err() {
            // Whether the driver still looks at the memory of what it failed to end is not known.
            self.packets.leak();
            std::mem::take(&mut self.answers).leak();
        }
    }
}

impl Events {
    fn times(&self) -> DeviceTimes {
        let Self { write, run, read } = self;
        DeviceTimes { in_ns: write.took_ns(), compute_ns: run.took_ns(), out_ns: read.took_ns() }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.is_free() {
            self.stop();
        }
    }
}

/// Makes room for so many bytes where there is less.
fn grow(
    context: &Context,
    buffer: &mut Buffer,
    flags: cl_mem_flags,
    bytes: usize,
) -> Result<(), Status> {
    if buffer.bytes() < bytes {
        *buffer = context.buffer(flags, bytes.next_power_of_two())?;
    }
    Ok(())
}
