//! What holds for every suite of two providers that between them have all.

use ciphermark_record::description::Algorithm;

use super::*;

/// Every suite with a provider that has it.
fn each(mut check: impl FnMut(&dyn Provider, &'static Algorithm)) -> usize {
    let mut seen = std::collections::BTreeSet::new();
    for name in ["rustcrypto", "kernels"] {
        let provider = provider(name);
        for implementation in provider.implementations() {
            let facts = facts(&implementation.algorithm);
            if facts.suite.is_some() {
                seen.insert(facts.name.as_str());
                check(provider.as_ref(), facts);
            }
        }
    }
    seen.len()
}

struct Pair {
    sender: Box<dyn Function>,
    receiver: Box<dyn Function>,
    framing: ciphermark_record::suite::Framing,
}

impl Pair {
    fn new(provider: &dyn Provider, facts: &Algorithm, associations: usize) -> Self {
        let make = |operation| {
            let usual = Request::usual(&facts.name, "default", operation);
            let mut made =
                provider.create(&Request { associations, ..usual }).expect("it is listed");
            let key: Vec<u8> = (3..).take(facts.key_bytes as usize).collect();
            made.set_key(&key).expect("the key fits");
            made
        };
        let framing = facts.suite.as_ref().expect("a suite").framing;
        Self { sender: make(Operation::Seal), receiver: make(Operation::Open), framing }
    }

    fn seal(&mut self, number: u64, packet: &[u8]) -> Vec<u8> {
        let mut wire = vec![0; self.framing.sealed_bytes(packet.len())];
        let sealed = self.sender.process(&Message::new(&number.to_be_bytes(), packet), &mut wire);
        sealed.expect("it seals");
        wire
    }

    fn open(&mut self, number: u64, wire: &[u8], bytes: usize) -> Result<Vec<u8>, CallError> {
        let mut packet = vec![0xa5; bytes];
        self.receiver.process(&Message::new(&number.to_be_bytes(), wire), &mut packet)?;
        Ok(packet)
    }
}

fn packet(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|it| (it ^ it >> 3) as u8).collect()
}

#[test]
fn what_was_sealed_is_opened_at_every_length() {
    let seen = each(|provider, facts| {
        let mut pair = Pair::new(provider, facts, 1);
        for bytes in (facts.min_message_bytes as usize..80).chain([255, 256, 576, 1420]) {
            let number = 0xfedc_ba98_7654_3210 + bytes as u64;
            let wire = pair.seal(number, &packet(bytes));
            assert_eq!(pair.open(number, &wire, bytes), Ok(packet(bytes)), "{}", facts.name);
        }
    });
    let all = ciphermark_algorithms::algorithms().iter().filter(|it| it.suite.is_some());
    // ESP's AES-CCM has a nonce of 11 bytes, which neither of the two has.
    let ours = all.filter(|it| !it.name.starts_with("esp:") || !it.name.ends_with("ccm")).count();
    assert_eq!(seen, ours);
}

#[test]
fn a_bit_that_was_flipped_anywhere_is_refused() {
    each(|provider, facts| {
        let mut pair = Pair::new(provider, facts, 1);
        if pair.framing.icv_bytes == 0 {
            return;
        }
        let bytes = 21;
        let wire = pair.seal(1000, &packet(bytes));
        for bit in 0..8 * wire.len() {
            let mut changed = wire.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let answer = pair.open(1000, &changed, bytes);
            assert_eq!(answer, Err(CallError::Refused), "{}, bit {bit}", facts.name);
        }
        for cut in 0..wire.len() {
            assert!(pair.open(1000, &wire[..cut], bytes).is_err(), "{}, cut {cut}", facts.name);
        }
        assert_eq!(pair.open(1000, &wire, bytes), Ok(packet(bytes)), "{}", facts.name);
    });
}

/// Each packet finds its own association among many, and what is for one that a receiver does not
/// have is refused.
#[test]
fn packets_find_their_association_among_many() {
    each(|provider, facts| {
        let mut pair = Pair::new(provider, facts, 50);
        let mut few = Pair::new(provider, facts, 1);
        let has_integrity = pair.framing.icv_bytes > 0;
        let mut unknown = 0;
        for number in 0..200 {
            let wire = pair.seal(number, &packet(40));
            assert_eq!(pair.open(number, &wire, 40), Ok(packet(40)), "{}", facts.name);
            unknown += usize::from(few.open(number, &wire, 40).is_err());
        }
        assert!(!has_integrity || unknown > 150, "{}: {unknown}", facts.name);
    });
}

#[test]
fn answers_of_another_length_are_not_written() {
    each(|provider, facts| {
        let mut pair = Pair::new(provider, facts, 1);
        let wire = pair.seal(5, &packet(40));
        assert!(pair.open(5, &wire, 8).is_err(), "{}", facts.name);
        let mut short = vec![0; wire.len() - 1];
        let sealed = pair.sender.process(&Message::new(&[0; 8], &packet(40)), &mut short);
        assert_eq!(sealed, Err(CallError::Length), "{}", facts.name);
    });
}
