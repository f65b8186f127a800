//! Security associations: the state of a tunnel's one direction, and how a packet finds its own.

use super::window::Window;
use ciphermark_providers::api::{CallError, Function, Message};
use ciphermark_providers::tag;

/// Longest value of the functions here: HMAC-SHA512.
const LONGEST_VALUE_BYTES: usize = 64;
/// Longest salt: a counter block of SSH.
const LONGEST_SALT_BYTES: usize = 16;

/// One security association.
pub struct Association {
    /// AEAD or cipher.
    pub cipher: Box<dyn Function>,
    pub mac: Option<Box<dyn Function>>,
    /// Makes the mask of header bytes.
    pub mask: Option<Box<dyn Function>>,
    /// What the key material has beside keys; zeros behind it.
    pub salt: [u8; LONGEST_SALT_BYTES],
    /// What stands for the association on the wire: SPI, receiver index, connection identifier.
    pub identifier: u32,
    pub window: Window,
    /// Bytes that the MAC makes before they are cut.
    pub value_bytes: usize,
}

impl Association {
    /// The first `N` bytes of the salt.
    #[inline]
    pub fn salt<const N: usize>(&self) -> [u8; N] {
        let mut salt = [0; N];
        salt.copy_from_slice(&self.salt[..N]);
        salt
    }

    /// The integrity value of a text, uncut.
    #[inline]
    fn value(&mut self, nonce: &[u8], text: &[u8]) -> Result<[u8; LONGEST_VALUE_BYTES], CallError> {
        let mut value = [0; LONGEST_VALUE_BYTES];
        let mac = self.mac.as_mut().ok_or(CallError::Unsupported)?;
        mac.process(&Message::new(nonce, text), &mut value[..self.value_bytes])?;
        Ok(value)
    }

    /// Writes a text's integrity value, cut to the length of `value`.
    #[inline]
    pub fn protect(
        &mut self,
        nonce: &[u8],
        text: &[u8],
        value: &mut [u8],
    ) -> Result<(), CallError> {
        let whole = self.value(nonce, text)?;
        value.copy_from_slice(&whole[..value.len()]);
        Ok(())
    }

    /// Refuses a text whose integrity value is not this one, in a time that does not tell where they
    /// differ.
    #[inline]
    pub fn check(&mut self, nonce: &[u8], text: &[u8], value: &[u8]) -> Result<(), CallError> {
        let whole = self.value(nonce, text)?;
        if tag::equal(&whole[..value.len()], value) { Ok(()) } else { Err(CallError::Refused) }
    }
}

/// Associations, found by a number of 32 bits in a hash table with open addressing: incoming packets
/// bring an identifier, outgoing ones are for an address.
pub struct Associations {
    all: Vec<Association>,
    identifiers: Table,
    addresses: Table,
}

impl Associations {
    /// Associations in the order in which their keys are counted. In memory they lie in the order in
    /// which they are made; neighbouring numbers are told apart by the table's hash.
    pub fn new(all: Vec<Association>) -> Self {
        let identifiers = Table::new(all.iter().map(|it| it.identifier));
        let addresses = Table::new((0..all.len() as u32).map(address));
        Self { all, identifiers, addresses }
    }

    pub fn all(&mut self) -> &mut [Association] {
        &mut self.all
    }

    /// The association of an incoming packet.
    #[inline]
    pub fn by_identifier(&mut self, identifier: u32) -> Result<&mut Association, CallError> {
        let index = self.identifiers.get(identifier).ok_or(CallError::Refused)?;
        self.all.get_mut(index).ok_or(CallError::Refused)
    }

    /// The association of a packet that goes out, or whose association is told by what carries it
    /// (a socket, a bearer). The packet's number stands for its address: packets go round all
    /// addresses, in an order that no prefetcher follows.
    #[inline]
    pub fn by_number(&mut self, number: u64) -> Result<&mut Association, CallError> {
        let turn = scattered(number) % self.all.len() as u64;
        let index = self.addresses.get(address(turn as u32)).ok_or(CallError::Refused)?;
        self.all.get_mut(index).ok_or(CallError::Refused)
    }
}

/// Numbers that follow each other are far apart (the finaliser of SplitMix64: Steele, Lea, Flood
/// 2014).
#[inline]
fn scattered(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// The inner address that the tunnel of this turn leads to: 10.0.0.0 and on.
#[inline]
fn address(turn: u32) -> u32 {
    0x0a00_0000 + turn
}

/// The identifier of an association, at most so many bits: any odd factor makes them all different.
pub fn identifier(turn: u32, bits: u32) -> u32 {
    (turn.wrapping_add(1)).wrapping_mul(0x9e37_79b1) & (u32::MAX >> (32 - bits))
}

/// Number to place, with open addressing and at most half full.
struct Table {
    /// Number and place plus one; 0 where nothing is.
    slots: Vec<(u32, u32)>,
    shift: u32,
}

impl Table {
    fn new(numbers: impl ExactSizeIterator<Item = u32>) -> Self {
        let slots = (2 * numbers.len()).next_power_of_two().max(2);
        let mut table = Self { slots: vec![(0, 0); slots], shift: 32 - slots.ilog2() };
        for (place, number) in (1..).zip(numbers) {
            let mut slot = table.first(number);
            while table.slots[slot].1 != 0 {
                slot = (slot + 1) % slots;
            }
            table.slots[slot] = (number, place);
        }
        table
    }

    /// Where the search for a number begins.
    #[inline]
    fn first(&self, number: u32) -> usize {
        let mixed = (number ^ number >> 15).wrapping_mul(0x85eb_ca6b);
        (mixed >> self.shift) as usize
    }

    #[inline]
    fn get(&self, number: u32) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.first(number);
        loop {
            match self.slots[slot & mask] {
                (_, 0) => return None,
                (found, place) if found == number => return Some(place as usize - 1),
                _ => slot += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_number_finds_its_place_and_others_none() {
        for count in [1, 2, 3, 1000] {
            let numbers: Vec<u32> = (0..count).map(|turn| identifier(turn, 32)).collect();
            let table = Table::new(numbers.iter().copied());
            for (place, &number) in numbers.iter().enumerate() {
                assert_eq!(table.get(number), Some(place));
                assert_eq!(table.get(number ^ 1), None);
            }
        }
    }

    #[test]
    fn identifiers_differ_within_their_bits() {
        for bits in [24, 32] {
            let all: BTreeSet<u32> = (0..100_000).map(|turn| identifier(turn, bits)).collect();
            assert_eq!(all.len(), 100_000);
            assert!(all.iter().all(|&it| u64::from(it) < 1 << bits));
        }
    }

    #[test]
    fn numbers_reach_all_of_many_associations() {
        let reached: BTreeSet<u64> = (0..2000).map(|number| scattered(number) % 100).collect();
        assert_eq!(reached.len(), 100);
    }
}
