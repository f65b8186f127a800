//! What is refused, and what is not told.

use ciphermark_umac::digest::common::KeyIvInit;
use ciphermark_umac::digest::{KeyInit, Mac};
use ciphermark_umac::{Error, Umac64, Umac64Key, Vmac64, Vmac64Key};

const KEY: [u8; 16] = *b"abcdefghijklmnop";

#[test]
fn keys_have_the_lengths_of_aes() {
    for (bytes, umac, vmac) in [
        (15, false, false),
        (16, true, true),
        (17, false, false),
        (24, true, false),
        (32, true, false),
    ] {
        let key = vec![1; bytes];
        assert_eq!(Umac64Key::new_from_slice(&key).is_ok(), umac, "{bytes}");
        assert_eq!(Vmac64Key::new_from_slice(&key).is_ok(), vmac, "{bytes}");
    }
}

#[test]
fn nonces_have_1_to_16_bytes() {
    let mut umac = Umac64Key::new(&KEY.into());
    assert_eq!(umac.tag(b"", b"text"), Err(Error::Nonce));
    assert_eq!(umac.tag(&[0; 17], b"text"), Err(Error::Nonce));
    assert_eq!(umac.start(&[0; 17]).unwrap_err(), Error::Nonce);
    assert!(umac.tag(&[0xff; 16], b"text").is_ok());
    assert!(Umac64::new_from_slices(&KEY, &[0; 17]).is_err());
}

#[test]
fn nonces_of_vmac_have_127_bits() {
    let mut vmac = Vmac64Key::new(&KEY.into());
    assert_eq!(vmac.tag(&[0x80; 16], b"text"), Err(Error::Nonce));
    assert!(vmac.tag(&[0x7f; 16], b"text").is_ok());
    assert!(Vmac64::new_from_slices(&KEY, &[0x80; 16]).is_err());
}

#[test]
fn other_tags_are_refused() {
    let mut umac = Umac64Key::new(&KEY.into());
    let mut tag = umac.tag(b"nonce", b"text").unwrap();
    assert_eq!(umac.verify(b"nonce", b"text", &tag), Ok(()));
    assert_eq!(umac.verify(b"nonce", b"texts", &tag), Err(Error::Tag));
    assert_eq!(umac.verify(b"other", b"text", &tag), Err(Error::Tag));
    assert_eq!(umac.verify(b"nonce", b"text", &tag[..7]), Err(Error::Tag));
    tag[7] ^= 1;
    assert_eq!(umac.verify(b"nonce", b"text", &tag), Err(Error::Tag));
}

#[test]
fn a_message_goes_on_from_its_clone() {
    let mut key = Umac64Key::new(&KEY.into());
    let begun = key.start(b"nonce").unwrap().chain_update(b"one ");
    let other = begun.clone().chain_update(b"other").finalize().into_bytes();
    let same = begun.chain_update(b"more").finalize().into_bytes();
    assert_eq!(same, key.tag(b"nonce", b"one more").unwrap());
    assert_eq!(other, key.tag(b"nonce", b"one other").unwrap());
}

#[test]
fn keys_are_not_printed() {
    let key = Umac64Key::new(&KEY.into());
    assert_eq!(format!("{key:?}"), "Umac64Key { ... }");
    assert_eq!(format!("{:?}", key.start(b"nonce").unwrap()), "Umac64 { ... }");
}
