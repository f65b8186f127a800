"""How long `ciphermark compare` takes with two stored runs of 2,000 rows, and how many rows of runs
that are the same it calls changed.

Prints figures of fresh processes, start-up of Python included; nothing is tested. The runs are made
up: six processes a case, two groups in each, and a spread between processes of 0.5 and of 2 %.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from common import TIMES, command, print_time  # noqa: E402

from ciphermark.record import tables
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workloads.single.comparison import Figured, compare
from ciphermark.workloads.single.pairing import Selection
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import CORE_HZ, LOOP_CYCLES, PROVIDERS, synthetic_cases, synthetic_run  # noqa: E402

ROWS = 2000
PROCESSES, GROUPS, SLICES = 6, 2, 5
WITHIN = 0.002
"""Standard deviation within a process, as a share."""
SPREADS = (0.005, 0.02)
"""Between processes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of each run")
    wanted = parser.parse_args().rows
    with TemporaryDirectory(prefix="ciphermark-compare-") as folder:
        store = Store(Path(folder) / "runs")
        for spread in SPREADS:
            one, other = (made(wanted, spread, seed) for seed in (1, 2))
            for run in (one, other):
                store.save(run, SINGLE.rows_table(rows(run)))
            names = [run.context.run for run in (one, other)]
            found = compare(Figured.of(one), Figured.of(other), Selection(), Selection(), 0.05)
            changed = found.regressions + found.slower + found.faster
            what = f"{100 * spread:g} % between processes"
            print(
                f"{what}: {wanted} rows, {one.samples.num_rows} samples in each; {changed} rows "
                f"called changed ({100 * changed / wanted:.2f} %; at most 1 wanted)"
            )
            store_there = ["--runs", str(store.root)]
            print(f"{'median of ' + str(TIMES):44}      s    most     CPU")
            print_time("compare", command("compare", *names, *store_there, check=False))
            both = (f"{names[0]}:{provider}" for provider in PROVIDERS)
            print_time(
                "compare two libraries", command("compare", *both, *store_there, check=False)
            )


def made(wanted: int, spread: float, seed: int) -> Run:
    """A run of so many cases, all cases in turn in each round."""
    cases = synthetic_cases(sizes=[16 * n for n in range(1, wanted // 8 + 2)])[:wanted]
    run = synthetic_run(cases[:1], seed=seed + round(1e5 * spread))
    run.context.plan = msgspec.structs.replace(run.context.plan, cases=cases)
    [record] = run.cases
    run.cases = [
        msgspec.structs.replace(
            record,
            case=case,
            implementation=msgspec.structs.replace(
                record.implementation,
                algorithm=case.algorithm,
                provider=case.provider,
                operations=[case.operation],
            ),
        )
        for case in cases
    ]
    run.context.cases = run.context.converged = len(cases)
    run.samples = samples(len(cases), spread, seed)
    return run


def samples(cases: int, spread: float, seed: int) -> Table:
    random = np.random.default_rng(seed)
    shape = (PROCESSES * GROUPS, cases, SLICES)
    number, case, at = (it.ravel() for it in np.indices(shape))
    process = number // GROUPS
    own = np.exp(random.normal(0, spread, (PROCESSES, cases)))
    costs = 300.0 + 7 * np.arange(cases)
    noise = np.exp(random.normal(0, WITHIN, (shape[0], cases)))
    cycles = (costs * own.repeat(GROUPS, axis=0) * noise)[number, case] + LOOP_CYCLES
    count = len(case)
    columns = {
        "case": case,
        "round": number,
        "process": process,
        "slice": at,
        "at_ns": np.arange(count) * 20_000,
        "messages": np.ones(count, dtype=np.int64),
        "wall_ns": cycles / CORE_HZ * 1e9,
        "cycles": cycles,
        "loop_cycles": np.full(count, LOOP_CYCLES),
        "core_hz": np.full(count, CORE_HZ),
        "group_cpu_ns": np.full(count, 60_000),
        "group_wall_ns": np.full(count, 60_000),
        "disturbed": [[]] * count,
    }
    return Table(tables.SAMPLES, columns)


if __name__ == "__main__":
    main()
