//! f8, which is UEA1 (3GPP TS 35.201, section 3).

use core::fmt;

use cipher::common::{
    AlgorithmName, BlockSizeUser, Iv, IvSizeUser, Key, KeyInit, KeyIvInit, KeySizeUser,
    ParBlocksSizeUser,
};
use cipher::consts::{U1, U8, U16};
use cipher::{
    Block, StreamCipher, StreamCipherBackend, StreamCipherClosure, StreamCipherCore,
    StreamCipherCoreWrapper,
};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::block_cipher::{Kasumi, modified};
use crate::parameters::{Direction, Error, check_bearer, check_length};

/// KM, by which the key is modified for the first block (section 3.4).
const KEY_MODIFIER: u8 = 0x55;

/// The keystream of f8, for texts in bytes and in pieces.
///
/// The IV is the 64 bits that A begins with: COUNT, BEARER, DIRECTION and zeros. [`f8_iv`] makes
/// it; every other value makes a keystream too. A keystream must be used once only, so an IV must
/// not come twice under one key.
///
/// ```
/// use ciphermark_kasumi::cipher::{KeyIvInit, StreamCipher};
/// use ciphermark_kasumi::{Direction, F8, f8_iv};
///
/// let iv = f8_iv(1, 31, Direction::Uplink)?;
/// let mut text = *b"two pieces";
/// let mut f8 = F8::new(b"sixteen byte key".into(), &iv.into());
/// f8.apply_keystream(&mut text[..3]);
/// f8.apply_keystream(&mut text[3..]);
/// F8::new(b"sixteen byte key".into(), &iv.into()).apply_keystream(&mut text);
/// assert_eq!(text, *b"two pieces");
/// # Ok::<(), ciphermark_kasumi::Error>(())
/// ```
pub type F8 = StreamCipherCoreWrapper<F8Core>;

/// What [`F8`] makes its keystream of, block by block.
#[derive(Clone)]
pub struct F8Core {
    kasumi: Kasumi,
    a: u64,
    number: u64,
    keystream: u64,
}

/// The IV of [`F8`].
pub fn f8_iv(count: u32, bearer: u8, direction: Direction) -> Result<[u8; 8], Error> {
    check_bearer(bearer)?;
    let [a, b, c, d] = count.to_be_bytes();
    Ok([a, b, c, d, bearer << 3 | direction.bit() << 2, 0, 0, 0])
}

/// Encrypts or decrypts a text of so many bits where it is.
///
/// Bits of the last byte after the last bit of the text change nothing, and are 0 afterwards. The
/// text is left alone when there is an error.
pub fn f8(
    key: &[u8; 16],
    count: u32,
    bearer: u8,
    direction: Direction,
    bits: usize,
    text: &mut [u8],
) -> Result<(), Error> {
    check_length(bits, text.len())?;
    let iv = f8_iv(count, bearer, direction)?;
    F8::new(key.into(), &iv.into()).apply_keystream(text);
    if let Some(last) = text.last_mut() {
        *last &= 0xff << (8 * bits.div_ceil(8) - bits);
    }
    Ok(())
}

impl F8Core {
    /// Sections 3.4 and 3.5.
    fn next(&mut self) -> u64 {
        self.keystream = self.kasumi.encrypt_number(self.a ^ self.number ^ self.keystream);
        self.number = self.number.wrapping_add(1);
        self.keystream
    }
}

impl KeySizeUser for F8Core {
    type KeySize = U16;
}

impl IvSizeUser for F8Core {
    type IvSize = U8;
}

impl BlockSizeUser for F8Core {
    type BlockSize = U8;
}

impl KeyIvInit for F8Core {
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        let mut modified_key = modified(key.as_ref(), KEY_MODIFIER);
        let a = Kasumi::new(&modified_key.into()).encrypt_number(u64::from_be_bytes((*iv).into()));
        modified_key.zeroize();
        Self { kasumi: Kasumi::new(key), a, number: 0, keystream: 0 }
    }
}

impl StreamCipherCore for F8Core {
    /// More than anybody can use.
    fn remaining_blocks(&self) -> Option<usize> {
        None
    }

    fn process_with_backend(&mut self, f: impl StreamCipherClosure<BlockSize = U8>) {
        f.call(&mut Backend(self));
    }
}

struct Backend<'a>(&'a mut F8Core);

impl BlockSizeUser for Backend<'_> {
    type BlockSize = U8;
}

impl ParBlocksSizeUser for Backend<'_> {
    type ParBlocksSize = U1;
}

impl StreamCipherBackend for Backend<'_> {
    fn gen_ks_block(&mut self, block: &mut Block<Self>) {
        *block = self.0.next().to_be_bytes().into();
    }
}

impl AlgorithmName for F8Core {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KasumiF8")
    }
}

impl fmt::Debug for F8Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("F8Core { ... }")
    }
}

impl Drop for F8Core {
    fn drop(&mut self) {
        self.a.zeroize();
        self.keystream.zeroize();
    }
}

impl ZeroizeOnDrop for F8Core {}
