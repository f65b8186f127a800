//! The structures of `kernels/include/kernel.h`, which documents them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::RangeInclusive;

use crate::api::{self, Operation};
use crate::tag;

pub const ABI: u32 = 2;

pub const DONE: c_int = 0;
pub const REFUSED: c_int = -1_000_001;

/// Name of the function that a shared object of this form exports.
pub const LIBRARY: &CStr = c"ciphermark_library";

pub type LibraryFunction = unsafe extern "C" fn() -> *const Library;

#[repr(C)]
pub struct Library {
    pub abi: u32,
    pub function_bytes: u32,
    pub header_version: *const c_char,
    pub library_version: *const c_char,
    pub build: *const c_char,
    pub inside: *const c_void,
    tags_equal: Option<TagsEqual>,
    function_count: usize,
    functions: *const Function,
}

// SAFETY: tables are never written to once `ciphermark_library` has returned one.
unsafe impl Sync for Library {}

// SAFETY: as above.
unsafe impl Sync for Function {}

impl Library {
    pub fn functions(&'static self) -> &'static [Function] {
        // SAFETY: whoever fills the table vouches that it has that many, for as long as it is
        // loaded, and none is unloaded.
        unsafe { std::slice::from_raw_parts(self.functions, self.function_count) }
    }

    /// Whether two tags of one length are the same, by the library's comparison where it has one.
    pub fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        let Some(tags_equal) = self.tags_equal else { return tag::equal(one, other) };
        let bytes = one.len();
        assert_eq!(bytes, other.len(), "tags of two lengths");
        // SAFETY: both have as many bytes.
        unsafe { tags_equal(one.as_ptr().cast(), other.as_ptr().cast(), bytes) == 1 }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Range {
    least: usize,
    most: usize,
}

impl Range {
    pub fn lengths(self) -> RangeInclusive<usize> {
        self.least..=self.most
    }
}

#[repr(C)]
pub struct Message {
    pub nonce: *const u8,
    pub nonce_bytes: usize,
    pub aad: *const u8,
    pub aad_bytes: usize,
    pub input: *const u8,
    pub input_bytes: usize,
    pub output: *mut u8,
    pub output_bytes: usize,
}

impl Message {
    #[inline]
    pub fn new(message: &api::Message<'_>, output: &mut [u8]) -> Self {
        Self {
            nonce: message.nonce.as_ptr(),
            nonce_bytes: message.nonce.len(),
            aad: message.aad.as_ptr(),
            aad_bytes: message.aad.len(),
            input: message.input.as_ptr(),
            input_bytes: message.input.len(),
            output: output.as_mut_ptr(),
            output_bytes: output.len(),
        }
    }
}

/// One operation of one algorithm.
#[repr(C)]
pub struct Function {
    algorithm: *const c_char,
    operation: u32,
    timing: u32,
    pub key_bytes: Range,
    pub nonce_bytes: Range,
    pub tag_bytes: usize,
    pub lanes: usize,
    pub context_bytes: usize,
    pub context_alignment: usize,
    parameters: *const c_void,
    pub init: Option<Init>,
    pub set_key: Option<SetKey>,
    pub process: Option<Process>,
    pub release: Option<Release>,
    backend: *const c_char,
    pub process_chunks: Option<ProcessChunks>,
    pub process_lanes: Option<ProcessLanes>,
}

pub type TagsEqual = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;
pub type Init = unsafe extern "C" fn(*const Function, *mut c_void) -> c_int;
pub type SetKey = unsafe extern "C" fn(*const Function, *mut c_void, *const u8, usize) -> c_int;
pub type Process = unsafe extern "C" fn(*const Function, *mut c_void, *const Message) -> c_int;
pub type ProcessChunks =
    unsafe extern "C" fn(*const Function, *mut c_void, *const Message, usize) -> c_int;
pub type ProcessLanes =
    unsafe extern "C" fn(*const Function, *const *mut c_void, *const Message, usize) -> c_int;
pub type Release = unsafe extern "C" fn(*const Function, *mut c_void);

impl Function {
    /// Canonical name, as the shim spells it; not a name when it is not UTF-8.
    pub fn algorithm(&self) -> &'static str {
        // SAFETY: whoever fills the table vouches for its strings.
        unsafe { string(self.algorithm) }.unwrap_or_default()
    }

    /// Name of the code path that the row takes; absent where the library chooses one.
    pub fn backend(&self) -> Option<&'static str> {
        // SAFETY: as above.
        unsafe { string(self.backend) }
    }

    /// Absent where the number means none.
    pub fn operation(&self) -> Option<Operation> {
        use Operation::*;
        let operations = [Seal, Open, Encrypt, Decrypt, Mac, Digest, Keystream];
        operations.get((self.operation as usize).wrapping_sub(1)).copied()
    }

    /// Most messages of one call, 1 where only one is taken.
    pub fn most_lanes(&self) -> usize {
        if self.process_lanes.is_some() { self.lanes } else { 1 }
    }

    pub fn constant_time(&self) -> Option<bool> {
        match self.timing {
            1 => Some(true),
            2 => Some(false),
            _ => None,
        }
    }
}

/// A string of a table; absent for null, and empty when it is not UTF-8.
///
/// # Safety
///
/// `string` is null or a C string that lives as long as the process.
unsafe fn string(string: *const c_char) -> Option<&'static str> {
    // SAFETY: not null, and the caller vouches for the rest.
    (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) }.to_str().unwrap_or_default())
}

#[cfg(test)]
impl Function {
    /// A digest that needs neither key nor context.
    pub fn digest(process: Process) -> Self {
        let none = Range { least: 0, most: 0 };
        Self {
            algorithm: c"sha256".as_ptr(),
            operation: 6,
            timing: 0,
            key_bytes: none,
            nonce_bytes: none,
            tag_bytes: 32,
            lanes: 1,
            context_bytes: 0,
            context_alignment: 1,
            parameters: std::ptr::null(),
            init: None,
            set_key: None,
            process: Some(process),
            release: None,
            backend: std::ptr::null(),
            process_chunks: None,
            process_lanes: None,
        }
    }
}
