"""How long the command takes to start, and a worker of each library: wall time of fresh processes.

That of the command has Python's own start in it, that of a worker the opening of its library. A
survey starts each worker six times at least.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from tempfile import TemporaryDirectory

from common import CIPHERMARK, benchmark, figure, find_engine, milliseconds, options, percentile_90

REPEATS = 15


def main() -> None:
    chosen = options(__doc__)
    repeats = 5 if chosen.quick else REPEATS
    engine = find_engine()
    with (
        benchmark("Start of the command and of workers", engine) as environment,
        TemporaryDirectory(prefix="ciphermark-startup-") as runs,
    ):
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "ciphermark --help": [*CIPHERMARK, "--help"],
            "ciphermark list runs (no runs)": [*CIPHERMARK, "list", "runs", "--runs", runs],
        }
        rate = environment.clocks.wall_ticks_per_ns
        facts = engine.describe()
        commands |= {
            f"worker of {it.name}": [
                *(str(engine.path), "worker", "--provider", it.name, "--cpu", "0"),
                *("--cpu-seconds", "30", "--ticks-per-ns", str(rate)),
            ]
            for it in facts.providers
            if it.usable
        }
        times = interleaved(commands, repeats)
        for name, values in times.items():
            target = "under 200 ms" if name.endswith("--help") else ""
            figure(f"{name}, median of {repeats}", milliseconds(statistics.median(values)), target)
            figure(f"{name}, 90th percentile", milliseconds(percentile_90(values)))


def interleaved(commands: dict[str, list[str]], repeats: int) -> dict[str, list[float]]:
    """Seconds of each command, taken in turn so that other load hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            times[name].append(wall_time(command))
    return times


def wall_time(command: list[str]) -> float:
    start = time.perf_counter()
    nothing = subprocess.DEVNULL
    subprocess.run(command, check=True, stdin=nothing, stdout=nothing, timeout=60)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
