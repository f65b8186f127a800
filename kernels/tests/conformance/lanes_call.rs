//! The call of many messages in C: what it refuses, and that it writes nothing then.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr;

use ciphermark_kernels::abi::{self, Function};
use proptest::prelude::*;

use crate::texts::*;

unsafe extern "C" {
    fn ciphermark_process_lanes(
        kernel: *const Function,
        contexts: *const *mut c_void,
        messages: *const abi::Message,
        count: usize,
    ) -> c_int;
}

const KEY: [u8; 16] = [0; 16];

/// Also the shorter ones begin with it.
const NONCE: [u8; 9] = [0; 9];

const BATCHES_PER_ROW: u32 = 400;

/// The longest of what a message has, and the room that it gets, bytes.
const MOST_BYTES: usize = 12;
const SLOT_BYTES: usize = 16;

/// A context as every kernel wants it aligned, with a key.
struct Context(Vec<u128>);

impl Context {
    fn new(row: &Function, key: &[u8]) -> Self {
        let mut context = vec![0_u128; row.context_bytes.div_ceil(size_of::<u128>())];
        let set_key = row.set_key.expect("there is a key");
        // SAFETY: the context is as large and aligned as the row wants it.
        let done = unsafe { set_key(row, context.as_mut_ptr().cast(), key.as_ptr(), key.len()) };
        assert_eq!(done, abi::DONE, "{}", label(row));
        Self(context)
    }

    fn pointers(&mut self, count: usize) -> Vec<*mut c_void> {
        vec![self.0.as_mut_ptr().cast(); count]
    }
}

/// A memory of zeros, and where in it each message has its parts.
#[derive(Clone, Debug)]
struct Layout {
    bytes: usize,
    messages: Vec<Places>,
}

#[derive(Clone, Debug)]
struct Places {
    nonce: Range<usize>,
    aad: Range<usize>,
    input: Range<usize>,
    output: Range<usize>,
}

impl Places {
    /// What must not be written; only a cipher's text may be where its answer goes.
    fn read(&self, is_cipher: bool) -> Vec<Range<usize>> {
        let in_place = is_cipher && self.input == self.output;
        let input = if in_place { 0..0 } else { self.input.clone() };
        vec![self.nonce.clone(), self.aad.clone(), input]
    }
}

impl Layout {
    /// Parts of random lengths in slots of their own, in random order or in that of the messages;
    /// ciphers often in place. Some are moved to where they may overlap others.
    fn random(row: &Function, count: usize, moves: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let is_cipher = is_cipher(row);
        let mut slots: Vec<usize> = (0..4 * count).collect();
        if random.below(2) == 0 {
            (1..slots.len()).for_each(|at| slots.swap(at, random.below(at + 1)));
        }
        let bytes = 4 * count * SLOT_BYTES;
        let place = |slot: usize, length| slot * SLOT_BYTES..slot * SLOT_BYTES + length;
        let mut message = |slots: &[usize]| {
            let text_bytes = 1 + random.below(MOST_BYTES);
            let output_bytes = if is_cipher { text_bytes } else { row.tag_bytes };
            let input = place(slots[0], text_bytes);
            let in_place = is_cipher && random.below(2) == 0;
            let output = if in_place { input.clone() } else { place(slots[1], output_bytes) };
            let nonce = place(slots[2], row.nonce_bytes.least);
            Places { nonce, aad: place(slots[3], random.below(MOST_BYTES)), input, output }
        };
        let mut messages: Vec<_> = slots.chunks(4).map(&mut message).collect();
        for _ in 0..moves {
            let message = &mut messages[random.below(count)];
            let Places { nonce, aad, input, output } = message;
            let moved = [nonce, aad, input, output].into_iter().nth(random.below(4));
            let moved = moved.expect("one of four");
            let start = random.below(bytes - moved.len());
            *moved = start..start + moved.len();
        }
        Self { bytes, messages }
    }

    /// The rule, pair by pair.
    fn has_overlap(&self, is_cipher: bool) -> bool {
        let one = |range: &Range<usize>, other: &Range<usize>| {
            range.start.max(other.start) < range.end.min(other.end)
        };
        let outputs: Vec<_> = self.messages.iter().map(|it| &it.output).collect();
        let read: Vec<_> = self.messages.iter().flat_map(|it| it.read(is_cipher)).collect();
        outputs.iter().enumerate().any(|(index, output)| {
            outputs[..index].iter().any(|it| one(output, it))
                || read.iter().any(|it| one(output, it))
        })
    }

    /// What the call says, and the memory afterwards.
    fn called(&self, row: &Function) -> (c_int, Vec<u8>) {
        let mut memory = vec![0; self.bytes];
        let start = memory.as_mut_ptr();
        let message = |it: &Places| abi::Message {
            nonce: start.wrapping_add(it.nonce.start),
            nonce_bytes: it.nonce.len(),
            aad: start.wrapping_add(it.aad.start),
            aad_bytes: it.aad.len(),
            input: start.wrapping_add(it.input.start),
            input_bytes: it.input.len(),
            output: start.wrapping_add(it.output.start),
            output_bytes: it.output.len(),
            unused_bits: 0,
            repeats: 0,
        };
        let messages: Vec<_> = self.messages.iter().map(message).collect();
        let mut context = Context::new(row, &KEY);
        let contexts = context.pointers(messages.len());
        // SAFETY: the context has a key, and all places are within the memory.
        let status = unsafe {
            ciphermark_process_lanes(row, contexts.as_ptr(), messages.as_ptr(), messages.len())
        };
        (status, memory)
    }
}

fn is_cipher(row: &Function) -> bool {
    matches!(row.operation, abi::ENCRYPT | abi::DECRYPT)
}

fn counting_bits() -> impl Iterator<Item = Function> {
    rows().filter(|row| row.counts_bits == 1)
}

/// A cipher's text may lie where its answer goes, a MAC's message may not.
#[test]
fn tags_over_the_beginning_of_their_messages() {
    for row in counting_bits().filter(|row| !is_cipher(row)) {
        let of = |start: usize, nonce: usize| Places {
            nonce: nonce..nonce + row.nonce_bytes.least,
            aad: nonce..nonce,
            input: start..start + 12,
            output: start..start + row.tag_bytes,
        };
        let layout = Layout { bytes: 128, messages: vec![of(0, 64), of(32, 96)] };
        let (status, memory) = layout.called(&row);
        assert_eq!(status, abi::BAD_BUFFER, "{}", label(&row));
        assert!(memory.iter().all(|byte| *byte == 0), "{}: something was written", label(&row));
    }
}

#[test]
fn outputs_that_overlap_anything_else() {
    for row in counting_bits() {
        let values = (1..40_usize, 0..3_usize, any::<u64>());
        let values =
            values.prop_map(move |(count, moves, seed)| Layout::random(&row, count, moves, seed));
        run(&row, BATCHES_PER_ROW, &values, |row, layout| {
            let (status, memory) = layout.called(row);
            if layout.has_overlap(is_cipher(row)) {
                prop_assert_eq!(status, abi::BAD_BUFFER);
                prop_assert!(memory.iter().all(|byte| *byte == 0), "something was written");
            } else {
                prop_assert_eq!(status, abi::DONE);
            }
            Ok(())
        });
    }
}

/// In place, where the next text begins right behind; then a byte before it.
#[test]
fn texts_side_by_side() {
    for row in counting_bits().filter(|row| row.operation != abi::MAC) {
        for (gap, status) in [(0, abi::DONE), (1, abi::BAD_BUFFER)] {
            let message = |index: usize| {
                let text = 64 + index * (8 - gap)..64 + index * (8 - gap) + 8;
                Places { nonce: 0..6, aad: 0..0, input: text.clone(), output: text }
            };
            let mut layout = Layout { bytes: 256, messages: (0..20).map(message).collect() };
            assert_eq!(layout.called(&row).0, status, "{}", label(&row));
            layout.messages.reverse();
            assert_eq!(layout.called(&row).0, status, "{}, downwards", label(&row));
        }
    }
}

/// Messages that share a nonce, a key and a place for input, each with an output of its own.
struct Shared {
    context: Context,
    output: Vec<u8>,
    messages: Vec<abi::Message>,
}

const INPUT: [u8; 4] = [0; 4];

impl Shared {
    fn new(row: &Function, count: usize) -> Self {
        let mut output = vec![0xa5; 4 * count];
        let start = output.as_mut_ptr();
        let message = |index| abi::Message {
            nonce: NONCE.as_ptr(),
            nonce_bytes: row.nonce_bytes.least,
            aad: ptr::null(),
            aad_bytes: 0,
            input: INPUT.as_ptr(),
            input_bytes: INPUT.len(),
            output: start.wrapping_add(4 * index),
            output_bytes: 4,
            unused_bits: 0,
            repeats: 0,
        };
        let messages = (0..count).map(message).collect();
        Self { context: Context::new(row, &KEY), output, messages }
    }

    fn called(&mut self, row: &Function, count: usize) -> c_int {
        let contexts = self.context.pointers(self.messages.len());
        // SAFETY: there are as many messages as are counted, or too many are counted.
        unsafe { ciphermark_process_lanes(row, contexts.as_ptr(), self.messages.as_ptr(), count) }
    }

    fn is_untouched(&self) -> bool {
        self.output.iter().all(|byte| *byte == 0xa5)
    }
}

#[test]
fn counts_of_messages() {
    for row in counting_bits() {
        let mut shared = Shared::new(&row, abi::MOST_LANES + 1);
        for count in [0, abi::MOST_LANES + 1, usize::MAX] {
            assert_eq!(shared.called(&row, count), abi::BAD_COUNT, "{}, {count}", label(&row));
        }
        assert!(shared.is_untouched(), "{}", label(&row));
        assert_eq!(shared.called(&row, abi::MOST_LANES), abi::DONE, "{}", label(&row));
    }
}

#[test]
fn null_pointers() {
    let changes: [fn(&mut abi::Message); 4] = [
        |it| it.nonce = ptr::null(),
        |it| it.input = ptr::null(),
        |it| it.output = ptr::null_mut(),
        |it| it.aad_bytes = 1,
    ];
    for row in counting_bits() {
        for (index, change) in changes.iter().enumerate() {
            let mut shared = Shared::new(&row, 5);
            change(&mut shared.messages[4]);
            assert_eq!(shared.called(&row, 5), abi::BAD_BUFFER, "{}, {index}", label(&row));
            assert!(shared.is_untouched(), "{}, {index}", label(&row));
        }
    }
}

#[test]
fn null_pointers_in_the_call_itself() {
    for row in counting_bits() {
        let mut shared = Shared::new(&row, 5);
        let mut contexts = shared.context.pointers(5);
        let messages = shared.messages.as_ptr();
        // SAFETY: what is not null is good.
        unsafe {
            let status = ciphermark_process_lanes(&row, ptr::null(), messages, 5);
            assert_eq!(status, abi::BAD_BUFFER, "{}", label(&row));
            let status = ciphermark_process_lanes(&row, contexts.as_ptr(), ptr::null(), 5);
            assert_eq!(status, abi::BAD_BUFFER, "{}", label(&row));
            contexts[4] = ptr::null_mut();
            let status = ciphermark_process_lanes(&row, contexts.as_ptr(), messages, 5);
            assert_eq!(status, abi::BAD_BUFFER, "{}", label(&row));
        }
        assert!(shared.is_untouched(), "{}", label(&row));
    }
}

/// The engine calls rows without the checks; numbers out of range they find themselves.
#[test]
fn numbers_out_of_range_in_an_unchecked_call() {
    for row in counting_bits() {
        let Some(process_lanes) = row.process_lanes else { continue };
        let mut shared = Shared::new(&row, 300);
        let mut nonce = NONCE;
        nonce[row.nonce_bytes.least - 1] = 2;
        shared.messages[299].nonce = nonce.as_ptr();
        let contexts = shared.context.pointers(300);
        let messages = shared.messages.as_ptr();
        // SAFETY: the context has a key, and lengths are those that the row has.
        let status = unsafe { process_lanes(&row, contexts.as_ptr(), messages, 300) };
        assert_eq!(status, abi::BAD_NONCE, "{}", label(&row));
        assert!(shared.is_untouched(), "{}", label(&row));
    }
}

/// As many opened as are right, and zeros in the place of those that are not.
#[test]
fn wrong_tags_among_right_ones() {
    for_one(of_operation(&[abi::OPEN]), |row, text| {
        let answer = text.answer(row).expect("it was sealed");
        let mut forged = text.clone();
        *forged.input.last_mut().expect("there is a tag") ^= 1;
        let texts = [text, &forged, text];
        let mut outputs = texts.map(|_| vec![0xa5; answer.len()]);
        let message = |text: &Text, output: &mut Vec<u8>| abi::Message {
            nonce: text.nonce.as_ptr(),
            nonce_bytes: text.nonce.len(),
            aad: text.aad.as_ptr(),
            aad_bytes: text.aad.len(),
            input: text.input.as_ptr(),
            input_bytes: text.input.len(),
            output: output.as_mut_ptr(),
            output_bytes: output.len(),
            unused_bits: 0,
            repeats: 0,
        };
        let messages: Vec<_> = texts.iter().zip(&mut outputs).map(|(t, o)| message(t, o)).collect();
        let mut context = Context::new(row, &text.key);
        let contexts = context.pointers(3);
        // SAFETY: the context has a key, and the texts and outputs live.
        let status =
            unsafe { ciphermark_process_lanes(row, contexts.as_ptr(), messages.as_ptr(), 3) };
        assert_eq!(status, abi::REFUSED, "{}", label(row));
        assert_eq!(outputs, [answer.clone(), vec![0; answer.len()], answer], "{}", label(row));
    });
}
