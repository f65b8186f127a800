//! What the host does of an algorithm: schedules of keys, and the end of answers.

/// The host's side of one algorithm, with its keys.
pub trait Host: Send {
    /// Bytes of a key's schedule, as the kernel reads it; a multiple of its words.
    fn schedule_bytes(&self) -> usize;

    /// Makes the schedule of a key that has the algorithm's length.
    fn set_key(&mut self, number: usize, key: &[u8], schedule: &mut [u8]);

    /// Bytes that the device answers to a message.
    fn device_bytes(&self, message_bytes: usize) -> usize;

    /// Makes the answer of what the device answered.
    fn finish(&self, _key: usize, _nonce: &[u8], device: &[u8], output: &mut [u8]) {
        output.copy_from_slice(&device[..output.len()]);
    }
}

/// A cipher of which the device does all, but for schedules.
pub struct Cipher {
    pub schedule_bytes: usize,
    pub schedule: fn(&[u8], &mut [u8]),
}

impl Host for Cipher {
    fn schedule_bytes(&self) -> usize {
        self.schedule_bytes
    }

    fn set_key(&mut self, _: usize, key: &[u8], schedule: &mut [u8]) {
        (self.schedule)(key, schedule);
    }

    fn device_bytes(&self, message_bytes: usize) -> usize {
        message_bytes
    }
}

/// A MAC or hash of which the device does all, but for schedules.
pub struct Tag {
    pub schedule_bytes: usize,
    pub schedule: fn(&[u8], &mut [u8]),
    pub bytes: usize,
}

impl Host for Tag {
    fn schedule_bytes(&self) -> usize {
        self.schedule_bytes
    }

    fn set_key(&mut self, _: usize, key: &[u8], schedule: &mut [u8]) {
        (self.schedule)(key, schedule);
    }

    fn device_bytes(&self, _: usize) -> usize {
        self.bytes
    }
}
