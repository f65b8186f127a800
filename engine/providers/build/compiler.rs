//! What a C or C++ compiler says of itself.

/// Its version and its flags, without those about warnings and folders.
pub fn description(compiler: &cc::Tool) -> String {
    let output = compiler.to_command().arg("--version").env("LC_ALL", "C").output();
    let output = output.unwrap_or_else(|error| {
        panic!("{} cannot be run: {error}", compiler.path().display());
    });
    let words = String::from_utf8_lossy(&output.stdout);
    let version = words.lines().next().unwrap_or_default();
    let flags = compiler.args().iter().map(|flag| flag.to_string_lossy());
    let flags: Vec<_> = flags
        .filter(|flag| flag.starts_with('-') && !["-W", "-I"].iter().any(|it| flag.starts_with(it)))
        .filter(|flag| !flag.contains("-prefix-map="))
        .collect();
    format!("{version}, {}", flags.join(" "))
}
