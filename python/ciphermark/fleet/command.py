"""`ciphermark fleet …`: the same measurement on many machines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from ciphermark.command.options import (
    AlgorithmsOption,
    BackendsOption,
    BudgetOption,
    JsonOption,
    LanesOption,
    OperationsOption,
    PatternOption,
    PrecisionOption,
    ProvidersOption,
    RunsOption,
    SizesOption,
)
from ciphermark.farm.options import UnfitOption, reaching
from ciphermark.fleet.options import (
    AllOption,
    FleetArgument,
    FullOption,
    GivenOption,
    PatienceOption,
    PlanOption,
    QuickOption,
    SeedOption,
    StudyOption,
)

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Reach
    from ciphermark.fleet.ledger import FleetFacts, Ledger
    from ciphermark.fleet.request import FleetRequest
    from ciphermark.fleet.show import MachineLine
    from ciphermark.record.store import Store

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="The same measurement on many machines."
)

PATIENCE = "30s"


@app.command()
@reaching()
def run(
    study: StudyOption = None,
    *,
    reach: Reach,
    algorithms: AlgorithmsOption = None,
    providers: ProvidersOption = None,
    backends: BackendsOption = None,
    operations: OperationsOption = None,
    sizes: SizesOption = None,
    pattern: PatternOption = None,
    lanes: LanesOption = None,
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    quick: QuickOption = False,
    every: AllOption = False,
    full: FullOption = False,
    plan: PlanOption = None,
    given: GivenOption = None,
    seed: SeedOption = None,
    even_unfit: UnfitOption = False,
    patience: PatienceOption = PATIENCE,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Measure a survey or a study on every machine of a cluster.

    Each machine measures by itself, one thing at a time, when doctor finds it fit. What it has
    measured is a run in the store as soon as it arrives. After Ctrl-C, `fleet resume` goes on. Exit
    code 1 when a machine could not be measured or a case has failed.
    """
    from ciphermark.fleet import asking as fleet_asking
    from ciphermark.fleet import session as fleet_session
    from ciphermark.plan import quantities
    from ciphermark.record.store import Store

    patience_s = quantities.seconds(patience, "--patience")
    options = {
        "algorithms": algorithms,
        "providers": providers,
        "backends": backends,
        "operations": operations,
        "sizes": sizes,
        "precision": precision,
        "budget": budget,
    }
    manners = {"pattern": pattern, "lanes": lanes}
    chosen = {name: text for name, text in options.items() if text is not None}
    ways = {name: text for name, text in manners.items() if text is not None}
    request = (
        fleet_asking.of_study(study, quick, full, chosen, ways, given, seed, every, plan)
        if study is not None
        else fleet_asking.of_survey(quick, every, plan, chosen, ways, seed, full, given)
    )
    request.selection()  # what means nothing is refused here and not on every machine
    store = Store.default(runs)
    ledger, facts = _new(store, request, even_unfit)
    _show(fleet_session.sit(reach, ledger, facts, store, patience_s), facts, json)


@app.command()
@reaching()
def resume(
    fleet: FleetArgument = "last",
    *,
    reach: Reach,
    even_unfit: UnfitOption = False,
    patience: PatienceOption = PATIENCE,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Go on with a fleet: measure what is not recorded yet.

    The cluster may be another one; a machine is known by its identity.
    """
    import msgspec

    import ciphermark
    from ciphermark.errors import UsageError
    from ciphermark.fleet import ledger as fleet_ledger
    from ciphermark.fleet import session as fleet_session
    from ciphermark.plan import quantities
    from ciphermark.record.store import Store

    patience_s = quantities.seconds(patience, "--patience")
    store = Store.default(runs)
    ledger = fleet_ledger.resolve(store.notes, fleet)
    facts = ledger.facts()
    if facts.ciphermark_version != ciphermark.__version__:
        raise UsageError(
            f"fleet {facts.fleet} was begun by ciphermark {facts.ciphermark_version} and this is "
            f"{ciphermark.__version__}: begin another fleet"
        )
    facts = msgspec.structs.replace(facts, even_unfit=facts.even_unfit or even_unfit)
    _show(fleet_session.sit(reach, ledger, facts, store, patience_s), facts, json)


@app.command()
def show(fleet: FleetArgument = "last", json: JsonOption = False, runs: RunsOption = None) -> None:
    """What has become of the machines of a fleet, and their runs."""
    from ciphermark.fleet import ledger as fleet_ledger
    from ciphermark.fleet import session as fleet_session
    from ciphermark.record.store import Store

    store = Store.default(runs)
    ledger = fleet_ledger.resolve(store.notes, fleet)
    _print(fleet_session.lines(ledger, store), ledger.facts(), json)


def _new(store: Store, request: FleetRequest, even_unfit: bool) -> tuple[Ledger, FleetFacts]:
    import ciphermark
    from ciphermark.command.measuring import command_line
    from ciphermark.fleet.ledger import FOLDER, FleetFacts, Ledger
    from ciphermark.record.layout import new_run_id

    began = time.time_ns()
    ledger = Ledger(store.notes / FOLDER / new_run_id(began))
    return ledger, FleetFacts(
        fleet=ledger.fleet,
        started_unix_ns=began,
        command=command_line(),
        ciphermark_version=ciphermark.__version__,
        even_unfit=even_unfit,
        request=request,
    )


def _show(machines: list[MachineLine], facts: FleetFacts, json: bool) -> None:
    _print(machines, facts, json)
    failed = any(it.state != "done" or it.errors for it in machines)
    raise typer.Exit(int(failed))


def _print(machines: list[MachineLine], facts: FleetFacts, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json

        print_json({"fleet": facts.fleet, "machines": machines})
        return
    from ciphermark.fleet.show import print_fleet
    from ciphermark.show.terminal import output_console

    print_fleet(output_console(), facts.fleet, machines, facts.request.study)
