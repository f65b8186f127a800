//! Executions of a fraction of a second: what they say has to fit together, on a busy machine too,
//! where a thread may get no time within the window.

use std::sync::atomic::{AtomicU64, Ordering};

use ciphermark_harness::{Calibration, HostClock, pinning};
use ciphermark_providers::api::{
    CallError, CreateError, Function, Implementation, Library, Message, Provider, Request,
};
use ciphermark_record::plan::{Case, Load, Messages, Offload, Operation, Pattern, Profile};
use ciphermark_record::sessions::{Life, Placement, Policy, Stretches, Threads};
use ciphermark_registry as registry;
use serde_json::json;

use super::*;
use crate::single::{SharedRings, Single};

const SEED: u64 = 11;

fn load(sessions: u32) -> SessionLoad {
    let cpus = pinning::allowed_cpus().expect("the kernel tells");
    let cpus: Vec<u32> = cpus.into_iter().take(2).collect();
    let load = json!({
        "sessions": sessions, "cpus": cpus, "execution_ms": 150.0, "opens_ms": 20.0,
        "closes_ms": 120.0, "look_ms": 5.0, "most_attempts": 1,
    });
    serde_json::from_value(load).expect("the load is understood")
}

fn case(algorithm: &str, operation: &str) -> Case {
    serde_json::from_value(json!({
        "case": 3, "algorithm": algorithm, "operation": operation, "provider": "rustcrypto",
        "backend": "default", "message_bytes": (operation != "setup").then_some(256),
    }))
    .expect("the case is understood")
}

fn provider() -> Box<dyn Provider> {
    let registration = registry::find("rustcrypto").expect("rustcrypto is registered");
    (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
}

fn calibration() -> Calibration {
    Calibration::measure(&mut HostClock::open(), 1e9)
}

fn run(provider: &dyn Provider, case: &Case, load: &SessionLoad) -> Result<SessionsRun, Failure> {
    let case = Case { load: Load::Sessions(load.clone()), ..case.clone() };
    execute(&Execution {
        provider,
        algorithm: ciphermark_algorithms::find(&case.algorithm).expect("it has facts"),
        case: &case,
        load,
        seed: SEED,
        calibration: &calibration(),
    })
}

fn ran(case: &Case, load: &SessionLoad) -> SessionsRun {
    run(provider().as_ref(), case, load).expect("the sessions can be run")
}

fn mixed(lengths: Vec<u64>) -> Messages {
    Messages::Mixed(Profile { name: "mix".into(), lengths })
}

fn hmac() -> Case {
    case("hmac-sha256", "mac")
}

/// Whether any session did anything: the window does not open before each has, or two seconds are
/// over.
fn did_anything(run: &SessionsRun) -> bool {
    run.moments.iter().any(|it| it.messages > 0)
}

#[test]
fn each_session_has_its_messages_and_its_time() {
    let run = ran(&hmac(), &load(6));
    assert_eq!((run.case, run.threads), (3, 6));
    assert!(did_anything(&run), "{run:?}");
    let figures = &run.figures;
    assert_eq!(figures.messages.len(), 6);
    for (messages, bytes) in figures.messages.iter().zip(&figures.bytes) {
        assert_eq!(*bytes, messages * 256);
    }
    for (&messages, &cpu_ns) in figures.messages.iter().zip(&figures.cpu_ns) {
        assert!(messages == 0 || cpu_ns > 0, "{figures:?}");
    }
    // Both edges are rounded down.
    let window_ns = run.closed_ns + 1 - run.opened_ns;
    assert!(run.opened_ns >= 20_000_000 && window_ns >= 100_000_000, "{run:?}");
    let used: u64 = figures.cpu_ns.iter().sum();
    // Each thread notes its edges a moment late: at most a batch, or what it was off its CPU.
    assert!(used as f64 <= 1.5 * window_ns as f64 * run.load.cpus.len() as f64, "{run:?}");
    assert!(run.moments.windows(2).all(|it| it[0].messages <= it[1].messages));
    assert!(run.core_clocks.iter().all(|it| it.alone_hz > 0.0));
    assert!(run.latencies.windows(2).all(|it| it[0].ns < it[1].ns));
}

#[test]
fn what_was_done_between_looks_at_the_core_is_part_of_all() {
    for threads in [Threads::PerSession, Threads::PerCpu] {
        let run = ran(&hmac(), &SessionLoad { threads, ..load(6) });
        let Stretches { quiet, crowded } = run.stretches.expect("threads look");
        let both = quiet + crowded;
        let messages: u64 = run.figures.messages.iter().sum();
        let cpu_ns: u64 = run.figures.cpu_ns.iter().sum();
        assert_eq!((both.messages, both.bytes), (messages, messages * 256));
        // Of a common thread's time each session's part is rounded down.
        assert!(both.cpu_ns <= cpu_ns + u64::from(run.load.sessions), "{run:?}");
        assert!(messages == 0 || both.count > 0, "{run:?}");
        // Between 0.5 and 10 GHz.
        let hz = both.cycles / both.cpu_ns.max(1) as f64 * 1e9;
        assert!(both.cpu_ns == 0 || (0.5e9..1e10).contains(&hz), "{hz}");
    }
}

#[test]
fn common_threads_carry_all_sessions() {
    let load = SessionLoad { threads: Threads::PerCpu, ..load(50) };
    let run = ran(&hmac(), &load);
    assert_eq!(run.threads as usize, load.cpus.len());
    assert!(did_anything(&run), "{run:?}");
    // Those of a thread have a batch each in turn: between two edges at most one more or less.
    let threads = run.threads as usize;
    for thread in 0..threads {
        let done = || run.figures.messages.iter().skip(thread).step_by(threads);
        let spread = done().max().zip(done().min()).map(|(most, least)| most - least);
        let batch = run.timed_every;
        assert!(spread.is_some_and(|it| it <= 2 * batch), "{:?}", run.figures.messages);
    }
}

#[test]
fn every_way_to_run_gives_right_answers() {
    let base = load(4);
    let fixed = SessionLoad { placement: Placement::Fixed, ..base.clone() };
    let shared = SessionLoad { contexts: Contexts::Shared, ..base.clone() };
    let neighbours = SessionLoad { neighbours: 1, ..base.clone() };
    let idle = SessionLoad { policy: Policy::Idle, nice: 10, ..base.clone() };
    for load in [&fixed, &shared, &neighbours, &idle] {
        assert!(did_anything(&ran(&hmac(), load)), "{load:?}");
    }
    let rekeyed = Case { pattern: Pattern::Rekeyed, ..hmac() };
    let verify = case("hmac-sha256", "verify");
    let profile = Case { messages: mixed(vec![40, 1500, 40]), ..case("aes-128-gcm", "seal") };
    let setup = case("aes-128-gcm", "setup");
    for case in [&rekeyed, &verify, &profile, &setup] {
        assert!(did_anything(&ran(case, &base)), "{case:?}");
    }
}

#[test]
fn bytes_of_a_profile_are_those_of_its_messages() {
    let case = Case { messages: mixed(vec![40, 1500, 576]), ..case("aes-128-gcm", "seal") };
    let facts = ciphermark_algorithms::find("aes-128-gcm").expect("it has facts");
    let single = Single::prepare(provider().as_ref(), facts, &case, 1, &SharedRings::default());
    let lengths = session::Lengths::of(&single.expect("it can be prepared"), 3);
    let first = [0, 1, 2, 3, 4, 7].map(|messages| lengths.of_first(messages));
    assert_eq!(first, [0, 40, 1540, 2116, 2156, 2 * 2116 + 40]);
}

#[test]
fn sessions_end_and_others_take_their_place() {
    // Five batches at most.
    let life = Some(Life { shortest_ms: 0.05, longest_ms: 0.1 });
    let run = ran(&hmac(), &SessionLoad { life, ..load(2) });
    let renewed = run.figures.begun.iter().sum::<u32>() > 0;
    let few = 10 * run.timed_every;
    assert!(renewed || run.figures.messages.iter().all(|&it| it < few), "{:?}", run.figures);
    assert_eq!(run.figures.bytes[0], 256 * run.figures.messages[0]);
}

#[test]
fn no_more_is_done_than_is_offered_and_each_message_is_timed() {
    let offered_per_s = Some(5_000.0);
    let run = ran(&hmac(), &SessionLoad { offered_per_s, ..load(4) });
    let messages: u64 = run.figures.messages.iter().sum();
    let counted: u64 = run.latencies.iter().map(|it| it.count).sum();
    // 600 are due by the end of the window; those of a thread that is late come all at once.
    assert!(messages < 1500, "{messages}");
    assert_eq!((run.timed_every, counted), (1, messages));
}

#[test]
fn sessions_that_nobody_asks_anything_are_not_late() {
    let offered_per_s = Some(20.0);
    let run = ran(&hmac(), &SessionLoad { offered_per_s, ..load(6) });
    assert_eq!(run.threads_late, 0);
}

/// A provider some of whose answers are spoiled.
struct Faulty {
    provider: Box<dyn Provider>,
    made: AtomicU64,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// The fourth function gives wrong answers: the first is that of the trial.
    FourthIsWrong,
    FirstIsWrong,
    /// Every function is wrong once in so many calls.
    OnceIn(u64),
    /// Every function but the first fails after so many calls.
    FailsAfter(u64),
    PanicsAfter(u64),
}

struct FaultyFunction {
    function: Box<dyn Function>,
    number: u64,
    calls: u64,
    fault: Fault,
}

impl Faulty {
    fn with(fault: Fault) -> Self {
        Self { provider: provider(), made: AtomicU64::new(0), fault }
    }
}

impl Provider for Faulty {
    fn library(&self) -> Library {
        self.provider.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.provider.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let function = self.provider.create(request)?;
        Ok(Box::new(FaultyFunction { function, number, calls: 0, fault: self.fault }))
    }
}

impl Function for FaultyFunction {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.function.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.function.process(message, output)?;
        self.calls += 1;
        match self.fault {
            Fault::FourthIsWrong => output[0] ^= u8::from(self.number == 3),
            Fault::OnceIn(calls) => output[0] ^= u8::from(self.calls.is_multiple_of(calls)),
            Fault::FirstIsWrong => output[0] ^= u8::from(self.number == 0),
            Fault::PanicsAfter(calls) => assert!(self.calls <= calls, "as the test wants it"),
            Fault::FailsAfter(calls) if self.number > 0 && self.calls > calls => {
                return Err(CallError::Library(-7));
            }
            Fault::FailsAfter(_) => {}
        }
        Ok(())
    }
}

#[test]
fn one_failing_session_ends_them_all() {
    let faulty = Faulty::with(Fault::FailsAfter(500));
    let longer = SessionLoad { execution_ms: 60_000.0, closes_ms: 50_000.0, ..load(4) };
    let outcome = run(&faulty, &hmac(), &longer);
    assert!(matches!(outcome, Err(Failure::Call(CallError::Library(-7)))), "{outcome:?}");
}

#[test]
fn what_has_no_room_is_refused_with_the_arithmetic() {
    let case = Case { messages: Messages::Equal(1 << 30), ..hmac() };
    let outcome = run(provider().as_ref(), &case, &load(1_000_000));
    let Err(Failure::Machine(sentence)) = outcome else { panic!("{outcome:?}") };
    assert!(sentence.starts_with("1000000 sessions of "), "{sentence}");
}

#[test]
fn a_function_that_is_not_there_is_no_session() {
    let case = Case { provider: "rustcrypto".into(), ..case("uea1", "encrypt") };
    let outcome = run(provider().as_ref(), &case, &load(2));
    assert!(matches!(outcome, Err(Failure::Create(CreateError::Unsupported(_)))), "{outcome:?}");
}

/// Sessions on one CPU, and another that is their device.
fn offloaded(sessions: u32) -> Option<(Case, SessionLoad)> {
    let load = load(sessions);
    let [first, second] = load.cpus[..] else {
        println!("skipped: there is no second CPU to be a device");
        return None;
    };
    let case = Case { offload: Offload::Cores, offload_cpus: vec![second], ..hmac() };
    Some((case, SessionLoad { cpus: vec![first], ..load }))
}

#[test]
fn sessions_sleep_while_another_cpu_works_for_them() {
    let Some((case, load)) = offloaded(4) else { return };
    let run = ran(&case, &load);
    let figures = &run.figures;
    assert!(did_anything(&run), "{run:?}");
    let messages: u64 = figures.messages.iter().sum();
    assert!(messages < 100 || figures.waits.iter().sum::<u32>() > 0, "{figures:?}");
    assert!(run.device_cpu_ns.is_some(), "{run:?}");
    let place = format!("CPU {} of this machine", case.offload_cpus[0]);
    assert_eq!(run.device.as_deref(), Some(place.as_str()));
    let shared = SessionLoad { contexts: Contexts::Shared, ..load };
    assert!(did_anything(&ran(&case, &shared)));
}

#[test]
fn a_hundred_sessions_share_one_device_cpu() {
    let Some((case, load)) = offloaded(100) else { return };
    let verify = Case { operation: Operation::Verify, ..case };
    let run = ran(&verify, &load);
    assert_eq!(run.threads, 100);
    assert!(did_anything(&run), "{run:?}");
}

#[test]
fn a_device_that_fails_ends_the_sessions() {
    let Some((case, load)) = offloaded(2) else { return };
    let longer = SessionLoad { execution_ms: 60_000.0, closes_ms: 50_000.0, ..load };
    let outcome = run(&Faulty::with(Fault::FailsAfter(500)), &case, &longer);
    assert!(matches!(outcome, Err(Failure::Call(CallError::Library(-7)))), "{outcome:?}");
    let outcome = run(&Faulty::with(Fault::PanicsAfter(500)), &case, &longer);
    assert!(matches!(outcome, Err(Failure::Call(CallError::Library(-1)))), "{outcome:?}");
}

#[test]
fn a_device_is_compared_with_the_function_itself_before_it_is_timed() {
    let Some((case, load)) = offloaded(2) else { return };
    // The first function is the device's, the second the one that it is compared with.
    let outcome = run(&Faulty::with(Fault::FirstIsWrong), &case, &load);
    let Err(Failure::WrongAnswer(sentence)) = outcome else { panic!("{outcome:?}") };
    assert!(sentence.contains("the offload cores"), "{sentence}");
}

#[test]
fn a_wrong_answer_beside_the_others_is_found() {
    let outcome = run(&Faulty::with(Fault::FourthIsWrong), &hmac(), &load(4));
    let Err(Failure::WrongAnswer(sentence)) = outcome else { panic!("{outcome:?}") };
    assert!(sentence.contains("session "), "{sentence}");
}

#[test]
fn an_answer_that_is_wrong_once_in_many_is_found() {
    let outcome = run(&Faulty::with(Fault::OnceIn(997)), &hmac(), &load(4));
    assert!(matches!(outcome, Err(Failure::WrongAnswer(_))), "{outcome:?}");
}

/// A load under which most sessions never get a turn.
#[test]
fn a_session_that_never_had_a_turn_is_not_wrong() {
    for pattern in [Pattern::Rekeyed, Pattern::Incremental] {
        let case = Case { pattern, ..hmac() };
        let rare = SessionLoad { offered_per_s: Some(20.0), ..load(50) };
        let outcome = run(provider().as_ref(), &case, &rare);
        assert!(outcome.is_ok(), "{pattern:?} {outcome:?}");
    }
}

#[test]
fn sessions_have_keys_and_messages_of_their_own() {
    let algorithm = ciphermark_algorithms::find("hmac-sha256").expect("it has facts");
    let (load, calibration) = (load(2), calibration());
    let case = Case { load: Load::Sessions(load.clone()), ..hmac() };
    let provider = provider();
    let provider = provider.as_ref();
    let execution = Execution {
        provider,
        algorithm,
        case: &case,
        load: &load,
        seed: 1,
        calibration: &calibration,
    };
    let lengths = session::Lengths::none();
    let first_answer = |number| {
        let mut session = session::Session::new(&execution, &lengths, number).ok()?;
        session.single.run(1).ok()?;
        session.single.last_answers(1).ok().map(|(_, answers)| answers)
    };
    assert_ne!(first_answer(0), first_answer(1));
    assert_eq!(first_answer(1), first_answer(1));
}
