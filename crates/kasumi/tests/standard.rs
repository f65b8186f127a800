//! Test data of 3GPP TS 35.203, and what the interface promises beyond them.

use ciphermark_kasumi::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher,
};
use ciphermark_kasumi::digest::Mac;
use ciphermark_kasumi::{Direction, Error, F8, F9, Kasumi, f8, f8_iv, f9, f9_verify};

const KEY: [u8; 16] = *b"sixteen byte key";

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digit = |index| u8::from_str_radix(&hexadecimal[index..index + 2], 16).expect("two digits");
    (0..hexadecimal.len()).step_by(2).map(digit).collect()
}

fn key(hexadecimal: &str) -> [u8; 16] {
    bytes(hexadecimal).try_into().expect("keys have 16 bytes")
}

struct Text {
    key: &'static str,
    count: u32,
    bearer: u8,
    direction: Direction,
    bits: usize,
    plaintext: &'static str,
    ciphertext: &'static str,
}

/// f8 test sets 2 and 4.
const TEXTS: [Text; 2] = [
    Text {
        key: "efa8b2229e720c2a7c36ea55e9605695",
        count: 0xe28bcf7b,
        bearer: 24,
        direction: Direction::Uplink,
        bits: 510,
        plaintext: "10111231e060253a43fd3f57e37607ab2827b599b6b1bbda37a8abcc5a8c550d1bfb2f494624fb50367f\
         a36ce3bc68f11cf93b1510376b02130f812a9fa169d8",
        ciphertext: "3deacc7c15821caa89eecade9b5bd3614bd0c8419d710385ddbe5849ef1bac5ae8b14a5b0a6741521eb4\
         e00bb9ecf3e9f7ccb9cae74152d7f4e2a034b6ea00ec",
    },
    Text {
        key: "d3c5d592327fb11c4035c6680af8c6d1",
        count: 0x398a59b4,
        bearer: 5,
        direction: Direction::Downlink,
        bits: 253,
        plaintext: "981ba6824c1bfb1ab485472029b71d808ce33e2cc3c0b5fc1f3de8a6dc66b1f0",
        ciphertext: "5bb9431bb1e98bd11b93db7c3d45136559bb86a295aa204ecbebf6f7a5101510",
    },
];

struct Message {
    key: &'static str,
    count: u32,
    fresh: u32,
    direction: Direction,
    bits: usize,
    message: &'static str,
    tag: [u8; 4],
}

/// f9 test sets 1, 2 and 4; the last is of whole bytes.
const MESSAGES: [Message; 3] = [
    Message {
        key: "2bd6459f82c5b300952c49104881ff48",
        count: 0x38a6f056,
        fresh: 0x05d2ec49,
        direction: Direction::Uplink,
        bits: 189,
        message: "6b227737296f393c8079353edc87e2e805d2ec49a4f2d8e0",
        tag: [0xf6, 0x3b, 0xd7, 0x2c],
    },
    Message {
        key: "d42f682428201cafcd9f97945e6de7b7",
        count: 0x3edc87e2,
        fresh: 0xa4f2d8e2,
        direction: Direction::Downlink,
        bits: 254,
        message: "b5924384328a4ae00b737109f8b6c8dd2b4db63dd533981ceb19aad52a5b2bc0",
        tag: [0xa9, 0xda, 0xf1, 0xff],
    },
    Message {
        key: "c736c6aab22bfff91e2698d2e22ad57e",
        count: 0x14793e41,
        fresh: 0x0397e8fd,
        direction: Direction::Downlink,
        bits: 384,
        message: "d0a7d463df9fb2b278833fa02e235aa172bd970c1473e12907fb648b6599aaa0b24a038665422b20a499\
         276a50427009",
        tag: [0xdd, 0x7d, 0xfa, 0xdd],
    },
];

/// KASUMI test sets 1 and 4: one encryption, and fifty in a row.
#[test]
fn blocks_of_the_standard() {
    for (its_key, plaintext, times, ciphertext) in [
        (
            "2bd6459f82c5b300952c49104881ff48",
            0xea02_4714_ad5c_4d84_u64,
            1,
            0xdf1f_9b25_1c0b_f45f_u64,
        ),
        ("3a3b39b5c3f2376d69f7d546e5f85d43", 0xca49_c1c7_5771_ab0b, 50, 0x738b_ad4c_4a69_0802),
    ] {
        let kasumi = Kasumi::new(&key(its_key).into());
        let mut block = plaintext.to_be_bytes().into();
        (0..times).for_each(|_| kasumi.encrypt_block(&mut block));
        assert_eq!(block, ciphertext.to_be_bytes());
        (0..times).for_each(|_| kasumi.decrypt_block(&mut block));
        assert_eq!(block, plaintext.to_be_bytes());
    }
}

#[test]
fn blocks_go_from_one_place_to_another() {
    let kasumi = Kasumi::new(&KEY.into());
    let plain = [[1; 8].into(), [2; 8].into(), [3; 8].into()];
    let (mut there, mut back) = ([[0; 8].into(); 3], [[0; 8].into(); 3]);
    kasumi.encrypt_blocks_b2b(&plain, &mut there).expect("as many");
    kasumi.decrypt_blocks_b2b(&there, &mut back).expect("as many");
    assert_eq!(back, plain);
    assert_ne!(there, plain);
}

#[test]
fn texts_of_the_standard() {
    for it in &TEXTS {
        let mut text = bytes(it.plaintext);
        f8(&key(it.key), it.count, it.bearer, it.direction, it.bits, &mut text).expect("in range");
        assert_eq!(text, bytes(it.ciphertext));
        f8(&key(it.key), it.count, it.bearer, it.direction, it.bits, &mut text).expect("in range");
        assert_eq!(text, bytes(it.plaintext));
    }
}

#[test]
fn messages_of_the_standard() {
    for it in &MESSAGES {
        let message = bytes(it.message);
        let tag = f9(&key(it.key), it.count, it.fresh, it.direction, it.bits, &message);
        assert_eq!(tag, Ok(it.tag));
    }
}

#[test]
fn pieces_are_one_message() {
    let it = &MESSAGES[2];
    let message = bytes(it.message);
    for piece in 1..message.len() {
        let mut mac = F9::new(&key(it.key), it.count, it.fresh, it.direction);
        message.chunks(piece).for_each(|chunk| mac.update(chunk));
        assert_eq!(mac.finalize().into_bytes(), it.tag);
    }
}

#[test]
fn pieces_are_one_text() {
    let it = &TEXTS[0];
    let iv = f8_iv(it.count, it.bearer, it.direction).expect("in range");
    for piece in 1..64 {
        let mut stream = F8::new(&key(it.key).into(), &iv.into());
        let mut text = bytes(it.plaintext);
        text.chunks_mut(piece).for_each(|chunk| stream.apply_keystream(chunk));
        // The text ends with two bits that do not count.
        assert_eq!(text[..63], bytes(it.ciphertext)[..63]);
    }
}

#[test]
fn unused_bits_change_nothing_and_come_out_as_zeros() {
    for bits in 1..=130_usize {
        let unused = 8 * bits.div_ceil(8) - bits;
        let clear = vec![0; bits.div_ceil(8)];
        let mut set = clear.clone();
        *set.last_mut().expect("at least a byte") = !(0xff << unused);
        let tag = |message: &[u8]| f9(&KEY, 1, 2, Direction::Uplink, bits, message);
        assert_eq!(tag(&set), tag(&clear), "{bits} bits");
        let text = |mut text: Vec<u8>| {
            f8(&KEY, 1, 2, Direction::Uplink, bits, &mut text).expect("in range");
            text
        };
        assert_eq!(text(set.clone()), text(clear), "{bits} bits");
        assert_eq!(text(set).last().map(|last| last & !(0xff << unused)), Some(0), "{bits} bits");
    }
}

#[test]
fn what_is_out_of_range_is_refused_and_nothing_written() {
    let mut text = [0xa5; 4];
    for (bearer, bits, refusal) in [
        (32, 32, Error::Bearer(32)),
        (0, 0, Error::Bits(0)),
        (0, 20_001, Error::Bits(20_001)),
        (0, 24, Error::Bytes { bits: 24, bytes: 4 }),
        (0, 33, Error::Bytes { bits: 33, bytes: 4 }),
    ] {
        assert_eq!(f8(&KEY, 0, bearer, Direction::Uplink, bits, &mut text), Err(refusal));
        assert_eq!(text, [0xa5; 4]);
    }
    assert_eq!(f9(&KEY, 0, 0, Direction::Uplink, 0, &[]), Err(Error::Bits(0)));
    assert_eq!(Direction::try_from(2), Err(Error::Direction(2)));
    assert_eq!(Direction::try_from(1), Ok(Direction::Downlink));
}

#[test]
fn the_longest_message_is_taken() {
    let mut text = vec![0; 2500];
    f8(&KEY, 0, 31, Direction::Downlink, 20_000, &mut text).expect("in range");
    f9(&KEY, 0, 0, Direction::Downlink, 20_000, &text).expect("in range");
}

#[test]
fn wrong_tags_are_refused() {
    let it = &MESSAGES[0];
    let verify = |tag| {
        let message = bytes(it.message);
        f9_verify(&key(it.key), it.count, it.fresh, it.direction, it.bits, &message, &tag)
    };
    assert_eq!(verify(it.tag), Ok(()));
    for bit in 0..32 {
        let wrong = u32::from_be_bytes(it.tag) ^ 1 << bit;
        assert_eq!(verify(wrong.to_be_bytes()), Err(Error::Tag));
    }
}

#[test]
fn secrets_are_not_printed() {
    let kasumi = Kasumi::new(&KEY.into());
    let f9 = F9::new(&KEY, 0, 0, Direction::Uplink);
    assert_eq!(format!("{kasumi:?} {f9:?}"), "Kasumi { ... } F9 { ... }");
}
