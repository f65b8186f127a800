"""How quick the store is with 10,000 runs of 300 rows of 50 machines: 3,000,000 stored rows.

Prints figures of fresh processes, start-up of Python included; nothing is tested. The runs are
made up, and lie in a temporary folder of about 1 GB that is removed afterwards.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from common import TIMES, command, print_time, python  # noqa: E402

from ciphermark import contract
from ciphermark.record import parquet, tables
from ciphermark.record.index import INDEX_FILE, MACHINES_FILE
from ciphermark.record.layout import table_file
from ciphermark.record.query import FOLDER
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import synthetic_cases, synthetic_run  # noqa: E402

RUNS = 10_000
ROWS = 300
MACHINES = 50
NOISE = 0.02
"""Standard deviation of the figures of the same case in different runs, as a share."""

UNLIKE = 0.3
"""The same of the machines' own factors, of the logarithm."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="stored runs")
    wanted = parser.parse_args().runs
    with TemporaryDirectory(prefix="ciphermark-store-") as folder:
        store = Store(Path(folder) / "runs")
        names = fill(store, wanted)
        # Two runs of one machine.
        report(store, names[-1], names[-1 - MACHINES])


def fill(store: Store, wanted: int) -> list[str]:
    """Stores one run, then writes all others beside it as variations of it."""
    run = synthetic_run(three_hundred_cases(), rounds=8)
    table = SINGLE.rows_table(rows(run))
    first = store.save(run, table)
    samples = run.samples.num_rows
    print(f"making {wanted} runs of {table.num_rows} rows and {samples} samples …", flush=True)
    random = np.random.default_rng(0)
    own = np.exp(random.normal(0, UNLIKE, (MACHINES, table.num_rows)))
    context = tables.CONTEXTS.table([run.context])
    hellos = [hello_of(run, number) for number in range(MACHINES)]
    made = []
    for number in range(1, wanted):
        factors = own[number % MACHINES] * random.normal(1, NOISE, table.num_rows)
        hello = hellos[number % MACHINES]
        made.append(vary(store, run, context, hello, first, number, scaled(table, factors)))
    return made


def three_hundred_cases() -> list[contract.Case]:
    sizes = [1024 * n // 8 for n in range(1, 40)]
    return synthetic_cases(sizes=sizes)[:ROWS]


def hello_of(run: Run, number: int) -> contract.Hello:
    """The greeting of one of the machines."""
    assert run.context.hello is not None
    hello = msgspec.convert(msgspec.to_builtins(run.context.hello), contract.Hello)
    machine = hello.environment.machine
    machine.machine_id = f"{number:016x}"
    machine.machine_name = f"machine-{number % (MACHINES // 2)}-kvm"
    machine.machine_kind = f"kind-{number}"
    return hello


def vary(
    store: Store,
    run: Run,
    context: Table,
    hello: contract.Hello,
    first: Path,
    number: int,
    its_rows: Table,
) -> str:
    """Writes one more run: its own context and rows; cases and samples are links to the first's."""
    started = run.context.started_unix_ns + number * 60 * 10**9
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started // 10**9))
    name = f"{stamp}-{number:04x}"
    machine = hello.environment.machine
    facts = {
        "run": name,
        "started_unix_ns": started,
        "machine_id": machine.machine_id,
        "machine_name": machine.machine_name,
        "machine_kind": machine.machine_kind,
        "hello": msgspec.json.encode(hello).decode(),
    }
    for field, value in facts.items():
        context = context.with_column(field, [value])
    folder = store.folder(name)
    folder.mkdir()
    table_file(folder, "context").write_bytes(parquet.encoded(context))
    table_file(folder, "rows").write_bytes(parquet.encoded(its_rows))
    for table in ("cases", "samples", "warnings"):
        os.link(table_file(first, table), table_file(folder, table))
    return name


def scaled(table: Table, factors: np.ndarray) -> Table:
    """The rows with other figures."""
    for name in ("cycles_per_message", "cycles_per_byte", "ci_low", "ci_high", "ns_per_message"):
        values = (table[name].to_numpy() * factors).tolist()
        table = table.with_column(name, [None if it != it else it for it in values])
    return table


def report(store: Store, newer: str, older: str) -> None:
    runs = ["--runs", str(store.root)]
    index = store.root / INDEX_FILE
    print(f"{'median of ' + str(TIMES):44}      s    most     CPU")
    print_time("Python alone", python("-c", "pass"))
    print_time("list runs, index missing", command("list", "runs", *runs), index.unlink, repeats=1)
    print_time("list runs", command("list", "runs", *runs))
    print_time("list machines, first", command("list", "machines", *runs), repeats=1)
    print_time("list machines", command("list", "machines", *runs))
    print_time("machines matrix, first", command("machines", "matrix", *runs), repeats=1)
    print_time("machines matrix", command("machines", "matrix", *runs))
    print_time("compare", command("compare", newer, older, *runs, check=False))
    print_time("machines show", command("machines", "show", f"{7:016x}", *runs))
    print_time("median of a column over all rows, in SQL", all_rows(store))
    kept = sum(it.stat().st_size for it in (store.root / FOLDER).iterdir())
    kept += index.stat().st_size + (store.root / MACHINES_FILE).stat().st_size
    print(f"kept beside the runs: {kept / 1e6:.0f} MB")


def all_rows(store: Store) -> Callable[[], object]:
    def work() -> None:
        with store.figures() as figures:
            figures.ask("SELECT median(cycles_per_byte) FROM figures")

    return work


if __name__ == "__main__":
    main()
