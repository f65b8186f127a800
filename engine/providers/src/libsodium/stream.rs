//! Stream ciphers.

use ciphermark_algorithms::Algorithm;

use super::functions::Stream;
use crate::api::*;
use crate::checks;

pub struct Keystream {
    call: Stream,
    key: Box<[u8]>,
    nonce_bytes: usize,
}

impl Keystream {
    pub fn new(
        call: Stream,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        let nonce_bytes = facts.nonce_bytes as usize;
        checks::check_nonce(request, nonce_bytes)?;
        Ok(Self { call, key: vec![0; facts.key_bytes as usize].into(), nonce_bytes })
    }
}

impl Function for Keystream {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key.len())?;
        self.key.copy_from_slice(key);
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        checks::check_length(message.nonce.len(), self.nonce_bytes)?;
        let (nonce, key) = (message.nonce.as_ptr(), self.key.as_ptr());
        // SAFETY: key and nonce have the cipher's lengths, and the output so many bytes.
        super::called(unsafe { (self.call)(output.as_mut_ptr(), output.len() as u64, nonce, key) })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}
