"""What a fleet is doing, and what has become of its machines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.bars import Bars
from ciphermark.show.columns import Column, Columns
from ciphermark.show.frame import print_next

SHOWN = 40
"""Machines of a table; a screen or two. Those in trouble come first."""


class MachineLine(msgspec.Struct, kw_only=True):
    """One machine of a fleet."""

    host: str
    machine: str
    machine_id: str
    cpu_name: str
    verdict: str
    """Of `ciphermark doctor`."""
    state: str
    """`done`, `waiting`, `measuring`, or `trouble`."""
    cases: int
    cases_done: int
    errors: int
    runs: list[str]
    trouble: str
    """Why it is not done; empty where nothing is wrong."""


class FleetState(msgspec.Struct, kw_only=True):
    """How far a fleet is."""

    machines: int
    settled: int
    cases: int
    cases_done: int
    left_s: float
    simulated: int = 0
    to_simulate: int = 0


class FleetProgress(Bars):
    """A bar of machines and one of cases on a terminal; elsewhere a line now and then."""

    EVERY = 10
    """Lines in all, where there is no terminal."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._machines = self._bars.add_task("Machines", total=1, state="waiting for workers")
        self._cases = self._bars.add_task("Cases", total=1, state="")
        self._told = 0
        self._last: FleetState | None = None

    def _end(self) -> None:
        if self._last is not None and not self._is_drawn:
            self._console.print(_words(self._last))

    def feed(self, state: FleetState) -> None:
        """Takes the newest state."""
        if state == self._last:
            return
        self._last = state
        machines = f"{state.settled}/{state.machines}"
        self._bars.update(
            self._machines, completed=state.settled, total=state.machines or 1, state=machines
        )
        self._bars.update(
            self._cases, completed=state.cases_done, total=state.cases or 1, state=_cases(state)
        )
        share = math.floor(self.EVERY * state.cases_done / state.cases) if state.cases else 0
        if share > self._told and not self._console.is_terminal and share < self.EVERY:
            self._told = share
            self._console.print(_words(state))


def _words(state: FleetState) -> str:
    return f"Machines {state.settled}/{state.machines} · cases {_cases(state)}"


def _cases(state: FleetState) -> str:
    left = f"   about {duration(state.left_s)} left" if state.left_s > 0 else ""
    simulated = ""
    if state.to_simulate:
        simulated = f"   simulated {state.simulated}/{state.to_simulate}"
    return f"{state.cases_done}/{state.cases}{simulated}{left}"


def duration(seconds: float) -> str:
    """`40 s`, `3 min`, `2 h 10 min`."""
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def table(machines: Sequence[MachineLine]) -> RenderableType:
    """A line for each machine, those in trouble first."""
    ordered = sorted(machines, key=lambda it: (it.state != "trouble", it.host))
    columns = [
        Column[MachineLine]("host", lambda it: it.host),
        Column("machine", lambda it: it.machine, from_width=90),
        Column("CPU", lambda it: it.cpu_name, from_width=120),
        Column("doctor", lambda it: it.verdict),
        Column("state", _state),
        Column("cases", lambda it: f"{it.cases_done}/{it.cases}", "right"),
        Column("failed", lambda it: str(it.errors or ""), "right"),
        Column("run", _runs),
    ]
    return Columns(columns, ordered[:SHOWN])


def print_fleet(
    console: Console, fleet: str, machines: Sequence[MachineLine], study: str | None = None
) -> None:
    """The table, what is wrong where, the sum of all, and what shows a run: of a study, that."""
    if machines:
        console.print(table(machines))
    if len(machines) > SHOWN:
        console.print(Text(f"and {len(machines) - SHOWN} more: --json has all", "dim"))
    if troubled := [it for it in machines if it.trouble]:
        console.print()
        for it in troubled[:SHOWN]:
            console.print(Text.assemble((it.host, "bold"), f": {it.trouble}"))
    done = sum(it.state == "done" for it in machines)
    runs = sum(len(it.runs) for it in machines)
    console.print()
    console.print(
        f"Fleet {fleet}: {done} of {figures.counted(len(machines), 'machine')} done, "
        f"{figures.counted(runs, 'run')}"
    )
    if first := next((run for it in machines for run in it.runs), None):
        print_next(
            console,
            [f"ciphermark study {study} --from {first}"] if study else [f"ciphermark show {first}"],
        )


def _state(line: MachineLine) -> Text:
    return Text(line.state, {"done": "green", "trouble": "red"}.get(line.state, ""))


def _runs(line: MachineLine) -> str:
    """The first, and how many more there are."""
    if not line.runs:
        return ""
    more = f" +{len(line.runs) - 1}" if len(line.runs) > 1 else ""
    return line.runs[0] + more
