"""`ciphermark fleet …`: the same measurement on many machines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    Help,
    MannerOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    given,
    grouped,
    option,
)
from ciphermark.farm.options import ReachOptions, UnfitOption

if TYPE_CHECKING:
    from ciphermark.fleet.ledger import FleetFacts, Ledger
    from ciphermark.fleet.request import FleetRequest
    from ciphermark.fleet.session import MachineLine
    from ciphermark.record.store import Store

StudyOption = Annotated[
    str | None, option("NAME", "A published study. Default: a survey.", "--study")
]
SelectedOptions = Annotated[
    SelectionOptions, Only("algorithms", "providers", "backends", "operations", "sizes")
]
FleetPlanOptions = Annotated[
    PlanOptions,
    Only("quick", "every", "full", "plan", "given", "seed"),
    Help(
        quick="The shortest form of the survey or study.",
        every="The survey of everything.",
        full="All that the study can measure.",
        plan="A survey by a plan file of your own (TOML).",
        given="Figures that a study asks for: price=120.",
        seed="Seed of inputs and order on all machines.",
    ),
]
FleetOutputOptions = Annotated[OutputOptions, Only("json", "runs")]
PatienceOption = Annotated[
    str, option("TIME", "How long to wait for a machine that does not answer.", "--patience")
]
FleetArgument = Annotated[
    str,
    typer.Argument(
        metavar="FLEET", help="A fleet: `last`, its identifier, or any unique part of it."
    ),
]


app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Run the same measurement on many machines."
)

PATIENCE = "30s"


@app.command()
@grouped
def run(
    study: StudyOption = None,
    *,
    reached: ReachOptions,
    selected: SelectedOptions,
    manners: Annotated[MannerOptions, Only("pattern", "lanes")],
    sampling: Annotated[SamplingOptions, Only("precision", "budget")],
    plan: FleetPlanOptions,
    even_unfit: UnfitOption = False,
    patience: PatienceOption = PATIENCE,
    output: FleetOutputOptions,
) -> None:
    """Measure a survey or a study on every machine of a cluster.

    Each machine measures by itself, one job at a time, if doctor finds it fit. Its results are a
    run in the store as soon as they arrive. After Ctrl-C, `fleet resume` goes on. Exit code 1 when
    a machine could not be measured or a case has failed.
    """
    from ciphermark.fleet import session
    from ciphermark.fleet.request import of_study, of_survey
    from ciphermark.plan import quantities
    from ciphermark.record.store import Store

    reach = reached.reach()
    patience_s = quantities.seconds(patience, "--patience")
    options, ways = (
        {name: text for name, text in values.items() if text is not None}
        for values in (given(selected, sampling), given(manners))
    )
    request = (
        of_survey(options, ways, plan) if study is None else of_study(study, options, ways, plan)
    )
    request.selection()  # what means nothing is refused here and not on every machine
    store = Store.default(output.runs)
    ledger, facts = _new(store, request, even_unfit)
    _show(session.sit(reach, ledger, facts, store, patience_s), facts, output.json)


@app.command()
@grouped
def resume(
    fleet: FleetArgument = "last",
    *,
    reached: ReachOptions,
    even_unfit: UnfitOption = False,
    patience: PatienceOption = PATIENCE,
    output: FleetOutputOptions,
) -> None:
    """Continue a fleet: measure the jobs that are not recorded yet.

    The cluster may be another one; a machine is known by its identity.
    """
    import msgspec

    import ciphermark
    from ciphermark.errors import UsageError
    from ciphermark.fleet import session
    from ciphermark.fleet.ledger import resolve
    from ciphermark.plan import quantities
    from ciphermark.record.store import Store

    reach = reached.reach()
    patience_s = quantities.seconds(patience, "--patience")
    store = Store.default(output.runs)
    ledger = resolve(store.notes, fleet)
    facts = ledger.facts()
    if facts.ciphermark_version != ciphermark.__version__:
        raise UsageError(
            f"fleet {facts.fleet} was begun by ciphermark {facts.ciphermark_version} and this is "
            f"{ciphermark.__version__}: begin another fleet"
        )
    facts = msgspec.structs.replace(facts, even_unfit=facts.even_unfit or even_unfit)
    _show(session.sit(reach, ledger, facts, store, patience_s), facts, output.json)


@app.command()
@grouped
def show(fleet: FleetArgument = "last", *, output: FleetOutputOptions) -> None:
    """Show the state of the machines of a fleet, and their runs."""
    from ciphermark.fleet import session
    from ciphermark.fleet.ledger import resolve
    from ciphermark.record.store import Store

    store = Store.default(output.runs)
    ledger = resolve(store.notes, fleet)
    _print(session.lines(ledger, store), ledger.facts(), output.json)


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
    from ciphermark.fleet.session import print_fleet
    from ciphermark.show.terminal import output_console

    print_fleet(output_console(), facts.fleet, machines, facts.request.study)
