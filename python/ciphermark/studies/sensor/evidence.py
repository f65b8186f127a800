"""Figures that a statement can be asked of, be they printed in the paper or simulated here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ciphermark.contract.others import Metric, SimulatedTarget, Simulation
from ciphermark.errors import WorkError
from ciphermark.files import toml_file
from ciphermark.record.without_engine import description
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies import evidence as studies
from ciphermark.studies.evidence import Figure, of_row, quotient
from ciphermark.studies.sensor.paper import (
    BUILD_M16C,
    FUNCTIONS,
    KEYSTREAM,
    M16C,
    PLATFORMS,
    PXA250_200,
    RC4,
    TARGETS,
    TEXT_BYTES,
    Cell,
    Work,
    cells,
    name,
    padded,
    platforms,
    times,
)
from ciphermark.view.findings import NotTestable
from ciphermark.workloads.simulation.row import METRICS
from ciphermark.workloads.single.row import cycles

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row


ByPlatform = dict[str, dict[Cell, float]]
"""Figures of rows of Table 3, by target."""


class Costs(NamedTuple):
    """What rows of Table 3 cost on some platforms, all in the same unit."""

    unit: str
    """`cycles` or `instructions`."""
    of: ByPlatform

    def ratios(self, over: str, under: str) -> dict[Cell, float]:
        """How many times the one platform takes what the other does, by the rows of both."""
        above, below = self.of[over], self.of[under]
        return {cell: above[cell] / below[cell] for cell in above if cell in below}

    def at(self, platform: str, cell: Cell) -> float:
        """One figure, else NotTestable."""
        if cell not in self.of[platform]:
            raise NotTestable(f"{cell} has no figure on {name(platform)}")
        return self.of[platform][cell]


@dataclass(kw_only=True)
class Evidence(studies.Evidence[tuple[str, Cell]]):
    """All figures from one place, all of them exact: printed, or counted by a simulator.

    A figure is what a row of Table 3 costs on a platform, in the unit that it has.
    """

    cycles: ByPlatform
    """Printed, simulated, or of a model of the pipeline."""
    instructions: ByPlatform = field(default_factory=dict)
    """Executed, of all platforms that were simulated."""
    clock_mhz: dict[str, float]
    bus_width_bits: dict[str, int]
    further_rc4: dict[str, float] = field(default_factory=dict)
    """What 16 more bytes of RC4 cost where a text begins with something else, in the unit that a
    platform has."""
    missing: dict[str, str] = field(default_factory=dict)
    """Why a platform has no figures."""

    def figure(self, what: tuple[str, Cell]) -> Estimate | None:
        platform, cell = what
        of_platform = self.cycles.get(platform) or self.instructions.get(platform, {})
        return Estimate.exact(of_platform[cell]) if cell in of_platform else None

    def costs(self, platforms: Collection[str]) -> Costs:
        """In cycles where all of these platforms have them, else in instructions: kinds of figures
        are never mixed. NotTestable where one has neither."""
        for platform in platforms:
            if platform not in self.cycles and platform not in self.instructions:
                raise self.without(platform)
        for unit, figures in (("cycles", self.cycles), ("instructions", self.instructions)):
            if all(platform in figures for platform in platforms):
                return Costs(unit, {platform: figures[platform] for platform in platforms})
        raise NotTestable(f"{_named(platforms)} have no figures of one kind")

    def in_cycles(self, platforms: Collection[str]) -> Costs:
        """In cycles; NotTestable where there are instructions only, or nothing."""
        found = self.costs(platforms)
        if found.unit != "cycles":
            without = [it for it in platforms if it not in self.cycles]
            raise NotTestable(f"{_named(without)}: instructions only, no cycles")
        return found

    def times(self, platforms: Collection[str]) -> ByPlatform:
        """In microseconds, which only cycles can be turned into."""
        return {
            platform: {cell: cycles / self.clock_mhz[platform] for cell, cycles in by_cell.items()}
            for platform, by_cell in self.in_cycles(platforms).of.items()
        }

    def present(self) -> list[str]:
        """The platforms that have figures; NotTestable where none has."""
        found = [it for it in PLATFORMS if self.has(it)]
        if not found:
            raise self.without(PLATFORMS[0])
        return found

    def has(self, platform: str) -> bool:
        """Whether it has any figures."""
        return platform in self.cycles or platform in self.instructions

    def without(self, platform: str) -> NotTestable:
        """Why nothing can be said of a platform."""
        return NotTestable(why(platform, self.missing.get(platform, "not simulated in this run")))


def why(platform: str, reason: str) -> str:
    """The reason with the platform's name before it, unless it begins with that."""
    return reason if reason.startswith(name(platform)) else f"{name(platform)}: {reason}"


def _named(platforms: Iterable[str]) -> str:
    return ", ".join(map(name, platforms))


class Normalised(NamedTuple):
    """Figures of one kind over those of a reference processor, each times its bus width."""

    reference: str
    kind: str
    """What is compared: `cycles`, `instructions`."""
    of: dict[str, dict[Cell, float]]
    """By platform and row; the reference itself is left out."""


def normalised(evidence: Evidence, reference: str) -> Normalised | None:
    """In cycles of all platforms that have them where the reference has, else in instructions."""
    if not evidence.has(reference):
        return None
    kind = evidence.costs([reference]).unit
    figures = evidence.cycles if kind == "cycles" else evidence.instructions
    costs, widths = Costs(kind, figures), evidence.bus_width_bits
    of = {
        platform: {
            cell: ratio * widths[platform] / widths[reference]
            for cell, ratio in costs.ratios(platform, reference).items()
        }
        for platform in PLATFORMS
        if platform in figures and platform != reference
    }
    return Normalised(reference, kind, of)


BACKEND = "reference"
"""The code path that all targets have."""


class Memory(msgspec.Struct, kw_only=True):
    """Of a processor whose caches are described."""

    memory_ns: float


class Facts(msgspec.Struct, kw_only=True):
    """What the study needs of a processor: of the table `[processor]` of its file."""

    clock_mhz: float
    bus_width_bits: int
    multiply_bits: int
    has_variable_shift: bool
    caches: Memory | None = None


class Description(msgspec.Struct, kw_only=True):
    """A target's file, as it was when it was used."""

    processor: Facts | None = None


class Measured:
    """The simulations of a run by target and work, and the rows of this machine."""

    def __init__(self, run: Run, rows: list[Row]) -> None:
        self.run, self.rows = run, rows
        self._by_work: dict[tuple[str, Work], list[Simulation]] = defaultdict(list)
        self._metrics: dict[str, Metric] = {}
        self.errors: dict[tuple[str, str], str] = {}
        """Why an algorithm has no figures on a target, or not all."""
        for it in run.simulations:
            if it.case.backend == BACKEND:
                self._add(it)
        self._targets = {it.target: it for it in run.targets}
        self.targets = [it for it in TARGETS if it in self._metrics]
        """Those with figures, the paper's first."""

    def _add(self, it: Simulation) -> None:
        case = it.case
        if it.error is not None or it.value is None or it.metric is None:
            key = (case.target, case.algorithm)
            self.errors.setdefault(key, it.error.message if it.error else "no figure")
            return
        self._metrics[case.target] = it.metric
        work = Work(case.algorithm, case.operation, case.message_bytes, case.keyed_for)
        self._by_work[case.target, work].append(it)

    def seeds(self, target: str, work: Work) -> list[Simulation]:
        """The same call with other keys and inputs, by seed."""
        return sorted(self._by_work.get((target, work), []), key=lambda it: it.case.seed)

    def one(self, target: str, work: Work) -> Simulation | None:
        """The call that stands for a work: with the first seed, of a text padded to blocks."""
        size = work.message_bytes
        if size is not None:
            work = work._replace(message_bytes=padded(work.algorithm, size))
        return next(iter(self.seeds(target, work)), None)

    def cost(self, target: str, work: Work) -> int | None:
        """Its figure."""
        found = self.one(target, work)
        return found.value if found else None

    def compiled(self, target: str) -> SimulatedTarget | None:
        """How a target with figures was compiled."""
        return self._targets.get(target) if target in self._metrics else None

    def first_call(self, target: str, work: Work) -> float | None:
        """Cycles of a call that finds nothing in the caches: by the model, and what memory takes
        for every line."""
        found, memory = self.one(target, work), self._memory_ns(target)
        if found is None or found.value is None or memory is None:
            return None
        lines = (found.instruction_misses or 0) + (found.data_misses or 0)
        return found.value + lines * memory * self.facts(target).clock_mhz / 1000

    def _memory_ns(self, target: str) -> float | None:
        caches = self.facts(target).caches if target in self.targets else None
        return None if caches is None else caches.memory_ns

    def further_keystream(self, target: str) -> int | None:
        """What 16 more bytes of RC4 cost: what the paper's running keystream took, as here each
        text begins with a copy of the keyed state."""
        sizes = (2 * TEXT_BYTES, TEXT_BYTES)
        long, short = (self.cost(target, Work(RC4, KEYSTREAM, size)) for size in sizes)
        return None if long is None or short is None else long - short

    def metric(self, target: str) -> Metric:
        """What the figures of a target with figures are."""
        return self._metrics[target]

    def of_metric(self, metric: Metric) -> list[str]:
        """The targets whose figures are such. Of the XScale at two clocks one, as its cycles are
        the same at both: its model has no memory."""
        return [it for it in self.targets if it != PXA250_200 and self.metric(it) == metric]

    def beside_each_other(self, most: int) -> Iterator[tuple[Metric, list[str]]]:
        """The targets of each metric, in parts of about the same size and so many at most."""
        for metric in METRICS:
            targets = self.of_metric(metric)
            count = -(-len(targets) // most)
            for part in range(count):
                first, last = (it * len(targets) // count for it in (part, part + 1))
                yield metric, targets[first:last]

    def of_algorithms(self, target: str, algorithms: Iterable[str]) -> dict[str, list[Simulation]]:
        """All simulations of algorithms, by algorithm."""
        wanted = set(algorithms)
        found: dict[str, list[Simulation]] = defaultdict(list)
        for (of_target, work), simulations in self._by_work.items():
            if of_target == target and work.algorithm in wanted:
                found[work.algorithm] += simulations
        return found

    def facts(self, target: str) -> Facts:
        """Of a target with figures, as it was used."""
        whose = f"the stored description of the target {target}"
        table = description(self._targets[target])
        found = toml_file.as_kind(table, whose, Description).processor
        if found is None:
            raise WorkError(f"{whose} has no [processor]")
        return found

    def why_none(self, target: str) -> str:
        """Why a target has no figures."""
        known = self._targets.get(target)
        failed = (why for (name, _), why in self.errors.items() if name == target)
        reason = (known and known.reason) or next(failed, "not simulated in this run")
        return f"{reason}: {BUILD_M16C}" if target == M16C and BUILD_M16C not in reason else reason

    @cached_property
    def evidence(self) -> Evidence:
        """In the form of Table 3."""
        found = [it for it in PLATFORMS if it in self.targets]
        timed = [it for it in found if self.metric(it) != "instructions"]
        facts = {it: self.facts(it) for it in found}
        return Evidence(
            cycles=self._figures(timed, lambda it: it.value),
            instructions=self._figures(found, lambda it: it.instructions),
            clock_mhz={name: it.clock_mhz for name, it in facts.items()},
            bus_width_bits={name: it.bus_width_bits for name, it in facts.items()},
            further_rc4={
                it: further for it in found if (further := self.further_keystream(it)) is not None
            },
            missing={it: self.why_none(it) for it in PLATFORMS if it not in found},
        )

    def _figures(
        self, targets: Iterable[str], value: Callable[[Simulation], int | None]
    ) -> ByPlatform:
        """Of the rows of Table 3 that have one."""
        return {
            target: {
                cell: figure
                for cell in cells()
                if (found := self.one(target, cell.work)) and (figure := value(found))
            }
            for target in targets
        }


@cache
def printed() -> Evidence:
    """Table 3 in clock cycles: time by clock, as in its Figure 2."""
    known = platforms()
    return Evidence(
        cycles={
            platform: {cell: time * known[platform].clock_mhz for cell, time in by_cell.items()}
            for platform, by_cell in times().items()
        },
        clock_mhz={name: it.clock_mhz for name, it in known.items()},
        bus_width_bits={name: it.bus_width_bits for name, it in known.items()},
    )


NEAREST, MEMORY, NOTHING = "hot", "stream", "cold"


BUFFERS = {
    NEAREST: "nearest cache",
    "l2": "second cache",
    MEMORY: "memory",
    NOTHING: "cold",
}
"""Where messages lie, as `buffers` of the plan, from the nearest."""


ByBuffers = dict[str, "Row"]


def ratio_of_buffers(rows: ByBuffers, buffers: str) -> Figure | None:
    if NEAREST not in rows or buffers not in rows:
        return None
    return quotient(*(of_row(cycles(row), row) for row in (rows[buffers], rows[NEAREST])))


def by_message(rows: Iterable[Row]) -> dict[tuple[str, str, int], ByBuffers]:
    """Those with figures by function, operation and size."""
    found: dict[tuple[str, str, int], ByBuffers] = {}
    for row in rows:
        if row.algorithm in FUNCTIONS and row.message_bytes and row.cycles_per_message:
            key = (row.algorithm, row.operation, row.message_bytes)
            found.setdefault(key, {})[row.buffers] = row
    return found
