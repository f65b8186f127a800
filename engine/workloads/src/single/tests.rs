mod fake;

use ciphermark_providers::api::{CreateError, Operation, Provider};
use ciphermark_record::plan::{Buffers, Case, Load, Messages, Offload, Pattern, Profile};
use ciphermark_registry as registry;

use super::*;
use crate::caches;
use fake::Everything;

const SEED: u64 = 7;

/// Runs of so many calls.
const CALLS: &[u64] = &[1, 2, 63, 64, 65, 1000];
/// These come round a ring in memory.
const STREAMING_CALLS: &[u64] = &[1, 50];

/// Slices of a group.
const SLICES: u64 = 3;

fn provider() -> Box<dyn Provider> {
    let registration = registry::find("rustcrypto").expect("rustcrypto is registered");
    (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
}

pub fn case(algorithm: &str, operation: Operation, message_bytes: u64) -> Case {
    Case {
        case: 0,
        algorithm: algorithm.into(),
        operation,
        provider: "rustcrypto".into(),
        backend: "default".into(),
        pattern: Pattern::ReusedKey,
        chunk_bytes: None,
        offload: Offload::None,
        offload_cpus: Vec::new(),
        messages: match operation {
            Operation::Setup => Messages::Absent,
            _ => Messages::Equal(message_bytes),
        },
        lanes: 1,
        keys: 1,
        buffers: Buffers::Hot,
        switches: Default::default(),
        load: Load::Single { after: None },
    }
}

fn try_to_prepare(provider: &dyn Provider, case: &Case) -> Result<Single, CreateError> {
    let facts = ciphermark_algorithms::find(&case.algorithm).expect("the algorithm has facts");
    Single::prepare(provider, facts, case, SEED, &SharedRings::default())
}

/// Prepared with a provider that has all patterns and lanes.
fn prepared(case: &Case) -> Single {
    try_to_prepare(&Everything(provider()), case).expect("the case can be prepared")
}

/// The right answers, of a provider that has neither patterns nor lanes.
fn right(case: &Case, messages: Range<u64>) -> u64 {
    let facts = ciphermark_algorithms::find(&case.algorithm).expect("the algorithm has facts");
    expected_answers(provider().as_ref(), facts, case, SEED, messages)
        .expect("the answers can be computed")
}

/// One algorithm of each kind, with all its operations.
fn everything() -> Vec<Case> {
    ["aes-128-gcm", "aes-128-cbc", "hmac-sha256", "sha256", "chacha20"]
        .into_iter()
        .flat_map(|name| {
            let facts = ciphermark_algorithms::find(name).expect("the algorithm has facts");
            facts.kind.operations().iter().map(move |&operation| case(name, operation, 64))
        })
        .collect()
}

/// A case with all patterns, keys and lanes that go with it.
fn variants(case: &Case) -> Vec<Case> {
    let facts = ciphermark_algorithms::find(&case.algorithm).expect("the algorithm has facts");
    let patterns = Pattern::ALL.map(|pattern| Case { pattern, ..case.clone() });
    let keys = [3, 1000].map(|keys| Case { keys, ..case.clone() });
    let lanes = [2, 3, 8].map(|lanes| Case { lanes, ..case.clone() });
    let keyed =
        [(8, 8), (8, 2), (32, 32)].map(|(lanes, keys)| Case { lanes, keys, ..case.clone() });
    let all = patterns.into_iter().chain(keys).chain(lanes).chain(keyed);
    all.filter(|case| combination(case, facts).is_ok()).collect()
}

/// The case with chunks of these bytes that repeat, where that is possible.
fn repeated(case: &Case, chunk_bytes: u32) -> Option<Case> {
    let facts = ciphermark_algorithms::find(&case.algorithm).expect("the algorithm has facts");
    let (pattern, buffers) = (Pattern::Incremental, Buffers::Repeated);
    let case = Case { pattern, buffers, chunk_bytes: Some(chunk_bytes), ..case.clone() };
    combination(&case, facts).is_ok().then_some(case)
}

/// The case with messages of a profile, and that with lanes.
fn mixed(case: &Case) -> [Case; 2] {
    let lengths = [48, 16, 64, 16, 32, 80, 16, 96].repeat(3);
    let messages = Messages::Mixed(Profile { name: "mix".into(), lengths });
    let mixed = Case { messages, ..case.clone() };
    [Case { lanes: 8, ..mixed.clone() }, mixed]
}

/// Groups of slices of so many calls, one after the other.
fn check_runs(case: &Case, calls: &[u64]) {
    let mut timed = prepared(case);
    let mut first = 0;
    for calls in calls {
        let messages = (calls * timed.unit()).min(timed.most_in_slice());
        let mut group = Group::begin(&mut timed, first, SLICES, messages).expect("it can begin");
        for _ in 0..SLICES {
            group.slice(|run| run(Part::All)).expect("the messages can be processed");
        }
        let answers = group.finish().expect("the answers can be read");
        let end = first + SLICES * messages;
        assert!(answers == right(case, first..end), "{case:?} {calls}");
        first = end;
    }
}

#[test]
fn the_loop_leaves_the_right_answers_behind() {
    for case in everything().iter().flat_map(variants) {
        check_runs(&case, CALLS);
    }
}

#[test]
fn the_loop_leaves_the_right_answers_behind_in_streams() {
    // Long ones, of which few fill a ring. Each way to call them once: rings are as large as caches.
    let stream =
        |name, operation| Case { buffers: Buffers::Stream, ..case(name, operation, 1 << 20) };
    let seal = stream("aes-128-gcm", Operation::Seal);
    for case in [
        Case { pattern: Pattern::Rekeyed, ..seal.clone() },
        Case { keys: 3, ..stream("aes-128-gcm", Operation::Open) },
        Case { lanes: 2, ..seal.clone() },
        Case { lanes: 2, ..stream("aes-128-gcm", Operation::Open) },
        stream("hmac-sha256", Operation::Verify),
        stream("chacha20", Operation::Keystream),
        seal,
    ] {
        check_runs(&case, STREAMING_CALLS);
    }
}

#[test]
fn the_loop_leaves_the_right_answers_behind_in_the_second_level_and_in_cold_caches() {
    for (name, operation) in [
        ("aes-128-gcm", Operation::Seal),
        ("aes-128-gcm", Operation::Open),
        ("sha256", Operation::Digest),
    ] {
        let case = case(name, operation, 4096);
        check_runs(&Case { buffers: Buffers::Cold, ..case.clone() }, &[1]);
        if caches::half_of_second_level().is_ok() {
            // The ring has some 30 of them.
            check_runs(&Case { buffers: Buffers::L2, ..case.clone() }, STREAMING_CALLS);
            check_runs(&Case { buffers: Buffers::L2, lanes: 2, ..case }, STREAMING_CALLS);
        }
    }
}

#[test]
fn what_does_not_fit_half_of_the_second_level_is_refused() {
    let Ok(half) = caches::half_of_second_level() else { return };
    let case = Case { buffers: Buffers::L2, ..case("aes-128-gcm", Operation::Seal, half as u64) };
    let error = try_to_prepare(provider().as_ref(), &case).err();
    assert!(matches!(error, Some(CreateError::Failed(_))), "{error:?}");
}

/// A case of one session.
fn of_a_session(case: &Case) -> Case {
    let load = serde_json::json!({
        "sessions": 1, "cpus": [0], "execution_ms": 1.0, "opens_ms": 0.0, "closes_ms": 1.0,
        "look_ms": 1.0, "most_attempts": 1,
    });
    let sessions = serde_json::from_value(load).expect("the load is understood");
    Case { load: Load::Sessions(sessions), ..case.clone() }
}

#[test]
fn what_comes_again_and_again_has_the_right_answers_too() {
    let all = everything();
    let mixed = all.iter().filter(|it| it.operation != Operation::Setup).flat_map(mixed);
    for case in all.iter().flat_map(variants).chain(mixed) {
        let case = of_a_session(&case);
        let mut single = prepared(&case);
        let unit = single.unit();
        single.run(40 * unit).expect("the messages can be processed");
        let (last, answers) = single.last_answers(4 * unit).expect("they can be read");
        assert_eq!(last.end, 40 * unit);
        assert!(answers == right(&case, last), "{case:?}");
        let (messages, answers) = single.run_checked().expect("they can be processed");
        assert_eq!(messages.start, 40 * unit);
        assert!(answers == right(&case, messages), "{case:?}");
    }
}

#[test]
fn a_function_that_writes_nothing_is_asked_like_any_other() {
    let registration = registry::find("empty").expect("empty is registered");
    let provider = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
    let facts = ciphermark_algorithms::find("empty").expect("it has facts");
    for operation in [Operation::Setup, Operation::Seal, Operation::Open] {
        let case = case("empty", operation, 16);
        let mut single = try_to_prepare(provider.as_ref(), &case).expect("it can be prepared");
        let right = expected_answers(provider.as_ref(), facts, &case, SEED, 0..50);
        assert_eq!(single.checked(0..50).map_err(expected::failed), right, "{operation}");
    }
}

#[test]
fn a_session_that_did_nothing_has_no_answers() {
    for pattern in [Pattern::ReusedKey, Pattern::Rekeyed, Pattern::Incremental] {
        let case = of_a_session(&Case { pattern, ..case("hmac-sha256", Operation::Mac, 64) });
        let (messages, answers) = prepared(&case).last_answers(4).expect("there are none");
        assert_eq!((messages, answers), (0..0, 0));
    }
}

#[test]
fn only_what_is_to_be_cold_is() {
    for operation in [Operation::Setup, Operation::Seal] {
        let hot = case("aes-128-gcm", operation, 64);
        assert!(!prepared(&hot).is_cold());
        assert!(prepared(&Case { buffers: Buffers::Cold, ..hot }).is_cold());
    }
}

#[test]
fn the_loop_leaves_the_right_answers_to_repeated_chunks_behind() {
    for (case, chunk_bytes) in everything().iter().flat_map(|it| [16, 24, 64, 80].map(|n| (it, n)))
    {
        if let Some(case) = repeated(case, chunk_bytes) {
            check_runs(&case, CALLS);
        }
    }
}

#[test]
fn a_message_of_repeated_chunks_takes_the_memory_of_one() {
    for operation in [Operation::Mac, Operation::Verify] {
        let long = case("hmac-sha256", operation, 1 << 20);
        let bytes_of = |case| {
            let mut single = prepared(&case);
            single.checked(0..4).expect("the messages can be processed");
            single.bytes_held()
        };
        let repeated = bytes_of(repeated(&long, 1000).expect("it is possible"));
        assert!(repeated < 64 << 10, "{operation} {repeated}");
        assert!(bytes_of(long) > 1 << 20, "{operation}");
    }
}

#[test]
fn chunks_of_other_lengths_make_other_messages() {
    let mac = case("hmac-sha256", Operation::Mac, 100);
    let answers = [16, 24, 100, 200]
        .map(|chunk_bytes| right(&repeated(&mac, chunk_bytes).expect("it is possible"), 0..1));
    assert_ne!(answers[0], answers[1]);
    assert_ne!(answers[1], answers[2]);
    assert_eq!(answers[2], answers[3]);
    assert_eq!(answers[2], right(&mac, 0..1));
}

#[test]
fn the_loop_leaves_the_right_answers_behind_whatever_the_lengths() {
    let cases = everything().into_iter().filter(|case| case.operation != Operation::Setup);
    for case in cases.flat_map(|case| mixed(&case)).flat_map(|case| variants(&case)) {
        check_runs(&case, &[1, 2, 7]);
    }
    let seal = case("aes-128-gcm", Operation::Seal, 64);
    for case in mixed(&seal) {
        check_runs(&Case { buffers: Buffers::Stream, ..case }, &[1, 3]);
    }
}

#[test]
fn every_message_of_a_profile_has_its_length() {
    let [_, mixed] = mixed(&case("aes-128-gcm", Operation::Seal, 64));
    let mut other = mixed.clone();
    let Messages::Mixed(profile) = &mut other.messages else { panic!("it has a profile") };
    profile.lengths[5] += 1;
    assert_eq!(right(&mixed, 0..5), right(&other, 0..5));
    assert_ne!(right(&mixed, 5..6), right(&other, 5..6));
    assert_eq!(prepared(&mixed).unit(), 24);
}

#[test]
fn lanes_under_one_key_are_answered_as_under_that_key() {
    let one = case("hmac-sha256", Operation::Mac, 64);
    let shared = Case { lanes: 8, ..one.clone() };
    let apart = Case { keys: 8, ..shared.clone() };
    assert_eq!(right(&one, 3..4), right(&shared, 3..4));
    assert_ne!(right(&one, 3..4), right(&apart, 3..4));
}

#[test]
fn more_lanes_than_there_is_room_for_are_refused_before_anything_is_allocated() {
    let case = Case { lanes: 4096, ..case("aes-128-gcm", Operation::Seal, 1 << 30) };
    let error = try_to_prepare(&Everything(provider()), &case).err();
    let Some(CreateError::Failed(sentence)) = error else { panic!("{error:?}") };
    assert!(sentence.starts_with("4096 lanes of 1073741824 bytes each would take"), "{sentence}");
    assert!(sentence.ends_with(": write fewer --lanes"), "{sentence}");
}

#[test]
fn answers_depend_on_which_messages_there_were() {
    for operation in [Operation::Seal, Operation::Setup] {
        let case = case("aes-128-gcm", operation, 64);
        assert_ne!(right(&case, 0..100), right(&case, 0..101), "{operation}");
        assert_ne!(right(&case, 0..100), right(&case, 1..101), "{operation}");
    }
}

#[test]
fn patterns_and_buffers_that_process_the_same_messages_have_the_same_answers() {
    let sealed = case("aes-128-gcm", Operation::Seal, 64);
    let chunks = Case { pattern: Pattern::Incremental, ..sealed.clone() };
    assert_eq!(right(&sealed, 0..9), right(&chunks, 0..9));
    let opened = case("aes-128-gcm", Operation::Open, 64);
    let stream = Case { buffers: Buffers::Stream, ..opened.clone() };
    assert_eq!(right(&opened, 0..9), right(&stream, 0..9));
}

#[test]
fn every_key_is_used() {
    let one = case("hmac-sha256", Operation::Mac, 64);
    for changed in [
        Case { keys: 3, ..one.clone() },
        Case { lanes: 3, keys: 3, ..one.clone() },
        Case { pattern: Pattern::Rekeyed, ..one.clone() },
    ] {
        assert_eq!(right(&one, 0..1), right(&changed, 0..1));
        assert_ne!(right(&one, 1..2), right(&changed, 1..2));
        assert_ne!(right(&one, 2..3), right(&changed, 2..3));
    }
}

#[test]
fn no_message_comes_twice() {
    for (name, operation) in [("sha256", Operation::Digest), ("hmac-sha256", Operation::Verify)] {
        for bytes in [16, 64, 1500] {
            let case = case(name, operation, bytes);
            let facts = ciphermark_algorithms::find(name).expect("the algorithm has facts");
            let series = Series::of(&case, facts, SEED);
            let mut seen = std::collections::HashSet::new();
            for index in 0..20_000 {
                let mut text = Vec::new();
                series.text(index, &mut text);
                assert!(seen.insert(text), "{name} {bytes} {index}");
            }
        }
    }
}

#[test]
fn long_messages_that_differ_stay_together_in_memory() {
    let mut single = prepared(&case("sha256", Operation::Digest, 16 << 10));
    single.checked(0..100).expect("the messages can be processed");
    assert!(single.bytes_held() < 64 << 10, "{}", single.bytes_held());
}

#[test]
fn slices_are_as_long_as_the_nearest_cache_allows() {
    let most = |case: &Case| prepared(case).most_in_slice();
    let short = most(&case("hmac-sha256", Operation::Mac, 16));
    let long = most(&case("aes-128-gcm", Operation::Seal, 1500));
    assert!(short >= 128 && (8..short).contains(&long), "{short} {long}");
    let mut used = prepared(&case("hmac-sha256", Operation::Mac, 16));
    used.checked(0..1).expect("the message can be processed");
    assert_eq!(used.most_in_slice(), short);
    assert_eq!(most(&case("aes-128-gcm", Operation::Seal, 1 << 20)), 1);
    let [_, mixed] = mixed(&case("aes-128-gcm", Operation::Seal, 64));
    assert!(most(&mixed).is_multiple_of(24));
}

/// Notes the number that each message begins with.
struct Noting(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Function for Noting {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(
        &mut self,
        message: &ciphermark_providers::api::Message<'_>,
        _: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.lock().expect("nobody panics").push(message.nonce[7]);
        Ok(())
    }
}

/// Calls that note the last byte of each nonce, and what they note.
fn noting(series: Series) -> (Single, std::sync::Arc<std::sync::Mutex<Vec<u8>>>) {
    let noted = std::sync::Arc::default();
    let calls = Calls::Reused(Box::new(Noting(std::sync::Arc::clone(&noted))));
    (Single::new(calls, series, Buffers::Hot), noted)
}

/// The next slice of a group, with what leads in to it.
fn led_in(group: &mut Group<'_>) {
    let slice = group.slice(|run| {
        run(Part::LeadIn)?;
        run(Part::All)
    });
    slice.expect("the messages can be processed");
}

#[test]
fn the_order_of_calls_changes_from_slice_to_slice() {
    let (mut single, noted) = noting(Series::nothing(Operation::Seal, 1, 16));
    let mut group = Group::begin(&mut single, 0, 4, 50).expect("it can begin");
    for _ in 0..4 {
        group.slice(|run| run(Part::All)).expect("the messages can be processed");
    }
    let noted = noted.lock().expect("nobody panics");
    let order = |slice: usize| -> Vec<u8> {
        let numbers = &noted[50 * slice..][..50];
        let least = 2 + 50 * slice as u8; // where the nonces begin
        numbers.iter().map(|number| number.wrapping_sub(least)).collect()
    };
    let orders = [0, 1, 2, 3].map(order);
    for (number, order) in orders.iter().enumerate() {
        assert!(orders[..number].iter().all(|earlier| earlier != order), "{orders:?}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<u8>>());
    }
}

#[test]
fn nonces_that_share_a_pad_come_in_turn() {
    let facts = ciphermark_algorithms::find("umac-64").expect("the algorithm has facts");
    let (mut single, noted) = noting(Series::of(&case("umac-64", Operation::Mac, 16), facts, SEED));
    let mut group = Group::begin(&mut single, 0, 2, 50).expect("it can begin");
    for _ in 0..2 {
        group.slice(|run| run(Part::All)).expect("the messages can be processed");
    }
    let noted = noted.lock().expect("nobody panics");
    assert_eq!(noted.len(), 100);
    assert!(noted.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1)), "{noted:?}");
}

#[test]
fn what_leads_in_to_a_slice_has_messages_of_the_first_one() {
    let (mut single, noted) = noting(Series::nothing(Operation::Seal, 1, 16));
    let mut group = Group::begin(&mut single, 0, 3, 50).expect("it can begin");
    let nonces = |group: &mut Group<'_>| {
        led_in(group);
        std::mem::take(&mut *noted.lock().expect("nobody panics"))
    };
    let first = nonces(&mut group);
    assert_eq!(first.len(), 50, "nothing leads in to the first slice");
    for (share, lead_in) in [(0.05, 3), (1.8, 50)] {
        group.lead_in(share).expect("there is room");
        let made = nonces(&mut group);
        assert_eq!(made.len(), lead_in + 50);
        assert!(made[..lead_in].iter().all(|nonce| first.contains(nonce)), "{made:?}");
        assert!(made[lead_in..].iter().all(|nonce| !first.contains(nonce)), "{made:?}");
    }
}

#[test]
fn what_leads_in_to_a_slice_changes_no_answer() {
    for case in variants(&case("aes-128-gcm", Operation::Open, 61)) {
        let mut single = prepared(&case);
        let messages = 4 * single.unit();
        let mut group = Group::begin(&mut single, 0, 2, messages).expect("it can begin");
        group.slice(|run| run(Part::All)).expect("the messages can be processed");
        group.lead_in(0.1).expect("there is room");
        led_in(&mut group);
        assert_eq!(group.finish(), Ok(right(&case, 0..2 * messages)), "{case:?}");
    }
}

#[test]
fn an_answer_that_was_not_written_is_found() {
    for buffers in [Buffers::Hot, Buffers::Stream] {
        let case = Case { buffers, ..case("sha256", Operation::Digest, 1 << 20) };
        let mut single = prepared(&case);
        let right = right(&case, 0..3);
        assert_eq!(single.checked(0..3), Ok(right), "{buffers:?}");
        let mut group = Group::begin(&mut single, 0, 3, 1).expect("it can begin");
        for slice in 0..3 {
            group
                .slice(|run| if slice == 1 { Ok(()) } else { run(Part::All) })
                .expect("it can run");
        }
        assert_ne!(group.finish(), Ok(right), "{buffers:?}");
    }
}

#[test]
fn forged_tags_are_refused() {
    for (name, operation) in [("aes-128-gcm", Operation::Open), ("hmac-sha256", Operation::Verify)]
    {
        let case = case(name, operation, 64);
        let stream = Case { buffers: Buffers::Stream, ..case.clone() };
        let cold = Case { buffers: Buffers::Cold, ..case.clone() };
        let others = mixed(&case).into_iter().chain([stream, cold]).chain(repeated(&case, 24));
        for case in variants(&case).into_iter().chain(others) {
            let mut single = prepared(&case);
            assert_eq!(single.accepts_forgeries(), Ok(false), "{case:?}");
            let unit = single.unit();
            let mut group = Group::begin(&mut single, unit, 2, unit).expect("it can begin");
            for seed in 0..20 {
                if seed % 10 == 0 {
                    group.slice(|run| run(Part::All)).expect("the messages can be processed");
                }
                assert_eq!(group.accepts_forgery(seed), Ok(false), "{case:?} {seed}");
            }
        }
    }
}

#[test]
fn a_loop_without_a_function_is_of_the_same_kind() {
    let stream = |case: &Case| Case { buffers: Buffers::Stream, ..case.clone() };
    let all: Vec<Case> = everything().iter().flat_map(variants).collect();
    let streams: Vec<Case> =
        all.iter().filter(|it| it.messages != Messages::Absent).map(stream).collect();
    let repeats: Vec<Case> = all.iter().filter_map(|it| repeated(it, 16)).collect();
    let cold = |case: &Case| Case { buffers: Buffers::Cold, ..case.clone() };
    let others = [mixed(&streams[0]).to_vec(), repeats, all.iter().map(cold).collect()].concat();
    for case in all.iter().chain(&streams[..3]).chain(&others) {
        let kind = prepared(case).loop_kind();
        let mut nothing = Single::nothing(kind);
        assert_eq!(nothing.loop_kind(), kind, "{case:?}");
        let messages = nothing.unit() * 100;
        assert!(nothing.checked(0..messages).is_ok(), "{case:?}");
    }
}

#[test]
fn what_the_function_lacks_is_refused_when_it_is_prepared() {
    let seal = case("aes-128-gcm", Operation::Seal, 64);
    for (case, words) in [
        (Case { pattern: Pattern::OneShot, ..seal.clone() }, "the pattern one-shot"),
        (Case { pattern: Pattern::Incremental, ..seal.clone() }, "the pattern incremental"),
        (Case { lanes: 8, ..seal.clone() }, "8 messages per call"),
    ] {
        let error = try_to_prepare(&fake::Plain(provider()), &case).err();
        assert_eq!(error, Some(CreateError::Unsupported(words.into())), "{case:?}");
    }
    let mac = case("hmac-sha256", Operation::Mac, 64);
    let error =
        repeated(&mac, 16).and_then(|it| try_to_prepare(&fake::Plain(provider()), &it).err());
    assert_eq!(error, Some(CreateError::Unsupported("repeated buffers".into())));
    let unknown = Case { backend: "no-such-backend".into(), ..seal };
    let error = try_to_prepare(provider().as_ref(), &unknown).err();
    assert!(matches!(error, Some(CreateError::Unsupported(_))), "{error:?}");
}

/// A case whose calls come after those of another algorithm.
fn behind(after: &str, case: Case) -> Case {
    Case { load: Load::Single { after: Some(after.into()) }, ..case }
}

/// With each kind of algorithm before it, also one of whole blocks where messages are none.
#[test]
fn a_case_that_has_company_answers_as_it_does_alone() {
    for case in everything().into_iter().filter(|it| it.operation != Operation::Setup) {
        for after in ["chacha20-poly1305", "aes-128-cbc", "sha256"] {
            check_runs(&behind(after, case.clone()), CALLS);
        }
    }
    check_runs(&behind("aes-128-cbc", case("sha256", Operation::Digest, 61)), CALLS);
}

#[test]
fn the_company_alone_is_lent_and_comes_back() {
    let mut single = prepared(&behind("sha256", case("hmac-sha256", Operation::Mac, 64)));
    let mut alone = single.company_alone().expect("it has company");
    assert!(single.company_alone().is_none());
    let mut group = Group::begin(&mut alone, 0, 2, 8).expect("there is room");
    group.slice(|run| run(Part::All)).expect("the company does not fail");
    single.take_company(alone);
    assert!(single.company_alone().is_some());
    assert!(prepared(&case("sha256", Operation::Digest, 64)).company_alone().is_none());
}

#[test]
fn company_goes_with_the_usual_call_only() {
    let facts = ciphermark_algorithms::find("aes-128-gcm").expect("the algorithm has facts");
    let seal = |bytes| behind("sha256", case("aes-128-gcm", Operation::Seal, bytes));
    assert_eq!(combination(&seal(64), facts), Ok(()));
    for other in [
        Case { keys: 3, ..seal(64) },
        Case { lanes: 2, ..seal(64) },
        Case { buffers: Buffers::Stream, ..seal(64) },
        Case { pattern: Pattern::Rekeyed, ..seal(64) },
        Case { operation: Operation::Setup, messages: Messages::Absent, ..seal(64) },
    ] {
        let refused = combination(&other, facts).unwrap_err();
        assert!(refused.contains("a case after sha256 has one message a call"), "{refused}");
    }
    let refused = combination(&behind("rot13", seal(64)), facts).unwrap_err();
    assert_eq!(refused, "there is no algorithm rot13, after which it is measured");
}

/// Legacy SSE code after them would be slow. Kernels of packets hand vectors from function to function,
/// and compilers may forget VZEROUPPER there.
#[test]
fn our_kernels_leave_vector_registers_clean() {
    let registration = registry::find("kernels").expect("they are registered");
    let kernels = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
    let mut dirty = Vec::new();
    for it in kernels.implementations() {
        for (lanes, bytes) in [(1, 40), (1, 1504), (8, 40), (8, 1504), (8, 1500), (17, 1500)] {
            let operations = it.operations.iter().filter(|&&it| it != Operation::Setup);
            for &operation in operations.filter(|_| lanes <= it.most_lanes) {
                let case = case(&it.algorithm, operation, bytes);
                let case = Case { lanes, keys: lanes, backend: it.backend.clone(), ..case };
                let Ok(mut single) = try_to_prepare(kernels.as_ref(), &case) else { continue };
                if single.leaves_vectors_dirty() == Ok(Some(true)) {
                    dirty.push(format!("{} {} {lanes} x {bytes}", it.algorithm, it.backend));
                }
            }
        }
    }
    dirty.dedup();
    assert!(dirty.is_empty(), "{dirty:#?}");
}
