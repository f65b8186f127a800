"""Twelve figures of ciphermark beside the same calls in a loop written by hand in C (or Rust).

Each cell is another library. The loops (`benchmarks/cells/`, and an example of the providers for
the libraries that are compiled in) share nothing with the engine but the library. Both are run in
turn, so that other load hits both. What is compared is the median of ciphermark's runs with the
quietest of the loop's: it cannot tell when a neighbour on the same core slows it, so its median
would compare neighbours. The range of ciphermark's runs stands beside. Runs that could not measure
the core's clock are left out and counted: theirs are not core cycles.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from common import benchmark, figure, find_engine, measure, options

from ciphermark.errors import WorkError
from ciphermark.measure.engine import Engine
from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.record import contract
from ciphermark.show import figures

HERE = Path(__file__).parent
SECONDS = 60


class Cell(NamedTuple):
    """One question, and the program that answers it by hand."""

    provider: str
    algorithm: str
    operation: str
    size: int
    libraries: str = ""
    """As the linker knows them; none for a library that is compiled in."""


CELLS = [
    Cell("openssl", "aes-128-gcm", "seal", 1500, "crypto"),
    Cell("libgcrypt", "sha256", "digest", 256, "gcrypt"),
    Cell("nettle", "umac-64", "mac", 256, "nettle"),
    Cell("botan", "chacha20-poly1305", "seal", 1024, "botan-2"),
    Cell("mbedtls", "aes-128-ctr", "encrypt", 1024, "mbedcrypto"),
    Cell("wolfssl", "sha512", "digest", 1500, "wolfssl"),
    Cell("libsodium", "poly1305", "mac", 1500, "sodium"),
    Cell("libtomcrypt", "kasumi-ecb", "encrypt", 256, "tomcrypt"),
    Cell("ipsec-mb", "uea2", "encrypt", 500, "IPSec_MB"),
    Cell("cryptopp", "vmac-64", "mac", 1500, "cryptopp"),
    Cell("rustcrypto", "sha256", "digest", 1024),
    Cell("aws-lc", "sha256", "digest", 1024),
]


class Answers(NamedTuple):
    """Cycles per byte of one cell, a figure a run."""

    by_hand: list[float]
    ours: list[float]
    nominal: int
    """Runs of ciphermark that are left out, because their cycles assume a clock."""

    @property
    def ratio(self) -> float | None:
        """Ciphermark's figure over that of the loop; None where all of its runs are left out."""
        return statistics.median(self.ours) / min(self.by_hand) if self.ours else None


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    repeats = 3 if chosen.quick else 9
    with benchmark("Figures beside loops written by hand", engine) as environment:
        description = engine.describe()
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for cell in CELLS:
                program = _program(cell, Path(folder))
                if program is None or not _is_there(cell, description):
                    figure(_name(cell), "not here")
                    continue
                plan = _plan(cell, description)
                answers = _ask(cell, program, engine, plan, environment.state.cpu, repeats)
                _print(cell, answers)
                found.append(answers)
        _print_all(found)


def _name(cell: Cell) -> str:
    return f"{cell.provider} {cell.algorithm} {cell.operation} {cell.size} B"


def _is_there(cell: Cell, description: contract.Description) -> bool:
    return any(
        (it.provider, it.algorithm) == (cell.provider, cell.algorithm)
        for it in description.implementations
    )


def _program(cell: Cell, folder: Path) -> list[str] | None:
    """The command of the loop; None where it cannot be built here."""
    if not cell.libraries:
        return _example(cell)
    source = next(HERE.glob(f"cells/{cell.provider.replace('-', '_')}.c*"))
    compiler = "c++" if source.suffix == ".cc" else "cc"
    program = folder / cell.provider
    built = subprocess.run(
        [compiler, "-O2", "-I/usr/include/botan-2", source, "-o", program, f"-l{cell.libraries}"],
        capture_output=True,
        timeout=SECONDS,
    )
    return None if built.returncode else [str(program)]


def _example(cell: Cell) -> list[str] | None:
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
    return [paths[-1], cell.provider] if paths else None


def _ask(
    cell: Cell, program: list[str], engine: Engine, plan: contract.Plan, cpu: int, repeats: int
) -> Answers:
    """Asks both in turn."""
    by_hand, rows = [], []
    for _ in range(repeats):
        by_hand.append(_by_hand(program, cpu) / cell.size)
        rows += measure(engine, plan).rows
    ours = [row.cycles_per_byte for row in rows if row.cycle_source != "nominal"]
    return Answers(by_hand, ours, len(rows) - len(ours))


def _print(cell: Cell, answers: Answers) -> None:
    if answers.ratio is None:
        figure(_name(cell), "no core clock")
        return
    ours, shown = answers.ours, figures.significant
    figure(
        f"{_name(cell)}: {shown(statistics.median(ours))} "
        f"({shown(min(ours))}–{shown(max(ours))}), by hand {shown(min(answers.by_hand))}",
        f"{(answers.ratio - 1) * 100:+.1f} %",
        "±5 %",
    )


def _print_all(found: list[Answers]) -> None:
    ratios = [it.ratio for it in found if it.ratio is not None]
    within = sum(abs(ratio - 1) <= 0.05 for ratio in ratios)
    figure("cells within 5 %", f"{within} of {len(ratios)}", "all")
    nominal = sum(it.nominal for it in found)
    runs = nominal + sum(len(it.ours) for it in found)
    figure("runs left out, without a core clock", f"{nominal} of {runs}", "none")


def _by_hand(program: list[str], cpu: int) -> float:
    done = subprocess.run(
        ["taskset", "-c", str(cpu), *program], capture_output=True, text=True, timeout=SECONDS
    )
    if done.returncode:
        raise WorkError(f"{program[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return float(done.stdout)


def _plan(cell: Cell, description: contract.Description) -> contract.Plan:
    file = PlanFile(
        title="benchmark",
        workload="single",
        algorithms=[cell.algorithm],
        operations=[cell.operation],
        sizes=[cell.size],
        precision=0.005,
        budget_s=4.0,
        max_cases=1,
    )
    return build(file, Selection(providers=[cell.provider]), description).plan


if __name__ == "__main__":
    sys.exit(main())
