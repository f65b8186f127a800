//! Other CPUs of this machine as an accelerator, for the functions of any provider.
//!
//! A thread on each of these CPUs has memory of its own, into which it copies messages and out of which
//! it copies answers: that is the transfer, timed apart from the work between. All devices share these
//! threads, so that a thousand sessions need no thousand threads; each has places of its own for what
//! it has under way.
//!
//! A thread that has nothing to do sleeps after it has looked for work for a while, and so does at once
//! who waits for an answer. That costs: a message of 1 KiB that is waited for came back after 29 µs in
//! the median (HMAC-SHA256, whose work alone is 0.9 µs; two CPUs of an AMD EPYC in a KVM guest that
//! others kept busy), and took 28 µs of the CPU time of who waited.

mod device;
mod functions;
mod packed;
mod pool;
mod slot;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::Synchronous;
use ciphermark_providers::api::*;
use device::{CoresDevice, IN_FLIGHT_EACH, MOST_MESSAGES};
use functions::Functions;
use pool::Pool;

/// A provider whose functions do their work on other CPUs.
pub struct Cores<'a> {
    provider: &'a dyn Provider,
    pool: Arc<Pool>,
}

impl<'a> Cores<'a> {
    /// Starts a thread on each of these CPUs; they end with this and the last of its functions.
    pub fn of(provider: &'a dyn Provider, cpus: &[u32]) -> Result<Self, CreateError> {
        if cpus.is_empty() {
            return Err(CreateError::Unsupported("a device without a CPU".into()));
        }
        Ok(Self { provider, pool: Arc::new(Pool::start(cpus)?) })
    }

    /// The provider without the device.
    pub fn within(&self) -> &'a dyn Provider {
        self.provider
    }

    /// CPU time of the device's threads so far, nanoseconds, looking for work included.
    pub fn cpu_ns(&self) -> u64 {
        self.pool.cpu_ns()
    }

    /// A device of one thread, for callers that wait for each answer.
    fn waited_for(&self, functions: Functions) -> Box<dyn Device> {
        Box::new(CoresDevice::new(&self.pool, vec![functions], 1))
    }
}

impl Provider for Cores<'_> {
    fn library(&self) -> Library {
        self.provider.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.provider.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let functions = Functions::each(self.provider, request, 1)?;
        Ok(Synchronous::function(self.waited_for(functions)))
    }

    fn create_lanes(
        &self,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        let functions = Functions::together(self.provider, request, lanes, keys)?;
        Synchronous::lanes(self.waited_for(functions), lanes, keys)
    }

    fn create_device(
        &self,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Box<dyn Device>, CreateError> {
        let threads = self.pool.cpus().len();
        let create = |_| Functions::for_batches(self.provider, request, MOST_MESSAGES, keys);
        let functions: Result<_, _> = (0..threads).map(create).collect();
        let in_flight = threads * IN_FLIGHT_EACH;
        Ok(Box::new(CoresDevice::new(&self.pool, functions?, in_flight)))
    }
}
