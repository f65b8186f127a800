//! The structures of `include/kernel.h`, which documents them.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::RangeInclusive;

pub const ABI: u32 = 6;

/// `CIPHERMARK_MOST_LANES` of `kernels.h`.
pub const MOST_LANES: usize = if usize::BITS > 16 { 4096 } else { 32 };

pub const DONE: c_int = 0;
pub const REFUSED: c_int = -1_000_001;
pub const BAD_KEY: c_int = -1_000_002;
pub const BAD_NONCE: c_int = -1_000_003;
pub const BAD_INPUT: c_int = -1_000_004;
pub const BAD_OUTPUT: c_int = -1_000_005;
pub const BAD_COUNT: c_int = -1_000_006;
pub const BAD_BUFFER: c_int = -1_000_007;
pub const UNSUPPORTED: c_int = -1_000_008;

/// Name of the function that a shared object of this form exports.
pub const LIBRARY: &CStr = c"ciphermark_library";

pub type LibraryFunction = unsafe extern "C" fn() -> *const Library;

/// What a table points at, or null: it lives as long as the process, and is never written to once
/// `ciphermark_library` has returned the table.
#[repr(transparent)]
pub struct Constant<T>(*const T);

// SAFETY: any thread may read what nobody writes to.
unsafe impl<T> Send for Constant<T> {}

// SAFETY: as above.
unsafe impl<T> Sync for Constant<T> {}

impl<T> Constant<T> {
    pub const NULL: Self = Self(core::ptr::null());

    pub const fn of(constant: &'static T) -> Self {
        Self(constant)
    }

    pub fn address(self) -> *const T {
        self.0
    }
}

impl<T> Clone for Constant<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Constant<T> {}

/// Whether both are in one place.
impl<T> PartialEq for Constant<T> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

/// A C string of a table.
pub type Text = Constant<c_char>;

impl Text {
    pub const fn text(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }

    /// Absent for null, and empty where it is not UTF-8.
    pub fn get(self) -> Option<&'static str> {
        let string = (!self.0.is_null()).then(|| {
            // SAFETY: it is not null, and whoever fills the table vouches for its strings.
            unsafe { CStr::from_ptr(self.0) }
        });
        string.map(|string| string.to_str().unwrap_or_default())
    }
}

#[repr(C)]
pub struct Library {
    pub abi: u32,
    pub function_bytes: u32,
    pub header_version: Text,
    pub library_version: Text,
    pub build: Text,
    pub inside: Constant<c_void>,
    pub tags_equal: Option<TagsEqual>,
    pub renew: Option<Renew>,
    pub function_count: usize,
    pub functions: Constant<Function>,
}

impl Library {
    /// A table of these rows, of no library.
    pub fn of(functions: &'static [Function]) -> Self {
        Self {
            abi: ABI,
            function_bytes: size_of::<Function>() as u32,
            header_version: Text::NULL,
            library_version: Text::NULL,
            build: Text::NULL,
            inside: Constant::NULL,
            tags_equal: None,
            renew: None,
            function_count: functions.len(),
            functions: Constant(functions.as_ptr()),
        }
    }

    pub fn functions(&'static self) -> &'static [Function] {
        // SAFETY: whoever fills the table vouches that it has that many, for as long as it is
        // loaded, and none is unloaded.
        unsafe { core::slice::from_raw_parts(self.functions.0, self.function_count) }
    }
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Range {
    pub least: usize,
    pub most: usize,
}

impl Range {
    pub fn lengths(self) -> RangeInclusive<usize> {
        self.least..=self.most
    }
}

#[derive(Clone, Copy)]
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
    pub unused_bits: u32,
    pub repeats: u32,
}

/// One operation of one algorithm.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Function {
    pub algorithm: Text,
    pub operation: u32,
    pub timing: u32,
    pub key_bytes: Range,
    pub nonce_bytes: Range,
    pub tag_bytes: usize,
    pub lanes: usize,
    pub context_bytes: usize,
    pub context_alignment: usize,
    pub parameters: Constant<c_void>,
    pub init: Option<Init>,
    pub set_key: Option<SetKey>,
    pub process: Option<Process>,
    pub release: Option<Release>,
    pub backend: Text,
    pub process_chunks: Option<ProcessChunks>,
    pub process_lanes: Option<ProcessLanes>,
    pub input_bytes: Range,
    pub block_bytes: usize,
    pub counts_bits: u32,
    pub variant: Text,
    pub check_nonce: Option<CheckNonce>,
    pub takes_repeats: u32,
}

pub type TagsEqual = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;
pub type Renew = unsafe extern "C" fn(&Function, *mut c_void, u32) -> c_int;
pub type Init = unsafe extern "C" fn(&Function, *mut c_void) -> c_int;
pub type SetKey = unsafe extern "C" fn(&Function, *mut c_void, *const u8, usize) -> c_int;
pub type Process = unsafe extern "C" fn(&Function, *mut c_void, &Message) -> c_int;
pub type ProcessChunks = unsafe extern "C" fn(&Function, *mut c_void, &Message, usize) -> c_int;
pub type ProcessLanes =
    unsafe extern "C" fn(&Function, *const *mut c_void, *const Message, usize) -> c_int;
pub type CheckNonce = unsafe extern "C" fn(&Function, *const u8, usize) -> c_int;
pub type Release = unsafe extern "C" fn(&Function, *mut c_void);

/// The operations that a row can have, as they are numbered.
pub const SEAL: u32 = 1;
pub const OPEN: u32 = 2;
pub const ENCRYPT: u32 = 3;
pub const DECRYPT: u32 = 4;
pub const MAC: u32 = 5;
pub const DIGEST: u32 = 6;
pub const KEYSTREAM: u32 = 7;
pub const VERIFY: u32 = 8;

/// What is got anew, as it is numbered.
pub const CONTEXT: u32 = 1;
pub const LOOKED_UP: u32 = 2;

impl Function {
    /// Canonical name, as the table spells it; not a name when it is not UTF-8.
    pub fn algorithm(&self) -> &'static str {
        self.algorithm.get().unwrap_or_default()
    }

    /// Name of the code path that the row takes; absent where the library chooses one.
    pub fn backend(&self) -> Option<&'static str> {
        self.backend.get()
    }

    /// The parameter by which the row differs from the algorithm as it is usually meant.
    pub fn variant(&self) -> Option<&'static str> {
        self.variant.get()
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
