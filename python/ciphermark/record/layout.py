"""Where the files of a run lie, and the version of their format.

RUNS/20261121-091500-7f3a/context.parquet     one row: what one must know to judge the figures
                          cases.parquet       one row for each case of the plan
                          samples.parquet     one row for each timed slice
                          warnings.parquet    what the engine warned of
                          sessions.parquet    one row for each execution; only of that workload
                          packets.parquet     one row for each case; only of that workload
                          passes.parquet      one row for each pass of packets
                          targets.parquet     one row for each simulated target; only where there
                                              are any, as the next
                          simulations.parquet one row for each case on them
                          variants.parquet    one row for each way in which kernels were compiled
                                              for them; only of the workload tuning
                          tunnels.parquet     one row for each case; only of the workload tunnel
                          beside.parquet      figures of other programs; only where there are any
                          given.parquet       what the user told, by name; only where there is any
                          also/RUN/           a run of another workload that belongs to this one:
                                              the same files
                          rows.parquet        the figures, as they were computed then
RUNS/index.json                               rebuildable, see `record.index`
RUNS/.figures/                                rebuildable, see `record.query`
RUNS/.new-*                                   being written, or left by a process that died
"""

from __future__ import annotations

import os
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path

from ciphermark.errors import WorkError

FORMAT_MAJOR = 1
FORMAT_MINOR = 21
"""A reader refuses a newer major; it ignores the columns that a newer minor added, and gives
defaults to those that an older minor lacks.

History of the format:

* 1.0: first version.
* 1.1: `chunk_bytes` of cases; `backend_asked`, `chunk_bytes` and `features` of rows.
* 1.2: `profile` of cases and rows, `lengths` of cases. `keys` counts the distinct keys with several
  lanes too, where it was 1 before; read through `record.run_folder` it always does, in SQL it is
  what was written.
* 1.3: `buffers` may be `repeated`; `takes_repeats` of implementations.
* 1.4: the workload `sessions`, with a table of its executions and columns of its own in the rows;
  `sessions` of cases. Figures of other programs beside a study's.
* 1.5: the workload `packets`, with tables of its cases and their passes, and columns of its own in
  the rows; `packets` and `offload_cpus` of cases. `offload` may be `cores`, `opencl` or `af_alg`.
* 1.6: tables of simulated targets and of the cases on them, and the workload `simulation`, of runs
  that have nothing else, with rows of its own. `buffers` may be `l2` or `cold`.
* 1.7: the workload `imported`, of runs that have figures of another program, with tables of where
  they come from and of what it said; `hello`, `core_hz` and `cycle_source` of a context may be null
  there, and `cycle_source` of a row. Runs within the folder of another, which a study measures
  beside it, and what the user told it. Facts of algorithms may be those of a suite, and say whether
  FIPS approves; `offload` may be `split`.
* 1.8: the workload `tuning`, of runs that have variants of kernels, with a table of how each was
  compiled.
* 1.9: `min_processes` of a plan's sampling: a row's interval is one over worker processes; of older
  runs, where it is 0, one over groups.
* 1.10: `cycles_upper_bound` and `cycles_per_byte_upper_bound` of rows; `after` of cases and rows;
  the mark `loop` of samples.
* 1.11: the workload `tunnel`, with a table of its cases and what was sent through each.
* 1.12: misses of caches and evictions of cases on simulated targets, and what files of a target the
  compiler was given other flags for.
* 1.13: `reproducibility` of a plan's sampling: intervals have in them what figures move by from run
  to run; those of older runs do not.
* 1.14: figures of boards (`cycles-measured`) among the cases of simulated targets, with a target
  like `atmega328p@board`.
* 1.15: readings of meters (`energy`) of executions, cases of packets and trials of tunnels, when
  each pass began, and energy in rows.
* 1.16: `latencies_by_priority` of passes; `latency_by_priority_ns`, `urgency` and `policy` of rows
  of packets.
* 1.17: `optional` cases of a plan.
* 1.18: `settling_ms` of a plan's sampling, and the mark `settling` of samples.
* 1.19: `overtime_s` of a plan.
* 1.20: `cpu` of samples.
* 1.21: `cautions`, `timed`, `part` and `processes` of where imported figures come from.
"""

TABLES = ("context", "cases", "samples", "warnings", "rows")

_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")


def new_run_id(started_unix_ns: int) -> str:
    """UTC start and four random hex digits: `20261121-091500-7f3a`."""
    return run_id(started_unix_ns, secrets.token_hex(2))


def run_id(started_unix_ns: int, digits: str) -> str:
    """Returns the identifier of a run with the four hex digits that end it."""
    start = datetime.fromtimestamp(started_unix_ns // 10**9, UTC)
    return f"{start:%Y%m%d-%H%M%S}-{digits}"


def table_file(folder: Path, table: str) -> Path:
    """The file of one of `TABLES` in the folder of a run."""
    return folder / f"{table}.parquet"


def also_folder(folder: Path) -> Path:
    """Where the runs lie that belong to the one in a folder."""
    return folder / "also"


def run_ids(root: Path) -> list[str]:
    """Identifiers of the runs in a folder, newest first; empty where there is no such folder."""
    try:
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries if _is_run(entry)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise WorkError(f"the runs in {root} cannot be listed: {error.strerror}") from error
    return sorted(names, reverse=True)


def is_run_id(name: str) -> bool:
    """Whether a name is one that `new_run_id` may have given."""
    return _RUN_ID.fullmatch(name) is not None


def check_format(major: int, minor: int, file: Path) -> None:
    """Refuses, as a `WorkError`, what this version would misunderstand."""
    if major > FORMAT_MAJOR:
        raise WorkError(
            f"{file} has format {major}.{minor} and this ciphermark reads up to "
            f"{FORMAT_MAJOR}.{FORMAT_MINOR}; upgrade ciphermark to read it"
        )


def _is_run(entry: os.DirEntry[str]) -> bool:
    return is_run_id(entry.name) and entry.is_dir()
