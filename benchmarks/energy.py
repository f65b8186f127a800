"""How far power is off where it is known, and what reading meters takes of a CPU.

The power is that of a counter of the kernel's, which advances however busy the machine is, read by
`perf` within the windows of sessions and the passes of packets. What reading takes is shown for as
many counters as machines with one, four and sixteen packages have.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from common import CIPHERMARK, benchmark, figure, find_engine, options

from ciphermark import contract
from ciphermark.run import meters
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.energy import MOST_READING_SHARE

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from energy_tree import KERNEL_WATTS, SysTree, kernel_tree

WINDOWS = 10
PACKAGES = (1, 4, 16)
READ_FOR_S = 2.0
WITHIN = "within 1 %"

SESSIONS = (
    *("sessions", "--algorithms", "sha256", "--providers", "openssl", "--sizes", "1024"),
    *("--sessions", "1", "--cpus", "0", "--duration", "1s", "--attempts", "1"),
)
PACKETS = (
    *("packets", "--algorithms", "aes-128-ctr", "--providers", "openssl", "--sizes", "1500"),
    *("--packets", "100000", "--cpus", "0", "--duration", "2s"),
)


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with (
        benchmark("Energy: error, and the cost of reading", engine),
        TemporaryDirectory(prefix="ciphermark-energy-") as folder,
    ):
        root = Path(folder, "kernel")
        kernel_tree(root)
        os.environ["CIPHERMARK_ENERGY_ROOT"] = str(root)
        if meters.readable(engine.environment().meters):
            windows = 2 if chosen.quick else WINDOWS
            print_errors(f"windows of 1 s, {windows}", SESSIONS, windows, Path(folder, "runs"))
            print_errors("passes of packets, 1", PACKETS, 1, Path(folder, "runs"))
        else:
            print("no event of all processes may be counted here: ciphermark doctor")
        for packages in PACKAGES:
            tree = SysTree(Path(folder, str(packages)), packages, first=1)
            print_cost(engine, tree, 3 * packages)


def print_errors(title: str, arguments: tuple[str, ...], times: int, runs: Path) -> None:
    """The largest error of several measurements, and the largest share that reading took."""
    errors, shares = [], []
    for _ in range(times):
        done = subprocess.run(
            [*CIPHERMARK, *arguments, "--json", "--runs", str(runs)],
            capture_output=True,
            check=True,
        )
        for row in msgspec.json.decode(done.stdout)["rows"]:
            if energy := row["energy"]:
                errors.append(abs(energy["watts"]["value"] / KERNEL_WATTS - 1))
                shares.append(energy["reading_share"])
    if not errors:
        figure(f"{title}: largest error of power", "no figure", WITHIN)
        return
    figure(f"{title}: largest error of power", figures.percent(max(errors)), WITHIN)
    most = f"at most {figures.percent(MOST_READING_SHARE)}"
    figure(f"{title}: largest share of a CPU", figures.percent(max(shares)), most)


def print_cost(engine: Engine, tree: SysTree, counters: int) -> None:
    """What reading so many counters takes."""
    environment = os.environ | {"CIPHERMARK_ENERGY_ROOT": str(tree.root)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [engine.path, "energy"], stdin=pipe, stdout=pipe, env=environment
    ) as process:
        time.sleep(READ_FOR_S)
        output, _ = process.communicate()
    readings = msgspec.json.decode(output, type=contract.Readings)
    lasted_ns = readings.at_ns[-1] - readings.at_ns[0]
    share = readings.reading_ns * len(readings.at_ns) / lasted_ns
    figure(f"{counters} counters: a reading", f"{readings.reading_ns / 1e3:.1f} µs")
    most = f"at most {figures.percent(MOST_READING_SHARE)}"
    figure(f"{counters} counters: share of a CPU", figures.percent(share), most)


if __name__ == "__main__":
    main()
