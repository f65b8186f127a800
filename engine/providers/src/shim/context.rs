//! A shim's function with its context, and what its calls answer.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{ptr, slice};

use super::abi;
use super::function::Lengths;
use crate::api::*;
use crate::checks;

/// One operation of one algorithm, with a context that the engine allocates and the shim fills.
pub struct Context {
    /// A row of its own, at a place that stays.
    row: Box<abi::Function>,
    renew: Option<abi::Renew>,
    process: abi::Process,
    memory: Memory,
    key_bytes: RangeInclusive<usize>,
    pub lengths: Lengths,
    state: State,
    /// No other context has this number.
    number: u64,
    /// Room for answers that the caller has no use for; none where the function has no such.
    room: Vec<u8>,
}

/// How far a context has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but memory.
    Released,
    Initialised,
    Keyed,
}

impl Context {
    /// A context of a library's row, without a key.
    pub fn new(
        library: &abi::Library,
        row: abi::Function,
        lengths: Lengths,
    ) -> Result<Self, CreateError> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let abi::Function { context_bytes, context_alignment, process, .. } = row;
        let process =
            process.ok_or_else(|| CreateError::Failed("its row has no process".to_owned()))?;
        let unusual = || {
            let context = format!("{context_bytes} bytes aligned to {context_alignment}");
            CreateError::Failed(format!("its context of {context} cannot be had"))
        };
        let mut context = Self {
            key_bytes: row.key_bytes.lengths(),
            row: Box::new(row),
            renew: library.renew,
            process,
            memory: Memory::new(context_bytes, context_alignment).ok_or_else(unusual)?,
            lengths,
            state: State::Released,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            room: Vec::new(),
        };
        context.init().map_err(|error| context.lacks(error))?;
        Ok(context)
    }

    /// The same with room for an answer of so many bytes, which [`Context::answer`] shows.
    pub fn with_room(mut self, bytes: usize) -> Self {
        self.room = vec![0; bytes];
        self
    }

    /// Where the context is: the same place as long as it lives.
    pub fn memory(&mut self) -> *mut c_void {
        self.memory.start()
    }

    /// The number that no other context has.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What an error means before a message was there.
    pub fn lacks(&self, error: CallError) -> CreateError {
        match error {
            CallError::Unsupported => CreateError::Unsupported(self.row.algorithm().to_owned()),
            CallError::Length => checks::unsupported_nonce(self.row.nonce_bytes.least),
            error => CreateError::Failed(error.to_string()),
        }
    }

    /// Makes the context out of zero bytes.
    fn init(&mut self) -> Result<(), CallError> {
        if let Some(init) = self.row.init {
            // SAFETY: the context is as the row wants it: zero bytes of its size and alignment.
            done(unsafe { init(&self.row, self.memory.start()) })?;
        }
        self.state = State::Initialised;
        Ok(())
    }

    /// Gives the context back, but for its memory.
    fn release(&mut self) {
        if let (Some(release), true) = (self.row.release, self.state != State::Released) {
            // SAFETY: nobody else has the context, which was initialised.
            unsafe { release(&self.row, self.memory.start()) };
        }
        self.state = State::Released;
    }

    /// As [`Function::renew`]. The memory stays: a caller in C has the context on the stack.
    pub fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        let number = match what {
            Renewed::Context => abi::CONTEXT,
            Renewed::Algorithm => abi::LOOKED_UP,
        };
        if let (Some(renew), true) = (self.renew, self.state != State::Released) {
            // SAFETY: the context was initialised.
            done(unsafe { renew(&self.row, self.memory.start(), number) })?;
            self.state = State::Initialised;
            return Ok(());
        }
        if what == Renewed::Algorithm {
            return Err(CallError::Unsupported);
        }
        self.release();
        self.memory.wipe();
        self.init()
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if !self.key_bytes.contains(&key.len()) {
            return Err(CallError::Length);
        }
        if self.state == State::Released {
            return Err(CallError::Unsupported);
        }
        if let Some(set_key) = self.row.set_key {
            let memory = self.memory.start();
            // SAFETY: the context was initialised, and the key has a length that the function
            // takes.
            done(unsafe { set_key(&self.row, memory, key.as_ptr(), key.len()) })?;
        }
        self.state = State::Keyed;
        Ok(())
    }

    /// Checks a message, and puts it into the form of the row.
    #[inline(always)]
    pub fn prepare<'a>(
        &self,
        message: &Message<'a>,
        output: &'a mut [u8],
    ) -> Result<Prepared<'a>, CallError> {
        self.lengths.check(message, output.len())?;
        let message = abi::message(message, output.as_mut_ptr(), output.len());
        Ok(Prepared { message, context: self.number, bytes: PhantomData })
    }

    /// The same for a message with a tag behind it, as long as the context's own room, which the answer
    /// goes to.
    #[inline(always)]
    pub fn prepare_for_room<'a>(
        &mut self,
        message: &Message<'a>,
    ) -> Result<Prepared<'a>, CallError> {
        let (output, bytes) = (self.room.as_mut_ptr(), self.room.len());
        let (input, _) = checks::split_tag(message.input, bytes)?;
        let message = Message { input, ..*message };
        self.lengths.check(&message, bytes)?;
        let message = abi::message(&message, output, bytes);
        Ok(Prepared { message, context: self.number, bytes: PhantomData })
    }

    /// What the last message for the context's own room has left there.
    pub fn answer(&self) -> &[u8] {
        &self.room
    }

    /// The tag behind a message that was prepared for the room of this context.
    #[inline]
    pub fn tag_behind<'p>(&self, prepared: &'p Prepared<'_>) -> Result<&'p [u8], CallError> {
        let abi::Message { input, input_bytes, output, .. } = prepared.message;
        if prepared.context != self.number || !ptr::eq(output, self.room.as_ptr()) {
            return Err(CallError::Unsupported);
        }
        // SAFETY: a tag of so many bytes was split off behind the input, and lives as long as that.
        Ok(unsafe { slice::from_raw_parts(input.add(input_bytes), self.room.len()) })
    }

    /// The row's call with the context; absent without a key.
    #[inline]
    pub fn call(&mut self) -> Option<RowCall<'_>> {
        let Self { row, process, memory, number, state, .. } = self;
        (*state == State::Keyed).then(|| RowCall {
            process: *process,
            row,
            memory: memory.start(),
            context: *number,
        })
    }

    /// Processes one message that was prepared.
    #[inline]
    pub fn process(&mut self, message: &Prepared<'_>) -> Result<(), CallError> {
        self.call().ok_or(CallError::Unsupported)?.process(message)
    }

    /// Processes one message in parts; without an output, for the context's own room.
    pub fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: Option<&mut [u8]>,
    ) -> Result<(), CallError> {
        let process = self.row.process_chunks.ok_or(CallError::Unsupported)?;
        let (output, output_bytes) = match output {
            Some(output) => (output.as_mut_ptr(), output.len()),
            None => (self.room.as_mut_ptr(), self.room.len()),
        };
        self.lengths.check_parts(message, parts, output_bytes)?;
        if self.state != State::Keyed {
            return Err(CallError::Unsupported);
        }
        let mut raw = abi::message(message, output, output_bytes);
        let chunk_bytes = match parts {
            Parts::Chunks(bytes) => bytes,
            Parts::Repeated(bytes) => {
                self.check_repeats(message.input, bytes)?;
                (raw.input_bytes, raw.repeats) = (bytes, 1);
                message.input.len().max(1)
            }
        };
        // SAFETY: the lengths were checked, and a key was set; the borrows keep the bytes alive, and the
        // output apart from the rest. Of a chunk that is repeated the function reads no more than that,
        // since it takes repeats.
        done(unsafe { process(&self.row, self.memory.start(), &raw, chunk_bytes) })
    }

    /// Refuses a chunk that makes no message of so many bytes, and any where the function takes no
    /// repeats.
    fn check_repeats(&self, chunk: &[u8], message_bytes: usize) -> Result<(), CallError> {
        if self.row.takes_repeats != 1 {
            return Err(CallError::Unsupported);
        }
        if chunk.is_empty() && message_bytes > 0 { Err(CallError::Length) } else { Ok(()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.release();
    }
}

/// Bytes of some alignment, at a place that stays.
struct Memory {
    units: Vec<Unit>,
    /// Bytes before the first that has the alignment.
    before: usize,
}

/// What malloc(3) aligns to.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Unit(#[allow(dead_code)] [u8; 16]);

impl Unit {
    const ZERO: Self = Self([0; 16]);
}

impl Memory {
    /// So many zero bytes; absent where they cannot be had.
    fn new(bytes: usize, alignment: usize) -> Option<Self> {
        let beyond = alignment.checked_sub(1)? & !(align_of::<Unit>() - 1);
        let count = bytes.checked_add(beyond)?.div_ceil(size_of::<Unit>());
        let mut units = Vec::new();
        units.try_reserve_exact(count).ok()?;
        units.resize(count, Unit::ZERO);
        let before = units.as_ptr().cast::<u8>().align_offset(alignment);
        Some(Self { units, before })
    }

    fn start(&mut self) -> *mut c_void {
        self.units.as_mut_ptr().cast::<u8>().wrapping_add(self.before).cast()
    }

    fn wipe(&mut self) {
        self.units.fill(Unit::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicI32, Ordering};

    use super::*;

    /// What `init` answers; below zero it fails.
    static ANSWER: AtomicI32 = AtomicI32::new(0);
    /// Contexts that were initialised and not released.
    static ALIVE: AtomicI32 = AtomicI32::new(0);

    unsafe extern "C" fn init(_: &abi::Function, context: *mut c_void) -> c_int {
        // SAFETY: the context has one byte.
        let byte = unsafe { &mut *context.cast::<u8>() };
        assert_eq!(*byte, 0, "contexts begin as zeros");
        *byte = 1;
        let answer = ANSWER.load(Ordering::Relaxed);
        ALIVE.fetch_add(i32::from(answer == 0), Ordering::Relaxed);
        answer
    }

    extern "C" fn release(_: &abi::Function, _: *mut c_void) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }

    extern "C" fn process(_: &abi::Function, _: *mut c_void, _: &abi::Message) -> c_int {
        abi::DONE
    }

    extern "C" fn fails(_: &abi::Function, _: *mut c_void, _: &abi::Message) -> c_int {
        -7
    }

    /// A context of a row of a hash with digests of no bytes.
    fn context(row: abi::Function) -> Context {
        let lengths = Lengths::new(Operation::Digest, 0, 0, 1);
        Context::new(&abi::Library::of(&[]), row, lengths).expect("it is initialised")
    }

    fn process_once(context: &mut Context) -> Result<(), CallError> {
        let prepared = context.prepare(&Message::default(), &mut [])?;
        context.process(&prepared)
    }

    #[test]
    fn a_context_that_cannot_be_made_anew_is_not_used() {
        let mut row = abi::row(c"sha256", abi::DIGEST, process);
        row.context_bytes = 1;
        row.init = Some(init);
        row.release = Some(release);
        let mut context = context(row);
        for answer in [0, -1, 0] {
            ANSWER.store(answer, Ordering::Relaxed);
            let expected = if answer == 0 { Ok(()) } else { Err(CallError::Library(-1)) };
            assert_eq!(context.renew(Renewed::Context), expected);
            assert_eq!(ALIVE.load(Ordering::Relaxed), 1 + answer);
            assert_eq!(process_once(&mut context), Err(CallError::Unsupported), "there is no key");
            let expected = expected.map_err(|_| CallError::Unsupported);
            assert_eq!(context.set_key(&[]), expected);
            assert_eq!(process_once(&mut context), expected);
        }
        drop(context);
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0, "each is released once");
    }

    #[test]
    fn a_message_is_processed_by_the_context_that_has_checked_it() {
        let row = abi::row(c"sha256", abi::DIGEST, process);
        let [mut one, mut other] = [row, row].map(context);
        one.set_key(&[]).expect("it has none");
        other.set_key(&[]).expect("it has none");
        let prepared = one.prepare(&Message::default(), &mut []).expect("no bytes are right");
        assert_eq!(one.process(&prepared), Ok(()));
        assert_eq!(other.process(&prepared), Err(CallError::Unsupported));
    }

    #[test]
    fn each_answer_of_a_call_is_looked_at() {
        let mut context = context(abi::row(c"sha256", abi::DIGEST, fails));
        context.set_key(&[]).expect("it has none");
        assert!(context.prepare(&Message::default(), &mut [0]).is_err(), "a digest has no bytes");
        let prepared = context.prepare(&Message::default(), &mut []).expect("no bytes are right");
        let mut call = context.call().expect("it has a key");
        for _ in 0..3 {
            assert_eq!(call.process(&prepared), Err(CallError::Library(-7)));
        }
    }

    #[test]
    fn memory_is_aligned_and_zero() {
        for alignment in [1, 8, 16, 32, 64, 4096] {
            for bytes in [0, 1, 16, 100] {
                let mut memory = Memory::new(bytes, alignment).expect("it is little");
                assert!((memory.start() as usize).is_multiple_of(alignment), "{alignment}");
                let room = size_of_val(&memory.units[..]) - memory.before;
                assert!(room >= bytes, "{bytes} aligned to {alignment}");
            }
        }
        assert!(Memory::new(usize::MAX, 16).is_none() && Memory::new(1 << 60, 16).is_none());
    }
}
