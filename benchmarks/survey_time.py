"""How many cases `ciphermark survey` measures in which time: quickly, of two libraries, of all."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from common import CIPHERMARK, benchmark, figure, find_engine, milliseconds, options

from ciphermark.record.run import Context
from ciphermark.record.store import Store
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("The survey", engine):
        report(["--quick"], engine.path, seconds_target="under 15 s")
        if not chosen.quick:
            print()
            two = ["--providers", "openssl,rustcrypto", "--budget", "15s"]
            report(two, engine.path, "", "", "at least 95 %")
            print()
            report([], engine.path, "under 60 s", "at least 250", "at least 95 %")


def report(
    arguments: list[str],
    engine: Path,
    seconds_target: str,
    cases_target: str = "",
    converged_target: str = "",
) -> None:
    """Runs a survey in a folder of its own and prints what came of it."""
    name = " ".join(["ciphermark survey", *arguments])
    with TemporaryDirectory(prefix="ciphermark-survey-") as folder:
        store = Store(Path(folder))
        whole = survey(arguments, engine, store)
        run = store.resolve("last")
        context, rows = store.context(run), SINGLE.rows_from_table(store.rows(run))
    figure(f"{name}: cases", str(len(rows)), cases_target)
    figure("whole command, table and report included", f"{whole:.1f} s", seconds_target)
    figure("the engine alone, verification included", f"{context.elapsed_s:.1f} s")
    figure("the engine's time per case", milliseconds(context.elapsed_s / len(rows)))
    figure(f"converged to ±{100 * context.precision:g} %", share(rows), converged_target)
    with_interval = sum(row.cycles_per_message_low is not None for row in rows)
    figure("have an interval", f"{100 * with_interval / len(rows):.1f} %")
    explain(rows, context)


def survey(arguments: list[str], engine: Path, store: Store) -> float:
    """Wall time of the command, seconds. It exits with 1 when a case has failed."""
    command = [*CIPHERMARK, "survey", *arguments, f"--runs={store.root}", f"--engine={engine}"]
    start = time.perf_counter()
    subprocess.run(
        command, check=False, timeout=180, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def share(rows: list[Row]) -> str:
    return f"{100 * sum(row.converged for row in rows) / len(rows):.1f} %"


def explain(rows: list[Row], context: Context) -> None:
    """Why the others have not converged, and what was failed or disturbed."""
    reasons = (row.not_converged_reason for row in rows if row.not_converged_reason)
    for reason, count in Counter(map(without_figures, reasons)).most_common():
        figure(f"  not converged: {reason}", str(count))
    figure("  failed", str(context.errors))
    disturbed = sum(row.disturbed for row in rows) / max(1, sum(row.samples for row in rows))
    figure("  samples disturbed", f"{100 * disturbed:.1f} %")


def without_figures(reason: str) -> str:
    """`61 % of samples disturbed` and `83 % of samples disturbed` are one reason."""
    return re.sub(r"±?[0-9.]+( %)?", "…", reason).strip(" …")


if __name__ == "__main__":
    main()
