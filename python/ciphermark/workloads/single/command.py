"""`ciphermark survey`: the main job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from ciphermark.command.options import (
    BuildOptions,
    EnergyOption,
    EngineOptions,
    Help,
    MannerOptions,
    OffloadOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    flag,
    given,
    option,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ciphermark.command.measuring import Answer, Kept
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.single.code_paths import Choice
    from ciphermark.workloads.single.comparison import Comparison, Figured
    from ciphermark.workloads.single.left_behind import LeftBehind


@dataclass
class SurveyOptions:
    """What of a survey is compared with something."""

    ablate: Annotated[
        bool,
        flag("Also hide each feature of the processor from the libraries, and print its worth."),
    ] = False
    ab: Annotated[
        tuple[str, str] | None,
        option(
            "OLD NEW",
            "Compare two builds, each PATH (interface of kernel.h) or PROVIDER=PATH: is NEW "
            "slower?",
        ),
    ] = None
    threshold: Annotated[
        str, option("SHARE", "With --ab, the slowdown that counts as a regression.")
    ] = "5%"


def survey(
    selected: SelectionOptions,
    manners: MannerOptions,
    split: Annotated[
        OffloadOptions,
        Help(
            offload="Where a message is worked on: none (the calling CPU; default), split "
            "(shared with other CPUs).",
            offload_cpus="CPUs that share each message with the calling one. Default: all.",
        ),
    ],
    sampling: SamplingOptions,
    builds: BuildOptions,
    beside: SurveyOptions,
    plan: Annotated[
        PlanOptions,
        Only("quick", "every", "plan", "seed", "dry_run"),
        Help(quick="A first look in some 15 seconds: fewer sizes, wider intervals."),
    ],
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOptions,
    energy: EnergyOption = False,
) -> None:
    """Measure what cryptography costs on this machine.

    Every implementation is verified before and while it is timed. The run is saved, a line for each
    algorithm is printed (all figures: ciphermark show last), and a report with plots is written
    (plots as files: ciphermark report last). Exit code 1 when a case has failed or, with --ab, when
    the new build is slower.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.plan import quantities, selection
    from ciphermark.plan.selection import old_and_new
    from ciphermark.record.store import Store

    chosen = selection.from_options(**given(selected, sampling, builds), manners=manners.read())
    on_machine.refuse_files(engine.on, **vars(builds), ab=beside.ab)
    chosen.seed = plan.seed
    chosen.ablate = beside.ablate
    limit = quantities.share(beside.threshold, "--threshold")
    if beside.ab is not None:
        chosen.choose_only(old_and_new(*beside.ab))
    name, file = plan_file(plan)

    def answer(kept: Kept) -> Answer:
        comparison = None
        if beside.ab is not None:
            from ciphermark.workloads.single.comparison import compare_builds

            comparison = compare_builds(_figured(kept), chosen.libraries, limit)
        # For people alone: to find the run before takes a look at others.
        store = None if output.json else Store.default(output.runs)
        return _answer(kept, comparison, store)

    def built(binary: Engine) -> Built:
        return survey_plan(binary, file, chosen, split)

    measuring.measure_command(
        name, built, answer, output, engine, dry_run=plan.dry_run, then=energies(energy)
    )


def energies(wanted: bool) -> Callable[[Built, Run], list[tuple[str, Built]]]:
    """Returns the function that plans energy after a run of single messages."""
    from ciphermark.workloads.single import energy

    return energy.then if wanted else lambda built, run: []


def plan_file(plan: PlanOptions) -> tuple[str, PlanFile]:
    """Returns the plan of a survey, and its name."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    if sum((plan.quick, plan.every, plan.plan is not None)) > 1:
        raise UsageError("--quick, --all and --plan exclude each other: give one of them")
    if plan.plan is not None:
        return plan.plan.stem, planfile.read(plan.plan, "single")
    name = "survey-quick" if plan.quick else "survey-all" if plan.every else "survey"
    return name, planfile.default(name)


def survey_plan(engine: Engine, file: PlanFile, chosen: Selection, split: OffloadOptions) -> Built:
    """Makes the cases: messages on the calling core, split over several, or both."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import build, splitting
    from ciphermark.run.here import here

    facts = engine.describe(chosen.libraries)
    if chosen.needs_code_paths(file.backends):
        wanted = build.wanted_names(file, chosen, facts)
        engine.look_at_code_paths(facts, *wanted, chosen.libraries)
    built = build.build(file, chosen, facts)
    spreads = splitting.from_option(split.offload)
    if "split" in spreads:
        sharing = splitting.sharing_cpus(split.offload_cpus, here(engine).cpus, built.plan.cpu)
        return splitting.spread(built, spreads, sharing)
    if split.offload_cpus is not None:
        raise UsageError("--offload-cpus goes with --offload split only: write both")
    return built


def _answer(kept: Kept, comparison: Comparison | None, store: Store | None) -> Answer:
    """Returns the rows with processor states and features, or the comparison of builds.

    For readers at a terminal with a store of runs, a long run fits on one screen.
    """
    from ciphermark.command import measuring
    from ciphermark.workloads.single import overview
    from ciphermark.workloads.single.left_behind import left_behind
    from ciphermark.workloads.single.workload import WORKLOAD
    from ciphermark.workloads.surroundings import failed

    left = left_behind(kept.run)
    is_long = overview.is_long(kept.run.context, kept.rows, WORKLOAD.cost_cards(kept.rows))
    before = None if store is None else _run_before(store, kept)
    paths = None if store is None or not is_long else _code_paths(store, kept)

    def blocks() -> Iterator[Block]:
        from ciphermark.workloads.single import comparison_table

        if comparison is not None:
            yield replace(failed(kept.rows), shown=overview.MOST_FAILED)
            yield from comparison_table.blocks(comparison, every=False, in_compare=False)
        elif is_long and store is not None:
            since = None if before is None else _changes(store, kept, before)
            yield from overview_blocks(kept, left, paths or [], since)
        else:
            yield from measuring.row_blocks(kept)
            yield from WORKLOAD.beside(kept.run, kept.rows)

    beside = {"comparison": comparison, "left_behind": left}
    return measuring.Answer(
        blocks,
        {name: value for name, value in beside.items() if value},
        _next(before, is_long, paths is not None)
        if comparison is None
        else _next_of_builds(comparison),
        has_failed=comparison is not None and comparison.is_bad,
        with_files=False,
    )


def overview_blocks(
    kept: Kept,
    left: Sequence[LeftBehind] = (),
    choices: Sequence[Choice] = (),
    since: str | None = None,
) -> Iterator[Block]:
    """Returns lines for algorithms of a run, advice, oddities and changes."""
    from ciphermark.workloads.single import overview
    from ciphermark.workloads.single.ratio import ratios_of

    context = kept.run.context
    leaders = overview.leaders(context, kept.rows, ratios_of(kept.run))
    odd = overview.oddities(leaders, choices, left)
    return overview.blocks(context, kept.rows, leaders, odd, since)


def _figured(kept: Kept) -> Figured:
    from ciphermark.workloads.single.comparison import Figured

    return Figured(kept.run.context, kept.rows, kept.run)


def _changes(store: Store, kept: Kept, before: str) -> str | None:
    """Describes changes since an earlier run, by the rules of `compare`.

    Returns None where they have no case in common.
    """
    from ciphermark.errors import UsageError, WorkError
    from ciphermark.plan import quantities
    from ciphermark.view import figures
    from ciphermark.workloads.single import comparison_table
    from ciphermark.workloads.single.compare_command import figured
    from ciphermark.workloads.single.comparison import compare
    from ciphermark.workloads.single.pairing import Selection

    limit = quantities.share(SurveyOptions.threshold, "--threshold")
    try:
        earlier = figured(store, before)
        comparison = compare(_figured(kept), earlier, Selection(), Selection(), limit)
    except (UsageError, WorkError):
        return None
    when = figures.date(earlier.context.started_unix_ns)
    return f"since {when} (run {before[-4:]}): {comparison_table.changes(comparison)}."


def _code_paths(store: Store, kept: Kept) -> list[Choice] | None:
    """Returns the libraries' code paths, by this run or the newest of this machine.

    Returns None where no run examined them.
    """
    from ciphermark.workloads.single.code_paths import choices, known_here
    from ciphermark.workloads.single.ratio import ratios_of

    if any(row.switches for row in kept.rows):
        return choices(kept.rows, ratios_of(kept.run))
    return known_here(store, kept.run)


def _next(before: str | None, is_long: bool, knows_paths: bool) -> list[tuple[str, str]]:
    """Returns the next useful commands, with their purpose."""
    commands = []
    if is_long:
        commands.append(("ciphermark show last", "every library, operation, size and cost card"))
    commands.append(
        (f"ciphermark compare last {before[-4:]}", "against the survey before")
        if before
        else ("ciphermark doctor", "why this machine is unfit to measure, and the remedy")
    )
    if is_long and not knows_paths:
        what = "is each library on its fastest code path?"
        commands.append(("ciphermark list implementations --measure", what))
    commands.append(("ciphermark advise --for tls", "which suite to use, and what to paste where"))
    return commands


def _next_of_builds(comparison: Comparison) -> list[tuple[str, str]]:
    new, old = (f"last:{side}" for side in comparison.selections)
    said = f"ciphermark compare {new} {old} --format markdown"
    return [
        ("ciphermark show last", "every size and cost card of both builds"),
        (said, "the same for a pull request"),
    ]


def _run_before(store: Store, kept: Kept) -> str | None:
    """Returns the newest earlier run of the same plan and kind of machine with figures.

    Returns None where this run has none to compare with it.
    """
    from ciphermark.command.stored import Newest

    if not any(row.has_figure for row in kept.rows):
        return None
    context = kept.run.context
    same = (context.plan_name, context.machine_kind)
    return Newest(store).first(
        it
        for it in store.summaries(limit=100)
        if (it.plan_name, it.machine_kind) == same and it.run != context.run
    )
