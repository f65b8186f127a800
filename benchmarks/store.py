"""How quick the store is with 10,000 runs of 100 rows: 1,000,000 stored rows in all.

Prints figures of fresh processes, start-up of Python included; nothing is tested. The runs are
made up, and lie in a temporary folder of about 0.6 GB that is removed afterwards.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from ciphermark.analyse.rows import rows, rows_table  # noqa: E402
from ciphermark.record import contract, parquet, tables  # noqa: E402
from ciphermark.record.index import INDEX_FILE  # noqa: E402
from ciphermark.record.layout import table_file  # noqa: E402
from ciphermark.record.run import Run  # noqa: E402
from ciphermark.record.store import Store  # noqa: E402
from synthetic import synthetic_cases, synthetic_run  # noqa: E402

RUNS = 10_000
ROWS = 100
REPEATS = 5
ENTRY = "from ciphermark.__main__ import main; main()"
NOISE = 0.02
"""Standard deviation of the figures of the same case in different runs, as a share."""


def main() -> None:
    with TemporaryDirectory(prefix="ciphermark-store-") as folder:
        store = Store(Path(folder) / "runs")
        names = fill(store)
        report(store, names[-1], names[-2])


def fill(store: Store) -> list[str]:
    """Stores one run, then writes all others beside it as variations of it."""
    run = synthetic_run(a_hundred_cases(), rounds=8)
    table = rows_table(rows(run))
    first = store.save(run, table)
    samples = run.samples.num_rows
    print(f"making {RUNS} runs of {table.num_rows} rows and {samples} samples …", flush=True)
    random = np.random.default_rng(0)
    return [vary(store, run, table, first, number, random) for number in range(1, RUNS)]


def a_hundred_cases() -> list[contract.Case]:
    sizes = [16 * 2**k for k in range(16)]
    return synthetic_cases(sizes=sizes)[:ROWS]


def vary(
    store: Store, run: Run, table: pa.Table, first: Path, number: int, random: np.random.Generator
) -> str:
    """Writes one more run: its own context and rows; cases and samples are links to the first's."""
    started = run.context.started_unix_ns + number * 60 * 10**9
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started // 10**9))
    context = msgspec.structs.replace(
        run.context, run=f"{stamp}-{number:04x}", started_unix_ns=started
    )
    folder = store.folder(context.run)
    folder.mkdir()
    table_file(folder, "context").write_bytes(parquet.encoded(tables.context_table(context)))
    factors = random.normal(1, NOISE, table.num_rows)
    table_file(folder, "rows").write_bytes(parquet.encoded(scaled(table, factors)))
    for name in ("cases", "samples", "warnings"):
        os.link(table_file(first, name), table_file(folder, name))
    return context.run


def scaled(table: pa.Table, factors: np.ndarray) -> pa.Table:
    """The rows with other figures."""
    for name in ("cycles_per_message", "cycles_per_byte", "ns_per_message"):
        index = table.column_names.index(name)
        values = np.array(table[name].to_numpy(zero_copy_only=False), float) * factors
        table = table.set_column(index, name, pa.array(values, from_pandas=True))
    return table


def report(store: Store, newer: str, older: str) -> None:
    runs = ["--runs", str(store.root)]
    index = store.root / INDEX_FILE
    print(f"{'median of ' + str(REPEATS):44}      s")
    show("Python alone", command("-c", "pass"))
    show("list runs, index missing", ciphermark("list", "runs", *runs), index.unlink, repeats=1)
    show("list runs", ciphermark("list", "runs", *runs))
    show("compare", ciphermark("compare", newer, older, *runs, check=False))
    show("median of a column over all rows, in SQL", all_rows(store), repeats=1)


def show(
    what: str,
    work: Callable[[], object],
    before: Callable[[], object] = lambda: None,
    repeats: int = REPEATS,
) -> None:
    """Prints the median time of some work."""
    times = []
    for _ in range(repeats):
        before()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    print(f"{what:44} {statistics.median(times):6.2f}", flush=True)


def ciphermark(*arguments: str, check: bool = True) -> Callable[[], object]:
    return command("-c", ENTRY, *arguments, check=check)


def command(*arguments: str, check: bool = True) -> Callable[[], object]:
    """A fresh Python; a comparison that finds a regression exits with 1."""
    return lambda: subprocess.run(
        [sys.executable, *arguments],
        check=check,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
    )


def all_rows(store: Store) -> Callable[[], object]:
    return lambda: store.query("SELECT median(cycles_per_byte) FROM rows")


if __name__ == "__main__":
    main()
