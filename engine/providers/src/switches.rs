//! Tables of the names by which libraries know the features of processors.

/// The names of ours in a table that begins its lines with them, for [`crate::api::Switches`].
pub const fn features<T: Copy, const N: usize>(
    table: &[(&'static str, T); N],
) -> [&'static str; N] {
    let mut features = [""; N];
    let mut line = 0;
    while line < N {
        features[line] = table[line].0;
        line += 1;
    }
    features
}

/// A library's names of these features, with commas between them.
pub fn names(table: &[(&str, &str)], hidden: &[&str]) -> String {
    let lines = table.iter().filter(|(feature, _)| hidden.contains(feature));
    lines.map(|(_, name)| *name).collect::<Vec<_>>().join(",")
}

/// A misspelt name would hide nothing, in silence.
#[cfg(test)]
pub fn assert_known(switches: &crate::api::Switches) {
    use crate::features::{AARCH64, X86_64};
    for feature in switches.features {
        assert!([X86_64, AARCH64].concat().contains(feature), "{feature}");
    }
}
