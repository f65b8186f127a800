//! Batches of packets answer as each packet alone, or are refused as a whole.

use std::thread;

use ciphermark_kasumi::{
    BatchError, Direction, Error, F8Key, F8Packet, F9Key, F9Packet, MOST_BITS, f8, f8_batch, f9,
    f9_batch, f9_verify_batch,
};

/// What f8 and f9 take, for packets of ragged lengths under some keys.
struct Given {
    key: usize,
    count: u32,
    bearer: u8,
    fresh: u32,
    direction: Direction,
    bits: usize,
    text: Vec<u8>,
}

fn key(index: usize) -> [u8; 16] {
    std::array::from_fn(|at| (17 * index + 31 * at + index / 16) as u8)
}

/// Lengths and numbers wander without a rule that the code could follow.
fn given(packets: usize, keys: usize, most_bits: usize) -> Vec<Given> {
    let one = |index: usize| {
        let mixed = (index as u32 + 1).wrapping_mul(0x9e37_79b9);
        let bits = 1 + (mixed >> 7) as usize % most_bits;
        Given {
            key: index % keys,
            count: mixed,
            bearer: (mixed >> 3) as u8 % 32,
            fresh: !mixed,
            direction: Direction::try_from((mixed >> 11) as u8 % 2).expect("it is 0 or 1"),
            bits,
            text: (0..bits.div_ceil(8)).map(|at| (mixed >> (at % 24)) as u8 ^ at as u8).collect(),
        }
    };
    (0..packets).map(one).collect()
}

/// Every other one in place.
fn f8_packets<'a>(
    keys: &'a [F8Key],
    given: &'a [Given],
    outputs: &'a mut [Vec<u8>],
) -> Vec<F8Packet<'a>> {
    let packets = given.iter().zip(outputs).enumerate();
    let packets = packets.map(|(index, (it, output))| F8Packet {
        key: &keys[it.key],
        count: it.count,
        bearer: it.bearer,
        direction: it.direction,
        bits: it.bits,
        input: (index % 2 == 1).then_some(it.text.as_slice()),
        output,
    });
    packets.collect()
}

fn f9_packets<'a>(keys: &'a [F9Key], given: &'a [Given]) -> Vec<F9Packet<'a>> {
    let packets = given.iter().map(|it| F9Packet {
        key: &keys[it.key],
        count: it.count,
        fresh: it.fresh,
        direction: it.direction,
        bits: it.bits,
        message: &it.text,
    });
    packets.collect()
}

fn texts(given: &[Given]) -> Vec<Vec<u8>> {
    given.iter().map(|it| it.text.clone()).collect()
}

const BATCHES: [(usize, usize, usize); 7] = [
    (1, 1, MOST_BITS),
    (2, 2, 100),
    (65, 1, 1_000),
    (192, 192, 12_000),
    (193, 3, 700),
    (1_000, 1_000, 2_000),
    (10_000, 5, 64),
];

#[test]
fn f8_of_each_packet() {
    for (packets, key_count, most_bits) in BATCHES {
        let given = given(packets, key_count, most_bits);
        let keys: Vec<_> = (0..key_count).map(|index| F8Key::new(&key(index))).collect();
        let mut outputs = texts(&given);
        assert_eq!(f8_batch(&mut f8_packets(&keys, &given, &mut outputs)), Ok(()));
        for (it, output) in given.iter().zip(outputs) {
            let mut right = it.text.clone();
            let done = f8(&key(it.key), it.count, it.bearer, it.direction, it.bits, &mut right);
            assert_eq!((done, output), (Ok(()), right), "{packets} packets, {} bits", it.bits);
        }
    }
}

#[test]
fn f9_of_each_packet() {
    for (packets, key_count, most_bits) in BATCHES {
        let given = given(packets, key_count, most_bits);
        let keys: Vec<_> = (0..key_count).map(|index| F9Key::new(&key(index))).collect();
        let packets = f9_packets(&keys, &given);
        let tags = f9_batch(&packets).expect("all are in range");
        assert_eq!(tags.len(), given.len());
        for (it, tag) in given.iter().zip(&tags) {
            let right = f9(&key(it.key), it.count, it.fresh, it.direction, it.bits, &it.text);
            assert_eq!(Ok(*tag), right, "{} packets, {} bits", packets.len(), it.bits);
        }
        let right = vec![true; tags.len()];
        assert_eq!(f9_verify_batch(&packets, &tags), Ok(right));
    }
}

#[test]
fn every_bit_of_a_tag_counts() {
    let given = given(32, 4, 500);
    let keys: Vec<_> = (0..4).map(|index| F9Key::new(&key(index))).collect();
    let packets = f9_packets(&keys, &given);
    let mut tags = f9_batch(&packets).expect("all are in range");
    let changed = |index: usize| index.is_multiple_of(3);
    for index in (0..32).filter(|index| changed(*index)) {
        tags[index][index / 8] ^= 1 << (index % 8);
    }
    let right: Vec<_> = (0..32).map(|index| !changed(index)).collect();
    assert_eq!(f9_verify_batch(&packets, &tags), Ok(right));
}

#[test]
fn threads_share_keys() {
    let given = given(100, 2, 900);
    let keys = [F8Key::new(&key(0)), F8Key::new(&key(1))];
    let run = || {
        let mut outputs = texts(&given);
        f8_batch(&mut f8_packets(&keys, &given, &mut outputs)).expect("all are in range");
        outputs
    };
    let alone = run();
    let together = thread::scope(|scope| [(); 4].map(|()| scope.spawn(run)).map(|it| it.join()));
    assert!(together.into_iter().all(|it| it.expect("it does not panic") == alone));
}

#[test]
fn refusals_write_nothing() {
    type Change = fn(&mut F8Packet<'_>);
    let changes: [(Change, Error); 5] = [
        (|it| it.bearer = 32, Error::Bearer(32)),
        (|it| it.bits = 0, Error::Bits(0)),
        (|it| it.bits = MOST_BITS + 1, Error::Bits(MOST_BITS + 1)),
        (|it| it.bits = 17, Error::Bytes { bits: 17, bytes: 2 }),
        (|it| it.input = Some(&[0]), Error::Bytes { bits: 16, bytes: 1 }),
    ];
    let keys = [F8Key::new(&key(0))];
    // More than the kernel takes in one call.
    let mut given = given(5_000, 1, 64);
    let last = given.last_mut().expect("there are some");
    (last.bits, last.text) = (16, vec![1, 2]);
    for (change, error) in changes {
        let mut outputs = texts(&given);
        let mut packets = f8_packets(&keys, &given, &mut outputs);
        change(&mut packets[4_999]);
        let refused = f8_batch(&mut packets);
        assert_eq!(refused, Err(BatchError::Packet { packet: 4_999, error }));
        assert!(outputs == texts(&given), "{error}");
    }
}

#[test]
fn f9_refuses_lengths_and_counts() {
    let keys = [F9Key::new(&key(0))];
    let given = given(3, 1, 64);
    let mut packets = f9_packets(&keys, &given);
    let error = BatchError::Tags { packets: 3, tags: 2 };
    assert_eq!(f9_verify_batch(&packets, &[[0; 4]; 2]), Err(error));
    packets[2].bits = 0;
    let error = BatchError::Packet { packet: 2, error: Error::Bits(0) };
    assert_eq!(f9_batch(&packets), Err(error));
    assert_eq!(f9_verify_batch(&packets, &[[0; 4]; 3]), Err(error));
}

#[test]
fn no_packets() {
    assert_eq!(f8_batch(&mut []), Err(BatchError::Empty));
    assert_eq!(f9_batch(&[]), Err(BatchError::Empty));
    assert_eq!(f9_verify_batch(&[], &[]), Err(BatchError::Empty));
}

#[test]
fn keys_do_not_show_in_debug_output() {
    assert_eq!(format!("{:?}", F8Key::new(&key(1))), "F8Key { ... }");
    assert_eq!(format!("{:?}", F9Key::new(&key(1))), "F9Key { ... }");
}
