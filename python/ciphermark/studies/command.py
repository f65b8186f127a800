"""`ciphermark study`: published measurements, taken again on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    BackendsOption,
    BudgetOption,
    CpusOption,
    EngineOption,
    JsonOption,
    OnOption,
    OutputOption,
    PrecisionOption,
    ProvidersOption,
    RunsOption,
)

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.command.additions import ReportPart
    from ciphermark.command.measuring import Kept, Then
    from ciphermark.contract.beside import BesideFigure
    from ciphermark.contract.simulation import SimulatedCase
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import Effort
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.show.findings import Claim, Study
    from ciphermark.workloads.single.row import Row

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The study; `ciphermark list studies` lists them.")
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Less sure figures of the main part, in a minute or two.")
]
FullOption = Annotated[
    bool, typer.Option("--full", help="All that the study can measure, for as long as it takes.")
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
    str | None,
    typer.Option("--from", metavar="RUN", help="Show a stored run of the study; measure nothing."),
]
GivenOption = Annotated[
    str | None,
    typer.Option(
        "--given",
        metavar="NAME=NUMBER,...",
        help="What cannot be measured, where a study asks for it: price=120,watts=10.",
    ),
]


def study(
    name: NameArgument,
    providers: ProvidersOption = None,
    backends: BackendsOption = None,
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    cpus: CpusOption = None,
    quick: QuickOption = False,
    full: FullOption = False,
    check: CheckOption = False,
    claims: ClaimsOption = False,
    dry_run: DryRunOption = False,
    stored: FromOption = None,
    given: GivenOption = None,
    json: JsonOption = False,
    output: OutputOption = None,
    runs: RunsOption = None,
    on: OnOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure what a published study measured, and judge its claims.

    The tables stand beside the published ones. A claim holds, does not hold, or cannot be tested
    here; that changes the exit code with --check only. The report has the same with its plots. Exit
    code 1 when a case has failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.command.output import say
    from ciphermark.plan import selection
    from ciphermark.plan.given import read as read_given
    from ciphermark.record.store import Store
    from ciphermark.studies import registry, studying

    _exclude({"--quick": quick, "--full": full})
    _exclude({"--claims": claims, "--dry-run": dry_run, "--from": stored is not None})
    chosen = selection.from_options(
        providers=providers, backends=backends, precision=precision, budget=budget, cpus=cpus
    )
    wanted = registry.load(name)
    told = {} if given is None else read_given(given, wanted.given, wanted.name)
    if claims:
        _list_claims(wanted, json)
        return
    if stored is not None:
        run, rows = _stored(wanted, runs, stored)
        run.given |= told
        found = _show(wanted, run, rows, json)
        raise typer.Exit(_exit_code(found, check))
    if output is not None:
        from ciphermark.command.report import check_output

        check_output(output)
    binary = on_machine.engine_of(engine, on, runs, json)
    effort: Effort = "quick" if quick else "full" if full else "usual"
    plan = wanted.plan.at(effort)
    built = studying.first(binary, plan, chosen)
    # What cannot be is refused before anything is measured, and planned again after the first run.
    later = studying.later(binary, wanted.name, plan, chosen)
    for note in later.left_out:
        say(note)
    if dry_run:
        simulated = wanted.simulated(effort) if wanted.simulated else []
        _list_cases(wanted, built, later.plans, simulated, json)
        return
    # Other programs are here, and the study is of another machine.
    asking = _asking(wanted, effort, chosen.cpu) if on is None else list

    def then(run: Run) -> list[tuple[str, Built]]:
        return studying.later(binary, wanted.name, plan, chosen, run).plans

    store = Store.default(runs)
    kept, found = _measure(wanted, effort, binary, store, built, asking, then, told, output, json)
    raise typer.Exit(measuring.exit_code(kept) or _exit_code(found, check))


def _exclude(given: dict[str, bool]) -> None:
    """Refuses options that each ask for something else."""
    from ciphermark.errors import UsageError

    named = [option for option, is_given in given.items() if is_given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} exclude each other: give one of them")


def _asking(study: Study, effort: Effort, cpu: int | None) -> Callable[[], list[BesideFigure]]:
    """What asks other programs, where the study does."""
    aside = study.aside
    if aside is None:
        return list

    def ask() -> list[BesideFigure]:
        from ciphermark.command.output import say
        from ciphermark.measure.pinning import first_cpu

        say("asking other programs first, which takes up to a minute")
        return aside(effort, first_cpu() if cpu is None else cpu)

    return ask


def _measure(
    study: Study,
    effort: Effort,
    engine: Engine,
    store: Store,
    built: Built,
    asking: Callable[[], list[BesideFigure]],
    then: Then,
    given: dict[str, float],
    output: Path | None,
    json: bool,
) -> tuple[Kept, list[Claim]]:
    """Measures, keeps and shows the run."""
    from ciphermark.command import measuring
    from ciphermark.workloads.simulation import simulating

    header = measuring.header(built, json)
    cases = study.simulated(effort) if study.simulated else []
    simulate = simulating.for_study(engine, cases)
    kept = measuring.measure_and_keep(
        engine, store, built, study.name, header, asking, simulate, then, given
    )
    with measuring.known_to_be_kept(kept):
        claims = _show(study, kept.run, kept.rows, json)
        report = measuring.report_path(store, kept, output)
        if not json:
            _say_what_next(study, kept, report)
    measuring.say_how_it_ended(kept)
    return kept, claims


def _stored(study: Study, runs: Path | None, name: str) -> tuple[Run, list[Row]]:
    """A run of this study from the store, and its rows."""
    from ciphermark.command.newest import resolve
    from ciphermark.errors import UsageError
    from ciphermark.record.store import Store
    from ciphermark.workload import rows

    store = Store.default(runs)
    # Simulated figures are there whatever became of the samples.
    found = store.resolve(name) if study.simulated else resolve(store, name, study.name)
    run = store.load(found)
    if run.context.plan_name != study.name:
        raise UsageError(
            f"run {run.context.run} is of {run.context.plan_name} and not of the study "
            f"{study.name}: see ciphermark list runs, or measure with ciphermark study {study.name}"
        )
    return run, rows(run)


def _show(study: Study, run: Run, rows: list[Row], json: bool) -> list[Claim]:
    """Prints tables and claims, and returns the claims."""
    tables, claims = study.tables(run, rows), study.claims(run, rows)
    if json:
        from ciphermark.command.output import print_json

        document = {"study": study.name, "run": run.context.run}
        print_json({**document, "tables": tables, "claims": claims})
    else:
        from ciphermark.show.problems import print_failures
        from ciphermark.show.terminal import output_console
        from ciphermark.studies.show import print_study

        console = output_console()
        print_study(console, study.plan, run.context, tables, claims)
        print_failures(console, rows)
    return claims


def _say_what_next(study: Study, kept: Kept, report: Path | None) -> None:
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console

    again = f"ciphermark study {study.name} --from {kept.id}"
    print_footer(
        output_console(), kept.id, report, [again if report else f"ciphermark report {kept.id}"]
    )


def _list_claims(study: Study, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json

        print_json({"study": study.name, "claims": study.statements})
        return
    from ciphermark.show.terminal import output_console
    from ciphermark.studies.show import print_statements

    print_statements(output_console(), study.plan, study.statements)


def _list_cases(
    study: Study,
    built: Built,
    later: list[tuple[str, Built]],
    simulated: list[SimulatedCase],
    json: bool,
) -> None:
    """Says what the engine would measure and what simulators would count."""
    if json:
        from ciphermark.command.output import print_json
        from ciphermark.plan.duration import expected_seconds

        document = {
            "study": study.name,
            "cases": built.plan.cases,
            "expected_s": sum(expected_seconds(it.plan) for _, it in [("", built), *later]),
            "then": [{"run": name, "cases": it.plan.cases} for name, it in later],
            "simulated": simulated,
        }
        print_json(document)
        return
    from ciphermark.show.plan import print_cases, print_simulated
    from ciphermark.show.terminal import output_console
    from ciphermark.studies.studying import LATER

    console = output_console()
    print_cases(console, built.plan, built.notes)
    for name, it in later:
        console.print(f"\nThen {name}: {LATER}")
        print_cases(console, it.plan, it.notes)
    print_simulated(console, simulated)


def _exit_code(claims: list[Claim], check: bool) -> int:
    """1 when a claim does not hold and that matters; one that cannot be tested has not failed."""
    return int(check and any(claim.holds is False for claim in claims))


def show_kept(kept: Kept, json: bool, runs: str | None) -> bool:
    """Shows a run of a study that was collected from another machine."""
    from ciphermark.studies import registry

    name = kept.run.context.plan_name
    if registry.of_plan(name) is None:
        return False
    study(name, stored=kept.id, json=json, runs=runs)
    return True


def report_part(
    run: Run, rows: list[Row], facts: Sequence[contract.Algorithm] | None
) -> ReportPart:
    """What the report of a study's run says of the study."""
    from ciphermark.command.additions import ReportPart
    from ciphermark.studies import registry
    from ciphermark.studies.plots import study as study_plots
    from ciphermark.studies.show import view

    known = registry.of_plan(run.context.plan_name)
    if known is None:
        return ReportPart({"study": None}, [])
    findings = known.findings(run, rows)
    return ReportPart({"study": view(findings)}, study_plots.plots(findings.charts))
