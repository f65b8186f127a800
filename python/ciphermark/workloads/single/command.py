"""`ciphermark survey`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    AfterOption,
    AlgorithmsOption,
    BackendsOption,
    BudgetOption,
    BuffersOption,
    ChunkOption,
    CpusOption,
    EngineOption,
    Help,
    JsonOption,
    KernelOption,
    KeysOption,
    LanesOption,
    LibraryOption,
    OffloadOptions,
    OnOption,
    OperationsOption,
    OutputOption,
    PatternOption,
    PrecisionOption,
    ProfileOption,
    ProvidersOption,
    RunsOption,
    SizesOption,
)
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.command.measuring import Kept
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.comparison import Comparison

QuickOption = Annotated[bool, typer.Option("--quick", help="A first look in a few seconds.")]
AllOption = Annotated[
    bool, typer.Option("--all", help="All algorithms, operations, backends and more sizes.")
]
PlanOption = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="A plan of your own (TOML) instead."),
]
AblateOption = Annotated[
    bool,
    typer.Option(
        "--ablate", help="Also hide each feature of the processor, and say what it is worth."
    ),
]
AbOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--ab",
        metavar="OLD NEW",
        help="Two builds, each PATH (follows kernel.h) or PROVIDER=PATH: is NEW slower?",
    ),
]
ThresholdOption = Annotated[
    str,
    typer.Option("--threshold", metavar="SHARE", help="With --ab, the slowdown that counts."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=2**53, help="Seed of inputs and order; random otherwise."),
]


def survey(
    algorithms: AlgorithmsOption = None,
    providers: ProvidersOption = None,
    backends: BackendsOption = None,
    operations: OperationsOption = None,
    sizes: SizesOption = None,
    profile: ProfileOption = None,
    pattern: PatternOption = None,
    chunk: ChunkOption = None,
    lanes: LanesOption = None,
    keys: KeysOption = None,
    buffers: BuffersOption = None,
    after: AfterOption = None,
    *,
    split: Annotated[
        OffloadOptions,
        Help(
            offload="Where a message is worked on: none (the calling core), split (shared with "
            "others).",
            offload_cpus="CPUs that share each message, with the calling one; else all.",
        ),
    ],
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    cpus: CpusOption = None,
    library: LibraryOption = None,
    kernel: KernelOption = None,
    ablate: AblateOption = False,
    ab: AbOption = None,
    threshold: ThresholdOption = "5%",
    quick: QuickOption = False,
    every: AllOption = False,
    plan: PlanOption = None,
    seed: SeedOption = None,
    json: JsonOption = False,
    output: OutputOption = None,
    runs: RunsOption = None,
    on: OnOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure what cryptography costs on this machine.

    Every implementation is verified before and while it is timed. The run is saved, the table is
    printed, and a report to look at is written. Exit code 1 when a case has failed or, with --ab,
    when the new build is slower.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.plan import build, manner, quantities, selection
    from ciphermark.record.store import Store
    from ciphermark.workloads.single import ab as ab_builds

    chosen = selection.from_options(
        algorithms=algorithms,
        providers=providers,
        backends=backends,
        operations=operations,
        sizes=sizes,
        profile=profile,
        precision=precision,
        budget=budget,
        cpus=cpus,
        library=library,
        kernel=kernel,
        manners=manner.from_options(pattern, chunk, lanes, keys, buffers, after),
    )
    on_machine.refuse_files(on, library=library, kernel=kernel, ab=ab)
    chosen.seed = seed
    chosen.ablate = ablate
    limit = quantities.share(threshold, "--threshold")
    if ab is not None:
        chosen.choose_only(ab_builds.libraries(*ab))
    name, file = _plan_file(quick, every, plan)
    if output is not None:
        # A second of imports that nobody else need wait for now.
        from ciphermark.command.report import check_output

        check_output(output)
    binary = on_machine.engine_of(engine, on, runs, json)
    facts = binary.describe(chosen.libraries)
    if chosen.needs_code_paths(file.backends):
        wanted = build.wanted_names(file, chosen, facts)
        binary.look_at_code_paths(facts, *wanted, chosen.libraries)
    built = build.build(file, chosen, facts)
    if split.offload is not None or split.offload_cpus is not None:
        built = _split(binary, built, split.offload, split.offload_cpus)
    store = Store.default(runs)
    kept = measuring.measure_and_keep(binary, store, built, name, measuring.header(built, json))
    comparison = ab_builds.compared(kept, chosen.libraries, limit) if ab is not None else None
    with measuring.known_to_be_kept(kept):
        _show(kept, store, output, json, comparison)
    measuring.say_how_it_ended(kept)
    failed = comparison is not None and ab_builds.is_bad(comparison)
    raise typer.Exit(measuring.exit_code(kept) or int(failed))


def _split(engine: Engine, built: Built, offload: str | None, cpus: str | None) -> Built:
    """The plan with its messages on the calling core, split over several, or both."""
    from ciphermark.errors import UsageError
    from ciphermark.measure.here import here
    from ciphermark.plan import splitting

    offloads = splitting.from_option(offload)
    if "split" not in offloads:
        if cpus is not None:
            raise UsageError("--offload-cpus goes with --offload split only: write both")
        return built
    sharing = splitting.sharing_cpus(cpus, here(engine).cpus, built.plan.cpu)
    return splitting.spread(built, offloads, sharing)


def _plan_file(quick: bool, every: bool, plan: Path | None):  # noqa: ANN202
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    if sum((quick, every, plan is not None)) > 1:
        raise UsageError("--quick, --all and --plan exclude each other: give one of them")
    if plan is not None:
        return plan.stem, planfile.read(plan, "single")
    name = "survey-quick" if quick else "survey-all" if every else "survey"
    return name, planfile.default(name)


def _show(
    kept: Kept, store: Store, output: Path | None, json: bool, comparison: Comparison | None
) -> None:
    from ciphermark.command import measuring
    from ciphermark.workloads.single.left_behind import left_behind

    if json:
        from ciphermark.command.output import print_json

        measuring.report_path(store, kept, output)
        beside = {"comparison": comparison, "left_behind": left_behind(kept.run)}
        told = {name: value for name, value in beside.items() if value}
        print_json({"run": kept.id, "rows": kept.rows, **told})
        return
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console

    console = output_console()
    workload_of(kept.run.context.workload).print_rows(console, kept.run.context, kept.rows)
    _print_findings(console, kept, comparison)
    report = measuring.report_path(store, kept, output)
    print_footer(console, kept.id, report, _next(store, kept))


def _print_findings(console: Console, kept: Kept, comparison: Comparison | None) -> None:
    """What stands beside the table: features hidden, what functions leave behind, a build held
    against another."""
    from ciphermark.workloads.single import show_ablation as ablation
    from ciphermark.workloads.single import show_compare as compare
    from ciphermark.workloads.single.ablation import ablations
    from ciphermark.workloads.single.left_behind import left_behind
    from ciphermark.workloads.single.show_left_behind import sentence

    if found := ablations(kept.run, kept.rows):
        console.print(ablation.render(found))
    for it in left_behind(kept.run):
        console.print(sentence(it), markup=False, highlight=False)
    if comparison is not None:
        console.print(compare.render(comparison, every=True))


def _next(store: Store, kept: Kept) -> list[str]:
    """Commands that make sense now, with what they do."""
    lines = [("ciphermark study gateway", "ten functions beside two published boxes")]
    if kept.run.context.interrupted:
        lines = [("ciphermark report last", "draws what was measured")]
    if before := _run_before(store, kept):
        lines.append((f"ciphermark compare last {before[-4:]}", "against the survey before"))
    else:
        lines.append(("ciphermark doctor", "what makes this machine unfit, and the cure"))
    return [f"{command:<34}{what}" for command, what in lines]


def _run_before(store: Store, kept: Kept) -> str | None:
    """The newest earlier run of the same plan on the same kind of machine that has figures; none
    where this one has none to compare with it."""
    from ciphermark.command.newest import Newest

    if not any(row.has_figure for row in kept.rows):
        return None
    context = kept.run.context
    same = (context.plan_name, context.machine_kind)
    return Newest(store).first(
        it
        for it in store.summaries(limit=100)
        if (it.plan_name, it.machine_kind) == same and it.run != context.run
    )
