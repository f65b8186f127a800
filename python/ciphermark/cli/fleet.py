"""`ciphermark fleet …`: the same measurement on many machines."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.cli.farm_options import (
    HostsOption,
    LocalOption,
    SchedulerOption,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
)
from ciphermark.cli.options import (
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

if TYPE_CHECKING:
    from ciphermark.plan.fleet_request import FleetRequest
    from ciphermark.record.fleet_ledger import FleetFacts, Ledger
    from ciphermark.record.store import Store
    from ciphermark.show.fleet import MachineLine

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="The same measurement on many machines."
)

PATIENCE = "30s"

StudyOption = Annotated[
    str | None,
    typer.Option("--study", metavar="NAME", help="A published study; else a survey is measured."),
]
QuickOption = Annotated[bool, typer.Option("--quick", help="The survey or the study at its least.")]
AllOption = Annotated[bool, typer.Option("--all", help="The survey of everything.")]
FullOption = Annotated[bool, typer.Option("--full", help="All that the study can measure.")]
PlanOption = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="A survey by a plan of your own (TOML)."),
]
GivenOption = Annotated[
    str | None,
    typer.Option("--given", metavar="NAME=NUMBER,...", help="What a study asks for: price=120."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=2**53, help="Seed of inputs and order on all machines."),
]
UnfitOption = Annotated[
    bool, typer.Option("--even-unfit", help="Measure also where doctor finds a machine unfit.")
]
PatienceOption = Annotated[
    str,
    typer.Option(
        "--patience", metavar="TIME", help="How long a machine that says nothing is waited for."
    ),
]
FleetArgument = Annotated[
    str,
    typer.Argument(metavar="FLEET", help="A fleet: `last`, its identifier, or a part of it."),
]


@app.command()
def run(
    study: StudyOption = None,
    scheduler: SchedulerOption = None,
    hosts: HostsOption = None,
    local: LocalOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
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
    from ciphermark.cli import farm_options
    from ciphermark.plan import quantities
    from ciphermark.record.store import Store

    reach = farm_options.reach(scheduler, hosts, local, tls_ca, tls_cert, tls_key)
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
        _study_request(study, quick, full, chosen, ways, given, seed, every, plan)
        if study is not None
        else _survey_request(quick, every, plan, chosen, ways, seed, full, given)
    )
    request.selection()  # what means nothing is refused here and not on every machine
    store = Store.default(runs)
    ledger, facts = _new(store, request, even_unfit)
    from ciphermark.cli import fleet_session

    _show(fleet_session.sit(reach, ledger, facts, store, patience_s), facts.fleet, json)


@app.command()
def resume(
    fleet: FleetArgument = "last",
    scheduler: SchedulerOption = None,
    hosts: HostsOption = None,
    local: LocalOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
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
    from ciphermark.cli import farm_options, fleet_session
    from ciphermark.errors import UsageError
    from ciphermark.plan import quantities
    from ciphermark.record import fleet_ledger
    from ciphermark.record.store import Store

    reach = farm_options.reach(scheduler, hosts, local, tls_ca, tls_cert, tls_key)
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
    _show(fleet_session.sit(reach, ledger, facts, store, patience_s), facts.fleet, json)


@app.command()
def show(fleet: FleetArgument = "last", json: JsonOption = False, runs: RunsOption = None) -> None:
    """What has become of the machines of a fleet, and their runs."""
    from ciphermark.cli import fleet_session
    from ciphermark.record import fleet_ledger
    from ciphermark.record.store import Store

    store = Store.default(runs)
    ledger = fleet_ledger.resolve(store.notes, fleet)
    _print(fleet_session.lines(ledger, store), ledger.fleet, json)


def _survey_request(
    quick: bool,
    every: bool,
    plan: Path | None,
    options: dict[str, str],
    manners: dict[str, str],
    seed: int | None,
    full: bool,
    given: str | None,
) -> FleetRequest:
    from ciphermark.cli.survey import _plan_file
    from ciphermark.errors import UsageError
    from ciphermark.plan.fleet_request import FleetRequest

    if full or given is not None:
        raise UsageError(f"{'--full' if full else '--given'} goes with --study only: write both")
    name, file = _plan_file(quick, every, plan)
    return FleetRequest(
        plan=file, plan_name=name, options=options, manners=manners, seed=_seed(seed)
    )


def _study_request(
    name: str,
    quick: bool,
    full: bool,
    options: dict[str, str],
    manners: dict[str, str],
    given: str | None,
    seed: int | None,
    every: bool,
    plan: Path | None,
) -> FleetRequest:
    from ciphermark.errors import UsageError
    from ciphermark.plan.fleet_request import FleetRequest
    from ciphermark.plan.given import read as read_given
    from ciphermark.plan.planfile import Effort
    from ciphermark.studies import registry

    wanted = registry.load(name)
    own = {"providers", "backends", "precision", "budget"}
    foreign = [f"--{it}" for it in [*options, *manners] if it not in own]
    foreign += ["--all"] * every + ["--plan"] * (plan is not None)
    if foreign:
        raise UsageError(f"{foreign[0]} goes with a survey: a study says itself what it measures")
    if quick and full:
        raise UsageError("--quick and --full exclude each other: give one of them")
    effort: Effort = "quick" if quick else "full" if full else "usual"
    return FleetRequest(
        plan=wanted.plan.at(effort),
        plan_name=wanted.name,
        study=wanted.name,
        effort=effort,
        options=options,
        given={} if given is None else read_given(given, wanted.given, wanted.name),
        seed=_seed(seed),
    )


def _seed(given: int | None) -> int:
    return secrets.randbits(53) if given is None else given


def _new(store: Store, request: FleetRequest, even_unfit: bool) -> tuple[Ledger, FleetFacts]:
    import ciphermark
    from ciphermark.cli.measuring import command_line
    from ciphermark.record.fleet_ledger import FOLDER, FleetFacts, Ledger
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


def _show(machines: list[MachineLine], fleet: str, json: bool) -> None:
    _print(machines, fleet, json)
    failed = any(it.state != "done" or it.errors for it in machines)
    raise typer.Exit(int(failed))


def _print(machines: list[MachineLine], fleet: str, json: bool) -> None:
    if json:
        from ciphermark.cli.output import print_json

        print_json({"fleet": fleet, "machines": machines})
        return
    from ciphermark.show.fleet import print_fleet
    from ciphermark.show.terminal import output_console

    print_fleet(output_console(), fleet, machines)
