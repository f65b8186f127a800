//! The answer of this machine: that it is whole, not what the figures are.

use ciphermark_limits::{Asked, limits};
use ciphermark_record::limits::Limits;

fn asked(algorithm: &str, backend: &str, bytes: u64, lanes: usize) -> Limits {
    limits(&Asked {
        algorithms: vec![algorithm.into()],
        backends: vec![backend.into()],
        bytes: vec![bytes],
        lanes,
    })
}

#[test]
fn every_rate_is_a_positive_number_of_cycles_of_a_kind_and_width_of_its_own() {
    let found = asked("none", "portable", 44, 1);
    assert_eq!(found.unavailable.is_some(), found.rates.is_empty(), "{found:?}");
    assert_eq!(found.rates.is_empty(), !cfg!(target_arch = "x86_64"));
    for rate in &found.rates {
        assert!(rate.cycles.is_finite() && rate.cycles > 0.0, "{rate:?}");
        let within = |cycles: f64| (0.0..=rate.cycles).contains(&cycles);
        assert!(rate.vector_cycles.is_none_or(within), "{rate:?}");
    }
    let mut keys: Vec<_> =
        found.rates.iter().map(|rate| (&rate.kind, rate.bits, &rate.instruction)).collect();
    keys.sort();
    let all = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), all);
    assert!(found.kernels.is_empty());
}

#[test]
fn a_kernel_has_its_instructions_by_kind_and_a_limit_that_one_of_its_resources_sets() {
    let found = asked("umac-64", "portable", 44, 1);
    let [kernel] = &found.kernels[..] else { panic!("{:?}", found.kernels) };
    assert_eq!((kernel.lanes, kernel.message_bytes), (1, 44));
    assert!(kernel.cycles.is_some_and(|cycles| cycles > 0.0), "{kernel:?}");
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let sum: f64 = kernel.kinds.iter().map(|kind| kind.times).sum();
        assert!((sum - kernel.instructions).abs() < 1e-6 * sum, "{kernel:?}");
        assert!(kernel.instructions > 1.0 && kernel.loads > 0.0, "{kernel:?}");
        assert!(kernel.limit_cycles.is_some_and(|limit| limit > 0.0), "{kernel:?}");
        assert!(kernel.limited_by.is_some() && kernel.error.is_none(), "{kernel:?}");
    } else {
        assert!(kernel.error.is_some() && kernel.limit_cycles.is_none(), "{kernel:?}");
    }
}

#[test]
fn kernels_of_many_packets_are_called_with_as_many_as_asked_for() {
    let algorithms = vec!["uea1".into()];
    let found = limits(&Asked { algorithms, backends: vec![], bytes: vec![40], lanes: 3 });
    let [kernel] = &found.kernels[..] else { panic!("{:?}", found.kernels) };
    // A processor without vectors has the kernel of one packet.
    let lanes = if kernel.backend == "table" { 1 } else { 3 };
    assert_eq!((kernel.lanes, kernel.message_bytes), (lanes, 40));
}
