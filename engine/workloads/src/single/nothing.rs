//! A function that does nothing.

use ciphermark_providers::api::{CallError, Function, Message};

/// For measuring the loop alone.
pub struct Nothing;

impl Function for Nothing {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, _: &Message<'_>, _: &mut [u8]) -> Result<(), CallError> {
        Ok(())
    }
}
