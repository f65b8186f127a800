//! Libraries that say which features of the processor they use leave alone what is hidden from them.

use ciphermark_providers::api::{Registration, Switches};
use ciphermark_registry as registry;

use crate::child;

/// The provider with its switches; none where its library cannot be used.
fn find(name: &str) -> Option<(&'static Registration, &'static Switches)> {
    let registration = registry::find(name).expect("registered");
    let switches = registration.switches.as_ref().expect("it can be told");
    child::can_be_used(registration).then_some((registration, switches))
}

/// What the library says of itself where features are hidden from it.
fn said(registration: &Registration, hidden: &[&str]) -> String {
    let told = child::run("switches::tells_what_it_says_of_itself", registration, hidden);
    assert!(!told.is_empty(), "{} says nothing", registration.name);
    told.concat()
}

#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn tells_what_it_says_of_itself() {
    child::tell(&child::provider().provider.library().build);
}

#[test]
fn cryptopp_uses_all_but_the_hidden_feature() {
    let Some((registration, switches)) = find("cryptopp") else { return };
    let used = |hidden: &[&str]| -> Vec<String> {
        let build = said(registration, hidden);
        let (_, features) = build.split_once("features:").expect("it lists them");
        features.split_whitespace().map(str::to_owned).collect()
    };
    let all = used(&[]);
    for (index, feature) in switches.features.iter().enumerate() {
        let mut rest = all.clone();
        // What is first is the base of all others.
        rest.retain(|other| index > 0 && other != feature);
        assert_eq!(used(&[feature]), rest, "without {feature}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn libgcrypt_does_not_use_the_hidden_feature() {
    let Some((registration, _)) = find("libgcrypt") else { return };
    let (all, less) = (said(registration, &[]), said(registration, &["aes"]));
    if all.contains("intel-aesni") {
        assert!(!less.contains("intel-aesni"), "{less}");
        assert_eq!(less.contains("intel-ssse3"), all.contains("intel-ssse3"), "{less}");
    }
}
