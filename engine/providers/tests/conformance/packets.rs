//! Our kernels and ipsec-mb agree on batches of packets of 3GPP: ragged lengths, mixed keys, 1 to
//! 1,000 packets, given to each in as many lanes as it takes.

use crate::subjects::*;

const FUNCTIONS: [&str; 6] = ["uea1", "uia1", "uea2", "uia2", "eea3", "eia3"];

/// Packets of a batch: none that fills vectors, one more or less than those that do, and many.
const BATCHES: [usize; 9] = [1, 2, 15, 17, 63, 64, 65, 192, 1000];

/// The shortest packet of a batch, bytes, where steps of vectors end.
const SHORTEST: [u64; 6] = [4, 16, 32, 64, 128, 256];

/// Longest packet, bytes; those of KASUMI are all within what ipsec-mb takes.
const MAX_BYTES: u64 = 1500;

/// A packet and its key.
type Packet = (Vec<u8>, Text);

#[test]
fn kernels_and_ipsec_mb_agree_on_batches_of_packets() {
    let usable = usable_providers(); // which prints why one is left out
    let of = |name: &str| usable.iter().find(|it| it.name == name);
    let (Some(kernels), Some(peer)) = (of("kernels"), of("ipsec-mb")) else {
        eprintln!("skipped: kernels and ipsec-mb are not both here");
        return;
    };
    let (ours, theirs) = (kernels.subjects(), peer.subjects());
    for name in FUNCTIONS {
        let is_it = |subject: &&Subject<'_>| subject.facts.name == name;
        let peer = theirs.iter().find(is_it).expect("ipsec-mb has all of them");
        let ragged = BATCHES.map(|count| batch(peer, count));
        let ending = SHORTEST.map(|bytes| batch_from(peer, 40, bytes));
        for packets in ragged.into_iter().chain(ending) {
            let expected = answers(peer, &packets);
            for subject in ours.iter().filter(is_it) {
                let (count, backend) = (packets.len(), &subject.implementation.backend);
                assert!(
                    answers(subject, &packets) == expected,
                    "{name} {backend}, {count} packets"
                );
            }
        }
    }
}

/// Packets of lengths and keys that look random; every fourth has a key of another.
fn batch(subject: &Subject<'_>, count: usize) -> Vec<Packet> {
    batch_from(subject, count, 1)
}

/// The same with a packet of the shortest length in each ten, and none that is shorter.
fn batch_from(subject: &Subject<'_>, count: usize, shortest: u64) -> Vec<Packet> {
    let packet = |number: u64| {
        let seed = number + 1000 * count as u64;
        let random = u64::from_le_bytes(*bytes(seed, 8).first_chunk().expect("eight"));
        let more = random % (MAX_BYTES + 1 - shortest);
        let is_shortest = shortest > 1 && number % 10 == 3;
        let length = if is_shortest { shortest } else { shortest + more };
        let key = if number.is_multiple_of(4) { 0 } else { seed };
        (subject.key(key), subject.text(seed, length as usize))
    };
    (0..count as u64).map(packet).collect()
}

/// The answers to packets, as many in one call as are taken.
fn answers(subject: &Subject<'_>, packets: &[Packet]) -> Vec<Vec<u8>> {
    let most = subject.implementation.most_lanes as usize;
    packets.chunks(most).flat_map(|packets| one_call(subject, packets)).collect()
}

fn one_call(subject: &Subject<'_>, packets: &[Packet]) -> Vec<Vec<u8>> {
    let operation = subject.sending();
    if subject.implementation.most_lanes == 1 {
        let [(key, text)] = packets else { panic!("{} packets", packets.len()) };
        return vec![subject.sent(key, text)];
    }
    let count = packets.len();
    let created = subject.provider.provider.create_lanes(&subject.request(operation), count, count);
    let mut lanes = created.unwrap_or_else(|error| panic!("{}: {error}", subject.label()));
    for (number, (key, _)) in packets.iter().enumerate() {
        lanes.set_key(number, key).expect("a key of the right length");
    }
    let messages: Vec<_> = packets.iter().map(|(_, text)| text.message()).collect();
    let length = |(_, text): &Packet| subject.answer_length(operation, text.input.len());
    let mut outputs: Vec<_> = packets.iter().map(|packet| vec![0xa5; length(packet)]).collect();
    let mut slices: Vec<_> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    lanes.process(&messages, &mut slices).expect("the packets are processed");
    outputs
}
