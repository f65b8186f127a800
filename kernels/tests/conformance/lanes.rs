//! Many packets at once are answered as each alone.

use ciphermark_kernels::abi::{self, Function};
use ciphermark_kernels::{BatchError, Kernel, Message, Operation, Packet, Refusal, process_lanes};
use proptest::prelude::*;
use proptest::sample::select;

use crate::texts::*;

const THREEGPP: [&str; 8] = ["uea1", "uia1", "uea2", "uia2", "eea2", "eia2", "eea3", "eia3"];

const BATCHES_PER_ROW: u32 = 16;

/// Bytes behind each output that have to stay.
const GUARD: [u8; 16] = [0x5a; 16];

/// What a batch is made of.
#[derive(Clone, Debug)]
struct Batch {
    packets: usize,
    keys: usize,
    most_bits: usize,
    equal_lengths: bool,
    seed: u64,
}

fn batches() -> impl Strategy<Value = Batch> {
    (
        prop_oneof![1..=20_usize, 1..=200_usize, 1..=1000_usize],
        prop_oneof![Just(1), 2..=5_usize, Just(1000)],
        select(vec![1, 8, 333, 2_000, 20_000]),
        prop::bool::weighted(0.2),
        any::<u64>(),
    )
        .prop_map(|(packets, keys, most_bits, equal_lengths, seed)| Batch {
            packets,
            keys: keys.min(packets),
            most_bits,
            equal_lengths,
            seed,
        })
}

/// A text, which of the keys it has, and whether it is processed in place.
struct Given {
    key: usize,
    text: Text,
    in_place: bool,
}

impl Batch {
    /// Each key is a packet's own where there are as many.
    fn given(&self, row: &Function) -> (Vec<Vec<u8>>, Vec<Given>) {
        let mut random = Random(self.seed);
        let keys: Vec<_> = (0..self.keys).map(|_| random.bytes(row.key_bytes.least)).collect();
        let is_cipher = matches!(row.operation, abi::ENCRYPT | abi::DECRYPT);
        let mut given = |packet: usize| {
            let key = if self.keys == self.packets { packet } else { random.below(self.keys) };
            let bits = match self.equal_lengths {
                true => self.most_bits,
                false => 1 + random.below(self.most_bits),
            };
            let bits = if row.counts_bits == 1 { bits } else { bits / 8 * 8 };
            let unused_bits = (bits.next_multiple_of(8) - bits) as u8;
            let abi::Range { least, most } = row.nonce_bytes;
            let mut nonce = random.bytes(least + packet % (most - least + 1));
            confine(row, &mut nonce);
            let input = random.bytes(bits.div_ceil(8));
            let text = Text { key: keys[key].clone(), nonce, aad: vec![], input, unused_bits };
            Given { key, text, in_place: is_cipher && random.below(2) == 0 }
        };
        let given = (0..self.packets).map(&mut given).collect();
        (keys, given)
    }
}

fn keyed(row: &Function, keys: &[Vec<u8>]) -> Vec<Kernel> {
    let keyed = |key: &Vec<u8>| {
        let mut kernel = Kernel::from_row(*row);
        kernel.set_key(key).expect("a key of the right length");
        kernel
    };
    keys.iter().map(keyed).collect()
}

fn packet<'a>(keys: &'a [Kernel], given: &'a Given, room: &'a mut [u8]) -> Packet<'a> {
    let key = &keys[given.key];
    let message = given.text.message(key.function());
    let output = &mut room[..given.text.output_bytes(key.function())];
    match given.in_place {
        true => Packet::in_place(key, Message { input: &[], ..message }, output),
        false => Packet::new(key, message, output),
    }
}

/// Room for an answer, which has the text where it is processed in place, and a guard behind.
fn room(row: &Function, given: &Given) -> Vec<u8> {
    let mut room = match given.in_place {
        true => given.text.input.clone(),
        false => vec![0xa5; given.text.output_bytes(row)],
    };
    room.extend(GUARD);
    room
}

fn check(row: &Function, batch: &Batch) -> Result<(), TestCaseError> {
    let (keys, given) = batch.given(row);
    let prepared = keyed(row, &keys);
    let mut rooms: Vec<_> = given.iter().map(|it| room(row, it)).collect();
    let packets = given.iter().zip(&mut rooms).map(|(it, room)| packet(&prepared, it, room));
    prop_assert_eq!(process_lanes(&mut packets.collect::<Vec<_>>()), Ok(()));

    let mut references = keyed(&related(row, row.operation, Some("reference")), &keys);
    for (index, (it, mut room)) in given.iter().zip(rooms).enumerate() {
        let guard = room.split_off(it.text.output_bytes(row));
        prop_assert_eq!(&guard, &GUARD, "behind packet {}", index);
        let right = it.text.answer_of(&mut references[it.key]);
        prop_assert_eq!(Ok(room), right, "packet {} of {:02x?}", index, &it.text);
    }
    Ok(())
}

fn is_threegpp(row: &Function) -> bool {
    THREEGPP.contains(&row.algorithm())
}

/// The functions of 3GPP by every backend, and all else that takes many messages in one call.
fn of_many() -> impl Iterator<Item = Function> {
    rows().filter(|row| is_threegpp(row) || row.process_lanes.is_some())
}

/// Makes a nonce one that the function refuses: by its DIRECTION, or else by its length.
fn spoil(row: &Function, nonce: &mut Vec<u8>) {
    match is_threegpp(row) {
        true => *nonce.last_mut().expect("there is a nonce") = 2,
        false => nonce.resize(row.nonce_bytes.most + 1, 0),
    }
}

#[test]
fn packets_of_any_lengths_and_keys() {
    for row in of_many() {
        run(&row, BATCHES_PER_ROW, &batches(), check);
    }
}

#[test]
fn more_packets_than_one_call_takes() {
    for row in of_many() {
        let packets = abi::MOST_LANES + 5;
        let batch = Batch { packets, keys: 7, most_bits: 99, equal_lengths: false, seed: 1 };
        check(&row, &batch).unwrap_or_else(|why| panic!("{}: {why}", label(&row)));
    }
}

#[test]
fn refusals_behind_more_packets_than_one_call_takes() {
    for row in of_many() {
        let last = abi::MOST_LANES + 5;
        let packets = last + 1;
        let batch = Batch { packets, keys: 2, most_bits: 99, equal_lengths: false, seed: 2 };
        let (keys, mut given) = batch.given(&row);
        spoil(&row, &mut given[last].text.nonce);
        let prepared = keyed(&row, &keys);
        let mut rooms: Vec<_> = given.iter().map(|it| room(&row, it)).collect();
        let before = rooms.clone();
        let packets = given.iter().zip(&mut rooms).map(|(it, room)| packet(&prepared, it, room));
        let refused = process_lanes(&mut packets.collect::<Vec<_>>());
        let why = BatchError::Packet { packet: last, refusal: Refusal::Nonce };
        assert_eq!(refused, Err(why), "{}", label(&row));
        assert!(rooms == before, "{}", label(&row));
    }
}

/// Every function, also those that write to their context.
#[test]
fn packets_of_every_kernel() {
    for_each(rows(), |row, text| {
        let (one, other) = (text.keyed(row), another_key(text).keyed(row));
        let keys = [&one, &other, &one, &one];
        let mut outputs = keys.map(|_| vec![0xa5; text.output_bytes(row)]);
        let packets = keys.iter().zip(&mut outputs);
        let packets = packets.map(|(key, output)| Packet::new(key, text.message(row), output));
        let done = process_lanes(&mut packets.collect::<Vec<_>>());

        let other_answer = another_key(text).answer(row);
        let refused = other_answer.clone().map(|_| ());
        let refused = refused.map_err(|refusal| BatchError::Packet { packet: 1, refusal });
        prop_assert_eq!(done, refused);
        let zeros = vec![0; text.output_bytes(row)];
        let answer = text.answer(row).expect("a text it takes");
        let answers = [&answer, &other_answer.unwrap_or(zeros), &answer, &answer];
        prop_assert_eq!(outputs.each_ref(), answers);
        Ok(())
    });
}

/// Tags that are sealed under the one are wrong under the other.
fn another_key(text: &Text) -> Text {
    Text { key: text.key.iter().map(|byte| !byte).collect(), ..text.clone() }
}

#[test]
fn no_packets() {
    assert_eq!(process_lanes(&mut []), Err(BatchError::Empty));
}

#[test]
fn packets_of_two_functions() {
    let first = Kernel::new("uea1", Operation::Encrypt, Some("reference"));
    let others = [
        Kernel::new("uea1", Operation::Decrypt, Some("reference")),
        Kernel::new("uea1", Operation::Encrypt, Some("table")),
        Kernel::new("uea2", Operation::Encrypt, Some("reference")),
    ];
    let prepared = |kernel: Option<Kernel>| {
        let mut kernel = kernel.expect("it is there");
        kernel.set_key(&[7; 16]).expect("keys have 16 bytes");
        kernel
    };
    let first = prepared(first);
    for other in others.map(prepared) {
        let message = Message { nonce: &[0; 6], ..Message::default() };
        let mut outputs = [[0xa5; 3]; 2];
        let [one, two] = &mut outputs;
        let packets = [(&first, one), (&other, two)];
        let mut packets = packets.map(|(key, output)| Packet::in_place(key, message, output));
        let refused = process_lanes(&mut packets);
        assert_eq!(refused, Err(BatchError::Function { packet: 1 }), "{}", label(other.function()));
        assert_eq!(outputs, [[0xa5; 3]; 2]);
    }
}

#[test]
fn tags_in_the_place_of_messages() {
    for row in rows().filter(|row| row.operation == abi::MAC && row.counts_bits == 1) {
        let key = Text { key: vec![7; 16], ..Default::default() }.keyed(&row);
        let nonce = vec![0; row.nonce_bytes.least];
        let message = Message { nonce: &nonce, ..Message::default() };
        let mut place = [0xa5; 4];
        let refused = process_lanes(&mut [Packet::in_place(&key, message, &mut place)]);
        let why = BatchError::Packet { packet: 0, refusal: Refusal::Buffer };
        assert_eq!(refused, Err(why), "{}", label(&row));
        assert_eq!(place, [0xa5; 4], "{}", label(&row));
    }
}

#[test]
fn a_kernel_for_lanes_takes_many_where_any_does() {
    let macs = ["umac-32", "umac-64", "umac-128", "vmac-64", "vmac-128", "poly1305"];
    for name in THREEGPP.into_iter().chain(macs) {
        let is_cipher = THREEGPP.contains(&name) && name.contains("ea");
        let operation = if is_cipher { Operation::Encrypt } else { Operation::Mac };
        let chosen = Kernel::for_lanes(name, operation).expect("it is there");
        let same = |row: &Function| {
            (row.algorithm(), row.operation) == (name, operation as u32) && row.variant().is_none()
        };
        let any_does = rows().filter(same).any(|row| row.process_lanes.is_some());
        assert_eq!(chosen.function().process_lanes.is_some(), any_does, "{name}");
    }
}

#[test]
fn kernels_for_lanes_take_as_many_as_a_call_may_have() {
    for row in rows() {
        let most = if row.process_lanes.is_some() { abi::MOST_LANES } else { 1 };
        assert_eq!(row.lanes, most, "{}", label(&row));
    }
}
