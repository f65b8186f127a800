//! Functions over a device: what is called waits until the device is done.

use ciphermark_providers::api::*;

/// Submits what one call is given and collects the answers.
pub struct Synchronous {
    device: Box<dyn Device>,
    /// Key of each message of a call, where the call does not say it.
    keys: Vec<u32>,
    /// Lengths of the answers; filled anew by each call.
    output_bytes: Vec<usize>,
}

impl Synchronous {
    /// One message a call, under the first key of the device.
    pub fn function(device: Box<dyn Device>) -> Box<dyn Function> {
        Box::new(Self { device, keys: vec![0], output_bytes: Vec::with_capacity(1) })
    }

    /// `lanes` messages a call, message n under key n modulo `keys`.
    pub fn lanes(
        device: Box<dyn Device>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        let most = device.capacities().messages;
        if lanes > most {
            return Err(CreateError::Unsupported(format!(
                "{lanes} messages per call: the device takes {most}"
            )));
        }
        let keys = (0..lanes).map(|lane| (lane % keys.max(1)) as u32).collect();
        Ok(Box::new(Self { device, keys, output_bytes: Vec::with_capacity(lanes) }))
    }
}

/// Submits messages and waits for the answers.
fn answered(
    device: &mut dyn Device,
    lengths: &mut Vec<usize>,
    keys: &[u32],
    messages: &[Message<'_>],
    outputs: &mut [&mut [u8]],
) -> Result<(), CallError> {
    lengths.clear();
    lengths.extend(outputs.iter().map(|output| output.len()));
    let ticket = device.submit(keys, messages, lengths)?;
    device.collect(ticket, outputs).map(drop)
}

impl Function for Synchronous {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.device.set_key(0, key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Self { device, keys, output_bytes } = self;
        answered(device.as_mut(), output_bytes, keys, &[*message], &mut [output])
    }
}

impl Lanes for Synchronous {
    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.device.set_key(number, key)
    }

    fn process(
        &mut self,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        let Self { device, keys, output_bytes } = self;
        answered(device.as_mut(), output_bytes, keys, messages, outputs)
    }

    fn process_under(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        answered(self.device.as_mut(), &mut self.output_bytes, keys, messages, outputs)
    }
}
