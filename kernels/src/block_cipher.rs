//! Block ciphers, for modes that are written in Rust.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::c_void;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::kernel::Unit;

/// `struct block_cipher` of `common/block_cipher.h`.
#[repr(C)]
struct Functions {
    block_bytes: usize,
    schedule_bytes: usize,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: Process,
    decrypt: Process,
}

type SetKey = unsafe extern "C" fn(*mut c_void, *const u8, usize);
type Process = unsafe extern "C" fn(*const c_void, *mut u8, *const u8, usize);

unsafe extern "C" {
    // A constant.
    safe static ciphermark_kasumi_table: Functions;
}

/// A block cipher with a key, of which one schedule serves both ways.
#[derive(Clone)]
pub struct BlockCipher {
    functions: &'static Functions,
    schedule: Vec<Unit>,
}

impl BlockCipher {
    /// KASUMI, whose blocks have 8 bytes.
    pub fn kasumi(key: &[u8; 16]) -> Self {
        let functions = &ciphermark_kasumi_table;
        let mut schedule = vec![Unit::default(); functions.schedule_bytes.div_ceil(Unit::BYTES)];
        // SAFETY: the schedule has the bytes and the alignment that the cipher wants, and the key
        // is of a length that it has.
        unsafe {
            (functions.set_encrypt_key)(schedule.as_mut_ptr().cast(), key.as_ptr(), key.len())
        }
        Self { functions, schedule }
    }

    /// Encrypts each block where it is.
    ///
    /// # Panics
    ///
    /// Panics when there is a part of a block.
    pub fn encrypt(&self, blocks: &mut [u8]) {
        self.run(self.functions.encrypt, blocks);
    }

    /// Decrypts each block where it is.
    ///
    /// # Panics
    ///
    /// Panics when there is a part of a block.
    pub fn decrypt(&self, blocks: &mut [u8]) {
        self.run(self.functions.decrypt, blocks);
    }

    fn run(&self, process: Process, blocks: &mut [u8]) {
        let block_bytes = self.functions.block_bytes;
        assert!(blocks.len().is_multiple_of(block_bytes), "{} bytes", blocks.len());
        let (count, text) = (blocks.len() / block_bytes, blocks.as_mut_ptr());
        // SAFETY: the schedule has a key and is only read; the text is so many whole blocks, and
        // the output may be where the input is.
        unsafe { process(self.schedule.as_ptr().cast(), text, text, count) }
    }
}

impl Drop for BlockCipher {
    fn drop(&mut self) {
        self.schedule.zeroize();
    }
}

impl ZeroizeOnDrop for BlockCipher {}
