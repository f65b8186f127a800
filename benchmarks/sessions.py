"""Many sessions at once: how steady their figures are, what the workload itself costs, and whether
the machine stays usable.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from typing import Any

from common import (
    CIPHERMARK,
    benchmark,
    cv,
    figure,
    find_engine,
    milliseconds,
    options,
)

FUNCTION = ["--algorithms", "vmac-64", "--providers", "kernels", "--pattern", "reused-key"]
COUNTS = "1,2,10,100,1000"
REPEATS = 5
LONGEST_S = 600

Rows = list[dict[str, Any]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Many sessions at once", engine):
        print_own_cost()
        print_spread(3 if chosen.quick else REPEATS, "1,2,10,100" if chosen.quick else COUNTS)
        print_one_core()
        print_multiplexed()
        print_usable("200" if chosen.quick else "1000")


def sessions(*arguments: str) -> Rows:
    return rows_of("sessions", *arguments)


def rows_of(*arguments: str) -> Rows:
    """The rows of a run of a command, as a user would start it."""
    with tempfile.TemporaryDirectory() as runs:
        command = [*CIPHERMARK, *arguments, "--json", "--runs", runs]
        ended = subprocess.run(command, capture_output=True, check=True, timeout=LONGEST_S)
    return json.loads(ended.stdout)["rows"]


def print_own_cost() -> None:
    """What sessions add to a short message: one session less a survey, without its loop."""
    short = [*FUNCTION, "--sizes", "16"]
    (alone,) = rows_of("survey", *short, "--operations", "mac")
    row = sessions(*short, "--sessions", "1", "--cpus", "0")[0]
    if alone["cycles_per_message"] is None:
        figure("what sessions add to a message of 16 B", alone["not_converged_reason"], "≤ 10 ns")
        return
    more = row["absolute_cycles_per_message"] - alone["cycles_per_message"]
    what = f"what sessions add to the {alone['cycles_per_message']:.1f} cycles of a message of 16 B"
    figure(what, f"{more / row['core_hz'] * 1e9:.1f} ns", "≤ 10 ns")


def print_spread(repeats: int, counts: str) -> None:
    """Absolute figures of several runs of the same: without the time beside a neighbour on the
    core, and with it."""
    figures = defaultdict(list)
    with_neighbours = defaultdict(list)
    crowded = defaultdict(list)
    valid = defaultdict(int)
    for _ in range(repeats):
        rows = sessions(
            *FUNCTION, "--sessions", counts, "--threads", "per-session", "--budget", "150s"
        )
        for row in rows:
            figures[row["sessions"]].append(row["absolute_cycles_per_byte"])
            of_all_time = row["apparent_cycles_per_byte"] * row["parallelism"]
            with_neighbours[row["sessions"]].append(of_all_time)
            crowded[row["sessions"]].append(row["crowded_share"] or 0.0)
            valid[row["sessions"]] += row["valid"]
    for count, values in figures.items():
        what = f"{count} sessions: {statistics.median(values):.4f} cycles/byte, {repeats} runs"
        spread = f"CV {100 * cv(values):.2f} %"
        figure(f"{what}, {valid[count]} valid", spread, "≤ 1.5 %")
        shares = f"{100 * min(crowded[count]):.0f} to {100 * max(crowded[count]):.0f} %"
        what = f"  with the time beside others on the core, {shares} of it"
        figure(what, f"CV {100 * cv(with_neighbours[count]):.2f} %")


def print_one_core() -> None:
    """On one core, the time that passes is the time that is used."""
    for count in (1, 10, 100):
        row = sessions(*FUNCTION, "--sessions", str(count), "--cpus", "0")[0]
        ratio = 1 / row["parallelism"]
        per_second = row["preemptions"] / row["window_ms"] * 1e3
        what = f"wall time over CPU time on one core, {count} sessions, {per_second:.0f} preempt./s"
        figure(what, f"{ratio:.4f}", "≤ 1.03")


def print_multiplexed() -> None:
    """Ten thousand sessions; memory of the largest process that was waited for."""
    began = time.perf_counter()
    row = sessions(*FUNCTION, "--sessions", "10000", "--threads", "per-cpu")[0]
    elapsed = time.perf_counter() - began
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    figure("10,000 sessions on a thread per CPU, whole command", f"{elapsed:.1f} s", "< 60 s")
    figure("  most memory of a process", f"{largest:.0f} MiB", "< 1024 MiB")
    figure("  fairness, sessions that never ran", f"{row['fairness']:.3f}, {row['never_ran']}")


def print_usable(count: str) -> None:
    """How long a shell takes for a small command while the sessions run."""
    with tempfile.TemporaryDirectory() as runs:
        arguments = [*FUNCTION, "--sessions", count, "--threads", "per-session", "--budget", "150s"]
        command = [*CIPHERMARK, "sessions", *arguments, "--json", "--runs", runs]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as measuring:
            times = []
            while measuring.poll() is None and len(times) < LONGEST_S:
                began = time.perf_counter()
                subprocess.run(["sh", "-c", "ls / | wc -l"], capture_output=True, check=True)
                times.append(time.perf_counter() - began)
                time.sleep(0.5)
    middle = milliseconds(statistics.median(times))
    what = f"a shell beside {count} sessions: median {middle}, worst"
    figure(what, milliseconds(max(times)), "< 1 s")


if __name__ == "__main__":
    main()
