//! As `benchmarks/cells/loop.h`, for the libraries that are compiled into the engine: a loop written
//! by hand around one call, without anything of the engine. Prints cycles per message, and how
//! crowded the core was.
//!
//! `plain_loop LIBRARY ALGORITHM BYTES PLACE`, of `rustcrypto` or `aws-lc`; the place, 0 to 3, is that of
//! the stack.

use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::Instant;

use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadInOut, KeyInit};
use hmac::Mac;
use hmac::digest::FixedOutputReset;
use sha2::{Digest, Sha256};

const SAMPLES: usize = 2001;
const QUIETEST: usize = 41;
const BATCH_NS: f64 = 65e3;
const CHAIN: u32 = 12_800;
/// Two looks between which the clock changes by a larger share are no good.
const LIKE_RATES: f64 = 0.01;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, library, algorithm, bytes, place] = &arguments[..] else { return usage() };
    let Ok(bytes) = bytes.parse() else { return usage() };
    match place.as_str() {
        "0" => lowered::<1>(library, algorithm, bytes),
        "1" => lowered::<17>(library, algorithm, bytes),
        "2" => lowered::<33>(library, algorithm, bytes),
        "3" => lowered::<49>(library, algorithm, bytes),
        _ => usage(),
    }
}

/// With the stack so many bytes lower.
#[inline(never)]
fn lowered<const BYTES: usize>(library: &str, algorithm: &str, bytes: usize) {
    let room = [0_u8; BYTES];
    black_box(&room);
    run(library, algorithm, bytes);
    black_box(&room);
}

#[inline(never)]
fn run(library: &str, algorithm: &str, bytes: usize) {
    let message = vec![3_u8; bytes];
    match (library, algorithm) {
        ("rustcrypto", "sha256") => {
            let mut digest = [0; 32].into();
            print_cost(|| {
                let mut hasher = Sha256::new();
                hasher.update(black_box(&message));
                hasher.finalize_into(black_box(&mut digest));
            });
        }
        ("rustcrypto", "hmac-sha256") => {
            mac(hmac::HmacReset::<Sha256>::new(&[7; 64].into()), &message);
        }
        ("rustcrypto", "cmac-aes-128") => {
            mac(cmac::Cmac::<aes::Aes128>::new(&[7; 16].into()), &message);
        }
        ("rustcrypto", "aes-128-gcm") => seal(&message),
        ("aws-lc", "sha256") => aws_lc_sha256(&message),
        ("aws-lc", "hmac-sha256") => aws_lc_hmac(&message),
        ("aws-lc", "cmac-aes-128") => aws_lc_cmac(&message),
        _ => usage(),
    }
}

fn usage() {
    eprintln!(
        "name a library, an algorithm, the bytes of a message and a place from 0 to 3: rustcrypto or \
         aws-lc; sha256, hmac-sha256, cmac-aes-128 or, of rustcrypto, aes-128-gcm"
    );
    std::process::exit(1);
}

fn mac<M: Mac + FixedOutputReset>(mut mac: M, message: &[u8]) {
    let mut tag = Default::default();
    print_cost(|| {
        Mac::update(&mut mac, black_box(message));
        mac.finalize_into_reset(black_box(&mut tag));
    });
}

/// Of a program that also opens messages, and in which any may have associated data: where there are other
/// calls of the crate's inner functions, or where the data are known to be none, other code is made.
fn seal(message: &[u8]) {
    let aead = aes_gcm::Aes128Gcm::new(&[7; 16].into());
    let mut output = vec![0; message.len()];
    let mut nonces = [[0; 12]; 64];
    for (number, nonce) in nonces.iter_mut().enumerate() {
        nonce[7] = number as u8;
    }
    let seal = |nonce: &[u8; 12], aad: &[u8], output: &mut [u8]| {
        let text = InOutBuf::new(black_box(message), output).expect("they are as long");
        aead.encrypt_inout_detached(nonce.into(), aad, text).expect("any length is sealed")
    };
    let tag = seal(&nonces[0], &[], &mut output);
    let opened =
        aead.decrypt_inout_detached(&nonces[0].into(), &[], (&mut output[..]).into(), &tag);
    assert!(opened.is_ok() && output == message, "what is sealed can be opened");
    let mut nonces = nonces.iter().cycle();
    print_cost(|| {
        let nonce = nonces.next().expect("a cycle has no end");
        black_box(seal(black_box(nonce), black_box(&[]), &mut output));
    });
}

/// A call that fails must not pass for a quick one.
fn done(status: i32) {
    assert_eq!(status, 1, "the library refused a call");
}

fn aws_lc_sha256(message: &[u8]) {
    use aws_lc_sys::*;
    let mut digest = [0_u8; 32];
    // SAFETY: the context is never given back, and the digest has 32 bytes.
    let (context, sha256) = unsafe { (EVP_MD_CTX_new(), EVP_sha256()) };
    // SAFETY: as above, and the message has so many bytes.
    print_cost(|| unsafe {
        let message = black_box(message);
        done(EVP_DigestInit_ex(context, sha256, null_mut()));
        done(EVP_DigestUpdate(context, message.as_ptr().cast(), message.len()));
        done(EVP_DigestFinal_ex(context, digest.as_mut_ptr(), null_mut()));
    });
}

fn aws_lc_hmac(message: &[u8]) {
    use aws_lc_sys::*;
    let mut tag = [0_u8; 32];
    // SAFETY: the context is never given back, and key and tag have 32 bytes.
    let context = unsafe {
        let context = HMAC_CTX_new();
        done(HMAC_Init_ex(context, [7_u8; 32].as_ptr().cast(), 32, EVP_sha256(), null_mut()));
        context
    };
    // SAFETY: as above, and the message has so many bytes.
    print_cost(|| unsafe {
        let message = black_box(message);
        done(HMAC_Init_ex(context, null(), 0, null(), null_mut()));
        done(HMAC_Update(context, message.as_ptr(), message.len()));
        done(HMAC_Final(context, tag.as_mut_ptr(), null_mut()));
    });
}

fn aws_lc_cmac(message: &[u8]) {
    use aws_lc_sys::*;
    let (mut tag, mut written) = ([0_u8; 16], 0);
    // SAFETY: the context is never given back, and key and tag have 16 bytes.
    let context = unsafe {
        let context = CMAC_CTX_new();
        done(CMAC_Init(context, [7_u8; 16].as_ptr().cast(), 16, EVP_aes_128_cbc(), null_mut()));
        context
    };
    // SAFETY: as above, and the message has so many bytes.
    print_cost(|| unsafe {
        let message = black_box(message);
        done(CMAC_Reset(context));
        done(CMAC_Update(context, message.as_ptr(), message.len()));
        done(CMAC_Final(context, tag.as_mut_ptr(), &mut written));
    });
}

/// Prints the median, over the samples beside which the core was least crowded, of the cycles that one
/// call takes, and how crowded it was.
fn print_cost(mut call: impl FnMut()) {
    let mut messages = 1;
    while batch_ns(&mut call, messages) < BATCH_NS / 2.0 {
        messages *= 2;
    }
    let mut samples: Vec<(f64, f64)> = (0..SAMPLES)
        .map(|_| {
            let before = look();
            let ns = batch_ns(&mut call, messages);
            let after = look();
            let cycles = ns * (before.rate + after.rate) / 2.0 / f64::from(messages);
            let crowding = before.crowding.max(after.crowding);
            // An interrupted chain seems slow beside four at once, and with it the core.
            let alike = (before.rate / after.rate).ln().abs() < LIKE_RATES;
            (if alike { crowding } else { f64::INFINITY }, cycles)
        })
        .collect();
    samples.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut quietest: Vec<f64> = samples[..QUIETEST].iter().map(|&(_, cycles)| cycles).collect();
    quietest.sort_by(f64::total_cmp);
    println!("{:.3} {:.3}", quietest[QUIETEST / 2], samples[QUIETEST / 2].0);
}

fn batch_ns(call: &mut impl FnMut(), messages: u32) -> f64 {
    let start = Instant::now();
    (0..messages).for_each(|_| call());
    start.elapsed().as_nanos() as f64
}

/// Sixteen times an addition to each of these sums, which wait for nothing but the one before of the same.
macro_rules! sixteen_times {
    ($($operand:literal $sum:expr),+) => {
        // SAFETY: an addition of two registers touches no memory.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            std::arch::asm!(
                ".rept 16", $(concat!("add ", $operand, ", ", $operand)),+, ".endr",
                $(inout(reg) $sum),+, options(nomem, nostack)
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::asm!(
                ".rept 16", $(concat!("add ", $operand, ", ", $operand, ", ", $operand)),+, ".endr",
                $(inout(reg) $sum),+, options(nomem, nostack)
            );
        }
    };
}

/// A look at the core.
struct Look {
    /// Its cycles per nanosecond: each addition waits for the one before, and takes one cycle.
    rate: f64,
    /// Time of eight chains at once, more than a core has adders, over that of one: longer while another
    /// thread uses the core.
    crowding: f64,
}

fn look() -> Look {
    let start = Instant::now();
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [1_u64; 8];
    for _ in 0..CHAIN / 16 {
        sixteen_times!("{0}" a);
    }
    let one_ns = start.elapsed().as_nanos() as f64;
    let start = Instant::now();
    for _ in 0..CHAIN / 16 {
        sixteen_times!(
            "{0}" a, "{1}" b, "{2}" c, "{3}" d, "{4}" e, "{5}" f, "{6}" g, "{7}" h
        );
    }
    let eight_ns = start.elapsed().as_nanos() as f64;
    black_box([a, b, c, d, e, f, g, h]);
    Look { rate: f64::from(CHAIN) / one_ns, crowding: eight_ns / one_ns }
}
