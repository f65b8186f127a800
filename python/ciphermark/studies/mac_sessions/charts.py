"""Figures 4–7 over message size, and figures 8–11 over the sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ciphermark.studies.evidence import implementation
from ciphermark.studies.mac_sessions.evidence import BUILDS, Build, Measured, absolute
from ciphermark.studies.mac_sessions.machines import by_machine
from ciphermark.studies.mac_sessions.paper import FUNCTIONS, PACKET, SESSIONS, VMAC_64, Function
from ciphermark.view import figures
from ciphermark.view.findings import Chart, Curve, Panel, Point

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow

UNIT = "core cycles per byte"


def charts(run: Run, rows: list[SessionRow]) -> list[Chart]:
    measured = Measured(run, rows)
    return [
        _over_size(measured),
        _over_sessions(measured),
        _machines_over_size(measured),
        _machines_over_sessions(measured),
    ]


def _over_size(measured: Measured) -> Chart:
    return Chart(
        name="mac-sessions-by-size",
        title=f"Absolute cycles per byte of {SESSIONS} sessions on all CPUs, by build",
        explanation=(
            "Figures 4–7 of the paper, drawn for this machine. Lower is better; both axes are "
            "logarithmic. Hue and dash together stand for a function. A hollow mark has no valid "
            "attempt."
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


def _over_sessions(measured: Measured) -> Chart:
    by_cores = measured.on_cores(VMAC_64, PACKET)
    return Chart(
        name="mac-sessions-by-session",
        title=f"Each of {SESSIONS} sessions of VMAC-AES128 by number of CPUs",
        explanation=(
            "Figures 8–11 of the paper, drawn for this machine: wall-clock, absolute and "
            "apparent cycles per byte of each session, messages of "
            f"{figures.message_size(PACKET)}. Wall clock counts the whole window for each "
            "session; apparent is the wall clock divided by the number of sessions."
        ),
        unit=UNIT,
        over="session",
        origin="of",
        panels=[
            Panel(
                title=figures.counted(cores, "CPU"),
                curves=[*_of_sessions(measured.run, row)],
            )
            for cores, row in by_cores.items()
        ],
    )


def _machines_over_size(measured: Measured) -> Chart:
    """Without panels where there is one machine."""
    return Chart(
        name="mac-sessions-machines-by-size",
        title=f"Absolute cycles per byte of {SESSIONS} sessions on all CPUs, by machine",
        explanation=(
            "Figures 4 and 5 of the paper, a curve for each machine: every function in the build "
            "that may use everything. Where trends are alike the curves of a panel are, and those "
            "of one machine have the same order in all panels."
        ),
        unit=UNIT,
        origin="CPUs",
        panels=[
            Panel(title=function.name, curves=[*_of_machines(measured, function)])
            for function in (FUNCTIONS if measured.elsewhere else ())
        ],
    )


def _of_machines(measured: Measured, function: Function) -> Iterator[Curve]:
    for name, machine in by_machine(measured):
        points = [
            _point(size, absolute(row).value, row)
            for size in machine.sizes
            if (row := machine.row(function, size))
        ]
        if points:
            cores = figures.counted(max(machine.cores), "CPU")
            yield Curve(name=name, origin=cores, points=points)


def _machines_over_sessions(measured: Measured) -> Chart:
    """Without panels where there is one machine."""
    by_figure: dict[str, list[Curve]] = {}
    for name, machine in by_machine(measured) if measured.elsewhere else ():
        for cores, row in machine.on_cores(VMAC_64, PACKET).items():
            for curve in _of_sessions(machine.run, row):
                origin = figures.counted(cores, "CPU")
                of_machine = Curve(name=name, origin=origin, points=curve.points, marked=False)
                by_figure.setdefault(curve.name, []).append(of_machine)
    return Chart(
        name="mac-sessions-machines-by-session",
        title=f"Each of {SESSIONS} sessions of VMAC-AES128, by machine and number of CPUs",
        explanation=(
            "Figures 8–11 of the paper, a curve for each machine and number of CPUs, messages of "
            f"{figures.message_size(PACKET)}. A hue is a machine, a dash a number of CPUs."
        ),
        unit=UNIT,
        over="session",
        origin="on",
        panels=[Panel(title=name, curves=curves) for name, curves in by_figure.items()],
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
