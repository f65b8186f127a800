//! Packets built field by field from the standards' texts, where none is printed.

use super::*;
use crate::association::identifier;

const NUMBER: u64 = 0x0102_0304_0506_0708;

fn material(suite: &str) -> Vec<u8> {
    (1..).take(facts(suite).key_bytes as usize).collect()
}

fn packet(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|it| (it * 7 + 1) as u8).collect()
}

fn aead(name: &str, key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    let message = Message { nonce, aad, input: text, unused_bits: 0 };
    answer(name, Operation::Seal, key, message, text.len() + 16)
}

/// RFC 4106, sections 3 to 5; RFC 4303, section 2.4.
#[test]
fn esp_with_aes_gcm() {
    let (suite, packet) = ("esp:aes-128-gcm", packet(37));
    let key = material(suite);
    let spi = identifier(0, 32).to_be_bytes();
    let header = [&spi[..], &[5, 6, 7, 8]].concat();
    let iv = NUMBER.to_be_bytes();
    // 37 + 2 needs one byte to be a multiple of four.
    let text = [&packet[..], &[1, 1, 4]].concat();
    let nonce = [&key[16..], &iv].concat();
    let right =
        [header.clone(), iv.to_vec(), aead("aes-128-gcm", &key[..16], &nonce, &header, &text)];
    assert_eq!(sealed(suite, &key, NUMBER, &packet), right.concat());
}

/// RFC 3686, sections 3 and 4: counter block of nonce, IV and one.
#[test]
fn esp_with_aes_ctr() {
    let (suite, packet) = ("esp:aes-128-ctr+hmac-sha256-128", packet(38));
    let key = material(suite);
    let spi = identifier(0, 32).to_be_bytes();
    let iv = NUMBER.to_be_bytes();
    let counter = [&key[16..20], &iv, &[0, 0, 0, 1]].concat();
    let text = [&packet[..], &[0, 4]].concat();
    let message = Message::new(&counter, &text);
    let ciphertext = answer("aes-128-ctr", Operation::Encrypt, &key[..16], message, 40);
    let sent = [&spi[..], &[5, 6, 7, 8], &iv, &ciphertext].concat();
    let value = answer("hmac-sha256", Operation::Mac, &key[20..], Message::new(&[], &sent), 32);
    let right = [&sent[..], &value[..16]].concat();
    assert_eq!(sealed(suite, &key, NUMBER, &packet), right);
}

/// White paper, section 5.4.6.
#[test]
fn wireguard() {
    let (suite, packet) = ("wireguard:chacha20-poly1305", packet(20));
    let key = material(suite);
    let receiver = identifier(0, 32).to_le_bytes();
    let counter = NUMBER.to_le_bytes();
    let nonce = [&[0; 4][..], &counter].concat();
    let text = [&packet[..], &[0; 12]].concat();
    let right = [
        vec![4, 0, 0, 0],
        receiver.to_vec(),
        counter.to_vec(),
        aead("chacha20-poly1305", &key, &nonce, &[], &text),
    ];
    assert_eq!(sealed(suite, &key, NUMBER, &packet), right.concat());
}

/// The OpenVPN wire protocol: the tag stands before the ciphertext.
#[test]
fn openvpn_with_an_aead() {
    let (suite, packet) = ("openvpn:aes-256-gcm", packet(41));
    let key = material(suite);
    let peer = identifier(0, 24).to_be_bytes();
    let head = [0x48, peer[1], peer[2], peer[3], 5, 6, 7, 8];
    let nonce = [&[5, 6, 7, 8], &key[32..]].concat();
    let sealed_text = aead("aes-256-gcm", &key[..32], &nonce, &head, &packet);
    let (ciphertext, tag) = sealed_text.split_at(41);
    assert_eq!(sealed(suite, &key, NUMBER, &packet), [&head, tag, ciphertext].concat());
}

/// The same with CBC: the HMAC is over IV and ciphertext, and the packet number is encrypted.
#[test]
fn openvpn_with_cbc() {
    let (suite, packet) = ("openvpn:aes-128-cbc+hmac-sha1", packet(41));
    let key = material(suite);
    let wire = sealed(suite, &key, NUMBER, &packet);
    let peer = identifier(0, 24).to_be_bytes();
    assert_eq!(wire[..4], [0x48, peer[1], peer[2], peer[3]]);
    let value = answer("hmac-sha1", Operation::Mac, &key[16..], Message::new(&[], &wire[24..]), 20);
    assert_eq!(wire[4..24], value);
    let message = Message::new(&wire[24..40], &wire[40..]);
    let text = answer("aes-128-cbc", Operation::Decrypt, &key[..16], message, 48);
    // 4 + 41 bytes and three of PKCS #7.
    assert_eq!(text, [&[5, 6, 7, 8], &packet[..], &[3; 3]].concat());
}

/// RFC 7714, sections 8.1 and 9.1.
#[test]
fn srtp_with_aes_gcm() {
    let (suite, packet) = ("srtp:aes-128-gcm", packet(33));
    let key = material(suite);
    let source = identifier(0, 32).to_be_bytes();
    let wire = sealed(suite, &key, NUMBER, &packet);
    // Index of 48 bits: rollover counter 03040506, sequence number 0708.
    assert_eq!(wire[..4], [0x80, 96, 7, 8]);
    assert_eq!(wire[8..12], source);
    let plain = [&[0, 0][..], &source, &[3, 4, 5, 6, 7, 8]].concat();
    let nonce: Vec<u8> = plain.iter().zip(&key[16..]).map(|(a, b)| a ^ b).collect();
    assert_eq!(wire[12..], aead("aes-128-gcm", &key[..16], &nonce, &wire[..12], &packet));
}

/// TS 38.323, sections 5.8, 5.9 and 6.2.2: MAC-I over header and data, then both ciphered.
#[test]
fn pdcp_with_aes() {
    let (suite, packet) = ("pdcp:eea2+eia2", packet(50));
    let key = material(suite);
    let bearer = (identifier(0, 32) & 31) as u8;
    let nonce = [5, 6, 7, 8, bearer, 1];
    // D/C = 1, five reserved bits, and the low 18 bits of COUNT 05060708.
    let header = [0x80 | 0x06 & 3, 0x07, 0x08];
    let protected = [&header[..], &packet].concat();
    let value = answer("eia2", Operation::Mac, &key[16..], Message::new(&nonce, &protected), 4);
    let text = [&packet[..], &value].concat();
    let message = Message::new(&nonce, &text);
    let ciphertext = answer("eea2", Operation::Encrypt, &key[..16], message, text.len());
    assert_eq!(sealed(suite, &key, NUMBER, &packet), [&header[..], &ciphertext].concat());
}

/// RFC 5647, section 7; RFC 4253, section 6.
#[test]
fn ssh_with_aes_gcm() {
    let (suite, packet) = ("ssh:aes-128-gcm", packet(10));
    let key = material(suite);
    // 1 + 10 + at least 4 is 16 with 5 of padding.
    let text = [&[5][..], &packet, &[0; 5]].concat();
    let length = [0, 0, 0, 16];
    let count = u64::from_be_bytes(key[20..28].try_into().expect("eight bytes")) + NUMBER;
    let nonce = [&key[16..20], &count.to_be_bytes()].concat();
    let right = [&length[..], &aead("aes-128-gcm", &key[..16], &nonce, &length, &text)].concat();
    assert_eq!(sealed(suite, &key, NUMBER, &packet), right);
}

/// OpenSSH, PROTOCOL, section 1.5: the MAC is over sequence number, length and ciphertext.
#[test]
fn ssh_with_a_mac_over_the_ciphertext() {
    let (suite, packet) = ("ssh:aes-128-ctr+hmac-sha256-etm", packet(10));
    let key = material(suite);
    let wire = sealed(suite, &key, NUMBER, &packet);
    let (sent, value) = wire.split_at(20);
    let protected = [&[5, 6, 7, 8], sent].concat();
    let mac = answer("hmac-sha256", Operation::Mac, &key[32..], Message::new(&[], &protected), 32);
    assert_eq!((&sent[..4], value), (&[0, 0, 0, 16][..], &mac[..]));
}
