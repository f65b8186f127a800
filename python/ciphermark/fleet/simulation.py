"""Simulated targets of a fleet's study: spread over all cores of the workers that do not measure.

What a simulator counts does not depend on the machine that it runs on, so each case is counted once
for the whole fleet, by whichever worker has the tools and nothing to measure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.contract.others import SimulatedCase, SimulatedTarget
from ciphermark.farm.machines import MOST_ATTEMPTS
from ciphermark.fleet.jobs import simulate
from ciphermark.fleet.ledger import Ledger, SimulatedPart
from ciphermark.run.targets.simulation import Simulated

if TYPE_CHECKING:
    from ciphermark.farm.crew import Crew, Ended


CASES_AT_A_TIME = 40
"""A part compiles the kernels once, some ten seconds, and simulates each case for about one."""
PART_S = 3600.0
"""A part that takes longer hangs."""


class _Part(msgspec.Struct):
    name: str
    target: str
    cases: list[SimulatedCase]
    worker: str = ""
    """Who is at it."""
    failed: int = 0
    refused_by: set[str] = msgspec.field(default_factory=set)
    """Workers whose machines lack the tools."""
    refusal: SimulatedTarget | None = None
    """Why, in the words of the last of them."""


class Simulating:
    """What is to be simulated for a fleet, what is, and what was."""

    def __init__(self, crew: Crew, ledger: Ledger, cases: Sequence[SimulatedCase]) -> None:
        self.is_wanted = bool(cases)
        self._crew = crew
        self._ledger = ledger
        self._order = [msgspec.json.encode(case) for case in cases]
        self._parts = _parts(cases)
        known = {it.part: it for it in ledger.simulated()} if cases else {}
        self._found = {part.name: known[part.name] for part in self._parts if part.name in known}
        self._waiting = [part for part in self._parts if part.name not in self._found]
        self._under_way: dict[str, _Part] = {}

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    @property
    def is_under_way(self) -> bool:
        return bool(self._under_way)

    @property
    def is_done(self) -> bool:
        return not self._waiting and not self._under_way

    @property
    def cases(self) -> int:
        return len(self._order)

    @property
    def cases_done(self) -> int:
        return sum(len(part.cases) for part in self._parts if part.name in self._found)

    @property
    def found(self) -> Simulated:
        """All that came of it, in the order of the study."""
        targets: dict[str, SimulatedTarget] = {}
        for it in self._found.values():
            if it.target.target not in targets or not it.target.reason:
                targets[it.target.target] = it.target
        place = {case: number for number, case in enumerate(self._order)}
        simulations = [one for it in self._found.values() for one in it.simulations]
        simulations.sort(key=lambda it: place[msgspec.json.encode(it.case)])
        return Simulated([*targets.values()], simulations)

    def feed(self, worker: str, threads: int) -> None:
        """Gives a worker as many parts as it has threads."""
        busy = sum(part.worker == worker for part in self._under_way.values())
        for part in [it for it in self._waiting if worker not in it.refused_by][: threads - busy]:
            self._waiting.remove(part)
            key = self._crew.start(worker, simulate, part.target, part.cases, seconds=PART_S)
            part.worker = worker
            self._under_way[key] = part

    def accept_refusals(self, workers: set[str]) -> None:
        """Takes a target as not to be simulated once none of the workers has the tools for it."""
        for part in [it for it in self._waiting if it.refusal and workers <= it.refused_by]:
            assert part.refusal is not None
            self._waiting.remove(part)
            self._found[part.name] = SimulatedPart(part.name, part.refusal, [])

    def end(self, ended: Ended) -> bool:
        """Takes in a part that has ended; whether it was one. Of a part that fails again and again
        the target says why; the others go on."""
        part = self._under_way.pop(ended.key, None)
        if part is None:
            return False
        if ended.how != "done":
            part.failed += 1
            if part.failed < MOST_ATTEMPTS:
                self._waiting.append(part)
            else:
                self._found[part.name] = SimulatedPart(part.name, _failed(part, ended), [])
            return True
        target, simulations = ended.value
        if target.reason and not simulations:
            part.refused_by.add(ended.worker)
            part.refusal = target
            self._waiting.append(part)
            return True
        self._found[part.name] = SimulatedPart(part.name, target, simulations)
        self._ledger.keep_simulated(part.name, self._found[part.name])
        return True


def _failed(part: _Part, ended: Ended) -> SimulatedTarget:
    return SimulatedTarget(
        target=part.target,
        title=part.target,
        compiler="",
        flags="",
        runner="",
        reason=f"{part.name} could not be simulated: {ended.value or ended.how}",
    )


def _parts(cases: Sequence[SimulatedCase]) -> list[_Part]:
    """Each target's cases in parts of about the same size, in their order."""
    by_target: dict[str, list[SimulatedCase]] = {}
    for case in cases:
        by_target.setdefault(case.target, []).append(case)
    parts = []
    for target, own in by_target.items():
        count = math.ceil(len(own) / CASES_AT_A_TIME)
        size = math.ceil(len(own) / count)
        for number in range(count):
            some = own[number * size : (number + 1) * size]
            parts.append(_Part(f"{target}-{number + 1}", target, some))
    return parts
