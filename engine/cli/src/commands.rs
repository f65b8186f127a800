//! The commands: from arguments to calls of the supervisor.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ciphermark_algorithms::vectors::{self, Vector};
use ciphermark_harness::{pinning, quietest_cpu};
use ciphermark_record::plan::Plan;
use ciphermark_supervisor::{Interrupt, Lengths, Output, RunError, Selection, Start, Surroundings};
use clap::Args;

use crate::build::build;

/// A command that ended badly.
pub struct Problem {
    pub sentence: String,
    pub code: u8,
}

/// Bytes of a plan, into which as many cases as one may have fit, as the workbench writes most of them.
/// In memory a plan takes at most some twelve times its length, by maps of short names.
const LARGEST_PLAN: u64 = 16 << 20;

const USAGE: u8 = 2;
pub const WORK: u8 = 1;

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self { sentence: error.to_string(), code: WORK }
    }
}

pub fn usage(sentence: String) -> Problem {
    Problem { sentence, code: USAGE }
}

pub type Result = std::result::Result<ExitCode, Problem>;

#[derive(Args)]
pub struct RunArguments {
    /// The plan; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    plan: PathBuf,
}

#[derive(Args)]
pub struct DescribeArguments {
    /// Also look which code paths each implementation has here; takes seconds.
    #[arg(long)]
    code_paths: bool,
    /// Only implementations of these providers.
    #[arg(long, value_delimiter = ',')]
    providers: Vec<String>,
    /// Only implementations of these algorithms.
    #[arg(long, value_delimiter = ',')]
    algorithms: Vec<String>,
    #[command(flatten)]
    libraries: Libraries,
}

#[derive(Args)]
pub struct VerifyArguments {
    /// Folder of vector files; the embedded ones when absent.
    #[arg(long, value_name = "DIR")]
    vectors: Option<String>,
    /// Also compare all implementations on random inputs: of a sample of lengths, or of all from 0
    /// to 4096.
    #[arg(long, value_name = "LENGTHS")]
    agreement: Option<AgreementLengths>,
    /// Seed of these inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these algorithms.
    #[arg(long, value_delimiter = ',')]
    algorithms: Vec<String>,
    /// Only these providers.
    #[arg(long, value_delimiter = ',')]
    providers: Vec<String>,
    #[command(flatten)]
    libraries: Libraries,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum AgreementLengths {
    Sample,
    All,
}

impl From<AgreementLengths> for Lengths {
    fn from(lengths: AgreementLengths) -> Self {
        match lengths {
            AgreementLengths::Sample => Lengths::Sample,
            AgreementLengths::All => Lengths::All,
        }
    }
}

#[derive(Args)]
pub struct QuestionsArguments {
    /// Only the vectors of these algorithms.
    algorithms: Vec<String>,
}

#[derive(Args)]
struct Libraries {
    /// Open this library instead of the installed one; repeatable.
    #[arg(long = "library", value_name = "PROVIDER=PATH", value_parser = library)]
    libraries: Vec<(String, String)>,
}

impl Libraries {
    fn map(&self) -> BTreeMap<String, String> {
        self.libraries.iter().cloned().collect()
    }
}

fn library(text: &str) -> std::result::Result<(String, String), String> {
    text.split_once('=')
        .map(|(provider, path)| (provider.to_owned(), path.to_owned()))
        .ok_or_else(|| "must be PROVIDER=PATH, for example openssl=/opt/lib/libcrypto.so.3".into())
}

#[derive(Args)]
pub struct WorkerArguments {
    #[arg(long)]
    provider: String,
    #[arg(long)]
    library: Option<String>,
    /// Descriptor of what is opened in place of the file at that path.
    #[arg(long)]
    copy: Option<i32>,
    #[arg(long)]
    cpu: u32,
    #[arg(long)]
    cpu_seconds: u64,
    #[arg(long)]
    memory_bytes: Option<u64>,
    #[arg(long)]
    ticks_per_ns: f64,
}

pub fn run(arguments: &RunArguments) -> Result {
    let plan = read_plan(&arguments.plan)?;
    let interrupt = Interrupt::install()?;
    let output = Output::to(&io::stdout(), &interrupt)?;
    match ciphermark_supervisor::run(&plan, build(), output, &interrupt) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(RunError::Plan(sentence)) => Err(usage(sentence)),
        // The reader is gone: there is nobody left to tell.
        Err(RunError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(ExitCode::from(WORK))
        }
        Err(RunError::Io(error)) => Err(error.into()),
    }
}

fn read_plan(path: &std::path::Path) -> std::result::Result<Plan, Problem> {
    let named = |error: &dyn std::fmt::Display| {
        usage(format!("the plan {} cannot be read: {error}", path.display()))
    };
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(|error| named(&error))?)
    };
    let mut bounded = input.take(LARGEST_PLAN + 1);
    // The text is not kept beside what it says.
    let plan = serde_json::from_reader(BufReader::new(&mut bounded));
    if bounded.limit() == 0 {
        return Err(named(&format!("it is over {} MiB; measure fewer cases", LARGEST_PLAN >> 20)));
    }
    plan.map_err(|error| named(&error))
}

pub fn describe(arguments: &DescribeArguments) -> Result {
    let interrupt = Interrupt::install()?;
    let libraries = arguments.libraries.map();
    let selection = Selection {
        algorithms: arguments.algorithms.clone(),
        providers: arguments.providers.clone(),
    };
    let looks = arguments.code_paths;
    let description =
        ciphermark_supervisor::describe(build(), libraries, &selection, looks, &interrupt)?;
    print(&description, &interrupt)
}

pub fn environment() -> Result {
    let allowed = pinning::allowed_cpus()?;
    let cpu = quietest_cpu::choose(None, &allowed).map_err(usage)?;
    print(&Surroundings::measure(cpu)?.environment, &Interrupt::none())
}

pub fn verify(arguments: &VerifyArguments) -> Result {
    let interrupt = Interrupt::install()?;
    let selection = Selection {
        algorithms: arguments.algorithms.clone(),
        providers: arguments.providers.clone(),
    };
    let folder = arguments.vectors.as_deref();
    let libraries = arguments.libraries.map();
    let lengths = arguments.agreement.map(|lengths| (lengths.into(), arguments.seed));
    let verification =
        ciphermark_supervisor::verify(folder, lengths, libraries, &selection, &interrupt)
            .map_err(usage)?;
    print(&verification, &interrupt)?;
    let crashed = verification.results.iter().any(|result| result.error.is_some());
    let differ = verification
        .agreement
        .is_some_and(|it| !it.disagreements.is_empty() || !it.failures.is_empty());
    let failed = crashed || differ || verification.failed > 0;
    Ok(if failed { ExitCode::from(WORK) } else { ExitCode::SUCCESS })
}

pub fn questions(arguments: &QuestionsArguments) -> Result {
    let vectors = vectors::known();
    let has_vectors = |name: &&String| vectors.iter().any(|it| it.algorithm == **name);
    if let Some(name) = arguments.algorithms.iter().find(|name| !has_vectors(name)) {
        return Err(usage(format!(
            "there are no test vectors of {name}: write names of `ciphermark list algorithms`"
        )));
    }
    let is_chosen = |name| arguments.algorithms.is_empty() || arguments.algorithms.contains(name);
    let mut output = BufWriter::new(io::stdout().lock());
    let chosen = vectors.iter().filter(|vector| is_chosen(&vector.algorithm));
    for question in chosen.flat_map(Vector::questions) {
        serde_json::to_writer(&mut output, &question).map_err(io::Error::from)?;
        writeln!(output)?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub fn worker(arguments: WorkerArguments) -> Result {
    let start = Start {
        provider: arguments.provider,
        library: arguments.library,
        copy: arguments.copy,
        cpu: arguments.cpu,
        cpu_seconds: arguments.cpu_seconds,
        memory_bytes: arguments.memory_bytes,
        ticks_per_ns: arguments.ticks_per_ns,
    };
    ciphermark_supervisor::serve(&start)?;
    Ok(ExitCode::SUCCESS)
}

pub fn print(value: &impl serde::Serialize, interrupt: &Interrupt) -> Result {
    let mut output = BufWriter::new(Output::to(&io::stdout(), interrupt)?);
    serde_json::to_writer(&mut output, value).map_err(io::Error::from)?;
    writeln!(output)?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
