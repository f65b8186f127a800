//! Which implementations a command is about.

/// Which implementations are asked; empty means all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub algorithms: Vec<String>,
    pub providers: Vec<String>,
}

/// Whether a name is chosen; where none is named, all are.
pub fn selected(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|it| it == name)
}
