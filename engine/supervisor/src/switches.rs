//! What hides features of the processor from libraries: the switches that a plan can set, and those
//! that the user has set already.

use std::collections::BTreeMap;
use std::ffi::OsString;

use ciphermark_harness::environment;
use ciphermark_registry as registry;

use crate::worker_key::WorkerKey;

/// Environment variables with their values.
pub type Variables = BTreeMap<String, String>;

/// What a library can be told to leave alone of what this processor has: by feature, the variables
/// that hide it.
pub fn of(provider: &str) -> BTreeMap<String, Variables> {
    let present = environment::cpu_features();
    features(provider)
        .filter(|feature| has(&present, feature))
        .map(|feature| (feature.to_owned(), hiding(provider, &[feature])))
        .collect()
}

/// The variables that hide these features from a library.
pub fn hiding(provider: &str, features: &[&str]) -> Variables {
    let switches = registry::find(provider).and_then(|registration| registration.switches.as_ref());
    let variable = |it: &registry::Switches| (it.variable.to_owned(), (it.hiding)(features));
    switches.map(variable).into_iter().collect()
}

fn features(provider: &str) -> impl Iterator<Item = &'static str> {
    let switches = registry::find(provider).and_then(|registration| registration.switches.as_ref());
    switches.into_iter().flat_map(|it| it.features.iter().copied())
}

/// AVX-512 is many features, of which all processors that have any have the foundation.
fn has(present: &[String], feature: &str) -> bool {
    let flag = if feature == "avx512" { "avx512f" } else { feature };
    present.iter().any(|it| it == flag)
}

/// Says that a worker's library is under a switch which the user has set, and the plan has not.
pub fn notice(key: &WorkerKey, environment: impl Fn(&str) -> Option<OsString>) -> String {
    let switches = registry::find(&key.provider).and_then(|it| it.switches.as_ref());
    let Some(variable) = switches.map(|it| it.variable) else { return String::new() };
    let unset_by_plan = !key.switches.contains_key(variable);
    match environment(variable).filter(|_| unset_by_plan) {
        Some(value) => format!(
            "{variable} is set to {:?}: the library runs under it, and so do its figures (unset \
             {variable} to measure what it does by itself)",
            value.display()
        ),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(provider: &str, switches: Variables) -> WorkerKey {
        WorkerKey { provider: provider.into(), switches }
    }

    fn switched() -> (&'static str, &'static str) {
        let with_switches = registry::REGISTRY.iter().find_map(|it| {
            let switches = it.switches.as_ref()?;
            Some((it.name, switches.variable))
        });
        with_switches.expect("some library can be switched")
    }

    #[test]
    fn a_switch_that_the_user_has_set_is_named_with_its_value() {
        let (provider, variable) = switched();
        let set = |name: &str| (name == variable).then(|| OsString::from("~0x1"));
        let notice = notice(&key(provider, Variables::new()), set);
        assert!(notice.starts_with(&format!("{variable} is set to \"~0x1\": ")), "{notice}");
    }

    #[test]
    fn a_switch_that_the_plan_sets_is_no_news() {
        let (provider, variable) = switched();
        let plan = Variables::from([(variable.to_owned(), "0".to_owned())]);
        assert_eq!(notice(&key(provider, plan), |_| Some("1".into())), "");
        assert_eq!(notice(&key(provider, Variables::new()), |_| None), "");
        assert_eq!(notice(&key("no-such-library", Variables::new()), |_| Some("1".into())), "");
    }

    #[test]
    fn only_features_that_the_processor_has_can_be_hidden() {
        let present = ["avx2".to_owned(), "avx512f".to_owned()];
        assert!(has(&present, "avx2") && has(&present, "avx512") && !has(&present, "aes"));
        assert_eq!(of("no-such-library"), BTreeMap::new());
    }
}
