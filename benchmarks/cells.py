"""Figures of ciphermark beside the same calls in loops written by hand in C or Rust.

Each library has its own loops (`benchmarks/cells/`, and an example of the providers for the
libraries that are compiled in), which share nothing with the engine but the library. Both are run
in turn, so that other load hits both. What is compared is the median of ciphermark's runs with the
mean over four places of the loop's contexts and stack, each by the median of its runs. The
quickest run would be luck: on a core that seems quiet the same code may take 5 % longer in the
next minute. A run of the loop whose quietest moments were beside a neighbour is repeated. The
range of ciphermark's runs stands beside, and that of the loop's places. Runs that could not
measure the core's clock are left out and counted: theirs are not core cycles.

A cell holds where both differ by at most 5 %, or by no more cycles a message than the loop costs
that was subtracted: so much of it may be hidden behind the function's work.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
from common import SENDING, benchmark, figure, find_engine, measure, options

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

HERE = Path(__file__).parent
SECONDS = 60
REPEATS = 9
SIZES = [16, 64, 256, 1500]
BUDGET_S = 15.0
PLACES = 4
"""Of the loops' contexts and stack, in steps of 16 bytes: a caller's lie anywhere."""
WITHIN = 0.05
CROWDED = 1.01
"""A core that takes so many times as long for four additions as in the quietest run."""
TRIES = 8
"""Of a loop by hand, until the core is not crowded."""
WIDEST_CYCLES = 8.0
"""A bracket that is wider excuses nothing."""


class Loops(NamedTuple):
    """What is timed of one library by a program of its own."""

    provider: str
    adapter: str
    """What lies between the harness and the library."""
    algorithms: list[str]
    sizes: list[int] = SIZES
    libraries: str = ""
    """As the linker knows them; none for a library that is compiled in."""


POINTERS, SHIM, CRATE = "opened without headers", "linked with headers", "compiled in"

LOOPS = [
    Loops(
        "openssl",
        POINTERS,
        [
            "md5",
            "sha256",
            "sha3-256",
            "hmac-sha256",
            "cmac-aes-128",
            "aes-128-gcm",
            "chacha20-poly1305",
        ],
        libraries="crypto",
    ),
    Loops(
        "nettle",
        SHIM,
        [
            "sha256",
            "hmac-sha256",
            "cmac-aes-128",
            "umac-32",
            "umac-64",
            "aes-128-gcm",
            "chacha20-poly1305",
        ],
        libraries="nettle",
    ),
    Loops("rustcrypto", CRATE, ["sha256", "hmac-sha256", "cmac-aes-128", "aes-128-gcm"]),
    Loops("aws-lc", CRATE, ["sha256", "hmac-sha256", "cmac-aes-128"]),
    Loops("libgcrypt", POINTERS, ["sha256"], [16, 256], "gcrypt"),
    Loops("botan", POINTERS, ["chacha20-poly1305"], [16, 1024], "botan-2"),
    Loops("libsodium", POINTERS, ["poly1305"], [16, 1500], "sodium"),
    Loops("mbedtls", SHIM, ["aes-128-ctr"], [16, 1024], "mbedcrypto"),
    Loops("wolfssl", SHIM, ["sha512"], [16, 1500], "wolfssl"),
    Loops("libtomcrypt", SHIM, ["kasumi-ecb"], [16, 256], "tomcrypt"),
    Loops("ipsec-mb", SHIM, ["uea2"], [16, 500], "IPSec_MB"),
    Loops("cryptopp", SHIM, ["vmac-64"], [16, 1500], "cryptopp"),
]


class ByHand(NamedTuple):
    """What a loop has printed."""

    cycles: float
    """Per message."""
    crowding: float
    """Time of four additions at once over that of one: more where another thread uses the core."""


class Cell(NamedTuple):
    """One question that both answer."""

    provider: str
    algorithm: str
    size: int

    def __str__(self) -> str:
        return f"{self.provider} {self.algorithm} {self.size} B"


@dataclass
class Answers:
    """Cycles per message of one cell, a figure a run."""

    adapter: str
    by_hand: list[list[ByHand]] = field(default_factory=lambda: [[] for _ in range(PLACES)])
    """A list for each place."""
    rows: list[Row] = field(default_factory=list)

    @property
    def ours(self) -> list[float]:
        return [it.cycles_per_message for it in self.rows if it.cycle_source != "nominal"]

    @property
    def loop(self) -> float:
        return statistics.mean(self.places)

    @property
    def places(self) -> list[float]:
        """The median of the runs of each that were not crowded; of all runs where all were."""
        quietest = min(it.crowding for there in self.by_hand for it in there)
        runs = (_uncrowded(there, quietest) or there for there in self.by_hand)
        return [statistics.median(run.cycles for run in there) for there in runs]

    @property
    def difference(self) -> float:
        """Cycles per message that ciphermark prints beyond the loop's figure."""
        return statistics.median(self.ours) - self.loop

    @property
    def share(self) -> float:
        return self.difference / self.loop

    @property
    def bracket(self) -> float:
        """Cycles per message that are not known: the loop's cost may be hidden."""
        return statistics.median(row.loop_cycles for row in self.rows)

    @property
    def holds(self) -> bool:
        return abs(self.share) <= WITHIN or abs(self.difference) <= min(self.bracket, WIDEST_CYCLES)


Cells = dict[Cell, Answers]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    repeats = 3 if chosen.quick else REPEATS
    with benchmark("Figures beside loops written by hand", engine) as environment:
        description = engine.describe()
        found: Cells = {}
        with tempfile.TemporaryDirectory() as folder:
            for loops in LOOPS:
                program = _program(loops, Path(folder))
                if program is None or not _is_there(loops, description):
                    figure(f"{loops.provider}", "not here")
                    continue
                plan = _plan(loops, description)
                cells = _ask(loops, program, engine, plan, environment.state.cpu, repeats)
                _print(cells)
                found |= cells
        _print_all(found)


def _is_there(loops: Loops, description: contract.Description) -> bool:
    return any(it.provider == loops.provider for it in description.implementations)


def _program(loops: Loops, folder: Path) -> list[str] | None:
    """The command of the loops; None where it cannot be built here."""
    if not loops.libraries:
        return _example(loops)
    source = next(HERE.glob(f"cells/{loops.provider.replace('-', '_')}.c*"))
    compiler = "c++" if source.suffix == ".cc" else "cc"
    program = folder / loops.provider
    built = subprocess.run(
        [compiler, "-O2", "-I/usr/include/botan-2", source, "-o", program, f"-l{loops.libraries}"],
        capture_output=True,
        timeout=SECONDS,
    )
    return None if built.returncode else [str(program)]


def _example(loops: Loops) -> list[str] | None:
    cargo = ["cargo", "build", "--release", "--quiet", "--locked", "--message-format=json"]
    built = subprocess.run(
        [*cargo, "-p", "ciphermark-providers", "--example", "plain_loop"],
        capture_output=True,
        text=True,
        cwd=HERE.parent,
        timeout=600,
    )
    paths = [
        line.split('"executable":"')[1].split('"')[0]
        for line in built.stdout.splitlines()
        if '"executable":"' in line
    ]
    return [paths[-1], loops.provider] if paths else None


def _plan(loops: Loops, description: contract.Description) -> contract.Plan:
    file = PlanFile(
        title="benchmark",
        workload="single",
        algorithms=loops.algorithms,
        operations=SENDING,
        sizes=loops.sizes,
        precision=0.01,
        budget_s=BUDGET_S,
        max_cases=400,
    )
    return build(file, Selection(providers=[loops.provider]), description).plan


def _ask(
    loops: Loops, program: list[str], engine: Engine, plan: contract.Plan, cpu: int, repeats: int
) -> Cells:
    """Asks both in turn, each time for all cells of the library."""
    cells = {
        Cell(loops.provider, algorithm, size): Answers(loops.adapter)
        for algorithm in loops.algorithms
        for size in loops.sizes
    }
    quietest = math.inf
    for turn in range(repeats):
        for cell, answers in cells.items():
            for place, there in enumerate(answers.by_hand):
                there.append(_quiet_by_hand(program, cell, place, cpu, quietest))
                quietest = min(quietest, there[-1].crowding)
        for row in measure(engine, msgspec.structs.replace(plan, seed=turn)).rows:
            cells[Cell(row.provider, row.algorithm, row.message_bytes)].rows.append(row)
    return cells


def _uncrowded(runs: list[ByHand], quietest: float) -> list[ByHand]:
    return [it for it in runs if it.crowding <= CROWDED * quietest]


def _quiet_by_hand(program: list[str], cell: Cell, place: int, cpu: int, quietest: float) -> ByHand:
    """The least crowded of some runs, beside the quietest so far."""
    runs: list[ByHand] = []
    while len(runs) < TRIES and not _uncrowded(runs, quietest):
        runs.append(_by_hand(program, cell, place, cpu))
        quietest = min(quietest, runs[-1].crowding)
    return min(runs, key=lambda it: it.crowding)


def _by_hand(program: list[str], cell: Cell, place: int, cpu: int) -> ByHand:
    command = [*program, cell.algorithm, str(cell.size), str(place)]
    done = subprocess.run(
        ["taskset", "-c", str(cpu), *command], capture_output=True, text=True, timeout=SECONDS
    )
    if done.returncode:
        raise WorkError(f"{command} ended with {done.returncode}: {done.stderr.strip()}")
    cycles, crowding = map(float, done.stdout.split())
    return ByHand(cycles, crowding)


def _print(cells: Cells) -> None:
    shown = figures.significant
    for cell, answers in cells.items():
        ours = answers.ours
        if not ours:
            figure(str(cell), "no core clock" if answers.rows else "not here")
            continue
        figure(
            f"{cell}: {shown(statistics.median(ours))} ({shown(min(ours))}–{shown(max(ours))}), "
            f"by hand {shown(answers.loop)} "
            f"({shown(min(answers.places))}–{shown(max(answers.places))})",
            f"{answers.share * 100:+.1f} % {answers.difference:+.1f}",
            "" if answers.holds else f"±5 % or ±{min(answers.bracket, WIDEST_CYCLES):.1f} cycles",
        )


def _print_all(found: Cells) -> None:
    answered = {cell: it for cell, it in found.items() if it.ours}
    print("\ncycles per message beyond those of the loop by hand: median, least and most")
    by_adapter, by_size = defaultdict(list), defaultdict(list)
    for cell, answers in answered.items():
        by_size[cell.size].append(answers)
        if cell.size == min(SIZES):
            by_adapter[answers.adapter].append(answers)
    for adapter, there in by_adapter.items():
        figure(f"{adapter}, {min(SIZES)} B, {figures.counted(len(there), 'cell')}", _range(there))
    for size in SIZES:
        share = statistics.median(it.share for it in by_size[size])
        figure(f"{size} B, median {share * 100:+.1f} %", _range(by_size[size]))
    within = sum(abs(it.share) <= WITHIN for it in answered.values())
    holding = sum(it.holds for it in answered.values())
    figure("cells within 5 %", f"{within} of {len(answered)}")
    figure("cells within 5 % or the loop's cost", f"{holding} of {len(answered)}", "all")
    runs = sum(len(it.rows) for it in found.values())
    nominal = runs - sum(len(it.ours) for it in found.values())
    figure("runs left out, without a core clock", f"{nominal} of {runs}", "none")


def _range(answers: Iterable[Answers]) -> str:
    cycles = [it.difference for it in answers]
    return f"{statistics.median(cycles):+.1f} ({min(cycles):+.1f} … {max(cycles):+.1f})"


if __name__ == "__main__":
    sys.exit(main())
