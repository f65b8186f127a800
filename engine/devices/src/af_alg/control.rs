//! The control messages that a request begins with: direction, IV, length of the associated data.

use std::{mem, ptr};

use libc::{c_int, c_uint, cmsghdr};

/// How the kernel's IV is made of a nonce: constant bytes, the nonce, zeros.
#[derive(Clone, Copy, Debug)]
pub struct Iv {
    pub before: &'static [u8],
    pub after: usize,
}

impl Iv {
    pub const NONCE: Iv = Iv { before: &[], after: 0 };

    /// The IV of the nonce zero; its nonce begins behind what stands before.
    pub fn zero(self, nonce_bytes: usize) -> Vec<u8> {
        [self.before, &vec![0; nonce_bytes + self.after]].concat()
    }
}

/// Made once; a message only changes nonce and length in it.
pub struct Control {
    bytes: Vec<u8>,
    nonce_at: usize,
    associated_at: Option<usize>,
}

impl Control {
    pub fn new(encrypts: bool, iv: Iv, nonce_bytes: usize, is_aead: bool) -> Self {
        let mut new = Self { bytes: Vec::new(), nonce_at: 0, associated_at: None };
        let direction = if encrypts { libc::ALG_OP_ENCRYPT } else { libc::ALG_OP_DECRYPT };
        new.append(libc::ALG_SET_OP, &direction.to_ne_bytes());
        if is_aead {
            new.associated_at = Some(new.append(libc::ALG_SET_AEAD_ASSOCLEN, &0_u32.to_ne_bytes()));
        }
        let zero = iv.zero(nonce_bytes);
        if !zero.is_empty() {
            let length = (zero.len() as u32).to_ne_bytes();
            let at = new.append(libc::ALG_SET_IV, &[&length, zero.as_slice()].concat());
            new.nonce_at = at + length.len() + iv.before.len();
        }
        new
    }

    /// Appends a control message; says where its data are.
    fn append(&mut self, kind: c_int, data: &[u8]) -> usize {
        let length = data.len() as c_uint;
        // SAFETY: they only compute.
        let (length, space) = unsafe { (libc::CMSG_LEN(length), libc::CMSG_SPACE(length)) };
        let start = self.bytes.len();
        self.bytes.resize(start + space as usize, 0);
        // SAFETY: it is three numbers, in musl with a gap between them.
        let mut header: cmsghdr = unsafe { mem::zeroed() };
        header.cmsg_len = length as _;
        (header.cmsg_level, header.cmsg_type) = (libc::SOL_ALG, kind);
        let room: &mut [u8] = &mut self.bytes[start..][..mem::size_of::<cmsghdr>()];
        // SAFETY: the room is of its size.
        unsafe { ptr::write_unaligned(room.as_mut_ptr().cast(), header) };
        let data_at = start + length as usize - data.len();
        self.bytes[data_at..][..data.len()].copy_from_slice(data);
        data_at
    }

    /// The messages for a request with this nonce, of the length that all have.
    pub fn of(&mut self, nonce: &[u8], associated_bytes: usize) -> &[u8] {
        self.bytes[self.nonce_at..][..nonce.len()].copy_from_slice(nonce);
        if let Some(at) = self.associated_at {
            let bytes = (associated_bytes as u32).to_ne_bytes();
            self.bytes[at..][..bytes.len()].copy_from_slice(&bytes);
        }
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Type and data of each message, as the kernel walks through them.
    fn messages(mut control: &[u8]) -> Vec<(c_int, Vec<u8>)> {
        let mut found = Vec::new();
        while !control.is_empty() {
            // SAFETY: a header of zeros or more stands there, and any bytes are one.
            let header: cmsghdr = unsafe { ptr::read_unaligned(control.as_ptr().cast()) };
            assert_eq!(header.cmsg_level, libc::SOL_ALG);
            // SAFETY: they only compute.
            let start = unsafe { libc::CMSG_LEN(0) } as usize;
            let data = &control[start..header.cmsg_len as usize];
            found.push((header.cmsg_type, data.to_vec()));
            // SAFETY: as above.
            control = &control[unsafe { libc::CMSG_SPACE(data.len() as u32) } as usize..];
        }
        found
    }

    #[test]
    fn a_request_has_direction_length_and_iv() {
        let iv = Iv { before: &[2], after: 3 };
        let mut control = Control::new(true, iv, 12, true);
        let expected_iv = [&16_u32.to_ne_bytes()[..], &[2], &[7; 12], &[0; 3]].concat();
        assert_eq!(
            messages(control.of(&[7; 12], 300)),
            [
                (libc::ALG_SET_OP, 1_u32.to_ne_bytes().to_vec()),
                (libc::ALG_SET_AEAD_ASSOCLEN, 300_u32.to_ne_bytes().to_vec()),
                (libc::ALG_SET_IV, expected_iv),
            ]
        );
    }

    #[test]
    fn without_nonce_there_is_no_iv() {
        let mut control = Control::new(false, Iv::NONCE, 0, false);
        let direction = (libc::ALG_SET_OP, 0_u32.to_ne_bytes().to_vec());
        assert_eq!(messages(control.of(&[], 0)), [direction]);
    }
}
