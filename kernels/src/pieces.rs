//! Messages that come in pieces.

use core::ffi::{c_int, c_void};

use crate::abi::Function;
use crate::kernel::{Kernel, Refusal, called};

unsafe extern "C" {
    fn ciphermark_start(
        kernel: *const Function,
        context: *mut c_void,
        nonce: *const u8,
        nonce_bytes: usize,
    ) -> c_int;
    fn ciphermark_update(
        kernel: *const Function,
        context: *mut c_void,
        input: *const u8,
        input_bytes: usize,
    );
    fn ciphermark_finish(kernel: *const Function, context: *mut c_void, tag: *mut u8);
}

/// A message of a MAC over a universal hash, as far as it has come.
///
/// ```
/// use ciphermark_kernels::{Kernel, Message, Operation, Pieces};
///
/// let mut mac = Kernel::new("umac-64", Operation::Mac, None).expect("it is there");
/// mac.set_key(b"0123456789abcdef")?;
/// let mut pieces = Pieces::start(mac.clone(), b"nonce")?;
/// pieces.update(b"hel");
/// pieces.update(b"lo");
/// let (mut tag, mut whole) = ([0; 8], [0; 8]);
/// pieces.finish(&mut tag)?;
/// let message = Message { nonce: b"nonce", input: b"hello", ..Message::default() };
/// mac.process(&message, &mut whole)?;
/// assert_eq!(tag, whole);
/// # Ok::<(), ciphermark_kernels::Refusal>(())
/// ```
#[derive(Clone)]
pub struct Pieces(Kernel);

impl Pieces {
    /// Starts a message under the key that the kernel has.
    ///
    /// [`Refusal::Input`] where the kernel takes no pieces.
    pub fn start(mut kernel: Kernel, nonce: &[u8]) -> Result<Self, Refusal> {
        let (function, context) = kernel.keyed().ok_or(Refusal::Key)?;
        // SAFETY: the context is the row's own and has a key; the nonce has so many bytes.
        called(unsafe { ciphermark_start(function, context, nonce.as_ptr(), nonce.len()) })?;
        Ok(Self(kernel))
    }

    /// The next piece.
    pub fn update(&mut self, input: &[u8]) {
        let (function, context) = self.0.keyed().expect("it was started with a key");
        // SAFETY: the context has a started message, and the input so many bytes.
        unsafe { ciphermark_update(function, context, input.as_ptr(), input.len()) }
    }

    /// Writes the tag. [`Refusal::Output`] where it has another length.
    pub fn finish(mut self, tag: &mut [u8]) -> Result<(), Refusal> {
        let (function, context) = self.0.keyed().expect("it was started with a key");
        if tag.len() != function.tag_bytes {
            return Err(Refusal::Output);
        }
        // SAFETY: the context has a started message, which ends here; the tag has its length.
        unsafe { ciphermark_finish(function, context, tag.as_mut_ptr()) }
        Ok(())
    }
}
