//! A shim's function with its context, and what its calls answer.

use std::alloc::{self, Layout};
use std::ffi::{c_int, c_void};
use std::ops::RangeInclusive;
use std::ptr::{self, NonNull};

use super::abi;
use crate::api::*;
use crate::checks;

/// One operation of one algorithm, with a context that the engine allocates and the shim fills.
pub struct Context {
    /// A row of its own, at a place that stays.
    row: Box<abi::Function>,
    renew: Option<abi::Renew>,
    process: abi::Process,
    memory: NonNull<c_void>,
    layout: Layout,
    key_bytes: RangeInclusive<usize>,
    state: State,
}

/// How far a context has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but memory.
    Released,
    Initialised,
    Keyed,
}

// SAFETY: a context may be used by several threads as long as each is by one at a time, and it is
// neither `Sync` nor `Clone`.
unsafe impl Send for Context {}

impl Context {
    /// A context of a library's row, without a key.
    pub fn new(library: &abi::Library, row: abi::Function) -> Result<Self, CreateError> {
        let abi::Function { context_bytes, context_alignment, process, .. } = row;
        let process =
            process.ok_or_else(|| CreateError::Failed("its row has no process".to_owned()))?;
        let unusual = |_| {
            let context = format!("{context_bytes} bytes aligned to {context_alignment}");
            CreateError::Failed(format!("its context of {context} cannot be had"))
        };
        let layout =
            Layout::from_size_align(context_bytes.max(1), context_alignment).map_err(unusual)?;
        // SAFETY: the layout has at least one byte.
        let memory = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })
            .unwrap_or_else(|| alloc::handle_alloc_error(layout))
            .cast();
        let key_bytes = row.key_bytes.lengths();
        let (row, renew, state) = (Box::new(row), library.renew, State::Released);
        let mut context = Self { row, renew, process, memory, layout, key_bytes, state };
        context.init().map_err(|error| context.lacks(error))?;
        Ok(context)
    }

    /// Where the context is: the same place as long as it lives.
    pub fn memory(&self) -> *mut c_void {
        self.memory.as_ptr()
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
            called(unsafe { init(&*self.row, self.memory.as_ptr()) })?;
        }
        self.state = State::Initialised;
        Ok(())
    }

    /// Gives the context back, but for its memory.
    fn release(&mut self) {
        if let (Some(release), true) = (self.row.release, self.state != State::Released) {
            // SAFETY: nobody else has the context, which was initialised.
            unsafe { release(&*self.row, self.memory.as_ptr()) };
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
            called(unsafe { renew(&*self.row, self.memory.as_ptr(), number) })?;
            self.state = State::Initialised;
            return Ok(());
        }
        if what == Renewed::Algorithm {
            return Err(CallError::Unsupported);
        }
        self.release();
        // SAFETY: the memory is ours and has so many bytes.
        unsafe { ptr::write_bytes(self.memory.as_ptr().cast::<u8>(), 0, self.layout.size()) };
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
            // SAFETY: the context was initialised, and the key has a length that the function
            // takes.
            called(unsafe { set_key(&*self.row, self.memory.as_ptr(), key.as_ptr(), key.len()) })?;
        }
        self.state = State::Keyed;
        Ok(())
    }

    /// Processes one message.
    ///
    /// # Safety
    ///
    /// All lengths are those that the row's operation has.
    #[inline]
    pub unsafe fn process(
        &mut self,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        // SAFETY: the caller vouches for the lengths; the borrows keep the bytes alive and the output
        // apart from the rest.
        unsafe { self.process_ready(&abi::message(message, output)) }
    }

    /// The same for a message that is in the form of the row.
    ///
    /// # Safety
    ///
    /// As for [`Context::process`]; all that it points at is there, and the output is nobody else's.
    #[inline]
    pub unsafe fn process_ready(&mut self, message: &abi::Message) -> Result<(), CallError> {
        self.check_key()?;
        // SAFETY: the caller vouches for the message, and a key was set.
        called(unsafe { (self.process)(&*self.row, self.memory.as_ptr(), message) })
    }

    /// Processes one message in parts.
    ///
    /// # Safety
    ///
    /// As for [`Context::process`], where a chunk is repeated with the length of the message that it
    /// makes. Chunks of [`Parts::Chunks`] have at least one byte; all are whole blocks.
    pub unsafe fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let process = self.row.process_chunks.ok_or(CallError::Unsupported)?;
        self.check_key()?;
        let (message, chunk_bytes) = match parts {
            Parts::Chunks(bytes) => (abi::message(message, output), bytes),
            Parts::Repeated(bytes) => {
                self.check_repeats(message.input, bytes)?;
                (abi::repeated(message, bytes, output), message.input.len().max(1))
            }
        };
        // SAFETY: as above; of a chunk that is repeated the function reads no more than that, since
        // it takes repeats.
        called(unsafe { process(&*self.row, self.memory.as_ptr(), &message, chunk_bytes) })
    }

    /// Refuses a chunk that makes no message of so many bytes, and any where the function takes no
    /// repeats.
    fn check_repeats(&self, chunk: &[u8], message_bytes: usize) -> Result<(), CallError> {
        if self.row.takes_repeats != 1 {
            return Err(CallError::Unsupported);
        }
        if chunk.is_empty() && message_bytes > 0 { Err(CallError::Length) } else { Ok(()) }
    }

    fn check_key(&self) -> Result<(), CallError> {
        if self.state == State::Keyed { Ok(()) } else { Err(CallError::Unsupported) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.release();
        // SAFETY: the memory was allocated with this layout.
        unsafe { alloc::dealloc(self.memory.as_ptr().cast(), self.layout) };
    }
}

/// What a call answers.
#[inline]
pub fn called(status: c_int) -> Result<(), CallError> {
    match status {
        abi::DONE => Ok(()),
        abi::REFUSED => Err(CallError::Refused),
        abi::UNSUPPORTED => Err(CallError::Unsupported),
        abi::BAD_KEY | abi::BAD_NONCE | abi::BAD_INPUT | abi::BAD_OUTPUT => Err(CallError::Length),
        code => Err(CallError::Library(code.into())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, Ordering};

    use super::*;

    /// What `init` answers; below zero it fails.
    static ANSWER: AtomicI32 = AtomicI32::new(0);
    /// Contexts that were initialised and not released.
    static ALIVE: AtomicI32 = AtomicI32::new(0);

    unsafe extern "C" fn init(_: *const abi::Function, context: *mut c_void) -> c_int {
        // SAFETY: the context has one byte.
        let byte = unsafe { &mut *context.cast::<u8>() };
        assert_eq!(*byte, 0, "contexts begin as zeros");
        *byte = 1;
        let answer = ANSWER.load(Ordering::Relaxed);
        ALIVE.fetch_add(i32::from(answer == 0), Ordering::Relaxed);
        answer
    }

    unsafe extern "C" fn release(_: *const abi::Function, _: *mut c_void) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }

    unsafe extern "C" fn process(
        _: *const abi::Function,
        _: *mut c_void,
        _: *const abi::Message,
    ) -> c_int {
        abi::DONE
    }

    #[test]
    fn a_context_that_cannot_be_made_anew_is_not_used() {
        let mut row = abi::row(c"sha256", abi::DIGEST, process);
        row.context_bytes = 1;
        row.init = Some(init);
        row.release = Some(release);
        let library = abi::Library::of(&[]);
        let mut context = Context::new(&library, row).expect("it is initialised");
        // SAFETY: the function looks at no length.
        let process =
            |context: &mut Context| unsafe { context.process(&Message::default(), &mut []) };
        for answer in [0, -1, 0] {
            ANSWER.store(answer, Ordering::Relaxed);
            let expected = if answer == 0 { Ok(()) } else { Err(CallError::Library(-1)) };
            assert_eq!(context.renew(Renewed::Context), expected);
            assert_eq!(ALIVE.load(Ordering::Relaxed), 1 + answer);
            assert_eq!(process(&mut context), Err(CallError::Unsupported), "there is no key");
            let expected = expected.map_err(|_| CallError::Unsupported);
            assert_eq!(context.set_key(&[]), expected);
            assert_eq!(process(&mut context), expected);
        }
        drop(context);
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0, "each is released once");
    }
}
