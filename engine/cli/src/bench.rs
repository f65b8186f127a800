//! The command `bench`: measures the usual algorithms, prints a screen, and writes a run.
//!
//! It is for machines that have nothing but this file: routers, cameras, boards.

mod cases;
mod figures;
mod leaders;
mod numbers;
mod run_file;
mod screen;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use ciphermark_harness::environment;
use ciphermark_record::SCHEMA;
use ciphermark_record::bench::BenchHead;
use ciphermark_record::description::{Description, Provider};
use ciphermark_record::event::{Event, Phase, Progress};
use ciphermark_record::plan::Plan;
use ciphermark_supervisor::{Interrupt, Output, RunError, Selection};
use clap::Args;

use crate::build::build;
use crate::commands::{Problem, Result, WORK, usage};
use cases::Wanted;
use figures::Gathered;
use numbers::{counted, percent};
use run_file::{RunFile, Tee};

const LONGEST_SECONDS: f64 = 3600.0;
const LARGEST_BYTES: u64 = 1 << 20;

#[derive(Args)]
pub struct BenchArguments {
    /// A first look in some 15 seconds: fewer sizes, wider intervals.
    #[arg(long)]
    quick: bool,
    /// Algorithms, for example aes-128-gcm,sha256; else those of a survey.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    algorithms: Vec<String>,
    /// Bytes of messages, for example 64,1500.
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = clap::value_parser!(u64).range(1..=LARGEST_BYTES))]
    sizes: Vec<u64>,
    /// Only these libraries, for example rustcrypto.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    providers: Vec<String>,
    /// Time to measure, for example 30s, after all implementations are verified.
    #[arg(long, value_name = "TIME", value_parser = budget)]
    budget: Option<f64>,
    /// The CPU to measure on; else the quietest.
    #[arg(long, value_name = "N")]
    cpu: Option<u32>,
    /// The file for the run; `-` for standard output, with the text on standard error.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn budget(text: &str) -> std::result::Result<f64, String> {
    match text.strip_suffix('s').unwrap_or(text).parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST_SECONDS => Ok(seconds),
        _ => Err(format!("write more than 0 and at most {LONGEST_SECONDS} seconds, such as 30s")),
    }
}

/// Where the text for people goes.
#[derive(Clone, Copy)]
enum Text {
    Output,
    Messages,
}

impl Text {
    fn print(self, text: &str, interrupt: &Interrupt) -> io::Result<()> {
        let shown = screen::plain(text, is_utf8());
        match self {
            Text::Output => Output::to(&io::stdout(), interrupt)?.write_all(shown.as_bytes()),
            Text::Messages => io::stderr().write_all(shown.as_bytes()),
        }
    }
}

/// Whether the locale says that the terminal shows UTF-8. Without a locale that is not known.
fn is_utf8() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|it| std::env::var(it).ok());
    let locale = set.filter(|it| !it.is_empty()).map(|it| it.to_ascii_lowercase()).next();
    locale.is_some_and(|it| it.contains("utf-8") || it.contains("utf8"))
}

pub fn bench(arguments: &BenchArguments) -> Result {
    let interrupt = Interrupt::install()?;
    let is_piped = arguments.output.as_deref() == Some(Path::new("-"));
    let mut file = match &arguments.output {
        None => RunFile::of_machine(Path::new(""), &environment::machine().machine_name),
        Some(_) if is_piped => RunFile::to(Output::to(&io::stdout(), &interrupt)?),
        Some(path) => RunFile::named(path).map_err(usage)?,
    };
    let text = if is_piped { Text::Messages } else { Text::Output };
    match measured(arguments, &mut file, text, &interrupt) {
        Ok(code) => Ok(code),
        Err(problem) => {
            file.forget();
            Err(problem)
        }
    }
}

fn measured(
    arguments: &BenchArguments,
    file: &mut RunFile,
    text: Text,
    interrupt: &Interrupt,
) -> Result {
    let none = Selection { algorithms: Vec::new(), providers: Vec::new() };
    let here =
        ciphermark_supervisor::describe(build(), Default::default(), &none, false, interrupt)?;
    let head = head(&here, arguments)?;
    file.begin(&head)?;
    let mut gathered = Gathered::default();
    let mut phases = Phases::new(&head.plan);
    let mut problem = None;
    let tee = Tee {
        file,
        each: |event| {
            match &event {
                Event::Hello(hello) => {
                    problem = text.print(&screen::header(hello, &head.plan), interrupt).err();
                }
                Event::Error(_) => phases.failed += 1,
                Event::Progress(progress) => phases.show(progress),
                _ => {}
            }
            gathered.take(event);
        },
        begun: Vec::new(),
    };
    let ended = ciphermark_supervisor::run(&head.plan, build(), tee, interrupt);
    phases.end();
    match ended {
        Err(RunError::Plan(sentence)) => return Err(usage(sentence)),
        Err(RunError::Io(error)) if gathered.hello.is_none() => return Err(error.into()),
        Err(RunError::Io(error)) => {
            gathered.warnings.push(format!("the run has ended early: {error}"))
        }
        Ok(()) => {}
    }
    if let Some(error) = problem {
        return Err(error.into());
    }
    let rows = gathered.rows(&head.plan);
    let said = screen::results(&head, &gathered, &rows) + &screen::footer(file);
    text.print(&said, interrupt)?;
    let has_failed = gathered.bye.is_none() || rows.iter().any(|row| row.error.is_some());
    Ok(if has_failed { ExitCode::from(WORK) } else { ExitCode::SUCCESS })
}

fn head(here: &Description, arguments: &BenchArguments) -> std::result::Result<BenchHead, Problem> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos() as u64);
    let wanted = Wanted {
        quick: arguments.quick,
        algorithms: arguments.algorithms.clone(),
        sizes: arguments.sizes.clone(),
        providers: arguments.providers.clone(),
        budget_s: arguments.budget,
        cpu: arguments.cpu,
        seed: since % (1 << 53), // what JSON's numbers hold everywhere
    };
    let plan = cases::plan(here, &wanted).map_err(usage)?;
    let measured = |name: &str| plan.cases.iter().any(|case| case.algorithm == name);
    Ok(BenchHead {
        ciphermark_bench: SCHEMA,
        command: std::env::args().collect::<Vec<_>>().join(" "),
        plan_name: if arguments.quick { "bench-quick" } else { "bench" }.into(),
        algorithms: here.algorithms.iter().filter(|it| measured(&it.name)).cloned().collect(),
        notes: left_out(here).into_iter().collect(),
        plan,
    })
}

/// Names the libraries that cannot be used here.
fn left_out(here: &Description) -> Option<String> {
    let is_left_out = |it: &&Provider| !it.usable && !cases::is_device(&it.name);
    let names: Vec<&str> =
        here.providers.iter().filter(is_left_out).map(|it| it.name.as_str()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let count = match names.len() {
        1 => "1 library".into(),
        count => format!("{count} libraries"),
    };
    (!names.is_empty()).then(|| format!("{count} {are} not here ({})", names.join(", ")))
}

/// The phases of a run on standard error: a line that changes on a terminal, else one at the end of each.
struct Phases {
    precision: f64,
    last: Option<Progress>,
    failed: usize,
    is_terminal: bool,
}

impl Phases {
    fn new(plan: &Plan) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { precision: plan.precision, last: None, failed: 0, is_terminal }
    }

    fn show(&mut self, progress: &Progress) {
        if self.last.as_ref().is_some_and(|it| it.phase != progress.phase) {
            self.end();
        }
        if self.is_terminal {
            let left = match progress.phase {
                Phase::Verifying => String::new(),
                Phase::Measuring => format!("   {:.0} s left", progress.left_s),
            };
            self.write(&format!("\r{}{left}\x1b[K", self.state(progress)));
        }
        self.last = Some(progress.clone());
    }

    /// Ends the line of a phase with how it ended.
    fn end(&mut self) {
        let Some(last) = self.last.take() else { return };
        let how = match last.phase {
            Phase::Verifying if self.failed > 0 => {
                format!("{} failed", counted(self.failed, "case"))
            }
            Phase::Verifying => "all answers right".into(),
            Phase::Measuring => format!("{:.0} s", last.elapsed_s),
        };
        let (begin, end) = if self.is_terminal { ("\r", "\x1b[K\n") } else { ("", "\n") };
        self.write(&format!("{begin}{}   {how}{end}", self.state(&last)));
    }

    fn state(&self, progress: &Progress) -> String {
        let total = progress.total;
        match progress.phase {
            Phase::Verifying => format!("Verifying {}/{total}", progress.done),
            Phase::Measuring => {
                let settled = percent(self.precision);
                format!("Measuring {}/{total} settled to +-{settled}", progress.converged)
            }
        }
    }

    /// Writes progress; a failure to do so does not concern the run.
    fn write(&self, text: &str) {
        let _ = io::stderr().write_all(text.as_bytes());
    }
}
