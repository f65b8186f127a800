//! The text that `bench` prints, in 80 columns.

use std::collections::BTreeSet;

use ciphermark_record::bench::BenchHead;
use ciphermark_record::environment::CycleSource;
use ciphermark_record::event::Hello;
use ciphermark_record::plan::Plan;

use super::cases::size;
use super::figures::{Gathered, Row};
use super::leaders::{Leader, PACKET_BYTES, leaders, recommendation};
use super::numbers::{clock, counted, percent, significant, size as size_of};
use super::run_file::RunFile;

pub const COLUMNS: usize = 80;
const LABEL: usize = 10;

const UNSETTLED: &str = "~";
const TIE: &str = "≈";
const FAILED: &str = "!";

/// Failures that are named.
const MOST_FAILED: usize = 3;

/// Says what is measured where, before the work begins.
pub fn header(hello: &Hello, plan: &Plan) -> String {
    let (machine, state) = (&hello.environment.machine, &hello.environment.state);
    let clocks = &hello.environment.clocks;
    let guest = match machine.virtualisation.as_str() {
        "none" => String::new(),
        name => format!(" ({name} guest)"),
    };
    let source = match clocks.cycle_source {
        CycleSource::Pmu => "counted by the PMU",
        CycleSource::Calibrated => "no PMU: calibrated",
        CycleSource::Nominal => "no PMU: nominal clock",
    };
    let here = format!(
        "{}{guest}, {} of {} · core clock {} at the start ({source})",
        machine.cpu_name,
        state.cpus_allowed.len(),
        counted(machine.cpus_online as usize, "CPU"),
        clock(clocks.core_hz),
    );
    let distinct = |of: Vec<String>| of.into_iter().collect::<BTreeSet<_>>().len();
    let names = |of: fn(&ciphermark_record::plan::Case) -> String| {
        distinct(plan.cases.iter().map(of).collect())
    };
    let what = [
        counted(names(|it| it.algorithm.clone()), "algorithm"),
        counted(names(|it| it.provider.clone()), "provider"),
        counted(names(|it| size(it).to_string()), "size"),
        counted(plan.cases.len(), "case"),
        format!("at most {} s after they are verified", plan.budget_s + plan.overtime_s),
    ];
    let system = format!("{}, {}", machine.operating_system, machine.kernel);
    labelled("Machine", &here)
        + &labelled("System", &system)
        + &labelled("Plan", &what.join(" · "))
        + "\n"
}

/// Says what was found.
pub fn results(head: &BenchHead, gathered: &Gathered, rows: &[Row]) -> String {
    let found = leaders(&head.algorithms, rows);
    let mut text = String::new();
    if found.is_empty() {
        let why = match gathered.bye.as_ref().is_some_and(|it| it.interrupted) {
            true => "No case has a figure: it was stopped before.",
            false => {
                "No case has a figure: every sample was disturbed by other work on this core, or \
                 there was no time. Measure again on a quieter machine, or with a longer --budget."
            }
        };
        text += &wrapped(why, 0);
    } else {
        text += &table(&found);
        text += &wrapped(&marks(head, &found, rows), 0);
    }
    text += &failures(rows);
    text.push('\n');
    if let Some(said) = recommendation(&found) {
        text += &labelled("Use", &said);
    }
    for said in gathered.warnings.iter().chain(&head.notes) {
        text += &labelled("Note", said);
    }
    text
}

/// Says where the run is, and how it gets to the workbench.
pub fn footer(file: &RunFile) -> String {
    let name = file.path.display();
    let mib = file.bytes as f64 / f64::from(1 << 20);
    match &file.refused {
        Some(refused) => labelled("Run", &format!("{refused}.")),
        None if file.path.as_os_str().is_empty() => String::new(),
        None => {
            labelled(
                "Run",
                &format!("{name} ({} MiB); copy it to where ciphermark is:", significant(mib)),
            ) + &format!("{:LABEL$}ciphermark import {name}\n", "")
        }
    }
}

/// The text without what only UTF-8 has, and without characters that steer a terminal.
pub fn plain(text: &str, is_utf8: bool) -> String {
    let shown = |character: char| -> String {
        match character {
            '\n' => "\n".into(),
            it if it.is_control() => "?".into(),
            it if is_utf8 || it.is_ascii() => it.into(),
            '·' => "|".into(),
            '±' => "+-".into(),
            '≈' => "=".into(),
            '…' => ".".into(),
            _ => "?".into(),
        }
    };
    text.chars().map(shown).collect()
}

/// A column: the two lines of its heading, and its cells.
struct Column {
    heading: [String; 2],
    cells: Vec<String>,
    is_left: bool,
    /// Columns of a higher rank make room first; those of 0 stay.
    rank: u8,
}

impl Column {
    fn width(&self) -> usize {
        let all = self.heading.iter().chain(&self.cells);
        all.map(|it| it.chars().count()).max().unwrap_or(0)
    }
}

fn table(found: &[Leader]) -> String {
    let sizes = shown_sizes(found);
    let compared = sizes.iter().copied().filter(|&it| it <= PACKET_BYTES).max();
    let compared = compared.or(sizes.first().copied()).unwrap_or(0);
    let column = |rank, heading: [&str; 2], cell: &dyn Fn(&Leader) -> String| Column {
        heading: heading.map(String::from),
        cells: found.iter().map(cell).collect(),
        is_left: false,
        rank,
    };
    let mut columns = vec![column(0, ["", "cycles/byte"], &|it| name(it, compared))];
    for &bytes in &sizes {
        let rank = if bytes == compared {
            0
        } else if bytes > compared {
            2
        } else {
            3
        };
        let cell = |it: &Leader| {
            let row =
                if bytes == compared { Some(it.best) } else { it.by_size.get(&bytes).copied() };
            row.map_or(String::new(), |row| figure(row, row.cycles_per_byte()))
        };
        columns.push(column(rank, ["", &size_of(bytes)], &cell));
        if bytes == compared {
            let half = |it: &Leader| it.best.half_width().map_or(String::new(), percent);
            columns.push(column(0, ["", "±"], &half));
        }
    }
    let rate = |it: &Leader| figure(it.best, it.best.mbytes_per_second);
    columns.push(column(0, ["MB/s at", &size_of(compared)], &rate));
    columns.push(column(0, ["best", "library"], &|it| it.best.case.provider.clone()));
    if found.iter().any(|it| !it.best.path.is_empty()) {
        columns.push(column(4, ["", "code path"], &|it| folded(&it.best.path)));
    }
    if found.iter().any(|it| !it.ties.is_empty()) {
        columns.push(column(1, ["ties", TIE], &ties));
    }
    let first_text = columns.iter().position(|it| it.heading[1] == "library");
    for (place, column) in columns.iter_mut().enumerate() {
        column.is_left = place == 0 || first_text.is_some_and(|it| place >= it);
    }
    let mut left_out = Vec::new();
    while columns.iter().map(|it| it.width() + 2).sum::<usize>() - 2 > COLUMNS {
        let last = (0..columns.len()).max_by_key(|&it| columns[it].rank).unwrap_or(0);
        if columns[last].rank == 0 {
            break;
        }
        left_out.push(columns.remove(last).heading[1].clone());
    }
    let mut text = String::new();
    let lines = (0..2).map(|line| columns.iter().map(|it| it.heading[line].clone()).collect());
    let rows = (0..found.len()).map(|row| columns.iter().map(|it| it.cells[row].clone()).collect());
    for cells in lines.chain(rows).collect::<Vec<Vec<String>>>() {
        text += &line(&columns, &cells);
    }
    if !left_out.is_empty() {
        let which = left_out.join(", ");
        text += &format!("Left out at {COLUMNS} columns: {which}; the run has them\n");
    }
    text
}

fn line(columns: &[Column], cells: &[String]) -> String {
    let padded = columns.iter().zip(cells).map(|(column, cell)| {
        let width = column.width();
        if column.is_left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    let text = padded.collect::<Vec<_>>().join("  ");
    format!("{}\n", text.trim_end())
}

/// The smallest message, the one that libraries are compared at, and the largest.
fn shown_sizes(found: &[Leader]) -> Vec<u64> {
    let measured: BTreeSet<u64> = found.iter().flat_map(|it| it.by_size.keys().copied()).collect();
    let packets = measured.iter().copied().filter(|&it| it <= PACKET_BYTES).max();
    let shown: BTreeSet<u64> = measured
        .first()
        .copied()
        .into_iter()
        .chain(packets)
        .chain(measured.last().copied())
        .collect();
    shown.into_iter().collect()
}

/// The algorithm, with the size of its message where that is not the one of the heading.
fn name(it: &Leader, compared: u64) -> String {
    use ciphermark_record::description::Status;
    let at = size(it.best.case);
    let other = if at == compared { String::new() } else { format!(" at {}", size_of(at)) };
    let status = match it.algorithm.status {
        Status::Broken => " broken",
        Status::Legacy => " legacy",
        Status::Acceptable | Status::Recommended => "",
    };
    format!("{}{other}{status}", it.algorithm.name)
}

fn figure(row: &Row, value: Option<f64>) -> String {
    match value {
        None if row.error.is_some() => FAILED.into(),
        None => String::new(),
        Some(value) if row.settled => significant(value),
        Some(value) => format!("{UNSETTLED}{}", significant(value)),
    }
}

/// A long code path by its first part and its last: `vaes…avx512`.
fn folded(path: &str) -> String {
    let parts: Vec<&str> = path.split('-').collect();
    match parts.as_slice() {
        [first, _, .., last] => format!("{first}…{last}"),
        _ => path.to_owned(),
    }
}

fn ties(it: &Leader) -> String {
    if it.ties.is_empty() { String::new() } else { format!("+{}", it.ties.len()) }
}

fn marks(head: &BenchHead, found: &[Leader], rows: &[Row]) -> String {
    let mut said = vec!["± half of the 95 % interval".to_owned()];
    let unsettled = rows.iter().filter(|it| !it.settled && it.error.is_none()).count();
    if unsettled > 0 {
        let precision = 100.0 * head.plan.precision;
        let of = counted(rows.len(), "case");
        said.push(format!("{UNSETTLED} did not settle to ±{precision} % ({unsettled} of {of})"));
    }
    if found.iter().any(|it| !it.ties.is_empty()) {
        said.push(format!("{TIE} libraries that cannot be distinguished from the best"));
    }
    let clocks: Vec<f64> = rows.iter().filter_map(|it| it.core_hz).collect();
    let middle = ciphermark_harness::clock::median(&mut clocks.clone());
    let moved = clocks.iter().map(|it| (it / middle - 1.0).abs()).fold(0.0, f64::max);
    said.push(format!(
        "MB/s at {}, from which the core clock moved by ±{}",
        clock(middle),
        percent(moved)
    ));
    said.join("; ")
}

fn failures(rows: &[Row]) -> String {
    let failed: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let case = row.case;
            let why = &row.error.as_ref()?.message;
            let bytes = size_of(size(case));
            Some(format!("{} by {}, {bytes}: {why}", case.algorithm, case.provider))
        })
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    let mut text = format!("{FAILED} {} failed\n", counted(failed.len(), "case"));
    failed.iter().take(MOST_FAILED).for_each(|it| text += &wrapped(it, 2));
    if failed.len() > MOST_FAILED {
        text += &format!("  and {} more\n", failed.len() - MOST_FAILED);
    }
    text
}

fn labelled(label: &str, text: &str) -> String {
    let lines = wrapped(text, LABEL);
    format!("{label:<LABEL$}{}", lines.trim_start())
}

/// Breaks a text into lines below each other; the thousands of a number stay together.
fn wrapped(text: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_thousands = word.len() >= 3 && word.bytes().take(3).all(|it| it.is_ascii_digit());
        match words.last_mut() {
            Some(last) if is_thousands && last.ends_with(|it: char| it.is_ascii_digit()) => {
                *last += &format!(" {word}");
            }
            _ => words.push(word.to_owned()),
        }
    }
    for word in words {
        let last = lines.last_mut().expect("there is one");
        if last.is_empty() {
            *last = word;
        } else if indent + last.chars().count() + 1 + word.chars().count() <= COLUMNS {
            *last += &format!(" {word}");
        } else {
            lines.push(word);
        }
    }
    lines.iter().map(|it| format!("{:indent$}{it}\n", "")).collect()
}

#[cfg(test)]
mod tests {
    use ciphermark_record::SCHEMA;
    use ciphermark_record::call::{Buffers, Offload, Pattern};
    use ciphermark_record::case::{Case, Load, Messages, Workload};
    use ciphermark_record::event::{CaseError, Event, Failure, FailureKind, Warning};
    use ciphermark_record::plan::Sampling;

    use super::super::figures::tests::samples;
    use super::*;

    /// Cycles per byte of two libraries, and by how much their processes differ.
    const COSTS: [(&str, f64, f64, f64); 4] = [
        ("aes-128-gcm", 4.0, 3.9, 0.001),
        ("aes-128-cbc", 30.0, 20.0, 0.001),
        ("hmac-sha1", 2000.0, 2010.0, 0.01),
        ("sha256", 12.0, 24.0, 0.2),
    ];

    fn case(number: u32, algorithm: &str, provider: &str, bytes: u64) -> Case {
        let facts = ciphermark_algorithms::find(algorithm).expect("it has facts");
        Case {
            case: number,
            algorithm: algorithm.into(),
            operation: facts.kind.sending(),
            provider: provider.into(),
            backend: "default".into(),
            pattern: Pattern::default(),
            chunk_bytes: None,
            offload: Offload::None,
            offload_cpus: vec![],
            messages: Messages::Equal(bytes),
            lanes: 1,
            keys: 1,
            buffers: Buffers::default(),
            switches: Default::default(),
            load: Load::Single { after: None },
        }
    }

    fn head(cases: Vec<Case>) -> BenchHead {
        let facts = |name: &str| ciphermark_algorithms::find(name).expect("it has facts").clone();
        BenchHead {
            ciphermark_bench: SCHEMA,
            command: "ciphermark-engine bench".into(),
            plan_name: "bench".into(),
            algorithms: COSTS.map(|(name, ..)| facts(name)).to_vec(),
            notes: vec!["2 libraries are not here (openssl, nettle)".into()],
            plan: Plan {
                schema: SCHEMA,
                workload: Workload::Single,
                seed: 1,
                precision: 0.01,
                budget_s: 60.0,
                overtime_s: 30.0,
                cpu: None,
                libraries: Default::default(),
                sampling: Sampling { reproducibility: 0.0, ..Sampling::default() },
                code_paths: vec![],
                cases,
                optional: vec![],
            },
        }
    }

    /// Returns the text of a run with these costs; the last case has failed.
    fn printed() -> String {
        let (mut cases, mut gathered) = (Vec::new(), Gathered::default());
        for (name, by_one, by_other, spread) in COSTS {
            let middle = if name == "aes-128-cbc" { 1024 } else { 1500 };
            for (provider, cost) in [("rustcrypto", by_one), ("aws-lc", by_other)] {
                for bytes in [16, middle, 16384] {
                    let number = cases.len() as u32;
                    cases.push(case(number, name, provider, bytes));
                    let given = samples(number, bytes, cost, spread);
                    given.into_iter().for_each(|it| gathered.take(Event::Sample(it)));
                }
            }
        }
        let message = "test vector 3 failed".into();
        let error = Failure { kind: FailureKind::WrongAnswer, message, signal: None };
        let last = cases.len() as u32 - 1;
        gathered.take(Event::Error(CaseError { case: last, error }));
        let message = "the hypervisor took 4.0 % of the CPU's time".into();
        gathered.take(Event::Warning(Warning { kind: "steal".into(), message, case: None }));
        let head = head(cases);
        let rows = gathered.rows(&head.plan);
        results(&head, &gathered, &rows)
    }

    const SCREEN: &str = include_str!("screen.txt");

    #[test]
    fn each_algorithm_has_a_line_by_its_fastest_library() {
        let text = printed();
        if std::env::var_os("CIPHERMARK_WRITE_GOLDEN").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench/screen.txt");
            std::fs::write(path, &text).unwrap();
            return;
        }
        assert_eq!(text, SCREEN);
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
    }

    #[test]
    fn a_terminal_without_utf_8_gets_ascii_and_nobody_steers_it() {
        let text = plain("±1 % · ≈ vaes…avx\x1b[31m\n", false);
        assert_eq!(text, "+-1 % | = vaes.avx?[31m\n");
        assert_eq!(plain("±\u{9b}2J\n", true), "±?2J\n");
        assert!(plain(&printed(), false).is_ascii());
    }

    #[test]
    fn what_has_no_figure_says_why() {
        let head = head(vec![case(0, "sha256", "rustcrypto", 64)]);
        let mut gathered = Gathered::default();
        let rows = gathered.rows(&head.plan);
        let text = results(&head, &gathered, &rows);
        assert!(text.starts_with("No case has a figure: every sample was disturbed"), "{text}");
    }

    #[test]
    fn lines_are_broken_between_words_and_not_within_numbers() {
        let text = labelled("Use", &format!("{} 14 600 MB/s", "x".repeat(66)));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1].trim_start(), "14 600 MB/s", "{text}");
    }
}
