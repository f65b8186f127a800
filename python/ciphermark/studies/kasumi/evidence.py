"""Figures that a statement can be asked of, be they printed in the thesis or measured here.

Both come in the same form, so that each statement has one judge that is asked twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.scaling_law import Law, Point, Undetermined, fitted
from ciphermark.studies import evidence as studies
from ciphermark.studies.evidence import implementation, of_row, quotient
from ciphermark.studies.kasumi import paper
from ciphermark.studies.kasumi.paper import (
    ACCELERATOR,
    BOTH,
    CORES,
    ENCRYPT,
    FAST,
    HERTZ,
    REFERENCE,
    SOFTWARE,
    UEA1,
    Load,
)
from ciphermark.studies.simulations import Simulations
from ciphermark.view.findings import NotTestable

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets import row as packets
    from ciphermark.workloads.packets.row import PacketRow

OURS = "kernels"
"""The provider of the code paths that stand for the thesis's software."""

PATHS = {"reference": REFERENCE, "table": SOFTWARE}
"""Code paths of it; any other is the quickest."""

PLAIN: dict[str, Any] = {
    "delivery": "unordered",
    "architecture": "run-to-completion",
    "waiting": "poll",
    "key_setup": "cached",
    "priorities": 1,
    "groups": [],
    "policy": "other",
    "offered_per_s": None,
    "profile": None,
}
"""How packets pass unless that itself is looked at: as the thesis's did."""


Figure = TypeVar("Figure")


class Ticks(NamedTuple):
    """Cycles of all packets together."""

    transfer: Estimate
    processing: Estimate
    actual: Estimate


ByCores = dict[int, Estimate]
"""Cycles with the cryptographic work by the number of cores, ascending."""


class Evidence(studies.Evidence[Load]):
    """All figures from one place; a load's figure is its actual cycles on one core, unless they
    drown in those of the transfer."""

    def __init__(self) -> None:
        self.single: dict[Load, Ticks] = {}
        """On one core."""
        self.cores: dict[Load, ByCores] = {}
        self.busy: dict[Load, dict[int, float]] = {}
        """CPU time of all threads of the same, in core cycles."""
        self.hertz: float | None = None
        """Core clock."""
        self.operation = BOTH
        """In which implementations are compared: an accelerator may do one of a packet at a
        time."""
        self.names: dict[str, str] = {}
        """What stands for a role."""
        self.missing: dict[str, str] = {}
        """Why a role has no figures."""

    def loads(
        self, role: str, operation: str, packets: int | None = None, packet_bytes: int | None = None
    ) -> list[Load]:
        """Those on one core of that kind that have actual cycles, by size and then by number."""
        alike = [
            load
            for load in self.single
            if self.figure(load)
            and (load.role, load.operation) == (role, operation)
            and packets in (None, load.packets)
            and packet_bytes in (None, load.packet_bytes)
        ]
        return sorted(alike, key=lambda load: (load.packet_bytes, load.packets))

    def figure(self, what: Load) -> Estimate | None:
        ticks = self.single.get(what)
        return ticks.actual if ticks and ticks.actual.value > 0 else None

    def lacks(self, what: Load) -> NotTestable:
        return self.without(what.role)

    def actual(self, load: Load) -> Estimate:
        """The figure of one of `loads`, with an interval or without."""
        return self.single[load].actual

    def per_bit(self, load: Load) -> Estimate | None:
        """Cycles per bit."""
        cycles = self.figure(load)
        return cycles and cycles.mapped(lambda end: end / load.bits)

    def rate(self, load: Load, cores: int) -> Estimate | None:
        """Payload bits per second on so many cores."""
        cycles = self.cores.get(load, {}).get(cores)
        if cycles is None or not self.hertz:
            return None
        return quotient(Estimate.exact(load.bits * self.hertz), cycles)

    def on_cores(self, role: str, packets: int, packet_bytes: int) -> Load | None:
        """What ran on several numbers of cores: both operations, else the one that implementations
        are compared in."""
        loads = (Load(role, it, packets, packet_bytes) for it in (BOTH, self.operation))
        return next((load for load in loads if load in self.cores), None)

    def without(self, role: str) -> NotTestable:
        """Why nothing can be said of a role."""
        return NotTestable(self.missing.get(role, f"the {role} has no such figures in this run"))


@cache
def printed() -> Evidence:
    """The thesis. The actual ticks are those printed: of a row that contradicts itself the other
    columns are wrong."""
    thesis = Evidence()
    for lines in paper.tables().values():
        for line in lines:
            ticks = (line.transfer_ticks, line.processing_ticks, line.actual_ticks)
            thesis.single[line.load] = Ticks(*map(Estimate.exact, ticks))
    for cell in paper.by_cores():
        thesis.cores.setdefault(cell.load, {})[cell.cores] = Estimate.exact(cell.cycles)
    thesis.hertz = HERTZ
    thesis.names = {ACCELERATOR: "the chip's accelerator", SOFTWARE: "the chip's cores"}
    return thesis


def law(load: Load, by_cores: ByCores) -> Law:
    """Amdahl's law of packets per cycle through what a machine has shown; raises `Undetermined`."""
    points = [Point(cores, load.packets / cycles.value) for cores, cycles in by_cores.items()]
    return fitted("amdahl", points)


def beyond(load: Load, by_cores: ByCores) -> dict[int, float]:
    """Cycles on the numbers of cores that only the thesis had; none where there is no law."""
    try:
        of_packets = law(load, by_cores)
    except Undetermined:
        return {}
    more = range(max(by_cores) + 1, CORES + 1)
    return {cores: load.packets / of_packets.throughput(cores).value for cores in more}


class Measured(Evidence):
    """The rows of a run, and their figures of the thesis's function."""

    def __init__(self, rows: Iterable[PacketRow], run: Run | None = None) -> None:
        """`run` has what was simulated beside them."""
        super().__init__()
        self.rows = list(rows)
        self.simulations = Simulations(run)
        self.with_figures = [row for row in self.rows if row.is_measured]
        self.accelerator = _accelerator(self.with_figures)
        """The offload that stands for the chip's accelerator; None where there is none."""
        self.hertz = next((row.core_hz for row in self.with_figures if row.core_hz), None)
        for row in self.all(algorithm=UEA1):
            self._add(row)
        self.cores = _ascending(self.cores)
        self.busy = _ascending(self.busy)
        self.operation = _compared(self.cores)
        if ACCELERATOR not in self.names:
            self.missing[ACCELERATOR] = self._why_no_accelerator()

    def _add(self, row: PacketRow) -> None:
        role, processing = self.role(row), cycles_of(row, "processing")
        if role is None or row.packet_bytes is None or processing is None:
            return
        self.names.setdefault(role, name(row))
        load = Load(role, row.operation, row.packets, row.packet_bytes)
        self.cores.setdefault(load, {}).setdefault(row.cores, processing)
        if row.cpu_cycles:
            self.busy.setdefault(load, {}).setdefault(row.cores, row.cpu_cycles)
        transfer, actual = cycles_of(row, "transfer"), cycles_of(row, "actual")
        if row.cores == 1 and load not in self.single and transfer and actual:
            self.single[load] = Ticks(transfer, processing, actual)

    def role(self, row: PacketRow) -> str | None:
        """What a row stands for; None for another library or another offload."""
        if row.offload != "none":
            return ACCELERATOR if self._is_accelerator(row) else None
        return PATHS.get(row.backend, FAST) if row.provider == OURS else None

    def _is_accelerator(self, row: PacketRow) -> bool:
        """Other cores stand for one with the code path that the software has here too."""
        if row.offload != self.accelerator or is_of_cpu(row):
            return False
        return row.offload != "cores" or PATHS.get(row.backend) == SOFTWARE

    def of_role(self, role: str, **fields: Any) -> list[PacketRow]:
        """Rows that have these fields, and `PLAIN` for what is not named, in the plan's order."""
        return [row for row in self.all(**fields) if self.role(row) == role]

    def all(self, **fields: Any) -> list[PacketRow]:
        """The same whatever they stand for."""
        wanted = PLAIN | fields
        return [
            row
            for row in self.with_figures
            if all(getattr(row, field) == value for field, value in wanted.items())
        ]

    def one(self, role: str, **fields: Any) -> PacketRow | None:
        """The first of them: what comes later looks at something else, such as batches."""
        return next(iter(self.of_role(role, **fields)), None)

    def _why_no_accelerator(self) -> str:
        if any(row.offload == "opencl" for row in self.with_figures):
            return (
                "the only OpenCL device here is the CPU itself, which is no accelerator, and no "
                "CPU was free to replace one"
            )
        failed = [
            f"{row.offload}: {row.error.message}"
            for row in self.rows
            if row.offload != "none" and row.error is not None
        ]
        if failed:
            return "; ".join(dict.fromkeys(failed))
        return "no device here computes KASUMI, and no CPU was free to replace one"


def cycles_of(row: PacketRow, which: packets.Figure) -> Estimate | None:
    """Returns cycles of all packets of a row."""
    found = row.cycles(which)
    return found and of_row(found, row)


def name(row: PacketRow) -> str:
    """`kernels table`; of what stands for an accelerator where the work is done, `opencl on GPU 0`,
    and that other cores are software: `software: kernels table on CPU 1`."""
    if row.offload == "cores":
        return f"software: {implementation(row)} on CPU {', '.join(map(str, row.offload_cpus))}"
    if row.offload != "none":
        return f"{row.offload} on {row.device}"
    return implementation(row)


def is_of_cpu(row: PacketRow) -> bool:
    """Whether a device is the processor by another name, as its driver says."""
    return (row.offload, row.backend) == ("opencl", "cpu")


def _accelerator(rows: list[PacketRow]) -> str | None:
    """A device of its own before other cores."""
    offloads = {row.offload for row in rows if row.algorithm == UEA1 and not is_of_cpu(row)}
    return next((it for it in ("opencl", "af_alg", "cores") if it in offloads), None)


def _compared(loads: Iterable[Load]) -> str:
    """Encryption and decryption, unless the accelerator does one of them at a time."""
    of_accelerator = {load.operation for load in loads if load.role == ACCELERATOR}
    return ENCRYPT if of_accelerator and BOTH not in of_accelerator else BOTH


def _ascending(by_load: dict[Load, dict[int, Figure]]) -> dict[Load, dict[int, Figure]]:
    return {load: dict(sorted(by_cores.items())) for load, by_cores in by_load.items()}
