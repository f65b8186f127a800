"""The figures of the thesis over packets: 22 to 24, 33 to 39, A4 to A9."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ciphermark.show.findings import Chart, Curve, Panel, Point
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi.drawn_cores import LOWER, cpu_time, cycles
from ciphermark.studies.kasumi.evidence import ACCELERATOR, FAST, SOFTWARE, Evidence, Load
from ciphermark.studies.kasumi.measured import Measured
from ciphermark.studies.kasumi.paper import BOTH, DECRYPT, ENCRYPT, SIZES

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow

THESIS = "the thesis"
HERE = "here"
CYCLES = "core cycles"
BOTH_ROLES = (ACCELERATOR, SOFTWARE)


def charts(run: Run, rows: list[PacketRow]) -> list[Chart]:
    """All kinds of figures that the thesis has."""
    here = Measured(rows).evidence()
    return [
        _by_size(here),
        _by_role(here),
        _per_bit(here),
        _by_operation(here),
        cycles(here),
        cpu_time(here),
    ]


def _by_size(here: Evidence) -> Chart:
    panels = [
        Panel(
            title=f"{role}, {operation}",
            curves=[
                curve
                for size in SIZES
                for curve in _curves(here, f"{size} bytes", Load(role, operation, 0, size))
            ],
        )
        for role in BOTH_ROLES
        for operation in (BOTH, ENCRYPT, DECRYPT)
    ]
    return Chart(
        name="kasumi-by-size",
        title="Cycles of KASUMI over packets, by size of packets",
        explanation=(
            "Figures 22 to 24 and A4 to A9: actual cycles of all packets on one core, processing "
            f"less transfer. {LOWER}"
        ),
        unit=CYCLES,
        over="packets",
        panels=panels,
    )


def _by_role(here: Evidence) -> Chart:
    return Chart(
        name="kasumi-software-and-accelerator",
        title="Software and accelerator over packets",
        explanation=f"Figures 33 and 37: actual cycles on one core. {LOWER}",
        unit=CYCLES,
        over="packets",
        panels=[
            Panel(
                title=f"{here.operation}, {size} bytes",
                curves=_of_roles(here, size, Evidence.actual),
            )
            for size in (SIZES[0], SIZES[-1])
        ],
    )


def _per_bit(here: Evidence) -> Chart:
    return Chart(
        name="kasumi-per-bit",
        title="Cycles per bit over packets",
        explanation=(
            "Figure 34, the bits of a packet counted once also where it is encrypted and "
            f"decrypted. {LOWER}"
        ),
        unit="core cycles per bit",
        over="packets",
        panels=[
            Panel(
                title=f"{here.operation}, {SIZES[0]} bytes",
                curves=_of_roles(here, SIZES[0], Evidence.per_bit),
            )
        ],
    )


def _by_operation(here: Evidence) -> Chart:
    panels = [
        Panel(
            title=f"{role}, {size} bytes",
            curves=[
                curve
                for operation in (BOTH, ENCRYPT, DECRYPT)
                for curve in _curves(here, operation, Load(role, operation, 0, size))
            ],
        )
        for size in (SIZES[0], SIZES[-1])
        for role in BOTH_ROLES
    ]
    return Chart(
        name="kasumi-encryption-and-decryption",
        title="Encryption, decryption and both over packets",
        explanation=f"Figures 35, 36, 38 and 39: actual cycles on one core. {LOWER}",
        unit=CYCLES,
        over="packets",
        panels=panels,
    )


def _of_roles(
    here: Evidence, size: int, value: Callable[[Evidence, Load], float | None]
) -> list[Curve]:
    return [
        curve
        for role in (*BOTH_ROLES, FAST)
        for curve in _curves(here, role, Load(role, here.operation, 0, size), value)
    ]


def _curves(
    here: Evidence,
    name: str,
    kind: Load,
    value: Callable[[Evidence, Load], float | None] = Evidence.actual,
) -> Iterator[Curve]:
    """What the thesis has and what was measured, over all packets of that kind."""
    for origin, evidence in ((THESIS, printed.evidence()), (HERE, here)):
        points = [
            Point(at=load.packets, value=found, source=evidence.names[load.role])
            for load in evidence.loads(kind.role, kind.operation, packet_bytes=kind.packet_bytes)
            if (found := value(evidence, load))
        ]
        if points:
            yield Curve(name=name, origin=origin, points=points)
