"""`ciphermark study`: published measurements, taken again on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    BuildOptions,
    EngineOptions,
    Help,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    flag,
    option,
)

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.command.additions import ReportPart
    from ciphermark.command.measuring import Kept, Then
    from ciphermark.contract.others import BesideFigure, SimulatedCase
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import Effort
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.view.findings import Claim, Study
    from ciphermark.workloads.single.row import Row

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The study; `ciphermark list studies` lists them.")
]


@dataclass
class StudyOptions:
    """What is said of the claims, and whether anything is measured."""

    check: Annotated[bool, flag("Exit code 1 when a claim does not hold.")] = False
    claims: Annotated[bool, flag("Only list the claims and their places; measure nothing.")] = False
    cite: Annotated[bool, flag("Only print the paper's BibTeX entry; measure nothing.")] = False
    tables: Annotated[
        bool, flag("Also print all claims in full, and the tables beside the paper's.")
    ] = False
    stored: Annotated[
        str | None, option("RUN", "Show a stored run of the study; measure nothing.", "--from")
    ] = None
    beside: Annotated[
        str | None,
        option(
            "RUNS",
            "With --from: further runs, of other machines, to judge together with it, "
            "comma-separated.",
        ),
    ] = None
    sessions: Annotated[
        str | None, option("LIST", "Number of sessions, in a study of many sessions: 10,100,1000.")
    ] = None
    cpus: Annotated[
        str | None,
        option(
            "SET",
            "CPUs that the study may use: 0, 0-3, 0,2, physical, smt, all; work on one CPU uses "
            "the first.",
        ),
    ] = None


def study(
    name: NameArgument,
    selected: Annotated[SelectionOptions, Only("providers", "backends", "sizes")],
    sampling: Annotated[SamplingOptions, Only("precision", "budget")],
    builds: Annotated[BuildOptions, Only("library")],
    plan: Annotated[
        PlanOptions,
        Only("quick", "full", "given", "dry_run"),
        Help(quick="Wider intervals, main part only, in a minute or two."),
    ],
    judged: StudyOptions,
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOptions,
) -> None:
    """Repeat the measurements of a published study, and judge its claims.

    A claim holds, does not hold, or cannot be tested here; that changes the exit code with --check
    only. --tables prints the tables beside the published ones, and the report has them with the
    plots. Exit code 1 when a case has failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.command.options import given
    from ciphermark.command.output import say
    from ciphermark.errors import UsageError
    from ciphermark.plan import selection
    from ciphermark.plan.quantities import given_figures as read_given
    from ciphermark.studies import plans, registry

    _exclude({"--quick": plan.quick, "--full": plan.full})
    from_store = judged.stored is not None
    _exclude(
        {
            "--claims": judged.claims,
            "--cite": judged.cite,
            "--dry-run": plan.dry_run,
            "--from": from_store,
        }
    )
    chosen = selection.from_options(
        providers=selected.providers,
        backends=selected.backends,
        sizes=selected.sizes,
        **given(sampling),
        **given(builds),
    )
    wanted = registry.load(name)
    if judged.cite:
        _cite(wanted, output.json)
        return
    statements_given = (
        {} if plan.given is None else read_given(plan.given, wanted.given, wanted.name)
    )
    if judged.claims:
        _list_claims(wanted, output.json)
        return
    if judged.stored is not None:
        run, rows = _stored(wanted, output.runs, judged.stored)
        run.given |= statements_given
        run.also = [*run.also, *_beside(wanted, output.runs, judged.beside)]
        raise typer.Exit(_show_stored(wanted, run, rows, judged, output))
    if judged.beside is not None:
        raise UsageError("--beside adds runs to a stored one: name that with --from")
    if output.output is not None:
        from ciphermark.command.report import check_output

        check_output(output.output)
    binary = on_machine.engine_of(engine.engine, engine.on, output.runs, output.json)
    if judged.cpus is not None:
        plans.choose_cpus(binary, chosen, judged.cpus)
    effort: Effort = "quick" if plan.quick else "full" if plan.full else "usual"
    file = wanted.plan.at(effort)
    if judged.sessions is not None:
        file = plans.with_sessions(wanted.name, file, judged.sessions)
    built = plans.first(binary, file, chosen)
    # What cannot be is refused before anything is measured, and planned again after the first run.
    later = plans.later(binary, wanted.name, file, chosen)
    for note in later.left_out:
        say(note)
    if plan.dry_run:
        simulated = wanted.simulated(effort) if wanted.simulated else []
        _list_cases(wanted, built, later.plans, simulated, output.json)
        return
    # Other programs are here, and the study is of another machine.
    asking = _asking(wanted, effort, chosen.cpu) if engine.on is None else list

    def then(run: Run) -> list[tuple[str, Built]]:
        return plans.later(binary, wanted.name, file, chosen, run).plans

    def besides(interrupts: Interrupts) -> list[Run]:
        if wanted.besides is None or engine.on is not None:
            return []
        return wanted.besides(binary, effort, interrupts)

    kept, claims = _measure(
        wanted,
        effort,
        binary,
        built,
        asking,
        then,
        besides,
        statements_given,
        output,
        judged.tables,
    )
    raise typer.Exit(measuring.exit_code(kept) or _exit_code(claims, judged.check))


def _show_stored(
    study: Study, run: Run, rows: list[Row], judged: StudyOptions, output: OutputOptions
) -> int:
    """Shows a stored run, and writes its report where that is wanted; returns the exit code."""
    if output.output is not None:
        from ciphermark.command.report import check_output

        check_output(output.output)
    claims = _show(study, run, rows, output.json, judged.tables)
    if output.output is not None:
        from ciphermark.command.report import write_report
        from ciphermark.record.store import Store

        folder = Store.default(output.runs).folder(run.context.run)
        path = write_report(run, rows, folder, output.output)
        if not output.json:
            print(f"Report\n{path}")
    return _exit_code(claims, judged.check)


def _exclude(given: dict[str, bool]) -> None:
    """Refuses options that each ask for something else."""
    from ciphermark.errors import UsageError

    named = [option for option, is_given in given.items() if is_given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} exclude each other: give one of them")


def _asking(study: Study, effort: Effort, cpu: int | None) -> Callable[[], list[BesideFigure]]:
    """Returns the function that runs other programs, where the study needs it."""
    aside = study.aside
    if aside is None:
        return list

    def ask() -> list[BesideFigure]:
        from ciphermark.command.output import say
        from ciphermark.run.speed_tools import first_cpu

        say("running the other programs first, for up to a minute")
        return aside(effort, first_cpu() if cpu is None else cpu)

    return ask


def _measure(
    study: Study,
    effort: Effort,
    engine: Engine,
    built: Built,
    asking: Callable[[], list[BesideFigure]],
    then: Then,
    besides: Callable[[Interrupts], list[Run]],
    told: dict[str, float],
    output: OutputOptions,
    with_tables: bool,
) -> tuple[Kept, list[Claim]]:
    """Measures, keeps and shows the run."""
    from ciphermark.command import measuring
    from ciphermark.record.store import Store
    from ciphermark.workloads.simulation import simulating

    store = Store.default(output.runs)
    header = measuring.header(built, output.json)
    cases = study.simulated(effort) if study.simulated else []
    simulate = simulating.for_study(engine, cases)
    kept = measuring.measure_and_keep(
        engine, store, built, study.name, header, asking, simulate, then, besides, told
    )
    with measuring.known_to_be_kept(kept):
        claims = _show(study, kept.run, kept.rows, output.json, with_tables)
        report = measuring.report_path(store, kept, output.output)
        if not output.json:
            _say_what_next(study, kept, report)
    measuring.say_how_it_ended(kept)
    return kept, claims


def _stored(study: Study, runs: str | None, name: str) -> tuple[Run, list[Row]]:
    """Returns a run of this study from the store, and its rows."""
    from ciphermark.command.stored import resolve
    from ciphermark.errors import UsageError
    from ciphermark.record.store import Store
    from ciphermark.workload import rows

    store = Store.default(runs)
    # Simulated figures are there whatever became of the samples.
    run_name = store.resolve(name) if study.simulated else resolve(store, name, study.name)
    run = store.load(run_name)
    if run.context.plan_name != study.name:
        raise UsageError(
            f"run {run.context.run} is of {run.context.plan_name} and not of the study "
            f"{study.name}: see ciphermark list runs, or measure with ciphermark study {study.name}"
        )
    return run, rows(run)


def _beside(study: Study, runs: str | None, typed: str | None) -> list[Run]:
    """Runs of the study on other machines. Raises UsageError for a study that judges one alone."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import names

    if typed is None:
        return []
    if not study.over_machines:
        raise UsageError(f"the study {study.name} judges one machine: leave out --beside")
    return [_stored(study, runs, name)[0] for name in names.split(typed)]


def _show(study: Study, run: Run, rows: list[Row], json: bool, with_tables: bool) -> list[Claim]:
    """Prints the claims, and the tables where they are wanted; returns the claims."""
    tables, claims = study.tables(run, rows), study.claims(run, rows)
    if json:
        from ciphermark.command.output import print_json

        document = {"study": study.name, "run": run.context.run}
        print_json({**document, "tables": tables, "claims": claims})
    else:
        from ciphermark.studies.show import study_blocks
        from ciphermark.view.screen import show
        from ciphermark.view.terminal import output_console
        from ciphermark.workloads.surroundings import failed

        blocks = study_blocks(study.plan, run.context, tables, claims, with_tables=with_tables)
        show(output_console(), [*blocks, failed(rows)])
    return claims


def _say_what_next(study: Study, kept: Kept, report: Path | None) -> None:
    from ciphermark.command.measuring import aligned
    from ciphermark.view.frame import print_footer
    from ciphermark.view.terminal import output_console

    commands = [
        (
            f"ciphermark study {study.name} --from {kept.id} --tables",
            "all claims in full, the tables beside the paper's",
        ),
        (f"ciphermark export {kept.id} --table list", "the tables for a paper, in LaTeX too"),
    ]
    if report is None:
        commands.insert(0, (f"ciphermark report {kept.id}", "claims, tables and plots as a page"))
    print_footer(output_console(), kept.id, report, aligned(commands))


def _cite(study: Study, json: bool) -> None:
    from ciphermark.errors import UsageError
    from ciphermark.studies.export import bibtex

    paper = study.plan.paper
    if paper is None:
        known = study.plan.source or "its plan names no paper: write [paper] into it"
        raise UsageError(f"the study {study.name} has nothing to cite: {known}")
    if json:
        from ciphermark.command.output import print_json

        print_json({"study": study.name, "paper": paper})
    else:
        print(bibtex(paper))


def _list_claims(study: Study, json: bool) -> None:
    from ciphermark.command.output import print_answer
    from ciphermark.studies.show import statement_blocks

    print_answer(
        json,
        lambda: {"study": study.name, "claims": study.statements},
        lambda: statement_blocks(study.plan, study.statements),
    )


def _list_cases(
    study: Study,
    built: Built,
    later: list[tuple[str, Built]],
    simulated: list[SimulatedCase],
    json: bool,
) -> None:
    """Prints the cases that the engine would measure and simulators would count."""
    if json:
        from ciphermark.command.output import print_json
        from ciphermark.plan.sampling import expected_seconds

        document = {
            "study": study.name,
            "cases": built.plan.cases,
            "expected_s": sum(expected_seconds(it.plan) for _, it in [("", built), *later]),
            "then": [{"run": name, "cases": it.plan.cases} for name, it in later],
            "simulated": simulated,
        }
        print_json(document)
        return
    from ciphermark.studies.plans import LATER
    from ciphermark.view.blocks import Notes
    from ciphermark.view.plan import case_blocks, simulated_blocks
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    blocks = [*case_blocks(built.plan, built.notes)]
    for name, it in later:
        blocks += [Notes.of([f"Then {name}: {LATER}"]), *case_blocks(it.plan, it.notes)]
    show(output_console(), [*blocks, *simulated_blocks(simulated)])


def _exit_code(claims: list[Claim], check: bool) -> int:
    """Returns 1 when a claim does not hold and `check` is set.

    A claim that cannot be tested has not failed.
    """
    return int(check and any(claim.holds is False for claim in claims))


def show_kept(kept: Kept, json: bool, runs: str | None) -> bool:
    """Shows a run of a study that was collected from another machine."""
    from ciphermark.studies import registry

    name = kept.run.context.plan_name
    if registry.of_plan(name) is None:
        return False
    study(
        name,
        SelectionOptions(),
        SamplingOptions(),
        BuildOptions(),
        PlanOptions(),
        StudyOptions(stored=kept.id),
        OutputOptions(json=json, runs=runs),
        EngineOptions(),
    )
    return True


def report_part(
    run: Run, rows: list[Row], facts: Sequence[contract.Algorithm] | None, store: Store | None
) -> ReportPart:
    """Returns the claims, charts and tables of a study's run."""
    from ciphermark.command.additions import ReportPart
    from ciphermark.studies import registry
    from ciphermark.studies.charts import charts_of
    from ciphermark.studies.show import page_blocks

    known = registry.of_plan(run.context.plan_name)
    if known is None:
        return ReportPart()
    findings = known.findings(run, rows)
    claims, tables = page_blocks(findings)
    return ReportPart(
        before=[claims, *charts_of(findings.charts), *tables],
        title=findings.study.plan.title,
    )
