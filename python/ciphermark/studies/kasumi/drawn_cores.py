"""The figures of the thesis over cores: cycles (25, 27, 29, 31, 40 to 42), and what stands here for
its “reference time” (26, 28, 30, 32)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ciphermark.show import figures
from ciphermark.show.findings import Chart, Curve, Panel, Point
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi.by_cores import NUMBERS
from ciphermark.studies.kasumi.evidence import ACCELERATOR, FAST, SOFTWARE, Evidence, Load
from ciphermark.studies.kasumi.extrapolated import beyond

LOWER = "Lower is better; the vertical axis is logarithmic."
ROLES = (ACCELERATOR, SOFTWARE, FAST)


def cycles(here: Evidence) -> Chart:
    """The time of a block of packets."""
    return Chart(
        name="kasumi-by-cores",
        title="Cycles over cores",
        explanation=(
            "Figures 25, 27, 29, 31 and 40 to 42: core clock times the time from the first "
            "submission to the last delivery. Hollow marks are extrapolated by Amdahl's law. The "
            f"thesis prints no figures of 64 bytes. {LOWER}"
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
            "thesis does not define it and prints no figures of it. Here it is the CPU time of all "
            f"threads, also while they poll for work. {LOWER}"
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
    for origin, evidence in (("the thesis", printed.evidence()), ("here", here)):
        for role in ROLES:
            load = evidence.on_cores(role, packets, size)
            if load is not None:
                found = evidence.cores[load]
                points = _points(found, f"{evidence.names[role]}, {load.operation}")
                yield Curve(name=role, origin=origin, points=points + _extrapolated(load, found))


def _busy(here: Evidence, packets: int, size: int) -> Iterator[Curve]:
    for role in ROLES:
        load = here.on_cores(role, packets, size)
        if load is not None and load in here.busy:
            points = _points(here.busy[load], f"{here.names[role]}, {load.operation}")
            yield Curve(name=role, origin="here", points=points)


def _points(by_cores: dict[int, float], source: str) -> list[Point]:
    return [Point(at=cores, value=value, source=source) for cores, value in by_cores.items()]


def _extrapolated(load: Load, by_cores: dict[int, float]) -> list[Point]:
    source = "extrapolated by Amdahl's law"
    return [
        Point(at=cores, value=value, source=source, converged=False)
        for cores, value in beyond(load, by_cores).items()
    ]
