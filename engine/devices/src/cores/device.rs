//! One caller's way to the device threads.

use std::sync::{Arc, Mutex};

use super::functions::Functions;
use super::pool::Pool;
use super::slot::{DIED, Slot};
use ciphermark_providers::api::*;

/// Messages of one submission: what a batch of packets may have at most.
pub const MOST_MESSAGES: usize = 4096;

/// Submissions that each thread may have of one device, so that it need not wait for the next.
pub const IN_FLIGHT_EACH: usize = 8;

pub struct CoresDevice {
    pool: Arc<Pool>,
    /// One set for each thread that works for this device.
    functions: Vec<Arc<Mutex<Functions>>>,
    /// The threads' slots in turn: few submissions at once stay with few threads, whose caches then
    /// hold the key schedules.
    slots: Vec<Place>,
    submissions: u64,
}

struct Place {
    slot: Arc<Slot>,
    thread: usize,
    ticket: Option<Ticket>,
}

impl CoresDevice {
    /// A device that one thread works for with each of these functions.
    pub fn new(pool: &Arc<Pool>, functions: Vec<Functions>, in_flight: usize) -> Self {
        let first = pool.next();
        let functions: Vec<_> = functions.into_iter().map(|it| Arc::new(Mutex::new(it))).collect();
        let place = |number: usize| {
            let worker = number % functions.len();
            let slot = Arc::new(Slot::new(Arc::clone(&functions[worker])));
            Place { slot, thread: (first + worker) % pool.cpus().len(), ticket: None }
        };
        let slots = (0..in_flight).map(place).collect();
        Self { pool: Arc::clone(pool), functions, slots, submissions: 0 }
    }

    fn place(&mut self, ticket: Ticket) -> Result<&mut Place, CallError> {
        let found = self.slots.iter_mut().find(|place| place.ticket == Some(ticket));
        found.ok_or(CallError::Unsupported)
    }
}

impl Device for CoresDevice {
    fn place(&self) -> String {
        let cpus: Vec<String> = self.pool.cpus().iter().map(u32::to_string).collect();
        let plural = if cpus.len() == 1 { "" } else { "s" };
        format!("CPU{plural} {} of this machine", cpus.join(", "))
    }

    fn capacities(&self) -> Capacities {
        // Memory grows with what is submitted.
        Capacities { messages: MOST_MESSAGES, in_flight: self.slots.len(), bytes: usize::MAX }
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        for functions in &self.functions {
            functions.lock().map_err(|_| DIED)?.set_key(number, key)?;
        }
        Ok(())
    }

    fn submit(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<Ticket, CallError> {
        let fits = (1..=MOST_MESSAGES).contains(&messages.len());
        if !fits || keys.len() != messages.len() || output_bytes.len() != messages.len() {
            return Err(CallError::Length);
        }
        let free = self.slots.iter_mut().find(|place| place.ticket.is_none());
        let place = free.ok_or(CallError::Unsupported)?;
        self.pool.submit(place.thread, place.slot.fill(keys, messages, output_bytes))?;
        self.submissions += 1;
        let ticket = Ticket(self.submissions);
        place.ticket = Some(ticket);
        Ok(ticket)
    }

    fn poll(&mut self, ticket: Ticket) -> Result<bool, CallError> {
        Ok(self.place(ticket)?.slot.is_done())
    }

    fn collect(
        &mut self,
        ticket: Ticket,
        outputs: &mut [&mut [u8]],
    ) -> Result<DeviceTimes, CallError> {
        let place = self.place(ticket)?;
        place.slot.wait();
        place.ticket = None;
        place.slot.take(outputs)
    }
}
