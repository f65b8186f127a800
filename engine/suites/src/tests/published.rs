//! Packets that standards print.

use super::*;
use crate::cipher;

/// An echo request with 56 bytes, 8 to 37 hexadecimal at the end.
fn counting(from: u8, to: u8) -> Vec<u8> {
    (from..=to).collect()
}

/// RFC 7634, appendix A.
#[test]
fn esp_with_chacha20_poly1305() {
    let key = [&counting(0x80, 0x9f)[..], &[0xa0, 0xa1, 0xa2, 0xa3]].concat();
    let wire = hex("01020304 00000005 1011121314151617
         24039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c6
         14ee8099d52844eb61aa95dfab4c02f72aa71e7c4c4f64c9befe2facc638e8f3
         cbec163fac469b502773f6fb94e664da9165b82829f641e0
         76aaa8266b7fb0f7b11b369907e1ad43");
    let packet = [
        hex("45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec100007362708090a0b"),
        counting(0x0c, 0x37),
    ]
    .concat();
    let found = opened("esp:chacha20-poly1305", 0x0102_0304, &key, 0, &wire, packet.len());
    assert_eq!(found, Ok(packet));
}

/// RFC 3602, section 4, case 7, which has no integrity: the value is added here.
#[test]
fn esp_with_aes_cbc() {
    let key = hex("0123456789abcdef0123456789abcdef");
    let mac_key = [0x0b; 20];
    let mut wire = hex("00008765 00000002 f4e765244f6407adf13dc1380f673f37
         773b5241a4c449225e4f3ce5ed611b0c237ca96cf74a93013c1b0ea1a0cf70f8
         e4ecaec78ac53aad7a0f022b859243c647752e94a859352b8a4d4d2decd136e5
         c177f132ad3fbfb2201ac9904c74ee0a109e0ca1e4dfe9d5a100b842f1c22f0d");
    let packet = [
        hex("45000054090400004001f988c0a87b03c0a87bc808009f76a90a0100b49c083d02a20400"),
        counting(0x08, 0x37),
    ]
    .concat();
    let mac = answer("hmac-sha1", Operation::Mac, &mac_key, Message::new(&[], &wire), 20);
    wire.extend_from_slice(&mac[..12]);
    let material = [&key[..], &mac_key].concat();
    let suite = "esp:aes-128-cbc+hmac-sha1-96";
    assert_eq!(opened(suite, 0x8765, &material, 0, &wire, packet.len()), Ok(packet));
}

/// RFC 3711, appendix B.3 has these keys; libsrtp's own test (test/srtp_driver.c) has this packet.
#[test]
fn srtp_with_aes_ctr_and_hmac() {
    let material = hex("c61e7a93744f39ee10734afe3ff7a087 30cbbc08863d8c85d49db34a9ae1
         cebe321f6ff7716b6fd4ab49af256a156d38baa4");
    let wire =
        hex("800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb");
    let found = opened("srtp:aes-128-ctr+hmac-sha1-80", 0xcafe_babe, &material, 0x1234, &wire, 16);
    assert_eq!(found, Ok(vec![0xab; 16]));
}

/// RFC 8448, section 3: the client's first application data, and the same record sealed.
#[test]
fn a_record_of_tls() {
    let material = hex("17422dda596ed5d9acd890e3c63f5051 5b78923dee08579033e523d9");
    let wire = hex("1703030043 a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5
         b46b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4");
    let packet = counting(0, 49);
    assert_eq!(opened("tls13:aes-128-gcm", 0, &material, 0, &wire, 50), Ok(packet.clone()));
    assert_eq!(sealed("tls13:aes-128-gcm", &material, 0, &packet), wire);
}

/// RFC 9001, appendix A.2: key, sample and mask of header protection; the mask hides what it should.
#[test]
fn the_mask_of_quic() {
    let (key, sample) =
        (hex("9f50449e04a0e810283a1e9933adedd2"), hex("d1b1c98dd7689fb8ec11d242b123dc9b"));
    let mask = answer("aes-128-ecb", Operation::Encrypt, &key, Message::new(&[], &sample), 16);
    assert_eq!(mask[..5], hex("437b9aec36"));
    // Of a packet of our own: the sample is the ciphertext's first block.
    let material: Vec<u8> = (0..44).collect();
    let wire = sealed("quic:aes-128-gcm", &material, 0x0102_0304, &[7; 40]);
    let sample = Message::new(&[], &wire[13..29]);
    let mask = answer("aes-128-ecb", Operation::Encrypt, &material[28..], sample, 16);
    assert_eq!(wire[0], 0x43 ^ mask[0] & 0x1f);
    let number: Vec<u8> = wire[9..13].iter().zip(&mask[1..]).map(|(a, b)| a ^ b).collect();
    assert_eq!(number, [1, 2, 3, 4]);
}

/// A frame that DPDK's tests have for AES-128-GCM (app/test/test_security_inline_macsec_vectors.h,
/// gcm_128_64B_cipher): security tag, nonce and associated data as they are built here.
#[test]
fn a_frame_of_macsec() {
    let key = hex("071b113b0ca743fecccf3d051f737382");
    let addresses = hex("e20106d7cd0df0761e8dcd3d");
    let text = [hex("0800"), counting(0x0f, 0x39), counting(0x40, 0x46)].concat();
    let channel = [0xfe, 0x2f, 0xcd, 0x14, 0x24, 0x1b, 0x88, 0x2c];
    let number = [0, 0, 0, 2];
    let tag = macsec::tag(text.len(), number, channel);
    assert_eq!(tag[..], hex("88e52c0000000002fe2fcd14241b882c"));
    let (nonce, aad) = (macsec::nonce(channel, number), [&addresses[..], &tag].concat());
    let message = Message { nonce: &nonce, aad: &aad, input: &text, unused_bits: 0 };
    let sealed = answer("aes-128-gcm", Operation::Seal, &key, message, text.len() + 16);
    let right =
        hex("39389744a26d713d1427c73e029681ad47822acf197912490f935a324379ef9d70f8a9be3d005d22
         da873dc1be1b13d999dbf1c8 4bc4f8c60978b9bb5dc004f3207d1487");
    assert_eq!(sealed, right);
}

/// NIST SP 800-38A, F.2.1: with the IV in front, encrypted by the cipher itself, CBC goes on as under
/// that IV.
#[test]
fn an_iv_that_is_encrypted_first_is_that_of_cbc() {
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let packet = [9; 30];
    let material = [&key[..], &[1; 20]].concat();
    let wire = sealed("esp:aes-128-cbc+hmac-sha1-96", &material, 77, &packet);
    let number = cipher::number_block(77);
    let iv = answer("aes-128-ecb", Operation::Encrypt, &key, Message::new(&[], &number), 16);
    assert_eq!(wire[8..24], iv);
    let text = [&packet[..], &[0, 4]].concat();
    let right = answer("aes-128-cbc", Operation::Encrypt, &key, Message::new(&iv, &text), 32);
    assert_eq!(wire[24..56], right);
}
