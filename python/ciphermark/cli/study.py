"""`ciphermark study`: published measurements, taken again on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ciphermark.cli.options import (
    BackendsOption,
    BudgetOption,
    CpusOption,
    EngineOption,
    JsonOption,
    PrecisionOption,
    ProvidersOption,
    RunsOption,
)

if TYPE_CHECKING:
    from ciphermark.analyse.row import Row
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.studies.study import Claim, Study, Table

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The study; `ciphermark list studies` lists them.")
]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Exit code 1 when a claim does not hold.")
]
ClaimsOption = Annotated[
    bool, typer.Option("--claims", help="Only list the claims and their places; measure nothing.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only list the cases and the expected time.")
]
FromOption = Annotated[
    Optional[str],
    typer.Option("--from", metavar="RUN", help="Show a stored run of the study; measure nothing."),
]


def study(
    name: NameArgument,
    providers: ProvidersOption = None,
    backends: BackendsOption = None,
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    cpus: CpusOption = None,
    check: CheckOption = False,
    claims: ClaimsOption = False,
    dry_run: DryRunOption = False,
    stored: FromOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure what a published study measured, and judge its claims.

    The tables stand beside the published ones. A claim holds, does not hold, or cannot be tested
    here; that changes the exit code with --check only. Exit code 1 when a case has failed.
    """
    from ciphermark.cli import measuring
    from ciphermark.measure.engine import Engine
    from ciphermark.plan import selection
    from ciphermark.record.store import Store
    from ciphermark.studies import registry

    _exclude({"--claims": claims, "--dry-run": dry_run, "--from": stored is not None})
    chosen = selection.from_options(
        providers=providers, backends=backends, precision=precision, budget=budget, cpus=cpus
    )
    wanted = registry.load(name)
    if claims:
        return _list_claims(wanted, json)
    store = Store.default(runs)
    if stored is not None:
        run, rows = _stored(wanted, store, stored)
        found = _show(wanted, run, rows, json)
        raise typer.Exit(_exit_code(found, check))
    binary = Engine(engine)
    built = _built(wanted, chosen, binary)
    if dry_run:
        return _list_cases(wanted, built, json)
    kept = measuring.measure_and_keep(
        binary, store, built, wanted.name, lambda hello: _header(hello, built, json)
    )
    found = _show(wanted, kept.run, kept.rows, json)
    measuring.say_how_it_ended(kept)
    raise typer.Exit(max(measuring.exit_code(kept), _exit_code(found, check)))
