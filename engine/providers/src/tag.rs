//! MACs of libraries that compute tags: `mac`, and `verify` by comparing.

use crate::api::*;
use crate::checks;

/// A MAC of a library, with its key.
pub trait ComputeTag: Send {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError>;

    fn tag_bytes(&self) -> usize;

    /// Computes the tag of one message into `tag`, which has its length.
    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError>;

    /// As [`Function::process_parts`].
    fn compute_parts(
        &mut self,
        _message: &Message<'_>,
        _parts: Parts,
        _tag: &mut [u8],
    ) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// As [`Function::renew`].
    fn renew(&mut self, _what: Renewed) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// Whether two tags of one length are the same, by the library's own comparison where it has
    /// one; the time must not depend on where they differ.
    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(one, other)
    }
}

/// Whether two tags of one length are the same, in a time that does not depend on where they
/// differ.
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other)) == 0
}

/// The function of `operation`.
pub fn function(mac: impl ComputeTag + 'static, operation: Operation) -> Box<dyn Function> {
    match operation {
        Operation::Verify => {
            let expected = vec![0; mac.tag_bytes()].into();
            Box::new(Verify { mac, expected })
        }
        _ => Box::new(Tag(mac)),
    }
}

struct Tag<M>(M);

impl<M: ComputeTag> Function for Tag<M> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), self.0.tag_bytes())?;
        self.0.compute(message, output)
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), self.0.tag_bytes())?;
        self.0.compute_parts(message, parts, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Verify<M> {
    mac: M,
    /// Room for the tag that is right.
    expected: Box<[u8]>,
}

impl<M: ComputeTag> Verify<M> {
    /// Whether the tag of a message is the one that was computed.
    fn compare(&self, tag: &[u8]) -> Result<(), CallError> {
        if self.mac.equal(&self.expected, tag) { Ok(()) } else { Err(CallError::Refused) }
    }
}

impl<M: ComputeTag> Function for Verify<M> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.mac.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (input, tag) = checks::split_tag(message.input, self.expected.len())?;
        self.mac.compute(&Message { input, ..*message }, &mut self.expected)?;
        self.compare(tag)
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (input, tag) = checks::split_tag(message.input, self.expected.len())?;
        let message = Message { input, ..*message };
        self.mac.compute_parts(&message, parts, &mut self.expected)?;
        self.compare(tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.mac.renew(what)
    }
}
