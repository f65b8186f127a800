"""Which simulations of a run stand for what the paper measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from ciphermark.contract.simulation import Metric, Simulation
from ciphermark.files import toml_file
from ciphermark.record.described import description
from ciphermark.studies.sensor import printed
from ciphermark.studies.sensor.evidence import ByPlatform, Evidence
from ciphermark.studies.sensor.paper import (
    BUILD_M16C,
    KEYSTREAM,
    M16C,
    PLATFORMS,
    PXA250_200,
    RC4,
    TARGETS,
    TEXT_BYTES,
    Work,
    padded,
)
from ciphermark.workloads.simulation.remarks import METRICS

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

BACKEND = "reference"
"""The code path that all targets have."""


class Facts(msgspec.Struct, kw_only=True):
    """What the study needs of a processor: of the table `[processor]` of its file."""

    clock_mhz: float
    bus_width_bits: int
    multiply_bits: int
    has_variable_shift: bool


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
        if it.error is not None or it.value is None:
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

    def further_keystream(self, target: str) -> int | None:
        """What 16 more bytes of RC4 cost: what the paper's running keystream took, as here each
        text begins with a copy of the keyed state."""
        sizes = (2 * TEXT_BYTES, TEXT_BYTES)
        long, short = (self.one(target, Work(RC4, KEYSTREAM, size)) for size in sizes)
        return long.value - short.value if long and short else None

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
        for (name, work), simulations in self._by_work.items():
            if name == target and work.algorithm in wanted:
                found[work.algorithm] += simulations
        return found

    def facts(self, target: str) -> Facts:
        """Of a target with figures, as it was used."""
        whose = f"the stored description of the target {target}"
        table = description(self._targets[target])
        return toml_file.as_kind(table, whose, Description).processor

    def why_none(self, target: str) -> str:
        """Why a target has no figures."""
        known = self._targets.get(target)
        failed = (why for (name, _), why in self.errors.items() if name == target)
        reason = (known and known.reason) or next(failed, "not simulated in this run")
        return f"{reason}: {BUILD_M16C}" if target == M16C and BUILD_M16C not in reason else reason

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
                for cell in printed.cells()
                if (found := self.one(target, cell.work)) and (figure := value(found))
            }
            for target in targets
        }
