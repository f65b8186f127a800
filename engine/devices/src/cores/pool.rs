//! The threads that are the device: one on each of its CPUs, shared by all its devices.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ciphermark_harness::{crew, usage};

use super::slot::{DIED, Job, Memory};
use ciphermark_providers::api::{CallError, CreateError};

/// Submissions that a thread may have before it; who has more to submit waits.
const QUEUED: usize = 4096;

/// A thread that has nothing to do looks again for so long before it sleeps.
const SPIN: Duration = Duration::from_micros(20);

pub struct Pool {
    cpus: Vec<u32>,
    queues: Vec<SyncSender<Job>>,
    threads: Vec<JoinHandle<()>>,
    /// Devices so far.
    devices: AtomicUsize,
}

impl Pool {
    /// Starts the threads, which end with the pool.
    pub fn start(cpus: &[u32]) -> Result<Self, CreateError> {
        let mut pool = Self {
            cpus: cpus.to_vec(),
            queues: Vec::new(),
            threads: Vec::new(),
            devices: AtomicUsize::new(0),
        };
        for &cpu in cpus {
            pool.add(cpu).map_err(|why| {
                CreateError::Failed(format!("CPU {cpu} cannot be a device: {why}"))
            })?;
        }
        Ok(pool)
    }

    fn add(&mut self, cpu: u32) -> io::Result<()> {
        let (queue, jobs) = mpsc::sync_channel(QUEUED);
        self.threads.push(crew::start_on(cpu, "device", move || serve(&jobs))?);
        self.queues.push(queue);
        Ok(())
    }

    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }

    /// The thread that the next device begins with, so that devices are spread over all.
    pub fn next(&self) -> usize {
        self.devices.fetch_add(1, Ordering::Relaxed) % self.queues.len()
    }

    /// Gives work to one of the threads.
    pub fn submit(&self, thread: usize, job: Job) -> Result<(), CallError> {
        self.queues[thread].send(job).map_err(|_| DIED)
    }

    /// CPU time of its threads so far, spinning included.
    pub fn cpu_ns(&self) -> u64 {
        self.threads.iter().map(usage::cpu_ns_of).sum()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queues.clear();
        for thread in self.threads.drain(..) {
            // One that has panicked has told so through what it was given.
            let _ = thread.join();
        }
    }
}

/// Works until nobody can submit any more.
fn serve(jobs: &Receiver<Job>) {
    let mut memory = Memory::default();
    while let Some(job) = next(jobs) {
        job.process(&mut memory);
    }
}

/// The next submission; sleeps where there is none for a while.
fn next(jobs: &Receiver<Job>) -> Option<Job> {
    let begun = Instant::now();
    while begun.elapsed() < SPIN {
        match jobs.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
    jobs.recv().ok()
}
