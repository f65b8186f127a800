"""Whether surveys find kernels that are wrong once in a while, and what remembering gains.

Kernels of ours are compiled so that they go wrong at random, once in so many calls, and surveyed
beside OpenSSL again and again. Printed beside the share of surveys that found it is what follows
from the number of calls: each is looked at, so that a survey of n calls finds a rate r with the
probability 1 − (1 − r)^n. Then kernels that remember their last 4,096 messages and answers are
surveyed beside the same kernels that compute every answer.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from common import CIPHERMARK, benchmark, figure, find_engine, options

from ciphermark.record.store import Store
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from wrapped_kernels import Tally, tallies, wrapped  # noqa: E402

ALGORITHMS = ["hmac-sha256", "sha256", "chacha20-poly1305"]
RATES = [10**exponent for exponent in (2, 3, 4, 5, 6)]
WRONG = {"wrong-answer", "wrong-while-timed"}


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("This needs a C compiler: type apt-get install gcc")
    with benchmark("Wrong answers", engine), TemporaryDirectory(prefix="ciphermark-wrong-") as it:
        folder = Path(it)
        lying = wrapped(compiler, "lying", folder / "lying.so")
        calls = calls_of(survey_lying(folder, lying, engine.path, 0, 1))
        if not all(calls.values()):
            sys.exit(f"The kernels were not called ({calls}): nothing can be said of wrong answers")
        for once_in in RATES:
            report(folder, lying, engine.path, once_in, calls, chosen.quick)
        fewest = min(calls.values())
        figure("calls of an implementation in a survey, fewest", figures.significant(fewest))
        found = f"1 in {figures.significant(fewest / 4.6)}"
        figure("    a rate that is found with 99 %", found)
        print()
        remembering(folder, compiler, engine.path)


def survey_lying(
    folder: Path, lying: Path, engine: Path, once_in: int, seed: int
) -> tuple[list[Row], list[Tally]]:
    """The rows of a survey of kernels that are wrong once in so many calls, and what they did."""
    tally = folder / "tally"
    tally.unlink(missing_ok=True)
    lies = {"LYING_RATE": str(once_in), "LYING_SEED": str(seed), "LYING_TALLY": str(tally)}
    return survey(folder, engine, {"kernel@lying": lying}, lies), tallies(tally)


def calls_of(surveyed: tuple[list[Row], list[Tally]]) -> dict[str, int]:
    _, entries = surveyed
    return {
        name: sum(entry.calls for entry in entries if entry.algorithm == name)
        for name in ALGORITHMS
    }


def report(
    folder: Path, lying: Path, engine: Path, once_in: int, calls: dict[str, int], quick: bool
) -> None:
    found = surveys = 0
    for seed in range(1, 4 if quick else 11):
        rows, _ = survey_lying(folder, lying, engine, once_in, seed)
        for name in ALGORITHMS:
            own = [row for row in rows if (row.algorithm, row.provider) == (name, "kernel@lying")]
            caught = any(row.error is not None and row.error.kind in WRONG for row in own)
            if caught and any(row.cycles_per_message is not None for row in own):
                print(f"{name}: figures beside a wrong answer", flush=True)
            found += caught
            surveys += 1
    expected = statistics.mean(1 - (1 - 1 / once_in) ** count for count in calls.values())
    figure(
        f"wrong once in {once_in:,} calls: found by",
        f"{100 * found / surveys:.0f} %",
        f"{100 * expected:.0f} % by the number of calls",
    )


def remembering(folder: Path, compiler: str, engine: Path) -> None:
    libraries = {
        f"kernel@{name}": wrapped(compiler, "remembering", folder / f"{name}.so", N=remembered)
        for name, remembered in (("remembering", 4096), ("computing", 0))
    }
    rows = survey(folder, engine, libraries, {})
    cycles = {(row.provider, row.algorithm, row.operation, row.size): row for row in rows}
    gains = []
    for (provider, *what), row in cycles.items():
        other = cycles.get(("kernel@computing", *what))
        if provider != "kernel@remembering" or other is None:
            continue
        if row.cycles_per_message is not None and other.cycles_per_message is not None:
            gains.append(other.cycles_per_message / row.cycles_per_message)
    figure("4,096 messages remembered: times as fast, most", figures.significant(max(gains)))
    figure("    median", figures.significant(statistics.median(gains)), "1 or less")


def survey(
    folder: Path, engine: Path, libraries: dict[str, Path], environment: dict[str, str]
) -> list[Row]:
    """Rows of a default survey of these libraries and OpenSSL. Nothing of it stays."""
    runs = folder / "runs"
    command = [
        *(*CIPHERMARK, "survey", f"--runs={runs}", f"--engine={engine}"),
        *("--algorithms", ",".join(ALGORITHMS)),
        *("--providers", ",".join(["openssl", *libraries])),
    ]
    for name, path in libraries.items():
        command += ["--library", f"{name}={path}"]
    subprocess.run(
        command,
        check=False,
        timeout=180,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    store = Store(runs)
    rows = SINGLE.rows_from_table(store.rows(store.resolve("last")))
    shutil.rmtree(runs)
    return rows


if __name__ == "__main__":
    main()
