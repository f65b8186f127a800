"""The figures of the thesis: over packets (22 to 24, 33 to 39, A4 to A9), over cores (25, 27, 29,
31, 40 to 42), and what stands here for its “reference time” (26, 28, 30, 32)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.kasumi.evidence import ByCores, Evidence, Measured, beyond, printed
from ciphermark.studies.kasumi.paper import (
    ACCELERATOR,
    BOTH,
    DECRYPT,
    ENCRYPT,
    FAST,
    SIZES,
    SOFTWARE,
    Load,
)
from ciphermark.studies.kasumi.tables import NUMBERS
from ciphermark.view import figures
from ciphermark.view.findings import Chart, Curve, Panel, Point

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow


THESIS = "the thesis"
HERE = "here"
CYCLES = "core cycles"
BOTH_ROLES = (ACCELERATOR, SOFTWARE)


def charts(run: Run, rows: list[PacketRow]) -> list[Chart]:
    """All kinds of figures that the thesis has."""
    here = Measured(rows)
    return [
        _by_size(here),
        _by_role(here),
        _per_bit(here),
        _by_operation(here),
        over_cores(here),
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
            f"− transfer. {LOWER}"
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
                curves=_of_roles(here, size, Evidence.figure),
            )
            for size in (SIZES[0], SIZES[-1])
        ],
    )


def _per_bit(here: Evidence) -> Chart:
    return Chart(
        name="kasumi-per-bit",
        title="Cycles per bit over packets",
        explanation=(
            "Figure 34. The bits of a packet count once, even if it is encrypted and decrypted. "
            f"{LOWER}"
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
    here: Evidence, size: int, value: Callable[[Evidence, Load], Estimate | None]
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
    value: Callable[[Evidence, Load], Estimate | None] = Evidence.figure,
) -> Iterator[Curve]:
    """What the thesis has and what was measured, over all packets of that kind."""
    for origin, evidence in ((THESIS, printed()), (HERE, here)):
        points = [
            Point(at=load.packets, value=found.value, source=evidence.names[load.role])
            for load in evidence.loads(kind.role, kind.operation, packet_bytes=kind.packet_bytes)
            if (found := value(evidence, load))
        ]
        if points:
            yield Curve(name=name, origin=origin, points=points)


LOWER = "Lower is better; the vertical axis is logarithmic."
ROLES = (ACCELERATOR, SOFTWARE, FAST)


def over_cores(here: Evidence) -> Chart:
    """The time of a block of packets."""
    return Chart(
        name="kasumi-by-cores",
        title="Cycles over cores",
        explanation=(
            "Figures 25, 27, 29, 31 and 40 to 42: core clock × time from the first submission to "
            "the last delivery. Hollow marks are extrapolated by Amdahl's law. The thesis prints "
            f"no figures of 64 bytes. {LOWER}"
        ),
        unit="core cycles",
        over="cores",
        panels=_panels(partial(_timed, here)),
    )


def cpu_time(here: Evidence) -> Chart:
    """What all cores together spend."""
    return Chart(
        name="kasumi-cpu-time",
        title="CPU time over cores",
        explanation=(
            "Figures 26, 28, 30 and 32 have a “reference time” that grows with the cores; the "
            "thesis does not define it and prints no figures of it. Here it is the CPU time of "
            f"all threads, polling included. {LOWER}"
        ),
        unit="core cycles of all threads",
        over="cores",
        panels=_panels(partial(_busy, here)),
    )


def _panels(curves: Callable[[int, int], Iterator[Curve]]) -> list[Panel]:
    """One for each number and size of packets."""
    return [
        Panel(
            title=f"{figures.grouped(packets)} packets of {size} bytes",
            curves=[*curves(packets, size)],
        )
        for packets, size in NUMBERS
    ]


def _timed(here: Evidence, packets: int, size: int) -> Iterator[Curve]:
    for origin, evidence in (("the thesis", printed()), ("here", here)):
        for role in ROLES:
            load = evidence.on_cores(role, packets, size)
            if load is not None:
                found = evidence.cores[load]
                cycles = {cores: it.value for cores, it in found.items()}
                points = _points(cycles, f"{evidence.names[role]}, {load.operation}")
                yield Curve(name=role, origin=origin, points=points + _extrapolated(load, found))


def _busy(here: Evidence, packets: int, size: int) -> Iterator[Curve]:
    for role in ROLES:
        load = here.on_cores(role, packets, size)
        if load is not None and load in here.busy:
            points = _points(here.busy[load], f"{here.names[role]}, {load.operation}")
            yield Curve(name=role, origin="here", points=points)


def _points(by_cores: dict[int, float], source: str) -> list[Point]:
    return [Point(at=cores, value=value, source=source) for cores, value in by_cores.items()]


def _extrapolated(load: Load, by_cores: ByCores) -> list[Point]:
    source = "extrapolated by Amdahl's law"
    return [
        Point(at=cores, value=value, source=source, converged=False)
        for cores, value in beyond(load, by_cores).items()
    ]
