//! What is hidden from ipsec-mb is left alone: the only test here, since the switch is set in the
//! environment.

use ciphermark_registry as registry;

#[test]
fn a_switch_chooses_another_architecture() {
    let registration = registry::find("ipsec-mb").expect("registered");
    let switches = registration.switches.as_ref().expect("it has one");
    let hidden = ["sha_ni", "avx"];
    assert!(hidden.iter().all(|feature| switches.features.contains(feature)));
    // SAFETY: nothing else runs in this process that could read the environment.
    unsafe { std::env::set_var(switches.variable, (switches.hiding)(&hidden)) };
    let provider = match (registration.open)(None) {
        Ok(provider) => provider,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let build = provider.library().build;
    let (_, own) = build.split_once("architecture ").expect("it says which");
    let (architecture, features) = own.split_once(", features ").expect("it lists them");
    assert_eq!(architecture, "sse", "{build}");
    assert!(!features.split(' ').any(|feature| feature == "sha_ni"), "{build}");
}
