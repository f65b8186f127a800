"""Observations of what functions cost on processors, of one source: simulated, measured, printed.

They are what models of processors are fitted to. What is printed is read by the study of its paper,
which makes an `Observed` of it as well. Observations without counts of operations, as published and
measured ones, are lent those of a simulation: what a call needs does not depend on who measured it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from statistics import median
from typing import Any, Literal, NamedTuple

import msgspec

from ciphermark.answers.models.processors import KnownProcessor
from ciphermark.contract.others import (
    Metric,
    SimulatedCase,
    SimulatedTarget,
    Simulation,
    target_of_board,
)
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.record.run import Context, Run
from ciphermark.record.without_engine import description
from ciphermark.run.targets.target import UNVERIFIED, Processor
from ciphermark.workloads.single.row import Row


class Function(NamedTuple):
    """What has parameters of its own."""

    algorithm: str
    operation: str

    @property
    def name(self) -> str:
        return f"{self.algorithm} {self.operation}"


Key = tuple[str, str, int | None]
"""Algorithm, operation and size: what makes calls on several processors the same call."""


MODELLED_BACKEND = "reference"
"""The kernel that models are fitted to: the same source on all processors."""


class Observation(msgspec.Struct, kw_only=True, frozen=True):
    """What one call of a function costs on one processor."""

    processor: str
    """Name of a `KnownProcessor`."""
    algorithm: str
    operation: str
    """As everywhere, and of published tables also `init`, `init-encrypt` and `init-decrypt`."""
    message_bytes: int | None
    """None for `setup`. Of a published row for several lengths, the longest."""
    cycles: float
    """Cycles, or instructions where `metric` says so."""
    metric: Metric | Literal["cycles-published"]
    """`cycles-published`: a printed time, multiplied by the clock."""
    backend: str = MODELLED_BACKEND
    """The kernel that did it."""
    operations: dict[str, int] | None = None
    """Of the reference instruction stream, for the same call: see
    `measure/targets/rv32i/operations.py`."""

    @property
    def function(self) -> Function:
        return Function(self.algorithm, self.operation)

    @property
    def key(self) -> Key:
        return self.algorithm, self.operation, self.message_bytes


REFERENCE_TARGET = "rv32i"
"""Whose instructions are what an operation is: see `measure/targets/rv32i/operations.py`."""


class Footprint(msgspec.Struct, kw_only=True):
    """The memory that a kernel takes on a processor."""

    code_bytes: int | None = None
    ram_bytes: int | None = None
    """Context of a key and the deepest stack."""
    context_bytes: int | None = None
    stack_bytes: int | None = None
    """The deepest."""


class Observed(msgspec.Struct, kw_only=True):
    """The observations of one source, with the processors that they are of."""

    source: str
    """What it is, for people: `the published table`, `run 20261121-091500-7f3a`."""
    processors: dict[str, KnownProcessor]
    observations: list[Observation]
    footprints: dict[tuple[str, str, str], Footprint] = {}
    """Needs by processor, algorithm and backend."""
    cipher_block_bits: int | None = None
    """What counts as one block of a cipher in this source, where that is not the cipher's own."""
    notes: list[str] = []
    """What one must know of the source to judge what is made of it."""

    @property
    def metrics(self) -> list[str]:
        """The kinds of figures in it."""
        return list(dict.fromkeys(it.metric for it in self.observations))

    def in_cycles(self) -> Observed:
        """The part of it that is in cycles, of which alone times can be made; all of it where
        nothing is."""
        counted = {it.processor for it in self.observations if it.metric != "instructions"}
        return self.of(counted) if counted else self

    def modelled(self) -> Observed:
        """Returns the part that models are fitted to: one kernel of each algorithm on a processor,
        the reference where it is among them."""
        offered: dict[tuple[str, str], set[str]] = defaultdict(set)
        for it in self.observations:
            offered[it.processor, it.algorithm].add(it.backend)
        chosen = {
            key: MODELLED_BACKEND if MODELLED_BACKEND in backends else min(backends)
            for key, backends in offered.items()
        }
        others = sorted(
            {
                f"{algorithm} ({backend})"
                for (_, algorithm), backend in chosen.items()
                if backend != MODELLED_BACKEND
            }
        )
        listed = f"; where that is missing {', '.join(others)}" if others else ""
        kernels = [f"kernels: {MODELLED_BACKEND}, in portable C{listed}"]
        return msgspec.structs.replace(
            self,
            observations=[
                it for it in self.observations if it.backend == chosen[it.processor, it.algorithm]
            ],
            notes=[*self.notes, *(kernels if MODELLED_BACKEND in chosen.values() else [])],
        )

    def of(self, processors: Iterable[str]) -> Observed:
        """The part of it that is of these processors."""
        kept = set(processors)
        return msgspec.structs.replace(
            self,
            processors={name: it for name, it in self.processors.items() if name in kept},
            observations=[it for it in self.observations if it.processor in kept],
            footprints={key: it for key, it in self.footprints.items() if key[0] in kept},
        )


def simulated(
    source: str,
    simulations: Sequence[Simulation],
    targets: Sequence[SimulatedTarget],
    metric: Metric | None = None,
) -> Observed:
    """What simulations have found, or those of one metric; of several seeds the median."""
    found = _observed([source], [simulations], targets, metric)
    return msgspec.structs.replace(found, source=source)


def newest_simulated(runs: Sequence[Run], metric: Metric | None = None) -> Observed:
    """The same of several stored simulations, given newest first: of each function on each target
    the figures of the newest run that has it."""
    targets = {it.target: it for run in reversed(runs) for it in run.targets}
    names = [run.context.run for run in runs]
    return _observed(names, [run.simulations for run in runs], [*targets.values()], metric)


def _observed(
    names: Sequence[str],
    runs: Sequence[Sequence[Simulation]],
    targets: Sequence[SimulatedTarget],
    metric: Metric | None,
) -> Observed:
    """Of runs by their names, the newest first. The memory of an algorithm is that of the newest
    run in which it was linked."""
    processors = _processors(targets)
    every = [it for run in runs for it in run]
    of_run = [
        [
            it
            for it in run
            if it.case.target in processors and metric in (None, it.metric) and _has_figure(it)
        ]
        for run in runs
    ]
    newest = _newest(of_run, lambda it: (*_kernel(it.case), _operation(it.case)))
    linked = [[it for it in run if it.code_bytes is not None] for run in of_run]
    sized = _newest(linked, lambda it: _kernel(it.case))
    observations = list(_observations(chain(*newest), _operation_counts(every)))
    observed = {it.processor for it in observations}
    used = [name for name, kept in zip(names, newest, strict=True) if kept]
    return Observed(
        source=_listed(used or [*names[:1]]),
        processors={name: it for name, it in processors.items() if name in observed},
        observations=observations,
        footprints=_footprints(chain(*sized)),
        notes=list(_metric_notes(observations)),
    )


def _newest(
    runs: Sequence[Sequence[Simulation]], key: Callable[[Simulation], Hashable]
) -> list[list[Simulation]]:
    """Those of each run, of which no newer run has any with the same key."""
    taken: set[Hashable] = set()
    kept = []
    for run in runs:
        fresh = [it for it in run if key(it) not in taken]
        taken |= {key(it) for it in fresh}
        kept.append(fresh)
    return kept


_MOST_NAMED = 3
"""Runs that a source names; the others are counted."""


def _listed(names: Sequence[str]) -> str:
    """`run 20261121-091500-7f3a`, or several."""
    more = len(names) - _MOST_NAMED
    shown = ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return ("run " if len(names) == 1 else "runs ") + shown


def _processors(targets: Iterable[SimulatedTarget]) -> dict[str, KnownProcessor]:
    """Those that the targets' files describe, as the files were then, each once."""
    files = {it.target: description(it) for it in targets}
    return {
        it.target: KnownProcessor(
            name=it.target, title=it.title, processor=_processor(it.target, files[it.target])
        )
        for it in targets
        if "processor" in files[it.target] and "variant_of" not in files[it.target]
    }


def _processor(target: str, file: dict[str, Any]) -> Processor:
    """As the file describes it; on a board its figures are its own cycles."""
    whose = f"the stored description of the target {target}"
    processor = toml_file.as_kind(file["processor"], whose, Processor)
    if target_of_board(target) is None:
        return processor
    return msgspec.structs.replace(processor, metric="cycles-measured")


def _has_figure(simulation: Simulation) -> bool:
    return simulation.error is None and simulation.value is not None


def _kernel(case: SimulatedCase) -> tuple[str, str, str]:
    return case.target, case.algorithm, case.backend


def _observations(
    found: Iterable[Simulation], counts: dict[tuple[str, Key], dict[str, int]]
) -> Iterable[Observation]:
    """One for each call; keys and messages of several seeds are one call."""
    calls: dict[tuple[str, str, Key], list[Simulation]] = defaultdict(list)
    for it in found:
        calls[it.case.target, it.case.backend, _call(it.case)].append(it)
    for (target, backend, key), alike in calls.items():
        algorithm, operation, message_bytes = key
        metric = alike[0].metric
        assert metric is not None  # as every simulation with a figure has one
        yield Observation(
            processor=target,
            algorithm=algorithm,
            operation=operation,
            message_bytes=message_bytes,
            cycles=median(it.value for it in alike if it.value is not None),
            metric=metric,
            backend=backend,
            operations=counts.get((backend, key)),
        )


def _operation_counts(
    simulations: Iterable[Simulation],
) -> dict[tuple[str, Key], dict[str, int]]:
    """Returns those of each kernel on the reference target, for the first seed of each call."""
    counts: dict[tuple[str, Key], dict[str, int]] = {}
    for it in simulations:
        if it.case.target == REFERENCE_TARGET and it.operations is not None:
            counts.setdefault((it.case.backend, _call(it.case)), it.operations)
    return counts


def _call(case: SimulatedCase) -> Key:
    return case.algorithm, _operation(case), case.message_bytes


def _operation(case: SimulatedCase) -> str:
    """Key setup that is not for sending is distinguished, as in published tables."""
    return case.operation if case.keyed_for is None else f"init-{case.keyed_for}"


def _most(sizes: Iterable[int | None]) -> int | None:
    return max((it for it in sizes if it is not None), default=None)


def _footprints(found: Iterable[Simulation]) -> dict[tuple[str, str, str], Footprint]:
    """The most that any call of a kernel took on a target."""
    alike: dict[tuple[str, str, str], list[Simulation]] = defaultdict(list)
    for it in found:
        alike[_kernel(it.case)].append(it)
    return {
        key: Footprint(
            code_bytes=_most(it.code_bytes for it in them),
            ram_bytes=max(
                (
                    (it.context_bytes or 0) + it.stack_bytes
                    for it in them
                    if it.stack_bytes is not None
                ),
                default=None,
            ),
            context_bytes=_most(it.context_bytes for it in them),
            stack_bytes=_most(it.stack_bytes for it in them),
        )
        for key, them in alike.items()
    }


METRIC_WORDS = {
    "cycles-measured": "cycles that the processor itself counted, on a board",
    "cycles-simulated": "cycles that a simulator of the processor counted",
    "cycles-model": "cycles by a model of the pipeline",
    "instructions": "instructions, which are no cycles",
}


def _metric_notes(observations: Iterable[Observation]) -> Iterable[str]:
    """Which processors have which figures: of different metrics they are not compared."""
    processors: dict[str, set[str]] = defaultdict(set)
    for it in observations:
        processors[it.metric].add(it.processor)
    for metric, names in processors.items():
        yield f"{metric} ({METRIC_WORDS[metric]}): {', '.join(sorted(names))}"


_SENDING_SETUPS = ("init", "init-encrypt")


def lend_operations(observed: Observed, simulated: Observed) -> Observed:
    """The observations with counts of the same calls; those that were not counted have none.

    All of them are then cycles, whatever a simulation of their processors would give.
    """
    counts = {it.key: it.operations for it in simulated.observations if it.operations}
    lent = [
        msgspec.structs.replace(
            it, operations=counts.get((it.algorithm, _setup(it), it.message_bytes))
        )
        for it in observed.observations
    ]
    without = sum(it.operations is None for it in lent)
    note = (
        f"operations counted in {simulated.source}; {without} of {len(lent)} calls have none there "
        "and are left out"
    )
    return msgspec.structs.replace(
        observed,
        processors={name: _in_cycles(it) for name, it in observed.processors.items()},
        observations=lent,
        notes=[*observed.notes, note],
    )


def _setup(it: Observation) -> str:
    return "setup" if it.operation in _SENDING_SETUPS else it.operation


def _in_cycles(it: KnownProcessor) -> KnownProcessor:
    processor = msgspec.structs.replace(it.processor, metric="cycles-simulated")
    return msgspec.structs.replace(it, processor=processor)


REGISTERS = {"x86_64": 16, "aarch64": 31}
"""For general use: Intel SDM volume 1, 3.4.1; Arm ARM (DDI 0487), B1.2.1."""

OUR_KERNELS = "kernels"
"""The provider whose source is that of the simulated targets."""


def measured(context: Context, rows: Sequence[Row]) -> Observed:
    """What one thread did, of each algorithm by one implementation. Raises `UsageError`."""
    machine = _machine(context)
    by_algorithm: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.cycles_per_message is not None and _is_one_message(row):
            by_algorithm[row.algorithm].append(row)
    chosen = {name: _of_one_implementation(them) for name, them in by_algorithm.items()}
    if not chosen:
        raise UsageError(f"run {context.run} has no figures of single messages to fit")
    return Observed(
        source=f"run {context.run}",
        processors={machine.name: machine},
        observations=[_observation(machine, row) for alike in chosen.values() for row in alike],
        notes=[_implementations(chosen)],
    )


def _is_one_message(row: Row) -> bool:
    """Whether it is what a node does: one message of one size, the key at hand, no device, and
    nothing before it."""
    called = (row.profile, row.lanes, row.pattern, row.offload, row.after)
    return called == (None, 1, "reused-key", "none", None)


def _machine(context: Context) -> KnownProcessor:
    """The machine of the run, as a processor of 64 bits."""
    machine = context.engine_hello.environment.machine
    if machine.architecture not in REGISTERS:
        known = " and ".join(REGISTERS)
        raise UsageError(
            f"run {context.run} is of {machine.architecture}, which models do not describe; they "
            f"know runs of {known}"
        )
    cache_kb = (machine.l1d_cache_bytes or 0) / 1024
    return KnownProcessor(
        name=machine.machine_name,
        title=machine.cpu_name,
        processor=Processor(
            clock_mhz=(context.core_hz or math.nan) / 1e6,
            bus_width_bits=64,
            isa="cisc" if machine.architecture == "x86_64" else "risc",
            multiply_bits=64,
            has_divide=True,
            has_rotate=True,
            has_variable_shift=True,
            registers=REGISTERS[machine.architecture],
            issue=4,
            out_of_order=True,
            icache_kb=cache_kb,  # the engine names that of data alone
            dcache_kb=cache_kb,
            metric="instructions",  # what its simulation would give; it was measured instead
            sources={"issue": UNVERIFIED, "icache_kb": UNVERIFIED},
        ),
    )


def _of_one_implementation(rows: Iterable[Row]) -> list[Row]:
    """The rows of our kernels where there are some, else of whichever takes the fewest cycles for
    its largest message."""
    alike: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        alike[row.provider, row.backend].append(row)

    def rank(them: list[Row]) -> tuple[bool, int, float]:
        largest = max(them, key=lambda row: row.message_bytes or 0)
        ours = largest.provider == OUR_KERNELS
        return not ours, -(largest.message_bytes or 0), largest.cycles_per_message or math.inf

    return min(alike.values(), key=rank)


def _observation(machine: KnownProcessor, row: Row) -> Observation:
    return Observation(
        processor=machine.name,
        algorithm=row.algorithm,
        operation=row.operation,
        message_bytes=row.message_bytes,
        cycles=row.cycles_per_message or math.nan,
        metric="cycles-measured",
        backend=row.backend,
    )


def _implementations(chosen: dict[str, list[Row]]) -> str:
    named = (f"{name} of {rows[0].provider}, {rows[0].backend}" for name, rows in chosen.items())
    return f"measured here, one implementation each: {'; '.join(named)}"
