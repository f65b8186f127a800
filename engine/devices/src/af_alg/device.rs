//! Ciphers and authenticated encryption as a device: several requests at the kernel at once.
//!
//! Each request has a socket of its own, since a socket keeps the IV of one. A request is sent, and its
//! answer read, asynchronously: where the driver is an accelerator, the kernel goes on at once, and
//! where it is software, it has finished when it returns.

use nix::errno::Errno;

use super::aio::{End, Queue, Read};
use super::context::Context;
use super::control::Control;
use super::descriptors;
use super::layout::Layout;
use super::socket::{Requests, failed, whole};
use ciphermark_providers::api::*;
use ciphermark_providers::checks;

/// Most messages of a submission.
const MOST_MESSAGES: usize = 64;
const MOST_SUBMISSIONS: usize = 8;

/// Most requests at the kernel at once, whatever their keys: more than any accelerator's own queue
/// would leave waiting for long.
const MOST_SOCKETS: usize = 256;

/// What a queue has to have room for: each request may have come to its end unseen.
pub const MOST_REQUESTS: usize = MOST_MESSAGES * MOST_SUBMISSIONS;

/// Longer than any driver works on a request; a device that does not answer is an error then.
const MOST_SECONDS: i64 = 10;

pub struct AsyncDevice {
    place: String,
    layout: Layout,
    control: Control,
    most_bytes: usize,
    keys: Vec<Key>,
    /// Zeros to make a keystream of.
    zeros: Vec<u8>,
    /// Reads that are not begun yet.
    prepared: Vec<Read>,
    under_way: usize,
    /// Before the submissions, whose memory the kernel may write to until it is dropped.
    queue: Queue,
    submissions: Vec<Submission>,
}

struct Key {
    context: Context,
    /// Sockets that have no request.
    free: Vec<Requests>,
}

#[derive(Default)]
struct Submission {
    is_taken: bool,
    /// Where answers are put, one behind the other.
    answers: Vec<u8>,
    used_bytes: usize,
    requests: Vec<Request>,
    under_way: usize,
}

struct Request {
    key: usize,
    /// Absent when it has come to its end.
    socket: Option<Requests>,
    /// Where its answer begins, associated data first.
    start: usize,
    associated_bytes: usize,
    answer_bytes: usize,
    result: i64,
}

impl AsyncDevice {
    /// `prepare` makes the context of a key.
    pub fn new(
        place: String,
        queue: Queue,
        keys: usize,
        prepare: impl Fn() -> Result<(Context, Layout), CreateError>,
    ) -> Result<Self, CreateError> {
        let sockets = descriptors::requests_per_key(keys, MOST_SOCKETS)?;
        let (context, layout) = prepare()?;
        let most_bytes = context.most_bytes();
        // A request reads one byte at least.
        let room = vec![0; most_bytes + MOST_MESSAGES];
        let submission = || Submission { answers: room.clone(), ..Submission::default() };
        let key = |context| Key { context, free: Vec::with_capacity(sockets) };
        let mut contexts = vec![key(context)];
        for _ in 1..keys {
            contexts.push(key(prepare()?.0));
        }
        Ok(Self {
            place,
            control: layout.control(),
            layout,
            most_bytes,
            keys: contexts,
            zeros: vec![0; most_bytes],
            prepared: Vec::with_capacity(MOST_MESSAGES),
            under_way: 0,
            queue,
            submissions: (0..MOST_SUBMISSIONS).map(|_| submission()).collect(),
        })
    }

    fn check(
        &self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<(), CallError> {
        checks::check_length(keys.len(), messages.len())?;
        checks::check_length(output_bytes.len(), messages.len())?;
        let known = |&key: &u32| (key as usize) < self.keys.len();
        let total = messages.iter().zip(output_bytes).try_fold(0, |total, (message, &bytes)| {
            self.layout.check(message, bytes)?;
            Ok::<_, CallError>(total + message.aad.len() + message.input.len().max(bytes))
        })?;
        let fits = messages.len() <= MOST_MESSAGES && total <= self.most_bytes;
        if fits && keys.iter().all(known) { Ok(()) } else { Err(CallError::Length) }
    }

    /// Sends one message, and prepares to read its answer.
    fn request(
        &mut self,
        number: usize,
        key: usize,
        message: &Message<'_>,
        answer_bytes: usize,
    ) -> Result<(), CallError> {
        let socket = self.free_socket(key)?;
        let Message { nonce, aad, input, .. } = *message;
        let text = match self.layout.operation {
            Operation::Keystream => &self.zeros[..answer_bytes],
            _ => input,
        };
        if let Err(error) = socket.send(self.control.of(nonce, aad.len()), [aad, text], false) {
            self.keys[key].replace(socket);
            return Err(error);
        }
        let submission = &mut self.submissions[number];
        let start = submission.used_bytes;
        // The kernel does nothing for a reader without room, not even look at the tag.
        submission.used_bytes += (aad.len() + answer_bytes).max(1);
        let room = &mut submission.answers[start..submission.used_bytes];
        let data = (number * MOST_MESSAGES + submission.requests.len()) as u64;
        self.prepared.push(Read::new(socket.as_raw_fd(), room, data));
        let (socket, associated_bytes) = (Some(socket), aad.len());
        let request = Request { key, socket, start, associated_bytes, answer_bytes, result: 0 };
        submission.requests.push(request);
        submission.under_way += 1;
        self.under_way += 1;
        Ok(())
    }

    /// A socket under the key that has no request, when need be after waiting for one.
    fn free_socket(&mut self, key: usize) -> Result<Requests, CallError> {
        loop {
            if let Some(socket) = self.keys[key].free.pop() {
                return Ok(socket);
            }
            if self.under_way == 0 {
                return Err(CallError::Unsupported); // the key was never set
            }
            self.begin()?;
            self.take_ends(1)?;
        }
    }

    /// Begins the reads that are prepared.
    fn begin(&mut self) -> Result<(), CallError> {
        while !self.prepared.is_empty() {
            // SAFETY: the rooms are in submissions, which are not touched before the ends of their
            // requests came, and which outlive the queue.
            let begun = unsafe { self.queue.begin(&mut self.prepared) }.map_err(failed)?;
            self.prepared.drain(..begun);
        }
        Ok(())
    }

    /// Takes the ends that are there, after waiting for `least` of them.
    fn take_ends(&mut self, least: usize) -> Result<(), CallError> {
        let mut ends = [End::default(); MOST_MESSAGES];
        let count = self.queue.ends(least, &mut ends, MOST_SECONDS).map_err(failed)?;
        for end in &ends[..count] {
            let index = end.data as usize;
            let submission = &mut self.submissions[index / MOST_MESSAGES];
            let request = &mut submission.requests[index % MOST_MESSAGES];
            request.result = end.result;
            submission.under_way -= 1;
            self.under_way -= 1;
            let key = &mut self.keys[request.key];
            if let Some(socket) = request.socket.take() {
                match request.received() {
                    Err(CallError::Library(_)) => key.replace(socket),
                    _ => key.free.push(socket),
                }
            }
        }
        if count < least { Err(failed(Errno::ETIMEDOUT)) } else { Ok(()) }
    }

    /// Waits for all requests of a submission. One that fails stays taken: the kernel may still write
    /// to its memory.
    fn wait(&mut self, number: usize) -> Result<(), CallError> {
        self.begin()?;
        while self.submissions[number].under_way > 0 {
            self.take_ends(1)?;
        }
        Ok(())
    }

    fn taken(&self, ticket: Ticket) -> Result<usize, CallError> {
        let number = ticket.0 as usize;
        let is_taken = self.submissions.get(number).is_some_and(|it| it.is_taken);
        if is_taken { Ok(number) } else { Err(CallError::Unsupported) }
    }
}

impl Key {
    /// Gives up a socket that may hold data of a request that failed, and takes another in its place.
    fn replace(&mut self, socket: Requests) {
        self.free.push(self.context.another().unwrap_or(socket));
    }
}

impl Request {
    fn received(&self) -> Result<(), CallError> {
        match usize::try_from(self.result) {
            Ok(bytes) => whole(bytes, self.associated_bytes + self.answer_bytes),
            Err(_) => Err(failed(Errno::from_raw(-self.result as i32))),
        }
    }
}

impl Submission {
    /// Makes room for another, when nothing of this one is under way.
    fn clear(&mut self) {
        self.is_taken = false;
        self.used_bytes = 0;
        self.requests.clear();
    }

    fn copy_to(&self, outputs: &mut [&mut [u8]]) -> Result<(), CallError> {
        checks::check_length(outputs.len(), self.requests.len())?;
        for (request, output) in self.requests.iter().zip(outputs) {
            request.received()?;
            checks::check_length(output.len(), request.answer_bytes)?;
            let start = request.start + request.associated_bytes;
            output.copy_from_slice(&self.answers[start..][..output.len()]);
        }
        Ok(())
    }
}

impl Device for AsyncDevice {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn capacities(&self) -> Capacities {
        Capacities { messages: MOST_MESSAGES, in_flight: MOST_SUBMISSIONS, bytes: self.most_bytes }
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        let sockets = self.keys.get(number).ok_or(CallError::Length)?.free.capacity();
        let this = &mut self.keys[number];
        this.free.clear();
        this.context.set_key(key)?;
        this.free.extend(this.context.take());
        while this.free.len() < sockets {
            this.free.push(this.context.another().map_err(failed)?);
        }
        Ok(())
    }

    fn submit(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<Ticket, CallError> {
        self.check(keys, messages, output_bytes)?;
        let number = self.submissions.iter().position(|it| !it.is_taken);
        let number = number.ok_or(CallError::Unsupported)?;
        self.submissions[number].is_taken = true;
        for ((&key, message), &bytes) in keys.iter().zip(messages).zip(output_bytes) {
            if let Err(error) = self.request(number, key as usize, message, bytes) {
                self.wait(number)?;
                self.submissions[number].clear();
                return Err(error);
            }
        }
        self.begin()?;
        Ok(Ticket(number as u64))
    }

    fn poll(&mut self, ticket: Ticket) -> Result<bool, CallError> {
        let number = self.taken(ticket)?;
        self.take_ends(0)?;
        Ok(self.submissions[number].under_way == 0)
    }

    fn collect(
        &mut self,
        ticket: Ticket,
        outputs: &mut [&mut [u8]],
    ) -> Result<DeviceTimes, CallError> {
        let number = self.taken(ticket)?;
        self.wait(number)?;
        let copied = self.submissions[number].copy_to(outputs);
        self.submissions[number].clear();
        copied.map(|()| DeviceTimes::default())
    }
}
