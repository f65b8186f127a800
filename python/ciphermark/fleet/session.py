"""One sitting of a fleet: from the first worker to the table, or to Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.command.output import say
from ciphermark.errors import NotStored, Stopped, WorkError
from ciphermark.farm import stopping as farm_stopping
from ciphermark.farm.cluster import Reach, reached
from ciphermark.farm.crew import Crew
from ciphermark.fleet.keeping import Keeping
from ciphermark.fleet.ledger import Done, FleetFacts, Ledger, MachineFacts
from ciphermark.fleet.running import FleetRun
from ciphermark.fleet.show import FleetProgress, FleetState, MachineLine
from ciphermark.fleet.simulating import Simulating
from ciphermark.measure.interrupts import Interrupts
from ciphermark.record.store import Store
from ciphermark.show.figures import counted
from ciphermark.show.terminal import message_console

if TYPE_CHECKING:
    from ciphermark.contract.simulation import SimulatedCase
    from ciphermark.farm.cluster import Farm


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
        keeping = Keeping(ledger, store)
        run = FleetRun(farm, crew, keeping, facts, patience_s, say, simulating)
        try:
            _until_done(run, simulating, interrupts)
        except NotStored:
            raise
        except WorkError as error:
            raise WorkError(f"{error}; {_how_to_go_on(ledger)}") from None
        finally:
            crew.ask(run.drop(), farm_stopping.stop, f"fleet {facts.fleet}")
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
