"""What is said of figures of simulated processors, and how they were counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ciphermark.contract.others import Metric
from ciphermark.show import figures
from ciphermark.workloads.simulation.comparison import verdicts
from ciphermark.workloads.simulation.row import SimulationRow
from ciphermark.workloads.single.method import timed

METRICS: dict[Metric, str] = {
    "cycles-measured": "cycles (measured)",
    "cycles-simulated": "cycles (simulated)",
    "cycles-model": "cycles (model)",
    "instructions": "instructions",
}

MEANINGS: dict[Metric, str] = {
    "cycles-measured": "the processor itself counted them, on a board",
    "cycles-simulated": "a simulator of the processor counted its cycles",
    "cycles-model": "a model of the pipeline, over the exact instructions that were executed",
    "instructions": "the number executed, where no correct model of the pipeline is known",
}

UNITS: dict[Metric, str] = {
    "cycles-measured": "cycles",
    "cycles-simulated": "cycles",
    "cycles-model": "cycles",
    "instructions": "instructions",
}

NAMED = 3
"""Cases whose figures differ most between seeds that are named."""


@dataclass(frozen=True)
class Failures:
    """Cases of one target that have no figure for the same reason."""

    target: str
    algorithms: list[str]
    cases: int
    why: str

    @property
    def what(self) -> str:
        """`seal3 on atmega103, 6 cases`."""
        named = ", ".join(self.algorithms)
        return f"{named} on {self.target}, {figures.counted(self.cases, 'case')}"


def metrics(rows: Iterable[SimulationRow]) -> list[Metric]:
    """Those that occur, the surest first."""
    present = {row.metric for row in rows if row.is_measured}
    return [metric for metric in METRICS if metric in present]


def target_title(row: SimulationRow) -> str:
    """A target with what its figures are: `cortex-m0, cycles (model)`."""
    assert row.metric is not None
    return f"{row.target}, {METRICS[row.metric]}"


def failures(rows: Iterable[SimulationRow]) -> list[Failures]:
    """Each reason once for a target, with the algorithms that it befell."""
    alike: dict[tuple[str, str], list[SimulationRow]] = {}
    for row in rows:
        if row.error is not None:
            alike.setdefault((row.target, row.error.message), []).append(row)
    return [
        Failures(target, list(dict.fromkeys(row.algorithm for row in own)), len(own), why)
        for (target, why), own in alike.items()
    ]


def remarks(rows: Iterable[SimulationRow]) -> Iterator[str]:
    """What must be known to read the figures: that there are several kinds, and several seeds."""
    measured = [row for row in rows if row.is_measured]
    present = [it for it in metrics(measured) if it != "cycles-measured"]  # compared below
    if len(present) > 1:
        *others, last = (METRICS[it] for it in present)
        named = f"{', '.join(others)} and {last}"
        yield f"{named} are not comparable with each other; each target has one of them"
    yield from verdicts(measured)
    seeds = len({row.seed for row in measured})
    if seeds > 1:
        yield from _spreads(measured, seeds)


def _spreads(rows: list[SimulationRow], seeds: int) -> Iterator[str]:
    """How much figures depend on key, nonce and message: what a real-time system must know."""
    cases: dict[tuple[object, ...], list[SimulationRow]] = {}
    for row in rows:
        key = (row.target, row.algorithm, row.backend, row.operation, row.keyed_for)
        cases.setdefault((*key, row.message_bytes), []).append(row)
    spreads = [_Spread(own) for own in cases.values()]
    differing = sorted((it for it in spreads if it.share > 0), key=lambda it: -it.share)
    kept = len(spreads) - len(differing)
    yield (
        f"figures are medians over {seeds} seeds of key, nonce and message; "
        f"{figures.grouped(kept)} of {figures.counted(len(spreads), 'case')} cost the same for all"
    )
    for it in differing[:NAMED]:
        yield it.sentence
    if len(differing) > NAMED:
        yield f"{figures.counted(len(differing) - NAMED, 'other case')} depend on the seed less"


class _Spread:
    """How far apart the figures of one case are."""

    def __init__(self, rows: list[SimulationRow]) -> None:
        values = [row.value for row in rows if row.value is not None]
        self._first = rows[0]
        self._low, self._high = min(values), max(values)

    @property
    def share(self) -> float:
        return self._high / self._low - 1 if self._low else 0.0

    @property
    def sentence(self) -> str:
        row = self._first
        size = "" if row.message_bytes is None else f" of {figures.message_size(row.message_bytes)}"
        return (
            f"{row.algorithm} {row.operation}{size} on {row.target} depends on the seed: "
            f"{figures.grouped(self._low)} to {figures.grouped(self._high)}, "
            f"{figures.percent(self.share)} more"
        )


def simulation_method(rows: list[SimulationRow]) -> dict[str, str]:
    """Heading and paragraph of each rule."""
    kinds = "; ".join(f"{METRICS[it]}: {MEANINGS[it]}" for it in metrics(rows))
    operations = "; ".join(f"{name}: {what}" for name, what in timed(rows).items())
    return {
        "What is counted": (
            "The kernel alone, called once. Each call is made twice, first with a kernel that "
            "does nothing; the figure is the difference, so it excludes the cost of calling. "
            f"{operations}."
        ),
        "What a figure is": (
            f"{kinds}. Figures of different kinds are never compared. The models assume that "
            "code and data lie in the nearest memory: they leave out caches, write buffers and "
            "wait states of flash."
        ),
        "Answers": (
            "The test vectors of each function pass on the target before it is counted. Keys, "
            "nonces and messages are made from a seed on the target, and a digest of each "
            "call's output is compared with that of this machine, since a wrong program has "
            "plausible counts too. A case that fails has no figure."
        ),
        "Memory": (
            "Code is the flash that the algorithm takes when it is linked alone with all that "
            "it needs, the compiler's library included; context is the memory of a key; stack "
            "is how far below its caller a call writes."
        ),
        "Repetition": ("The same input gives the same numbers: there is no noise and no interval."),
    }
