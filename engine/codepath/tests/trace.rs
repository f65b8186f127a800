//! Calls whose code path is known.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::arch::asm;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use ciphermark_codepath::{Bits, CodePath, Counts, Kind, count, name, same, trace};

/// More than any call here takes.
const ENOUGH: u32 = 100_000;

fn path_of(mut call: impl FnMut()) -> CodePath {
    call(); // binds symbols
    trace(&mut call, ENOUGH).expect("single steps are delivered here")
}

fn name_of(call: impl FnMut()) -> String {
    name(&path_of(call).features)
}

/// A call that executes some instructions so often that the rest of it does not matter, also where
/// it is not optimised.
macro_rules! executing {
    ($($instruction:literal),+; $($clobbered:tt)+) => {
        || {
            // SAFETY: the instructions only change registers that are declared; the caller has
            // checked that the processor has them.
            unsafe {
                asm!(".rept 100", $($instruction),+, ".endr", $($clobbered)+, options(nostack));
            }
        }
    };
}

/// Whether the processor has what a test needs; prints what it lacks.
macro_rules! has {
    ($($feature:tt),+) => {{
        let lacking: Vec<&str> =
            [$(($feature, is_x86_feature_detected!($feature))),+]
                .into_iter().filter(|(_, present)| !present).map(|(name, _)| name).collect();
        if !lacking.is_empty() {
            eprintln!("skipped: this processor lacks {}", lacking.join(", "));
        }
        lacking.is_empty()
    }};
}

#[test]
fn arithmetic_in_general_registers_is_scalar() {
    let path = path_of(executing!("imul eax, eax, 3", "rol eax, 5"; out("eax") _));
    assert_eq!(path.features, Vec::<String>::new());
    assert_eq!(name(&path.features), "scalar");
}

/// Of each kind and width, how many hundreds a call executes that executes a hundred of each line.
fn hundreds(call: &mut dyn FnMut(), kinds: &[(Kind, Bits)]) -> (Vec<u64>, Counts) {
    let counts = count(call, ENOUGH).expect("single steps are delivered here");
    assert!(!counts.cut, "{counts:?}");
    let of = |key| counts.by_kind.get(key).copied().unwrap_or(0) / 100;
    (kinds.iter().map(of).collect(), counts)
}

#[test]
fn instructions_are_counted_by_kind_and_width() {
    let memory = [0u8; 16];
    let mut call = executing!(
        "pxor xmm0, xmm1", "pand xmm0, [{0}]", "paddb xmm0, xmm1", "psrld xmm0, 3",
        "punpcklbw xmm0, xmm1", "pmuludq xmm0, xmm1", "movdqu xmm0, [{0}]", "imul {1}, {1}",
        "pminub xmm0, xmm1", "mulpd xmm0, xmm1", "movq xmm0, {1}", "mov {1}, [{0}]";
        in(reg) memory.as_ptr(), out(reg) _, out("xmm0") _
    );
    let kinds = [
        (Kind::Logic, 128),
        (Kind::Add, 128),
        (Kind::Minimum, 128),
        (Kind::Shift, 128),
        (Kind::Shuffle, 128),
        (Kind::Multiply, 128),
        (Kind::FloatMultiply, 128),
        (Kind::Carry, 128),
        (Kind::GeneralMultiply, 64),
    ];
    let (found, counts) = hundreds(&mut call, &kinds);
    assert_eq!(found, [3, 1, 1, 1, 1, 1, 1, 1, 1], "{counts:?}");
    assert_eq!((counts.loads[&128] / 100, counts.loads[&64] / 100), (2, 1), "{counts:?}");
    assert!(counts.of(Kind::General) < 200, "{counts:?}");
}

#[test]
fn wide_instructions_are_counted_apart() {
    if !has!("avx512bw", "avx512vbmi", "avx512ifma", "gfni") {
        return;
    }
    let mut memory = [0u8; 64];
    let mut call = executing!(
        "vpermi2b zmm0, zmm1, zmm1", "vpermb zmm0, zmm1, zmm1", "vpshufb zmm0, zmm1, zmm1",
        "vgf2p8affineqb zmm0, zmm1, zmm1, 0", "vpmadd52luq zmm0, zmm1, zmm1",
        "vpcmpgtb k1, zmm0, zmm1", "vpmuludq ymm0, ymm1, ymm1", "vpternlogq zmm0, zmm1, [{0}], 6",
        "vmovdqu64 [{0}], zmm0";
        in(reg) memory.as_mut_ptr(), out("xmm0") _, out("k1") _
    );
    let kinds = [
        (Kind::PermuteTwo, 512),
        (Kind::Permute, 512),
        (Kind::Shuffle, 512),
        (Kind::Affine, 512),
        (Kind::Multiply52, 512),
        (Kind::Mask, 512),
        (Kind::Multiply, 256),
        (Kind::Logic, 512),
        (Kind::Carry, 512),
    ];
    let (found, counts) = hundreds(&mut call, &kinds);
    assert_eq!(found, [1; 9], "{counts:?}");
    assert_eq!((counts.loads[&512], counts.stores[&512]), (100, 100), "{counts:?}");
}

#[test]
fn instructions_tell_their_extension() {
    if has!("bmi2") {
        assert_eq!(name_of(executing!("rorx eax, eax, 7"; out("eax") _)), "scalar-bmi2");
    }
    if has!("adx") {
        assert_eq!(name_of(executing!("adcx rax, rax"; out("rax") _)), "scalar-adx");
    }
    assert_eq!(name_of(executing!("paddd xmm0, xmm1"; out("xmm0") _)), "sse2");
    if has!("ssse3") {
        assert_eq!(name_of(executing!("pshufb xmm0, xmm1"; out("xmm0") _)), "ssse3");
    }
    if has!("sse4.1") {
        assert_eq!(name_of(executing!("pmulld xmm0, xmm1"; out("xmm0") _)), "sse4");
    }
    if has!("aes") {
        assert_eq!(name_of(executing!("aesenc xmm0, xmm1"; out("xmm0") _)), "aesni");
    }
    if has!("sha") {
        assert_eq!(name_of(executing!("sha256rnds2 xmm1, xmm2"; out("xmm1") _)), "shani");
    }
    if has!("pclmulqdq") {
        assert_eq!(name_of(executing!("pclmulqdq xmm0, xmm1, 1"; out("xmm0") _)), "clmul");
    }
    if has!("avx", "aes") {
        assert_eq!(name_of(executing!("vaesenc xmm0, xmm0, xmm1"; out("xmm0") _)), "aesni-avx");
    }
    if has!("avx2") {
        assert_eq!(name_of(executing!("vpaddd ymm0, ymm0, ymm1"; out("ymm0") _)), "avx2");
    }
    if has!("avx2", "vaes", "vpclmulqdq") {
        let call = executing!(
            "vaesenc ymm0, ymm0, ymm1", "vpclmulqdq ymm0, ymm0, ymm1, 1", "vpxor ymm0, ymm0, ymm1";
            out("ymm0") _
        );
        assert_eq!(name_of(call), "vaes-vpclmul-avx2");
    }
    if has!("avx512f") {
        assert_eq!(name_of(executing!("vpaddd zmm0, zmm0, zmm1"; out("zmm0") _)), "avx512");
    }
}

#[test]
fn carrying_data_in_vector_registers_is_no_computing() {
    let call = executing!(
        "movdqa xmm0, xmm1", "pxor xmm0, xmm0", "movq xmm0, rax", "punpcklqdq xmm0, xmm0",
        "pcmpeqd xmm0, xmm0";
        out("xmm0") _
    );
    assert_eq!(name_of(call), "scalar");
    if has!("avx2") {
        let call = executing!(
            "vmovdqa ymm0, ymm1", "vpxor ymm0, ymm0, ymm0", "vpbroadcastd ymm0, xmm0",
            "vextracti128 xmm0, ymm0, 1", "vzeroupper";
            out("ymm0") _
        );
        assert_eq!(name_of(call), "scalar");
    }
}

#[test]
fn a_little_of_what_compilers_put_everywhere_is_no_method() {
    let call = executing!(
        "imul eax, eax, 3", "imul eax, eax, 5", "imul eax, eax, 7", "imul eax, eax, 9",
        "imul eax, eax, 11", "imul eax, eax, 13", "imul eax, eax, 15", "imul eax, eax, 17",
        "imul eax, eax, 19", "imul eax, eax, 21", "imul eax, eax, 23", "pxor xmm0, xmm1";
        out("eax") _, out("xmm0") _
    );
    assert_eq!(name_of(call), "scalar");
}

#[test]
fn copies_of_the_c_library_are_left_out() {
    let from = vec![7_u8; 4096];
    let mut to = vec![0_u8; 4096];
    let path = path_of(|| black_box(&mut to).copy_from_slice(black_box(&from)));
    assert_eq!(to, from);
    assert!(path.steps > 0, "{path:?}");
    assert_eq!(path.features, Vec::<String>::new());
    assert!(path.code.iter().all(|code| !code.file.contains("/libc.")), "{path:?}");
}

#[test]
fn a_long_call_is_cut_and_goes_on() {
    let rounds = AtomicU32::new(0);
    let mut call = || {
        for _ in 0..10_000 {
            rounds.fetch_add(1, Relaxed);
        }
    };
    let path = trace(&mut call, 1000).expect("single steps are delivered here");
    assert_eq!((path.steps, path.cut), (1000, true));
    assert_eq!(rounds.load(Relaxed), 10_000);
    assert!(!path_of(|| ()).cut);
}

#[test]
fn no_steps_at_all_are_a_call_that_is_cut() {
    let mut made = false;
    let path = trace(&mut || made = true, 0).expect("single steps are delivered here");
    assert!(made);
    assert_eq!((path.steps, path.cut), (0, true));
}

#[test]
fn a_call_has_exactly_its_steps() {
    let steps = path_of(|| ()).steps;
    let exactly = trace(&mut || (), steps).expect("single steps are delivered here");
    assert_eq!((exactly.steps, exactly.cut), (steps, false));
    let fewer = trace(&mut || (), steps - 1).expect("single steps are delivered here");
    assert_eq!((fewer.steps, fewer.cut), (steps - 1, true));
}

#[test]
fn flags_that_the_call_saves_and_restores_do_not_disturb() {
    let mut call = || {
        // SAFETY: leaves the stack and the flags as they were.
        unsafe { asm!("pushfq", "nop", "popfq") }
    };
    let whole = path_of(call);
    assert!(!whole.cut && whole.steps > 3, "{whole:?}");
    // Cut between the two, too, when the flags on the stack still have the trap flag.
    for most_steps in 0..whole.steps {
        trace(&mut call, most_steps).expect("single steps are delivered here");
        assert!(!trap_flag(), "the trap flag was left behind after {most_steps} steps");
    }
}

fn trap_flag() -> bool {
    let flags: u64;
    // SAFETY: reads the flags and leaves the stack as it was.
    unsafe { asm!("pushfq", "pop {}", out(reg) flags) };
    flags & 0x100 != 0
}

#[test]
fn calls_that_make_system_calls_allocate_and_lock_are_followed_to_the_end() {
    let lock = Mutex::new(0);
    let mut all = Vec::new();
    let path = path_of(|| {
        all.push(vec![0_u8; 1_000_000]); // from the kernel, by its size
        *lock.lock().expect("nobody panicked") += 1;
        std::thread::sleep(Duration::from_millis(1));
    });
    assert!(!path.cut, "{path:?}");
    assert_eq!(*lock.lock().expect("nobody panicked"), 2);
    assert_eq!(all.len(), 2);
}

#[test]
fn a_call_that_starts_a_thread_is_cut_there() {
    let path = path_of(|| {
        let sum = std::thread::spawn(|| (0..1000).sum::<u32>()).join();
        assert_eq!(sum.expect("the thread ends"), 499_500);
    });
    assert!(path.cut);
}

/// Guests of a hypervisor see that now and then.
#[test]
fn a_step_that_the_system_takes_for_a_breakpoint_is_a_step() {
    let mut sent = Vec::new();
    let path = path_of(|| {
        if trap_flag() {
            sent.push(send_breakpoint());
        }
    });
    assert_eq!(sent, [0]);
    assert!(!path.cut);
}

/// Sends the calling thread the signal that breakpoints raise; 0 if that was possible.
fn send_breakpoint() -> libc::c_long {
    // SAFETY: zero bytes are a valid structure, and the call only reads it. Whoever calls this is
    // traced, so that there is a handler.
    unsafe {
        let mut information: libc::siginfo_t = std::mem::zeroed();
        information.si_signo = libc::SIGTRAP;
        information.si_code = libc::TRAP_BRKPT;
        let (process, thread) = (libc::getpid(), libc::gettid());
        let call = libc::SYS_rt_tgsigqueueinfo;
        libc::syscall(call, process, thread, libc::SIGTRAP, &raw const information)
    }
}

#[test]
fn a_panic_goes_through_and_the_next_trace_works() {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        trace(&mut || std::panic::resume_unwind(Box::new("thrown")), ENOUGH)
    }));
    let panic = caught.expect_err("the panic came through");
    assert_eq!(panic.downcast_ref(), Some(&"thrown"));
    assert!(!trap_flag());
    assert!(path_of(|| ()).steps > 0);
}

#[test]
fn a_trace_inside_a_traced_call_is_refused() {
    let mut inner = None;
    let mut call = || inner = Some(trace(&mut || (), ENOUGH));
    trace(&mut call, ENOUGH).expect("single steps are delivered here");
    let refusal = inner.expect("the call was made").expect_err("it was refused");
    assert_eq!(refusal.to_string(), "a traced call cannot trace another call");
}

#[test]
fn traces_of_many_threads_take_turns() {
    static BUSY: AtomicBool = AtomicBool::new(false);
    let work = || {
        for _ in 0..5 {
            let mut call = || {
                assert!(!BUSY.swap(true, Relaxed), "two at a time");
                std::thread::yield_now();
                BUSY.store(false, Relaxed);
            };
            let path = trace(&mut call, ENOUGH).expect("single steps are delivered here");
            assert!(path.steps > 10 && !path.cut);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
}

#[inline(never)]
fn multiply(rounds: u64) {
    let product =
        (1..=rounds).fold(1, |product: u64, round| black_box(product.wrapping_mul(round)));
    black_box(product);
}

#[inline(never)]
fn alternate(rounds: u32) {
    let letter = |round: u32| char::from(b'a' + (round % 7) as u8);
    black_box((0..rounds).map(letter).collect::<String>());
}

#[test]
fn two_calls_of_a_function_are_the_same_and_of_two_functions_are_not() {
    let multiplying = || path_of(|| multiply(100));
    let alternating = || path_of(|| alternate(100));
    assert!(same(&multiplying(), &multiplying()));
    assert!(same(&alternating(), &alternating()));
    assert!(!same(&multiplying(), &alternating()));
}

#[test]
fn a_path_survives_the_way_between_processes() {
    let path = path_of(|| multiply(9));
    let sent = serde_json::to_string(&path).expect("it can be written");
    assert_eq!(serde_json::from_str::<CodePath>(&sent).expect("it can be read"), path);
}
