//! `ciphermark-engine`: reads a plan (JSON), writes events (JSON lines).
//!
//! It needs nothing but itself and the libraries it is to measure, so it can be copied to a
//! machine without Python and run there: `bench` is for people, the other commands for the workbench.

mod bench;
mod build;
mod commands;
mod energy;
mod limits;
mod traffic;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use bench::BenchArguments;
use commands::{
    DescribeArguments, QuestionsArguments, RunArguments, VerifyArguments, WorkerArguments,
};
use limits::LimitsArguments;
use traffic::TrafficCommand;

#[derive(Parser)]
#[command(
    name = "ciphermark-engine",
    version,
    about = "Measures what cryptography costs on this machine. Begin with: ciphermark-engine bench",
    after_help = "All commands but bench print JSON, for the workbench `ciphermark`."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the usual algorithms, print a screen, and write a run.
    Bench(BenchArguments),
    /// Measure the cases of a plan; events go to standard output.
    Run(RunArguments),
    /// Print algorithms, providers and implementations as JSON.
    Describe(DescribeArguments),
    /// Print the machine, its state and its clocks as JSON.
    Environment,
    /// Run test vectors on every implementation and print the verdicts as JSON.
    Verify(VerifyArguments),
    /// Print test vectors as calls with their answers, a line of JSON each.
    Questions(QuestionsArguments),
    /// Measure what the processor executes in a cycle, and what limits our kernels, as JSON.
    Limits(LimitsArguments),
    /// Read the meters of energy until standard input is closed, as JSON.
    Energy,
    /// Send or receive UDP packets, numbered and timed; for `ciphermark tunnel`.
    #[command(subcommand)]
    Traffic(TrafficCommand),
    /// Serve a supervisor; started by `run`, not by people.
    #[command(hide = true)]
    Worker(WorkerArguments),
}

/// Exit codes: 0 done, 1 finished but something failed, 2 wrong usage.
fn main() -> ExitCode {
    let command = Arguments::parse().command;
    if let Err(sentence) = ciphermark_algorithms::check_extensions() {
        eprintln!("ciphermark-engine: {}", ciphermark_supervisor::shortened(&sentence));
        return ExitCode::from(2);
    }
    let result = match command {
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Run(arguments) => commands::run(&arguments),
        Command::Describe(arguments) => commands::describe(&arguments),
        Command::Environment => commands::environment(),
        Command::Verify(arguments) => commands::verify(&arguments),
        Command::Questions(arguments) => commands::questions(&arguments),
        Command::Limits(arguments) => limits::limits(&arguments),
        Command::Energy => energy::energy(),
        Command::Traffic(command) => traffic::traffic(&command),
        Command::Worker(arguments) => commands::worker(arguments),
    };
    match result {
        Ok(code) => code,
        Err(problem) => {
            let said = ciphermark_supervisor::shortened(&problem.sentence);
            eprintln!("ciphermark-engine: {said}");
            ExitCode::from(problem.code)
        }
    }
}
