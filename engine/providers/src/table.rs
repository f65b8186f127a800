//! The table of an opened library: which algorithms it has, and how their functions are made.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use crate::api::*;
use crate::{checks, patterns};

/// Canonical names with what the library needs to be told for each. Of an algorithm with several
/// backends the first line is the default.
pub type Table<R> = &'static [(&'static str, R)];

/// How the functions of one algorithm are made.
pub trait Recipe: Copy + Sync + 'static {
    /// The library's functions.
    type Library: Sync + 'static;

    /// Makes the function that `request` asks for, whose backend and operation exist.
    fn create(
        self,
        library: &'static Self::Library,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError>;

    /// As [`Provider::create_lanes`].
    fn create_lanes(
        self,
        _library: &'static Self::Library,
        _facts: &'static Algorithm,
        _request: &Request<'_>,
        lanes: usize,
        _keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        Err(CreateError::Unsupported(format!("{lanes} messages per call")))
    }

    /// The code path that the library has for this line alone; absent where it chooses one itself.
    fn backend(self) -> Option<&'static str> {
        None
    }

    /// The parameter by which the line differs from the algorithm as it is usually meant.
    fn variant(self) -> Option<&'static str> {
        None
    }

    /// Whether it takes messages that end within a byte.
    fn counts_bits(self) -> bool {
        false
    }

    /// What it can do of what algorithms of the kind have.
    fn operations(self, kind: Kind) -> Vec<Operation> {
        kind.operations().to_vec()
    }

    /// Most messages that one call takes, in the operation that takes most.
    fn most_lanes(self) -> u32 {
        1
    }

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
        let facts = ciphermark_algorithms::find(name).filter(|_| recipe.variant().is_none())?;
        let operations = recipe.operations(facts.kind);
        let own = recipe.backend();
        let backend = own.unwrap_or(checks::DEFAULT_BACKEND);
        let operation = *operations.first()?;
        let request = Request::usual(name, backend, operation);
        let mut function = recipe.create(self.functions, facts, &request).ok()?;
        let patterns = patterns::of(function.as_mut(), facts);
        let takes_repeats = patterns::takes_repeats(function.as_mut(), facts);
        let constant_time = recipe.constant_time();
        Some(Implementation {
            backend: backend.into(),
            default: self.lines(name, None).next().is_some_and(|first| first.backend() == own),
            backend_evidence: match own {
                Some(_) => BackendEvidence::Reported,
                None => BackendEvidence::Unknown,
            },
            operations,
            most_lanes: recipe.most_lanes(),
            takes_repeats,
            ..checks::default_implementation(self.name, name, facts.kind, constant_time, patterns)
        })
    }

    /// The recipes of an algorithm or of a variant of it, the default one first.
    fn lines(&self, algorithm: &str, variant: Option<&str>) -> impl Iterator<Item = R> {
        let lines = self.table.iter().filter(move |(name, _)| *name == algorithm);
        lines.map(|(_, recipe)| *recipe).filter(move |recipe| recipe.variant() == variant)
    }

    /// The recipe that does what is asked for, and the facts of its algorithm.
    pub fn find(&self, request: &Request<'_>) -> Result<(R, &'static Algorithm), CreateError> {
        let unknown = || checks::unknown_algorithm(request);
        self.lines(request.algorithm, None).next().ok_or_else(unknown)?;
        let facts = ciphermark_algorithms::find(request.algorithm).ok_or_else(unknown)?;
        checks::check_operation(request, facts.kind)?;
        let mut lines = self.lines(request.algorithm, request.variant).peekable();
        let default = *lines.peek().ok_or_else(|| checks::unknown_variant(request))?;
        let recipe = match request.backend {
            checks::DEFAULT_BACKEND => Some(default),
            backend => lines.find(|recipe| recipe.backend() == Some(backend)),
        };
        let recipe = recipe.ok_or_else(|| checks::unknown_backend(request))?;
        checks::check_bits(request, recipe.counts_bits())?;
        Ok((recipe, facts))
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
        let (recipe, facts) = self.find(request)?;
        recipe.create(self.functions, facts, request)
    }

    fn create_lanes(
        &self,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        let (recipe, facts) = self.find(request)?;
        recipe.create_lanes(self.functions, facts, request, lanes, keys)
    }
}
