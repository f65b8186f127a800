"""Figures 4–7 over message size, and figures 8–11 over the sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Chart, Curve, Panel, Point
from ciphermark.studies.evidence import implementation
from ciphermark.studies.mac_sessions.evidence import BUILDS, Build, Measured, absolute
from ciphermark.studies.mac_sessions.paper import FUNCTIONS, PACKET, SESSIONS, VMAC_64

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow

UNIT = "core cycles per byte"


def charts(run: Run, rows: list[SessionRow]) -> list[Chart]:
    measured = Measured(run, rows)
    return [_over_size(measured), _over_sessions(run, measured)]


def _over_size(measured: Measured) -> Chart:
    return Chart(
        name="mac-sessions-by-size",
        title=f"Absolute cycles per byte of {SESSIONS} sessions on all CPUs, by build",
        explanation=(
            "Figures 4–7 of the paper, drawn for this machine. Lower is better; both axes are "
            "logarithmic. A hue and a dash together are a function. A hollow mark: no attempt at "
            "it was valid."
        ),
        unit=UNIT,
        origin="family",
        panels=[_of_build(measured, build) for build in BUILDS],
    )


def _of_build(measured: Measured, build: Build) -> Panel:
    curves = [
        Curve(
            name=function.name,
            origin=function.family,
            points=[
                _point(size, absolute(row).value, row)
                for size in measured.sizes
                if (row := measured.row(function, size, build))
            ],
        )
        for function in FUNCTIONS
    ]
    return Panel(title=build.title, curves=[curve for curve in curves if curve.points])


def _over_sessions(run: Run, measured: Measured) -> Chart:
    by_cores = measured.on_cores(VMAC_64, PACKET)
    return Chart(
        name="mac-sessions-by-session",
        title=f"Each of {SESSIONS} sessions of VMAC-AES128 by number of CPUs",
        explanation=(
            "Figures 8–11 of the paper, drawn for this machine: wall-clock, absolute and apparent "
            f"cycles per byte of each session, messages of {figures.message_size(PACKET)}. Wall "
            "clock counts the window whole for each session; apparent is that over the number of "
            "sessions."
        ),
        unit=UNIT,
        over="session",
        origin="of",
        panels=[
            Panel(
                title=figures.counted(cores, "CPU"),
                curves=[*_of_sessions(run, row)],
            )
            for cores, row in by_cores.items()
        ],
    )


def _of_sessions(run: Run, row: SessionRow) -> Iterator[Curve]:
    """Wall-clock, absolute and apparent cycles of each session that did any bytes."""
    execution = _shown(run, row)
    if execution is None or row.core_hz is None:
        return
    cycles_per_ns = row.core_hz / 1e9
    window = cycles_per_ns * (execution.closed_ns - execution.opened_ns)
    done, cpu_ns = execution.figures.bytes, execution.figures.cpu_ns
    of_each = {
        "wall clock": [window] * len(done),
        "absolute": [cycles_per_ns * it for it in cpu_ns],
        "apparent": [window / len(done)] * len(done),
    }
    for name, cycles in of_each.items():
        points = [
            _point(session, spent / bytes_, row)
            for session, (spent, bytes_) in enumerate(zip(cycles, done, strict=True), 1)
            if bytes_ and spent
        ]
        yield Curve(name=name, origin="session", points=points)


def _shown(run: Run, row: SessionRow) -> contract.SessionsRun | None:
    """The attempt that the row's figures are of."""
    from ciphermark.workloads.sessions.figures import executions, shown

    return shown(executions(run, row.case))


def _point(at: int, value: float, row: SessionRow) -> Point:
    return Point(at=at, value=value, source=implementation(row), converged=row.valid)
