"""Observations of a measured run: the machine itself as one more processor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ciphermark.answers.models.observation import KnownProcessor, Observation
from ciphermark.answers.models.observations import Observed
from ciphermark.errors import UsageError
from ciphermark.measure.targets.processor import UNVERIFIED, Processor
from ciphermark.record.run import Context
from ciphermark.workloads.single.row import Row

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
    machine = context.hello.environment.machine
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
            clock_mhz=context.core_hz / 1e6,
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
        return not ours, -(largest.message_bytes or 0), largest.cycles_per_message

    return min(alike.values(), key=rank)


def _observation(machine: KnownProcessor, row: Row) -> Observation:
    return Observation(
        processor=machine.name,
        algorithm=row.algorithm,
        operation=row.operation,
        message_bytes=row.message_bytes,
        cycles=row.cycles_per_message,
        metric="cycles-measured",
    )


def _implementations(chosen: dict[str, list[Row]]) -> str:
    named = (f"{name} of {rows[0].provider}, {rows[0].backend}" for name, rows in chosen.items())
    return f"measured here, one implementation each: {'; '.join(named)}"
