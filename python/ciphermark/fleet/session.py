"""One sitting of a fleet: from the first worker to the table, or to Ctrl-C."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from ciphermark.command.output import say
from ciphermark.errors import NotStored, Stopped, WorkError
from ciphermark.farm.cluster import Reach, reached
from ciphermark.farm.crew import Crew
from ciphermark.farm.worker import stop
from ciphermark.fleet.ledger import Done, FleetFacts, FleetStore, Ledger, MachineFacts
from ciphermark.fleet.run import FleetRun
from ciphermark.fleet.simulation import Simulating
from ciphermark.record.store import Store
from ciphermark.run.interrupts import Interrupts
from ciphermark.show import figures
from ciphermark.show.figures import counted
from ciphermark.show.frame import print_next
from ciphermark.show.progress import Bars
from ciphermark.show.tables import Columns, ListColumn
from ciphermark.show.terminal import message_console

if TYPE_CHECKING:
    from ciphermark.contract.others import SimulatedCase
    from ciphermark.farm.cluster import Farm


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


def machine_table(machines: Sequence[MachineLine]) -> RenderableType:
    """A line for each machine, those in trouble first."""
    ordered = sorted(machines, key=lambda it: (it.state != "trouble", it.host))
    columns = [
        ListColumn[MachineLine]("host", lambda it: it.host),
        ListColumn("machine", lambda it: it.machine, from_width=90),
        ListColumn("CPU", lambda it: it.cpu_name, from_width=120),
        ListColumn("doctor", lambda it: it.verdict),
        ListColumn("state", _state_cell),
        ListColumn("cases", lambda it: f"{it.cases_done}/{it.cases}", "right"),
        ListColumn("failed", lambda it: str(it.errors or ""), "right"),
        ListColumn("run", _runs),
    ]
    return Columns(columns, ordered[:SHOWN])


def print_fleet(
    console: Console, fleet: str, machines: Sequence[MachineLine], study: str | None = None
) -> None:
    """The sum of all, the table, what is wrong where, and what shows a run: of a study, that."""
    done = sum(it.state == "done" for it in machines)
    runs = sum(len(it.runs) for it in machines)
    console.print(
        f"Fleet {fleet}: {done} of {figures.counted(len(machines), 'machine')} done, "
        f"{figures.counted(runs, 'run')}",
        style="bold",
    )
    if machines:
        console.print()
        console.print(machine_table(machines))
    if len(machines) > SHOWN:
        console.print(Text(f"and {len(machines) - SHOWN} more: --json has all", "dim"))
    if troubled := [it for it in machines if it.trouble]:
        console.print()
        for it in troubled[:SHOWN]:
            console.print(Text.assemble((it.host, "bold"), f": {it.trouble}"))
    if first := next((run for it in machines for run in it.runs), None):
        print_next(
            console,
            [f"ciphermark study {study} --from {first}"] if study else [f"ciphermark show {first}"],
        )


def _state_cell(line: MachineLine) -> Text:
    return Text(line.state, {"done": "green", "trouble": "red"}.get(line.state, ""))


def _runs(line: MachineLine) -> str:
    """The first, and how many more there are."""
    if not line.runs:
        return ""
    more = f" +{len(line.runs) - 1}" if len(line.runs) > 1 else ""
    return line.runs[0] + more


def sit(
    reach: Reach, ledger: Ledger, facts: FleetFacts, store: Store, patience_s: float
) -> list[MachineLine]:
    """Runs a fleet until nothing more can be done, and returns what has become of its machines.

    Raises UsageError when there is no cluster or no worker, WorkError when the scheduler is gone or
    a run cannot be stored, Stopped on Ctrl-C; what is recorded is kept in each case.
    """
    store.check_writable()
    with ledger.held(), Interrupts() as interrupts, reached(reach, say) as farm:
        ledger.begin(facts)
        _say_where(farm, facts)
        crew = Crew(farm.client, patience_s)
        simulating = Simulating(crew, ledger, _simulated(facts))
        fleet_store = FleetStore(ledger, store)
        run = FleetRun(farm, crew, fleet_store, facts, patience_s, say, simulating)
        try:
            _until_done(run, simulating, interrupts)
        except NotStored:
            raise
        except WorkError as error:
            raise WorkError(f"{error}; {_how_to_go_on(ledger)}") from None
        finally:
            crew.ask(run.drop(), stop, f"fleet {facts.fleet}")
        if interrupts.requested:
            raise Stopped(f"stopped; {_how_to_go_on(ledger)}")
        run.check()
    return lines(ledger, store)


def lines(ledger: Ledger, store: Store) -> list[MachineLine]:
    """What has become of each machine, as it is on disk."""
    pieces, runs = Store(ledger.pieces).kept(), store.kept()
    done = ledger.done(lambda it: it.run in (pieces if it.piece else runs))
    return [_line(it, [one for one in done if _is_of(one, it)]) for it in ledger.machines()]


def _until_done(run: FleetRun, simulating: Simulating, interrupts: Interrupts) -> None:
    with FleetProgress(message_console()) as progress:
        while not interrupts.requested and run.step():
            progress.feed(_state(run, simulating))
        progress.feed(_state(run, simulating))


def _state(run: FleetRun, simulating: Simulating) -> FleetState:
    machines = run.machines
    return FleetState(
        machines=len(machines),
        settled=len(run.settled),
        cases=sum(it.facts.cases for it in machines if it.facts is not None),
        cases_done=sum(it.cases_done for it in machines),
        left_s=run.left_s,
        simulated=simulating.cases_done,
        to_simulate=simulating.cases,
    )


def _say_where(farm: Farm, facts: FleetFacts) -> None:
    dashboard = f"; Dask's dashboard: {farm.dashboard}" if farm.dashboard else ""
    say(f"fleet {facts.fleet} on {farm.where}{dashboard}")


def _simulated(facts: FleetFacts) -> list[SimulatedCase]:
    from ciphermark.studies import registry

    if facts.request.study is None:
        return []
    study = registry.load(facts.request.study)
    return study.simulated(facts.request.effort) if study.simulated else []


def _how_to_go_on(ledger: Ledger) -> str:
    known = ledger.machines()
    return (
        f"what was recorded of {counted(len(known), 'machine')} is kept: ciphermark fleet show "
        f"{ledger.fleet}, and ciphermark fleet resume {ledger.fleet} goes on"
    )


def _is_of(done: Done, machine: MachineFacts) -> bool:
    return (done.machine_id, done.machine_kind) == (machine.machine_id, machine.machine_kind)


def _line(machine: MachineFacts, done: list[Done]) -> MachineLine:
    whole = [it for it in done if not it.piece]
    counted = whole or done
    cases_done = min(machine.cases, sum(it.cases for it in counted))
    complete = bool(whole) and cases_done >= machine.cases
    return MachineLine(
        host=machine.host,
        machine=machine.machine_name,
        machine_id=machine.machine_id,
        cpu_name=machine.cpu_name,
        verdict=machine.verdict,
        state="trouble" if machine.trouble else "done" if complete else "waiting",
        cases=machine.cases,
        cases_done=cases_done,
        errors=sum(it.errors for it in counted),
        runs=[it.run for it in whole if it.run],
        trouble=machine.trouble,
    )
