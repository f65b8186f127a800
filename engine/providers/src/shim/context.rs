//! A shim's function with its context, and what its calls answer.

use std::alloc::{self, Layout};
use std::ffi::{c_int, c_void};
use std::ops::RangeInclusive;
use std::ptr::NonNull;

use super::abi;
use crate::api::*;

/// One operation of one algorithm, with a context that the engine allocates and the shim fills.
pub struct Context {
    row: &'static abi::Function,
    process: abi::Process,
    memory: NonNull<c_void>,
    layout: Layout,
    key_bytes: RangeInclusive<usize>,
    /// What an `init` that has succeeded asks for in return.
    release: Option<abi::Release>,
}

// SAFETY: a context may be used by several threads as long as each is by one at a time, and it is
// neither `Sync` nor `Clone`.
unsafe impl Send for Context {}

impl Context {
    /// A context without a key.
    pub fn new(row: &'static abi::Function) -> Result<Self, CreateError> {
        let abi::Function { context_bytes, context_alignment, process, .. } = *row;
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
        let mut context = Self { row, process, memory, layout, key_bytes, release: None };
        context.init()?;
        context.release = row.release;
        Ok(context)
    }

    /// Where the context is: the same place as long as it lives.
    pub fn memory(&self) -> *mut c_void {
        self.memory.as_ptr()
    }

    fn init(&mut self) -> Result<(), CreateError> {
        let Some(init) = self.row.init else { return Ok(()) };
        // SAFETY: the context is as the row wants it: zero bytes of its size and alignment.
        called(unsafe { init(self.row, self.memory.as_ptr()) })
            .map_err(|error| CreateError::Failed(error.to_string()))
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if !self.key_bytes.contains(&key.len()) {
            return Err(CallError::Length);
        }
        let Some(set_key) = self.row.set_key else { return Ok(()) };
        // SAFETY: the context was initialised, and the key has a length that the function takes.
        called(unsafe { set_key(self.row, self.memory.as_ptr(), key.as_ptr(), key.len()) })
    }

    /// Processes one message.
    ///
    /// # Safety
    ///
    /// A key was set, and all lengths are those that the row's operation has.
    #[inline]
    pub unsafe fn process(
        &mut self,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let message = abi::Message::new(message, output);
        // SAFETY: the caller vouches for key and lengths; the borrows keep the bytes alive and the
        // output apart from the rest.
        called(unsafe { (self.process)(self.row, self.memory.as_ptr(), &message) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: nobody else has the context, and the memory was allocated with this layout.
        unsafe {
            if let Some(release) = self.release {
                release(self.row, self.memory.as_ptr());
            }
            alloc::dealloc(self.memory.as_ptr().cast(), self.layout);
        }
    }
}

/// What a call answers.
#[inline]
pub fn called(status: c_int) -> Result<(), CallError> {
    match status {
        abi::DONE => Ok(()),
        abi::REFUSED => Err(CallError::Refused),
        code => Err(CallError::Library(code.into())),
    }
}
