//! One operation of one suite: finds the association of each packet and has the protocol do its work.

use ciphermark_record::suite::Framing;

use super::association::{Association, Associations};
use ciphermark_providers::api::{CallError, Function, Message};

/// Bytes of a packet number, which is a suite's nonce.
const NUMBER_BYTES: usize = 8;

/// What one protocol does to packets.
pub trait Protocol: Send {
    /// Bits of the identifier that a packet brings.
    const IDENTIFIER_BITS: u32 = 32;

    /// Writes what goes on the wire for a packet of this number.
    fn seal(&self, job: Job<'_>, packet: &[u8], wire: &mut [u8]) -> Result<(), CallError>;

    /// The identifier that a packet from the wire brings; absent where its association is told by
    /// what carries it.
    fn identifier(&self, wire: &[u8]) -> Result<Option<u32>, CallError>;

    /// Writes the packet within what came from the wire. `job.number` is what the receiver expects.
    fn open(&self, job: Job<'_>, wire: &[u8], packet: &mut [u8]) -> Result<(), CallError>;
}

/// What there is beside a packet.
pub struct Job<'a> {
    pub association: &'a mut Association,
    /// The packet's number. What a receiver keeps of a stream's position (the count of records, a
    /// rollover counter, a hyper frame number) it takes from here, as prepared packets come again and
    /// again.
    pub number: u64,
    pub framing: &'a Framing,
    pub first: &'a mut Vec<u8>,
    pub second: &'a mut Vec<u8>,
}

/// Where the keys are in the key material, in bytes: cipher, salt, mask, MAC.
#[derive(Clone, Copy, Debug)]
pub struct Material {
    pub cipher: usize,
    pub salt: usize,
    pub mask: usize,
    pub mac: usize,
}

/// A suite's operation under all its associations.
pub struct SuiteFunction<P> {
    protocol: P,
    framing: Framing,
    material: Material,
    sealing: bool,
    associations: Associations,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl<P: Protocol> SuiteFunction<P> {
    pub fn new(
        protocol: P,
        framing: Framing,
        material: Material,
        sealing: bool,
        associations: Vec<Association>,
    ) -> Self {
        let associations = Associations::new(associations);
        let (first, second) = (Vec::new(), Vec::new());
        Self { protocol, framing, material, sealing, associations, first, second }
    }
}

impl<P: Protocol> Function for SuiteFunction<P> {
    /// Sets all associations up, each under a key material that is one more than the one before.
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        let Material { cipher, salt, mask, mac } = self.material;
        if key.len() != cipher + salt + mask + mac {
            return Err(CallError::Length);
        }
        // On the stack, as key setup is timed.
        let mut material = [0; 256];
        let material = material.get_mut(..key.len()).ok_or(CallError::Length)?;
        for (turn, association) in (0..).zip(self.associations.all()) {
            material.copy_from_slice(key);
            advance(material, turn);
            let (cipher_key, rest) = material.split_at(cipher);
            let (salt_bytes, rest) = rest.split_at(salt);
            let (mask_key, mac_key) = rest.split_at(mask);
            association.cipher.set_key(cipher_key)?;
            association.salt[..salt].copy_from_slice(salt_bytes);
            if let Some(mask) = &mut association.mask {
                mask.set_key(mask_key)?;
            }
            if let Some(mac) = &mut association.mac {
                mac.set_key(mac_key)?;
            }
        }
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let number: &[u8; NUMBER_BYTES] =
            message.nonce.try_into().map_err(|_| CallError::Length)?;
        let number = u64::from_be_bytes(*number);
        let Self { protocol, framing, associations, first, second, .. } = self;
        let (input, sealing) = (message.input, self.sealing);
        if sealing && output.len() != framing.sealed_bytes(input.len()) {
            return Err(CallError::Length);
        }
        let identifier = if sealing { None } else { protocol.identifier(input)? };
        let association = match identifier {
            Some(identifier) => associations.by_identifier(identifier)?,
            None => associations.by_number(number)?,
        };
        let job = Job { association, number, framing, first, second };
        match sealing {
            true => protocol.seal(job, input, output),
            false => protocol.open(job, input, output),
        }
    }
}

/// The key material of the association that has this turn: its first eight bytes are a number that
/// grows, as other keys of a case do.
fn advance(material: &mut [u8], turn: u64) {
    if let Some(first) = material.first_chunk_mut() {
        *first = u64::from_be_bytes(*first).wrapping_add(turn).to_be_bytes();
    }
}
