//! A provider whose functions do nothing, or what takes a known time.
//!
//! Its functions go the whole way of a real one, so what is measured for those that do nothing is the
//! harness's own cost: that of the loop, and of what lies between the harness and a library
//! ([`Adapter`]). The same functions measure the cost that is subtracted from other figures. How much of
//! that cost is hidden behind real work is told by functions that take a known time. Answers are wrong
//! by design; plans name this provider only in `benchmarks/`.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::LazyLock;

use ciphermark_algorithms::Algorithm;

use crate::api::*;
use crate::checks;
use crate::shim::abi;
use crate::shim::function::Rows;
use crate::table::Recipe;

const NAME: &str = "empty";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "Empty", open, listed: false, switches: None };

fn open(_: Option<&Path>) -> Result<Box<dyn Provider>, Unusable> {
    Ok(Box::new(Empty))
}

/// What is done with a message of so many bytes.
trait Work: Send + 'static {
    fn run(bytes: usize);
}

/// Steps of a loop of the works.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const UNROLLED: usize = 16;

struct Nothing;

impl Work for Nothing {
    #[inline]
    fn run(_: usize) {}
}

/// For each byte a vector addition that waits for the one before, also for that of the message before:
/// latency bounds it. The register is one that nothing between two calls uses.
struct Dependent;

impl Work for Dependent {
    #[inline]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_variables))]
    fn run(bytes: usize) {
        // SAFETY: only the named registers are changed.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!(
                "2:", ".rept 16", "paddd xmm15, xmm15", ".endr", "sub {left}, 1", "jnz 2b",
                left = inout(reg) (bytes / UNROLLED).max(1) => _, out("xmm15") _,
                options(nomem, nostack),
            );
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!(
                "2:", ".rept 16", "add v31.4s, v31.4s, v31.4s", ".endr",
                "subs {left}, {left}, #1", "b.ne 2b",
                left = inout(reg) (bytes / UNROLLED).max(1) => _, out("v31") _,
                options(nomem, nostack),
            );
        }
    }
}

/// For each byte a vector addition that waits for none of the seven before: throughput bounds it.
struct Independent;

impl Work for Independent {
    #[inline]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_variables))]
    fn run(bytes: usize) {
        // SAFETY: only the named registers are changed.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!(
                "2:", ".rept 2",
                "paddd xmm8, xmm8", "paddd xmm9, xmm9", "paddd xmm10, xmm10", "paddd xmm11, xmm11",
                "paddd xmm12, xmm12", "paddd xmm13, xmm13", "paddd xmm14, xmm14",
                "paddd xmm15, xmm15",
                ".endr", "sub {left}, 1", "jnz 2b",
                left = inout(reg) (bytes / UNROLLED).max(1) => _,
                out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                options(nomem, nostack),
            );
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!(
                "2:", ".rept 2",
                "add v24.4s, v24.4s, v24.4s", "add v25.4s, v25.4s, v25.4s",
                "add v26.4s, v26.4s, v26.4s", "add v27.4s, v27.4s, v27.4s",
                "add v28.4s, v28.4s, v28.4s", "add v29.4s, v29.4s, v29.4s",
                "add v30.4s, v30.4s, v30.4s", "add v31.4s, v31.4s, v31.4s",
                ".endr", "subs {left}, {left}, #1", "b.ne 2b",
                left = inout(reg) (bytes / UNROLLED).max(1) => _,
                out("v24") _, out("v25") _, out("v26") _, out("v27") _,
                out("v28") _, out("v29") _, out("v30") _, out("v31") _,
                options(nomem, nostack),
            );
        }
    }
}

/// The functions of one kind of work.
#[derive(Clone, Copy)]
struct Functions {
    direct: fn() -> Box<dyn Function>,
    direct_lanes: fn() -> Box<dyn Lanes>,
    rows: &'static [abi::Function],
}

const fn functions<W: Work>() -> Functions {
    Functions {
        direct: || Box::new(Direct::<W>(PhantomData)),
        direct_lanes: || Box::new(Direct::<W>(PhantomData)),
        rows: &const { [row::<W>()] },
    }
}

/// Names of the backends: what is done, and behind which adapter.
const BACKENDS: [(&str, Adapter, Functions); 6] = [
    (checks::DEFAULT_BACKEND, Adapter::Direct, functions::<Nothing>()),
    ("row", Adapter::Row, functions::<Nothing>()),
    ("dependent", Adapter::Direct, functions::<Dependent>()),
    ("row-dependent", Adapter::Row, functions::<Dependent>()),
    ("independent", Adapter::Direct, functions::<Independent>()),
    ("row-independent", Adapter::Row, functions::<Independent>()),
];

/// A function that does nothing, behind this adapter. Its messages have nonces of so many bytes.
pub fn function(adapter: Adapter, nonce_bytes: usize) -> Box<dyn Function> {
    create(adapter, functions::<Nothing>(), &nothing(nonce_bytes)).expect("nothing can be done")
}

/// The same for `lanes` messages in a call.
pub fn lanes(adapter: Adapter, nonce_bytes: usize, lanes: usize) -> Box<dyn Lanes> {
    let request = nothing(nonce_bytes);
    create_lanes(adapter, functions::<Nothing>(), &request, lanes, 1).expect("nothing can be done")
}

fn nothing(nonce_bytes: usize) -> Request<'static> {
    let usual = Request::usual(NAME, checks::DEFAULT_BACKEND, Operation::Seal);
    Request { nonce_bytes: Some(nonce_bytes), ..usual }
}

fn create(
    adapter: Adapter,
    functions: Functions,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    match adapter {
        Adapter::Direct => Ok((functions.direct)()),
        Adapter::Row | Adapter::Compared => {
            Ok(Box::new(rows(functions).plain(&LIBRARY, facts(), &sealing(request), adapter)?))
        }
    }
}

fn create_lanes(
    adapter: Adapter,
    functions: Functions,
    request: &Request<'_>,
    lanes: usize,
    keys: usize,
) -> Result<Box<dyn Lanes>, CreateError> {
    match adapter {
        Adapter::Direct => Ok((functions.direct_lanes)()),
        Adapter::Row | Adapter::Compared => {
            rows(functions).create_lanes(&LIBRARY, facts(), &sealing(request), lanes, keys)
        }
    }
}

/// Without a tag to open is what to seal is.
fn sealing<'a>(request: &Request<'a>) -> Request<'a> {
    Request { operation: Operation::Seal, ..*request }
}

fn rows(Functions { rows, .. }: Functions) -> Rows {
    Rows { rows, backend: None, variant: None }
}

fn facts() -> &'static Algorithm {
    ciphermark_algorithms::find(NAME).expect("the algorithm has facts")
}

struct Empty;

impl Provider for Empty {
    fn library(&self) -> Library {
        Library {
            version: env!("CARGO_PKG_VERSION").into(),
            location: "compiled into the engine".into(),
            build: String::new(),
        }
    }

    fn implementations(&self) -> Vec<Implementation> {
        BACKENDS
            .iter()
            .map(|&(backend, adapter, _)| Implementation {
                algorithm: NAME.into(),
                provider: NAME.into(),
                backend: backend.into(),
                default: backend == checks::DEFAULT_BACKEND,
                backend_evidence: BackendEvidence::Reported,
                constant_time: Some(true),
                operations: facts().kind.operations().to_vec(),
                patterns: Pattern::ALL.to_vec(),
                most_lanes: u32::MAX,
                takes_repeats: adapter == Adapter::Direct,
                path: String::new(),
                switches: BTreeMap::new(),
                features: Vec::new(),
                leaves_vectors_dirty: None,
            })
            .collect()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let (adapter, functions) = find(request)?;
        create(adapter, functions, request)
    }

    fn create_lanes(
        &self,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        let (adapter, functions) = find(request)?;
        create_lanes(adapter, functions, request, lanes, keys)
    }
}

fn find(request: &Request<'_>) -> Result<(Adapter, Functions), CreateError> {
    let found = BACKENDS.iter().find(|(backend, ..)| *backend == request.backend);
    let (_, adapter, functions) = found.ok_or_else(|| checks::unknown_backend(request))?;
    Ok((*adapter, *functions))
}

/// A function with nothing between it and the harness.
struct Direct<W>(PhantomData<W>);

impl<W: Work> Function for Direct<W> {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, _: &mut [u8]) -> Result<(), CallError> {
        W::run(message.input.len());
        Ok(())
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        _: Parts,
        _: &mut [u8],
    ) -> Result<(), CallError> {
        W::run(message.input.len());
        Ok(())
    }

    fn renew(&mut self, _: Renewed) -> Result<(), CallError> {
        Ok(())
    }
}

impl<W: Work> Lanes for Direct<W> {
    fn set_key(&mut self, _: usize, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, messages: &[Message<'_>], _: &mut [&mut [u8]]) -> Result<(), CallError> {
        messages.iter().for_each(|message| W::run(message.input.len()));
        Ok(())
    }

    fn process_under(
        &mut self,
        _: &[u32],
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        Lanes::process(self, messages, outputs)
    }
}

/// The table of a library that has nothing, and gets it anew.
static LIBRARY: LazyLock<abi::Library> =
    LazyLock::new(|| abi::Library { renew: Some(renew), ..abi::Library::of(&[]) });

extern "C" fn renew(_: &abi::Function, _: *mut c_void, _: u32) -> c_int {
    abi::DONE
}

/// A row that takes keys and nonces of any length.
const fn row<W: Work>() -> abi::Function {
    let any = abi::Range { least: 0, most: usize::MAX };
    abi::Function {
        key_bytes: any,
        nonce_bytes: any,
        lanes: usize::MAX,
        set_key: Some(set_key),
        process_chunks: Some(process_chunks::<W>),
        process_lanes: Some(process_lanes::<W>),
        ..abi::row(c"empty", abi::SEAL, process::<W>)
    }
}

extern "C" fn set_key(_: &abi::Function, _: *mut c_void, _: *const u8, _: usize) -> c_int {
    abi::DONE
}

extern "C" fn process<W: Work>(_: &abi::Function, _: *mut c_void, message: &abi::Message) -> c_int {
    W::run(message.input_bytes);
    abi::DONE
}

extern "C" fn process_chunks<W: Work>(
    row: &abi::Function,
    context: *mut c_void,
    message: &abi::Message,
    _: usize,
) -> c_int {
    process::<W>(row, context, message)
}

unsafe extern "C" fn process_lanes<W: Work>(
    _: &abi::Function,
    _: *const *mut c_void,
    messages: *const abi::Message,
    count: usize,
) -> c_int {
    // SAFETY: callers give so many messages.
    let messages = unsafe { std::slice::from_raw_parts(messages, count) };
    messages.iter().for_each(|message| W::run(message.input_bytes));
    abi::DONE
}
