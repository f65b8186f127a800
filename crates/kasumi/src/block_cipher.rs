//! The block cipher (3GPP TS 35.202).

use core::fmt;

use cipher::common::{AlgorithmName, BlockSizeUser, Key, KeyInit, KeySizeUser, ParBlocksSizeUser};
use cipher::consts::{U1, U8, U16};
use cipher::inout::InOut;
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt,
};
use ciphermark_kernels::BlockCipher;
use zeroize::ZeroizeOnDrop;

/// KASUMI with a key.
///
/// ```
/// use ciphermark_kasumi::Kasumi;
/// use ciphermark_kasumi::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
///
/// let kasumi = Kasumi::new(b"sixteen byte key".into());
/// let mut block = (*b"a block!").into();
/// kasumi.encrypt_block(&mut block);
/// kasumi.decrypt_block(&mut block);
/// assert_eq!(block, *b"a block!");
/// ```
#[derive(Clone)]
pub struct Kasumi {
    cipher: BlockCipher,
}

impl Kasumi {
    /// Encrypts a block that is a big-endian number.
    pub(crate) fn encrypt_number(&self, number: u64) -> u64 {
        let mut bytes = number.to_be_bytes();
        self.cipher.encrypt(&mut bytes);
        u64::from_be_bytes(bytes)
    }
}

/// Each byte of a key modified by the same constant.
pub(crate) fn modified(key: &[u8; 16], constant: u8) -> [u8; 16] {
    key.map(|byte| byte ^ constant)
}

impl KeySizeUser for Kasumi {
    type KeySize = U16;
}

impl BlockSizeUser for Kasumi {
    type BlockSize = U8;
}

impl ParBlocksSizeUser for Kasumi {
    type ParBlocksSize = U1;
}

impl KeyInit for Kasumi {
    fn new(key: &Key<Self>) -> Self {
        Self { cipher: BlockCipher::kasumi(key.as_ref()) }
    }
}

impl BlockCipherEncrypt for Kasumi {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U8>) {
        f.call(self);
    }
}

impl BlockCipherEncBackend for Kasumi {
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes = *block.get_in();
        self.cipher.encrypt(&mut bytes);
        *block.get_out() = bytes;
    }
}

impl BlockCipherDecrypt for Kasumi {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U8>) {
        f.call(self);
    }
}

impl BlockCipherDecBackend for Kasumi {
    fn decrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes = *block.get_in();
        self.cipher.decrypt(&mut bytes);
        *block.get_out() = bytes;
    }
}

impl AlgorithmName for Kasumi {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kasumi")
    }
}

impl fmt::Debug for Kasumi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kasumi { ... }")
    }
}

// The schedule wipes itself.
impl ZeroizeOnDrop for Kasumi {}
