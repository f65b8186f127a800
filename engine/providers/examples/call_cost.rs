//! What a call through `kernel.h` costs beside one from Rust: both end in the same function of a shared
//! object, which does nothing. Prints cycles per message of 16 bytes, 20th percentiles over slices that
//! take turns; of a row as it is, and of one whose messages were made ready before, as those of the timed
//! loop are.
//!
//! The adapter in Rust checks lengths and calls, as those did that libraries had before their shims.

use std::ffi::c_int;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ciphermark_providers::api::*;
use ciphermark_registry as registry;
use libloading::os::unix::Library;

const SOURCE: &str = r#"
#include "kernel.h"

int seal(uint8_t *output, const uint8_t *input, uint64_t input_bytes, const uint8_t *aad,
         uint64_t aad_bytes, const uint8_t *nonce, const void *key)
{
    return 0;
}

static int (*volatile opened)(uint8_t *, const uint8_t *, uint64_t, const uint8_t *, uint64_t,
                              const uint8_t *, const void *) = seal;

static int process(const struct ciphermark_function *self, void *context,
                   const struct ciphermark_message *m)
{
    return opened(m->output, m->input, m->input_bytes, m->aad, m->aad_bytes, m->nonce, context);
}

static int set_key(const struct ciphermark_function *self, void *context, const uint8_t *key,
                   size_t key_bytes)
{
    return 0;
}

static const struct ciphermark_function functions[] = {
    {.algorithm = "aes-128-gcm", .operation = CIPHERMARK_SEAL, .key_bytes = {16, 16},
     .nonce_bytes = {12, 12}, .tag_bytes = 16, .lanes = 1, .context_bytes = 64,
     .context_alignment = 16, .set_key = set_key, .process = process},
};

const struct ciphermark_library *ciphermark_library(void)
{
    static const struct ciphermark_library library = {
        .abi = CIPHERMARK_ABI, .function_bytes = sizeof functions[0], .library_version = "1",
        .function_count = 1, .functions = functions};
    return &library;
}
"#;

const TAG_BYTES: usize = 16;
const MESSAGES: usize = 256;
const SLICES: usize = 4001;
const CHAIN: u32 = 12_800;

type Seal = unsafe extern "C" fn(
    *mut u8,
    *const u8,
    u64,
    *const u8,
    u64,
    *const u8,
    *const [u8; 64],
) -> c_int;

struct Adapter {
    seal: Seal,
    nonce_bytes: usize,
    key: [u8; 64],
}

impl Function for Adapter {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let Message { nonce, aad, input, .. } = message;
        if nonce.len() != self.nonce_bytes || output.len() != input.len() + TAG_BYTES {
            return Err(CallError::Length);
        }
        // SAFETY: it does nothing.
        let status = unsafe {
            (self.seal)(
                output.as_mut_ptr(),
                input.as_ptr(),
                input.len() as u64,
                aad.as_ptr(),
                aad.len() as u64,
                nonce.as_ptr(),
                &self.key,
            )
        };
        if status == 0 { Ok(()) } else { Err(CallError::Library(status.into())) }
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let object = compiled(folder.path());
    // SAFETY: it is the object above, and stays open.
    let (library, seal) = unsafe {
        let library = Library::new(&object).expect("it was compiled");
        let seal = *library.get::<Seal>("seal").expect("it has this function");
        (library, seal)
    };
    let provider = (registry::find("kernel").expect("registered").open)(Some(&object));
    let provider = provider.unwrap_or_else(|why| panic!("{why}"));
    let request = Request::usual("aes-128-gcm", "default", Operation::Seal);
    let mut row = provider.create(&request).expect("it has this row");
    let mut adapter: Box<dyn Function> =
        black_box(Box::new(Adapter { seal, nonce_bytes: 12, key: [0; 64] }));
    let mut costs = [const { Vec::new() }; 3];
    for _ in 0..SLICES {
        costs[0].push(cycles(adapter.as_mut(), false));
        costs[1].push(cycles(row.as_mut(), false));
        costs[2].push(cycles(row.as_mut(), true));
    }
    let [adapter, row, prepared] = costs.map(|mut costs: Vec<f64>| {
        costs.sort_by(f64::total_cmp);
        costs[SLICES / 5]
    });
    println!("adapter in Rust: {adapter:.2} cycles");
    println!("row of kernel.h: {row:.2} cycles, {:+.2}", row - adapter);
    println!("row, messages made ready before: {prepared:.2} cycles, {:+.2}", prepared - adapter);
    drop(library);
}

fn compiled(folder: &Path) -> std::path::PathBuf {
    let (source, object) = (folder.join("empty.c"), folder.join("empty.so"));
    std::fs::write(&source, SOURCE).expect("the folder is ours");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/include");
    let built = Command::new("cc")
        .args(["-std=c99", "-O2", "-shared", "-fPIC", "-w", "-I"])
        .arg(include)
        .arg("-o")
        .args([&object, &source])
        .status();
    assert!(built.expect("cc, which also links Rust, is here").success());
    object
}

/// Core cycles of a call, of a slice of messages.
#[inline(never)]
fn cycles(function: &mut dyn Function, prepares: bool) -> f64 {
    let (nonce, input) = ([0_u8; 12], [0_u8; 16]);
    let mut outputs = [[0_u8; 32]; MESSAGES];
    let messages = [Message::new(&nonce, &input); MESSAGES];
    let mut outputs: Vec<&mut [u8]> = outputs.iter_mut().map(|output| &mut output[..]).collect();
    let prepared: Vec<_> = match prepares {
        true => messages
            .iter()
            .zip(outputs.drain(..))
            .flat_map(|(message, output)| function.prepare(message, output))
            .collect(),
        false => Vec::new(),
    };
    let mut slice = || match prepares {
        true => {
            assert_eq!(prepared.len(), MESSAGES, "the row takes these messages");
            let mut call = function.call().expect("the loop calls a row itself");
            run(&prepared, |message| call.process(message));
        }
        false => {
            let calls = messages.iter().zip(&mut outputs);
            run(calls, |(message, output)| function.process(message, output));
        }
    };
    slice(); // warm
    let before = clock_rate();
    let start = Instant::now();
    (0..8).for_each(|_| slice());
    let ns = start.elapsed().as_nanos() as f64;
    ns * (before + clock_rate()) / 2.0 / (8 * MESSAGES) as f64
}

/// The loop of `workloads/src/single/calls.rs`.
#[inline(never)]
fn run<C>(calls: impl IntoIterator<Item = C>, mut call: impl FnMut(C) -> Result<(), CallError>) {
    for each in calls {
        call(each).expect("it does nothing");
    }
}

/// Core cycles per nanosecond: each addition waits for the one before, and takes one cycle.
fn clock_rate() -> f64 {
    let start = Instant::now();
    let mut sum = 1_u64;
    for _ in 0..CHAIN / 16 {
        // SAFETY: an addition of two registers touches no memory.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            std::arch::asm!(".rept 16", "add {0}, {0}", ".endr", inout(reg) sum, options(nomem, nostack));
            #[cfg(target_arch = "aarch64")]
            std::arch::asm!(".rept 16", "add {0}, {0}, {0}", ".endr", inout(reg) sum, options(nomem, nostack));
        }
    }
    black_box(sum);
    f64::from(CHAIN) / start.elapsed().as_nanos() as f64
}
