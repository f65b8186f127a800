"""What the benchmarks share: a heading, figures beside their targets, and plans measured in memory.

A benchmark prints how quick and how steady ciphermark is on this machine, with all that is needed
to judge the figures. It is no test: nothing fails when a target is missed.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

import ciphermark
from ciphermark import contract
from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.sampling import sampling
from ciphermark.plan.selection import Selection
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from ciphermark.view import figures
from ciphermark.view.machine import processor
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows

CIPHERMARK = [sys.executable, "-m", "ciphermark"]
"""The command, without its script: it runs from a source tree that is not installed, too."""

SENDING = ["seal", "encrypt", "mac", "digest"]
"""The operation of each kind of algorithm that peers' benchmarks time by default."""


REFERENCE = "reference"
"""The backend that is written to be read and checked, not to be fast."""

TIMES = 5
"""How often work is timed whose median is printed."""

NAME_WIDTH, FIGURE_WIDTH = 54, 9
"""Of a line of figures at several sizes."""


class Seconds(NamedTuple):
    """Wall time of the phases of one engine process."""

    opening: float
    """From the start of the process to its greeting: clocks calibrated, libraries open."""
    verifying: float
    """Vectors and agreement between the providers."""
    measuring: float
    """Until the last case has converged; answers are checked and processes replaced meanwhile."""

    @property
    def total(self) -> float:
        return sum(self)


class Measured(NamedTuple):
    """One run of a plan."""

    rows: list[Row]
    """Those that have a figure: not where a case failed, or had every sample disturbed."""
    cases: int
    seconds: Seconds

    @property
    def seconds_per_case(self) -> float:
        """Cross-checks included; starting the engine, which is once a run, is not."""
        return (self.seconds.verifying + self.seconds.measuring) / self.cases


def options(summary: str) -> argparse.Namespace:
    """The command line: `--quick` and `--help`."""
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--quick", action="store_true", help="a short pass with fewer repeats")
    return parser.parse_args()


def find_engine() -> Engine:
    """The engine that CIPHERMARK_ENGINE names, else the installed one."""
    path = os.environ.get("CIPHERMARK_ENGINE")
    return Engine(Path(path) if path else None)


@contextmanager
def benchmark(title: str, engine: Engine) -> Iterator[contract.Environment]:
    """Prints the heading, and after the benchmark how loaded the machine was meanwhile."""
    environment = engine.environment()
    begun = time.perf_counter()
    print(f"\n{title}")
    print(f"machine  {machine(environment)}")
    print(f"command  {shlex.join(['python', *sys.argv])}")
    print(f"date     {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, ciphermark {ciphermark.__version__}")
    print(f"load     {load()} before\n", flush=True)
    yield environment
    print(f"\nload     {load()} after {time.perf_counter() - begun:.0f} s", flush=True)


def machine(environment: contract.Environment) -> str:
    """Processor, name, CPUs and clock: `AMD EPYC 9B45 (kvm guest), epyc-9b45-kvm, 2 CPUs, …`."""
    facts, clocks = environment.machine, environment.clocks
    cpus = figures.counted(facts.cpus_online, "CPU")
    clock = f"{figures.clock(clocks.core_hz)} ({clocks.cycle_source})"
    return f"{processor(facts)}, {facts.machine_name}, {cpus}, core clock {clock}"


def load() -> str:
    """Processes that wanted a CPU, mean of the last minute."""
    return f"{os.getloadavg()[0]:.2f} on {figures.counted(os.cpu_count() or 1, 'CPU')}"


def figure(what: str, value: str, target: str = "") -> None:
    """Prints one figure, with what it should be where there is a target."""
    print(f"{what:58} {value:>16}{f'   (target: {target})' if target else ''}", flush=True)


def has_avx512(environment: contract.Environment) -> bool:
    return any(it.startswith("avx512") for it in environment.machine.cpu_features)


def ours_and_others(facts: contract.Description, algorithm: str) -> tuple[list[str], list[str]]:
    """Our backends but the reference, and the other libraries, that have an algorithm."""
    having = [it for it in facts.implementations if it.algorithm == algorithm]
    ours = [it.backend for it in having if it.provider == "kernels" and it.backend != REFERENCE]
    return ours, sorted({it.provider for it in having} - {"kernels"})


def print_libraries(facts: contract.Description, algorithms: Iterable[str]) -> None:
    """Versions and build options of all libraries that have one of the algorithms."""
    names = set(algorithms)
    providers = {it.provider for it in facts.implementations if it.algorithm in names}
    for it in facts.providers:
        if it.name in providers:
            text = f"{it.name} {it.version} ({it.location}): {it.build}"
            print(textwrap.fill(text, 110, subsequent_indent="    "))


def print_marks() -> None:
    """What stands beside or instead of figures: see `cell`."""
    print("\ncycles per byte; ~ did not settle to ±1 %, – was disturbed all the time")


def print_line(name: str, cells: list[str]) -> None:
    print(f"{name:{NAME_WIDTH}}" + "".join(f"{it:>{FIGURE_WIDTH}}" for it in cells), flush=True)


def cell(row: Row | None) -> str:
    """Cycles per byte, marked where it did not settle."""
    if row is None or row.cycles_per_byte is None:
        return "–"
    return ("" if row.converged else "~") + figures.significant(row.cycles_per_byte)


def grouped(
    rows: Iterable[Row], name: Callable[[Row], str]
) -> dict[str, dict[int | str | None, Row]]:
    """Rows that differ in size only, by their name."""
    found: dict[str, dict[int | str | None, Row]] = {}
    for row in rows:
        found.setdefault(name(row), {})[row.size] = row
    return found


def fastest(rows: Iterable[Row], size: int | str) -> Row | None:
    alike = [row for row in rows if row.size == size and row.cycles_per_byte]
    return min(alike, key=lambda row: row.cycles_per_byte, default=None)


def best_of(theirs: list[Row], size: int, name: Callable[[Row], str]) -> Row | None:
    """The fastest of other libraries; none where one of them has no figure, which might be
    faster."""
    complete = all(size in alike for alike in grouped(theirs, name).values())
    return fastest(theirs, size) if complete else None


def ratio(other: Row | None, own: Row | None) -> float | None:
    """How many times as fast as the other one's our own is."""
    if own is None or other is None or not own.cycles_per_byte or not other.cycles_per_byte:
        return None
    return other.cycles_per_byte / own.cycles_per_byte


def times(other: Row | None, own: Row | None) -> str:
    found = ratio(other, own)
    return "–" if found is None else figures.significant(found)


def print_limits(
    engine: Engine, algorithm: str, ours: Iterable[Row], sizes: list[int], lanes: int
) -> None:
    """The limit of this core for our fastest backend at each size, and the share of its time that
    the limit takes; nothing where there are no rates."""
    own = list(ours)
    backends = sorted({row.backend for row in own})
    counted = engine.processor_limits([algorithm], backends, sizes, lanes).kernels
    known = {(it.backend, it.message_bytes): it.limit_cycles for it in counted}
    limits, shares = [], []
    for size in sizes:
        row = fastest(own, size)
        limit = known.get((row.backend, size)) if row else None
        limits.append("–" if limit is None else figures.significant(limit))
        share = limit / row.cycles_per_byte if limit and row and row.cycles_per_byte else None
        shares.append("–" if share is None else figures.percent(share))
    if any(it != "–" for it in limits):
        print_line("  limit of this core, cycles per byte", limits)
        print_line("  share of our time", shares)


def milliseconds(seconds: float) -> str:
    return f"{figures.significant(seconds * 1e3)} ms"


def percentile_90(values: Iterable[float]) -> float:
    """The value that nine of ten do not exceed, by the nearest rank."""
    ordered = sorted(values)
    return ordered[round(0.9 * (len(ordered) - 1))]


def cv(values: Iterable[float]) -> float:
    """Coefficient of variation of two values or more: standard deviation of a sample over mean."""
    kept = list(values)
    return statistics.stdev(kept) / statistics.mean(kept)


def spreads(figures: Iterable[list[float]]) -> list[float]:
    """The coefficient of variation of everything that has more than one figure."""
    return [cv(values) for values in figures if len(values) > 1]


def plan(
    description: contract.Description,
    algorithms: list[str],
    sizes: list[int],
    budget_s: float,
) -> contract.Plan:
    """A plan of all providers to ±1 %, sampled as in `survey`."""
    file = PlanFile(
        title="benchmark",
        workload="single",
        algorithms=algorithms,
        operations=SENDING,
        sizes=sizes,
        precision=0.01,
        budget_s=budget_s,
        max_cases=400,
    )
    return build(file, Selection(), description).plan


def together(plans: list[contract.Plan]) -> contract.Plan:
    """One plan of the cases of all."""
    cases = [case for plan in plans for case in plan.cases]
    numbered = [msgspec.structs.replace(case, case=number) for number, case in enumerate(cases)]
    return msgspec.structs.replace(plans[0], cases=numbered, optional=[])


def measure(engine: Engine, plan: contract.Plan) -> Measured:
    """Runs a plan and analyses it; nothing is stored."""
    recorder = Recorder("benchmark", "benchmark", plan, [], [])
    clock = PhaseClock()
    for event in engine.measure(plan, Interrupts()):
        clock.see(event)
        recorder.feed(event)
    found = [row for row in rows(recorder.finish()) if row.cycles_per_message is not None]
    return Measured(found, len(plan.cases), clock.seconds())


def measured_by_hand(
    engine: Engine, workload: contract.Workload, cases: list[contract.Case], budget_s: float
) -> Run:
    """Runs cases that no command plans, as those of the provider `empty`; nothing is stored."""
    plan = contract.Plan(
        schema=contract.SCHEMA,
        workload=workload,
        seed=1,
        precision=0.01,
        budget_s=budget_s,
        sampling=sampling(),
        cases=cases,
    )
    return recorded(engine, plan)


def recorded(engine: Engine, plan: contract.Plan) -> Run:
    """Runs a plan; nothing is stored."""
    recorder = Recorder("benchmark", "benchmark", plan, [], [])
    for event in engine.measure(plan, Interrupts()):
        recorder.feed(event)
    return recorder.finish()


class PhaseClock:
    """Times the phases of a run by when its events arrive."""

    def __init__(self) -> None:
        self._started = self._greeted = self._verified = self._ended = time.perf_counter()

    def see(self, event: contract.Event) -> None:
        now = time.perf_counter()
        match event:
            case contract.Hello():
                self._greeted = now
            case contract.Progress(phase="verifying"):
                self._verified = now
            case contract.Bye():
                self._ended = now

    def seconds(self) -> Seconds:
        return Seconds(
            opening=self._greeted - self._started,
            verifying=self._verified - self._greeted,
            measuring=self._ended - self._verified,
        )


def print_time(
    what: str,
    work: Callable[[], object],
    before: Callable[[], object] = lambda: None,
    repeats: int = TIMES,
) -> None:
    """Prints the median time of some work, the longest, and the median CPU time it takes."""
    times, processors = [], []
    for _ in range(repeats):
        before()
        start, began = time.perf_counter(), os.times()
        work()
        times.append(time.perf_counter() - start)
        ended = os.times()
        processors.append(sum(ended[2:4]) - sum(began[2:4]))
    shown = (
        f"{statistics.median(times):6.2f}  {max(times):6.2f}  {statistics.median(processors):6.2f}"
    )
    print(f"{what:44} {shown}", flush=True)


def command(*arguments: str, check: bool = True) -> Callable[[], object]:
    """`ciphermark` in a fresh process; a comparison that finds a regression exits with 1."""
    return python("-m", "ciphermark", *arguments, check=check)


def python(*arguments: str, check: bool = True) -> Callable[[], object]:
    """A fresh Python."""
    return lambda: subprocess.run(
        [sys.executable, *arguments],
        check=check,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
    )
