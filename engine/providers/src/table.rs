//! The table of an opened library: which algorithms it has, and how their functions are made.

use ciphermark_algorithms::Algorithm;

use crate::api::*;
use crate::{checks, patterns};

/// Canonical names with what the library needs to be told for each.
pub type Table<R> = &'static [(&'static str, R)];

/// How the functions of one algorithm are made.
pub trait Recipe: Copy + 'static {
    /// The library's functions.
    type Library: 'static;

    /// Makes the function that `request` asks for, whose backend and operation exist.
    fn create(
        self,
        library: &'static Self::Library,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError>;

    /// Whether the code's time is independent of secrets, as its authors state.
    fn constant_time(self) -> Option<bool> {
        None
    }
}

/// A library with its table, as a provider.
pub struct TableProvider<R: Recipe> {
    pub name: &'static str,
    pub functions: &'static R::Library,
    pub library: Library,
    pub table: Table<R>,
}

impl<R: Recipe> TableProvider<R> {
    /// The implementation of a table's line, where this version and build of the library has it.
    /// An algorithm without facts cannot be described, so it is left out.
    fn implementation(&self, (name, recipe): &(&'static str, R)) -> Option<Implementation> {
        let facts = ciphermark_algorithms::find(name)?;
        let request = Request {
            algorithm: name,
            backend: checks::DEFAULT_BACKEND,
            operation: facts.kind.operations()[0],
            nonce_bytes: None,
        };
        let mut function = recipe.create(self.functions, facts, &request).ok()?;
        let patterns = patterns::of(function.as_mut(), facts);
        let constant_time = recipe.constant_time();
        Some(checks::default_implementation(self.name, name, facts.kind, constant_time, patterns))
    }
}

impl<R: Recipe> Provider for TableProvider<R> {
    fn library(&self) -> Library {
        self.library.clone()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.table.iter().filter_map(|line| self.implementation(line)).collect()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let unknown = || checks::unknown_algorithm(request);
        let line = self.table.iter().find(|(name, _)| *name == request.algorithm);
        let (_, recipe) = line.ok_or_else(unknown)?;
        let facts = ciphermark_algorithms::find(request.algorithm).ok_or_else(unknown)?;
        checks::check_request(request, facts.kind)?;
        recipe.create(self.functions, facts, request)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A misspelt name would be left out in silence.
    pub fn every_line_has_facts<R>(table: Table<R>) {
        for (name, _) in table {
            assert!(ciphermark_algorithms::find(name).is_some_and(|f| f.name == *name), "{name}");
        }
    }
}
