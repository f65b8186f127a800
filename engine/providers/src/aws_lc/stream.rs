//! Keystream generators. AWS-LC has none that gives the keystream alone, so zeros are encrypted.

use aws_lc_sys::{CRYPTO_chacha_20, EVP_rc4};

use super::cipher::CipherContext;
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};

pub fn chacha20() -> Box<dyn Function> {
    Box::new(ChaCha20([0; KEY_BYTES]))
}

pub fn rc4() -> Result<Box<dyn Function>, CreateError> {
    let context = || CipherContext::new(EVP_rc4, Operation::Encrypt);
    Ok(Box::new(Rc4 { keyed: context()?, running: context()? }))
}

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;

/// The key of ChaCha20, which has no setup.
struct ChaCha20([u8; KEY_BYTES]);

impl Function for ChaCha20 {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0 = key.try_into().map_err(|_| CallError::Length)?;
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        checks::check_length(message.nonce.len(), NONCE_BYTES)?;
        output.fill(0);
        let (text, bytes) = (output.as_mut_ptr(), output.len());
        // SAFETY: input and output may be the same and have this length; key and nonce have theirs.
        unsafe {
            CRYPTO_chacha_20(text, text, bytes, self.0.as_ptr(), message.nonce.as_ptr(), 0);
        }
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}

struct Rc4 {
    /// At the beginning of its stream.
    keyed: CipherContext,
    running: CipherContext,
}

impl FunctionInPieces for Rc4 {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.keyed.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        self.running.copy_from(&self.keyed)?;
        output.fill(0);
        self.running.update_in_place(output, cut)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.keyed.renew(what)
    }
}
