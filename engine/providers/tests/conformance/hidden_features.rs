//! Whatever is hidden from a library, its answers are the same.

use ciphermark_registry::REGISTRY;

use crate::child;

#[test]
fn answers_are_right_without_any_feature() {
    for registration in REGISTRY {
        let Some(switches) = &registration.switches else { continue };
        if child::can_be_used(registration) {
            let test = "vectors::embedded_vectors_pass_of_one_provider";
            child::run(test, registration, switches.features);
        }
    }
}

#[test]
fn answers_do_not_depend_on_features() {
    for registration in REGISTRY {
        let Some(switches) = &registration.switches else { continue };
        if !child::can_be_used(registration) {
            continue;
        }
        let without =
            |hidden: &[&str]| child::run("hidden_features::tells_answers", registration, hidden);
        let all = without(&[]);
        assert!(!all.is_empty(), "{} answers", registration.name);
        for feature in switches.features {
            assert!(without(&[feature]) == all, "{} without {feature}", registration.name);
        }
    }
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn tells_answers() {
    for subject in child::provider().subjects() {
        let answer = subject.sent(&subject.key(11), &subject.text(11, 1000));
        child::tell(&format!("{} {answer:02x?}", subject.label()));
    }
}
