//! Buffers whose surroundings are watched: whether a library writes beside its output, changes what it
//! was given to read, or reads beyond it.
//!
//! A write beside a buffer shows in the bytes around it, with its extent, and costs nothing else; a read
//! leaves no trace. So buffers lie between such bytes first. Only a library that has passed that gets
//! them next to pages that may not be touched, where a read ends the process too, as it would end a
//! program whose buffer happens to lie there.

use std::io;

use ciphermark_providers::api::{CallError, Function, Lanes, Message, Operation, Parts};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use crate::buffer::{ALIGNMENT, POISON};

/// Bytes on either side that are looked at.
const EDGE: usize = 64;

/// Places of a buffer by their distance from a multiple of 16, the width of most vector loads.
pub const SHIFTS: usize = 16;

/// Growth of the output's distance with each call; that of the input grows by one.
pub const OUTPUT_STEP: usize = 5;

/// Where a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Place {
    /// With known bytes on both sides: first at a cache line, then at each call so many bytes behind it
    /// that the buffers of sixteen calls lie at all distances from a multiple of 16.
    Between,
    /// Its first byte is the first of a page behind one that may not be touched.
    Front,
    /// Its last byte is the last of a page before one that may not be touched.
    Back,
}

/// What a function did beside its buffers, or to those that it may only read; a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach(pub String);

impl Breach {
    /// With who did so in front.
    pub fn by(self, operation: Operation) -> Self {
        Self(format!("{operation} {}", self.0))
    }
}

/// Why a watched call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Call(CallError),
    Breach(Breach),
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Breach(Breach(format!("got no room for its buffers ({error})")))
    }
}

/// The buffers of one call.
pub struct Watched {
    key: Buffer,
    nonce: Buffer,
    aad: Buffer,
    input: Buffer,
    output: Buffer,
}

impl Watched {
    pub fn new(place: Place) -> Self {
        // Odd and different, so that the buffers of a call are not all shifted alike.
        let buffer =
            |step| Buffer { place, pages: Pages::none(), start: 0, bytes: 0, shift: 0, step };
        Self {
            key: buffer(1),
            nonce: buffer(3),
            aad: buffer(7),
            input: buffer(1),
            output: buffer(OUTPUT_STEP),
        }
    }

    /// Lays the next buffers as if so many calls had been made.
    pub fn shift(&mut self, calls: usize) {
        let Self { key, nonce, aad, input, output } = self;
        for buffer in [key, nonce, aad, input, output] {
            buffer.shift = calls * buffer.step % SHIFTS;
        }
    }

    /// [`Function::set_key`].
    pub fn set_key(&mut self, function: &mut dyn Function, key: &[u8]) -> Result<(), Fault> {
        self.key.hold(key)?;
        let result = function.set_key(self.key.get());
        self.key.check("key", Some(key))?;
        Ok(result?)
    }

    /// [`Function::process`], or of a message in parts [`Function::process_parts`]. The answer has so
    /// many bytes.
    pub fn process(
        &mut self,
        function: &mut dyn Function,
        message: &Message<'_>,
        parts: Option<Parts>,
        output_bytes: usize,
    ) -> Result<&[u8], Fault> {
        self.hold(message, output_bytes)?;
        let Self { nonce, aad, input, output, .. } = self;
        let unused_bits = message.unused_bits;
        let held = Message { nonce: nonce.get(), aad: aad.get(), input: input.get(), unused_bits };
        let result = match parts {
            None => function.process(&held, output.get_mut()),
            Some(parts) => function.process_parts(&held, parts, output.get_mut()),
        };
        self.check(message)?;
        result?;
        Ok(self.output.get())
    }

    fn hold(&mut self, message: &Message<'_>, output_bytes: usize) -> io::Result<()> {
        self.nonce.hold(message.nonce)?;
        self.aad.hold(message.aad)?;
        self.input.hold(message.input)?;
        self.output.lay(output_bytes)?;
        self.output.get_mut().fill(POISON);
        Ok(())
    }

    /// Whether only the output was written to.
    fn check(&self, message: &Message<'_>) -> Result<(), Fault> {
        self.output.check("output", None)?;
        self.input.check("input", Some(message.input))?;
        self.nonce.check("nonce", Some(message.nonce))?;
        self.aad.check("associated data", Some(message.aad))
    }
}

/// A lane's key or message in a call of several.
pub struct WatchedLanes(Vec<Watched>);

impl WatchedLanes {
    pub fn new(place: Place, lanes: usize) -> Self {
        let mut lanes: Vec<Watched> = (0..lanes).map(|_| Watched::new(place)).collect();
        lanes.iter_mut().enumerate().for_each(|(lane, it)| it.shift(lane));
        Self(lanes)
    }

    /// [`Lanes::set_key`].
    pub fn set_key(
        &mut self,
        function: &mut dyn Lanes,
        number: usize,
        key: &[u8],
    ) -> Result<(), Fault> {
        let watched = &mut self.0[number];
        watched.key.hold(key)?;
        let result = function.set_key(number, watched.key.get());
        watched.key.check("key", Some(key))?;
        Ok(result?)
    }

    /// [`Lanes::process`], of a message in each lane with an answer of so many bytes.
    pub fn process(
        &mut self,
        function: &mut dyn Lanes,
        messages: &[Message<'_>],
        output_bytes: usize,
    ) -> Result<(), Fault> {
        for (watched, message) in self.0.iter_mut().zip(messages) {
            watched.hold(message, output_bytes)?;
        }
        let (mut held, mut outputs) = (Vec::new(), Vec::new());
        for (watched, message) in self.0.iter_mut().zip(messages) {
            let Watched { nonce, aad, input, output, .. } = watched;
            let unused_bits = message.unused_bits;
            held.push(Message {
                nonce: nonce.get(),
                aad: aad.get(),
                input: input.get(),
                unused_bits,
            });
            outputs.push(output.get_mut());
        }
        let result = function.process(&held, &mut outputs);
        for (watched, message) in self.0.iter().zip(messages) {
            watched.check(message)?;
        }
        Ok(result?)
    }
}

/// Bytes at a place, in pages of their own.
struct Buffer {
    place: Place,
    pages: Pages,
    start: usize,
    bytes: usize,
    /// Distance of the next place from a cache line.
    shift: usize,
    /// Growth of that distance with each place.
    step: usize,
}

impl Buffer {
    /// Lies around a copy of these bytes.
    fn hold(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lay(bytes.len())?;
        self.get_mut().copy_from_slice(bytes);
        Ok(())
    }

    /// Lies around so many bytes, with known ones beside them.
    fn lay(&mut self, bytes: usize) -> io::Result<()> {
        let room = bytes.next_multiple_of(ALIGNMENT) + 2 * EDGE + SHIFTS;
        if self.pages.bytes() < room {
            self.pages = Pages::of(room)?;
        }
        self.bytes = bytes;
        self.start = match self.place {
            Place::Between => EDGE.next_multiple_of(ALIGNMENT) + self.shift,
            Place::Front => 0,
            Place::Back => self.pages.bytes() - bytes,
        };
        self.shift = (self.shift + self.step) % SHIFTS;
        let (before, behind) = self.edges();
        for (at, byte) in self.pages.get_mut()[before..self.start].iter_mut().enumerate() {
            *byte = known(at);
        }
        let end = self.start + bytes;
        for (at, byte) in self.pages.get_mut()[end..behind].iter_mut().enumerate() {
            *byte = known(at);
        }
        Ok(())
    }

    /// Where the known bytes begin and end.
    fn edges(&self) -> (usize, usize) {
        let end = self.start + self.bytes;
        (self.start.saturating_sub(EDGE), (end + EDGE).min(self.pages.bytes()))
    }

    fn get(&self) -> &[u8] {
        &self.pages.get()[self.start..self.start + self.bytes]
    }

    fn get_mut(&mut self) -> &mut [u8] {
        let range = self.start..self.start + self.bytes;
        &mut self.pages.get_mut()[range]
    }

    /// Whether the bytes beside it are as they were, and those in it where they are given.
    fn check(&self, name: &str, content: Option<&[u8]>) -> Result<(), Fault> {
        let (before, behind) = self.edges();
        let (pages, end) = (self.pages.get(), self.start + self.bytes);
        let changed = |range: &[u8], first: bool| {
            let mut at = range.iter().enumerate().filter(|(at, byte)| **byte != known(*at));
            if first { at.next() } else { at.next_back() }.map(|(at, _)| at)
        };
        let breach = |count: usize, side: &str| {
            let more = if count == EDGE { " or more" } else { "" };
            let s = if count == 1 { "" } else { "s" };
            let sentence =
                format!("wrote {count} byte{s}{more} {side} its {name} of {} bytes", self.bytes);
            Err(Fault::Breach(Breach(sentence)))
        };
        if let Some(last) = changed(&pages[end..behind], false) {
            return breach(last + 1, "behind");
        }
        if let Some(first) = changed(&pages[before..self.start], true) {
            return breach(self.start - before - first, "before");
        }
        match content {
            Some(content) if content != self.get() => {
                let sentence = format!("changed its {name} of {} bytes", self.bytes);
                Err(Fault::Breach(Breach(sentence)))
            }
            _ => Ok(()),
        }
    }
}

/// A byte beside a buffer: not the same everywhere, as what is written may be.
fn known(at: usize) -> u8 {
    (at as u8).wrapping_mul(167).wrapping_add(0x3D)
}

/// Whole pages between two that may not be touched.
struct Pages {
    /// The first of the two.
    base: *mut u8,
    /// Of the pages between them.
    bytes: usize,
}

// SAFETY: the memory belongs to this value alone, as that of a vector does.
unsafe impl Send for Pages {}

impl Pages {
    fn none() -> Self {
        Self { base: std::ptr::null_mut(), bytes: 0 }
    }

    /// Room for so many bytes at least.
    fn of(bytes: usize) -> io::Result<Self> {
        let page = rustix::param::page_size();
        let bytes = bytes.next_multiple_of(page);
        let whole = bytes + 2 * page;
        let none = std::ptr::null_mut();
        // SAFETY: the kernel chooses an address where nothing is.
        let base = unsafe { mmap_anonymous(none, whole, ProtFlags::empty(), MapFlags::PRIVATE) }?;
        let pages = Self { base: base.cast(), bytes };
        let readable = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: these pages are within those that were just mapped, and nobody refers to them yet.
        unsafe { mprotect(pages.inner().cast(), bytes, readable) }?;
        Ok(pages)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn inner(&self) -> *mut u8 {
        self.base.wrapping_add(rustix::param::page_size())
    }

    fn get(&self) -> &[u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: so many bytes are mapped there, readable and zero at first, as long as this lives.
        unsafe { std::slice::from_raw_parts(self.inner(), self.bytes) }
    }

    fn get_mut(&mut self) -> &mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: as above, and writable; nobody else has them, as this is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.inner(), self.bytes) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let whole = self.bytes + 2 * rustix::param::page_size();
            // SAFETY: they were mapped by this value, which nothing borrows any more. A failure leaves
            // them mapped, which harms nobody.
            let _ = unsafe { munmap(self.base.cast(), whole) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function that does so with its buffers, as pointers know no ends.
    struct Careless(fn(&Message<'_>, &mut [u8]));

    impl Function for Careless {
        fn set_key(&mut self, _key: &[u8]) -> Result<(), CallError> {
            Ok(())
        }

        fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
            output.fill(1);
            (self.0)(message, output);
            Ok(())
        }
    }

    fn called(place: Place, careless: fn(&Message<'_>, &mut [u8])) -> Result<Vec<u8>, Fault> {
        let message = Message { nonce: &[2; 12], aad: &[3; 5], input: &[4; 43], unused_bits: 0 };
        let mut watched = Watched::new(place);
        watched.process(&mut Careless(careless), &message, None, 32).map(<[u8]>::to_vec)
    }

    /// Writes to a byte that lies so far from the beginning of these.
    fn write_at(bytes: &[u8], offset: isize) {
        // SAFETY: the pages around every watched buffer are this test's; that of a `Message` is in
        // writable memory too. Nothing else looks at the byte while it is written.
        unsafe {
            let at = bytes.as_ptr().cast_mut().offset(offset);
            at.write_volatile(at.read_volatile() ^ 1);
        }
    }

    fn breach(careless: fn(&Message<'_>, &mut [u8])) -> String {
        match called(Place::Between, careless) {
            Err(Fault::Breach(Breach(sentence))) => sentence,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_stays_within_its_buffers_passes_at_every_place() {
        for place in [Place::Between, Place::Front, Place::Back] {
            assert_eq!(called(place, |_, _| ()), Ok(vec![1; 32]));
        }
    }

    #[test]
    fn one_byte_beside_the_output_is_seen() {
        assert_eq!(
            breach(|_, output| write_at(output, 32)),
            "wrote 1 byte behind its output of 32 bytes"
        );
        assert_eq!(
            breach(|_, output| write_at(output, -1)),
            "wrote 1 byte before its output of 32 bytes"
        );
        assert_eq!(
            breach(|_, output| write_at(output, 32 + 63)),
            "wrote 64 bytes or more behind its output of 32 bytes"
        );
    }

    #[test]
    fn what_was_given_to_read_may_not_be_written() {
        assert_eq!(breach(|it, _| write_at(it.input, 7)), "changed its input of 43 bytes");
        assert_eq!(breach(|it, _| write_at(it.nonce, 0)), "changed its nonce of 12 bytes");
        assert_eq!(
            breach(|it, _| write_at(it.aad, -3)),
            "wrote 3 bytes before its associated data of 5 bytes"
        );
    }

    #[test]
    fn writes_are_seen_on_the_side_that_may_be_touched() {
        assert!(called(Place::Front, |_, output| write_at(output, 32)).is_err());
        assert!(called(Place::Back, |_, output| write_at(output, -1)).is_err());
    }

    #[test]
    fn sixteen_calls_have_their_buffers_at_all_alignments() {
        let message = Message { nonce: &[2; 12], aad: &[3; 5], input: &[4; 43], unused_bits: 0 };
        let mut watched = Watched::new(Place::Between);
        let mut seen = [const { std::collections::BTreeSet::new() }; 5];
        for _ in 0..SHIFTS {
            watched.set_key(&mut Careless(|_, _| ()), &[1; 16]).expect("it stays within");
            watched.process(&mut Careless(|_, _| ()), &message, None, 32).expect("it does");
            let Watched { key, nonce, aad, input, output } = &watched;
            for (set, buffer) in seen.iter_mut().zip([key, nonce, aad, input, output]) {
                set.insert(buffer.get().as_ptr() as usize % SHIFTS);
            }
        }
        assert_eq!(seen.map(|it| it.len()), [SHIFTS; 5]);
    }

    #[test]
    fn buffers_end_where_pages_do() {
        let page = rustix::param::page_size();
        let address = |it: &Buffer| it.get().as_ptr() as usize;
        for bytes in [1, 43, 4096, 5000] {
            let mut watched = Watched::new(Place::Back);
            watched.input.lay(bytes).expect("there is room");
            assert!((address(&watched.input) + bytes).is_multiple_of(page));
            let mut watched = Watched::new(Place::Front);
            watched.input.lay(bytes).expect("there is room");
            assert!(address(&watched.input).is_multiple_of(page));
        }
    }
}
