"""Which rows of a run stand for what the thesis asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ciphermark.studies.kasumi.evidence import (
    ACCELERATOR,
    FAST,
    REFERENCE,
    SOFTWARE,
    Evidence,
    Load,
    Ticks,
)
from ciphermark.studies.kasumi.paper import BOTH, ENCRYPT, UEA1
from ciphermark.studies.measured import implementation

if TYPE_CHECKING:
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
    "offered_per_s": None,
    "profile": None,
}
"""How packets pass unless that itself is looked at: as the thesis's did."""


class Measured:
    """The rows of a run."""

    def __init__(self, rows: Iterable[PacketRow]) -> None:
        self.rows = list(rows)
        self.with_figures = [row for row in self.rows if row.is_measured]
        self.accelerator = _accelerator(self.with_figures)
        """The offload that stands for the chip's accelerator; None where there is none."""

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
            if all(getattr(row, name) == value for name, value in wanted.items())
        ]

    def one(self, role: str, **fields: Any) -> PacketRow | None:
        """The first of them: what comes later looks at something else, such as batches."""
        return next(iter(self.of_role(role, **fields)), None)

    def counts(self) -> list[int]:
        """Numbers of CPUs that processed packets, ascending."""
        return sorted({row.cores for row in self.with_figures})

    def evidence(self, algorithm: str = UEA1) -> Evidence:
        """In the form of the thesis's tables."""
        single: dict[Load, Ticks] = {}
        cores: dict[Load, dict[int, float]] = defaultdict(dict)
        busy: dict[Load, dict[int, float]] = defaultdict(dict)
        unsettled: set[Load] = set()
        names: dict[str, str] = {}
        for row in self.all(algorithm=algorithm):
            role = self.role(row)
            if role is None or row.packet_bytes is None:
                continue
            names.setdefault(role, name(row))
            load = Load(role, row.operation, row.packets, row.packet_bytes)
            cores[load].setdefault(row.cores, row.processing_cycles)
            if row.cpu_cycles:
                busy[load].setdefault(row.cores, row.cpu_cycles)
            if row.cores == 1:
                ticks = Ticks(row.transfer_cycles, row.processing_cycles, row.actual_cycles)
                single.setdefault(load, ticks)
                if single[load] is ticks and not row.converged:
                    unsettled.add(load)
        return Evidence(
            single=single,
            cores=_ascending(cores),
            busy=_ascending(busy),
            hertz=next((row.core_hz for row in self.with_figures if row.core_hz), None),
            operation=_compared(cores),
            unsettled=unsettled,
            names=names,
            missing={} if ACCELERATOR in names else {ACCELERATOR: self._why_no_accelerator()},
        )

    def _why_no_accelerator(self) -> str:
        if any(row.offload == "opencl" for row in self.with_figures):
            return (
                "OpenCL has no device here but the CPU itself, of which no gain is quoted, and no "
                "CPU was left to stand for an accelerator"
            )
        failed = [f"{it.offload}: {it.error.message}" for it in self.rows if _has_failed(it)]
        if failed:
            return "; ".join(dict.fromkeys(failed))
        return "nothing here takes KASUMI from the CPU, and none was left to stand for that"


def name(row: PacketRow) -> str:
    """`kernels table`; with where the work is done: `kernels table on CPU 1`."""
    if row.offload == "cores":
        return f"{implementation(row)} on CPU {', '.join(map(str, row.offload_cpus))}"
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


def _ascending(found: dict[Load, dict[int, float]]) -> dict[Load, dict[int, float]]:
    return {load: dict(sorted(by_cores.items())) for load, by_cores in found.items()}


def _has_failed(row: PacketRow) -> bool:
    return row.offload != "none" and row.error is not None
