"""`ciphermark esp`: what a tunnel does to a packet, measured as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    BudgetOption,
    BuildOptions,
    CpusOption,
    DryRunOption,
    EngineOption,
    EngineOptions,
    JsonOption,
    LibraryOption,
    LoadOptions,
    MannerOptions,
    OffloadOptions,
    OnOption,
    OperationsOption,
    OutputOption,
    OutputOptions,
    PlanOption,
    PlanOptions,
    PrecisionOption,
    ProfileOption,
    ProvidersOption,
    RunsOption,
    SamplingOptions,
    SelectionOptions,
    SizesOption,
    WishOptions,
)
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.command.measuring import Kept
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.plan.selection import Selection

SuitesOption = Annotated[
    str | None,
    typer.Option(
        "--suites",
        metavar="LIST",
        help="Suites by name or pattern, or protocols: esp:aes-128-gcm,tls13; `all` for all.",
    ),
]
AssociationsOption = Annotated[
    str | None,
    typer.Option(
        "--keys",
        metavar="LIST",
        help="Tunnels that packets go round, each with a key of its own: 1,1000,100000; 1.",
    ),
]
SpreadOption = Annotated[
    str | None,
    typer.Option(
        "--spread",
        metavar="HOW",
        help="Over cores: packets (one tunnel's, order kept) or tunnels (one for each core).",
    ),
]
PartsOption = Annotated[
    bool | None,
    typer.Option(
        "--parts/--no-parts",
        help="Also cipher and MAC by themselves, and what they would tell; not with --quick.",
    ),
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="A first look: wider intervals in less time.")
]

OPERATIONS = ("seal", "open")
SPREADS = ("none", "packets", "tunnels")


def esp(
    suites: SuitesOption = None,
    providers: ProvidersOption = None,
    operations: OperationsOption = None,
    sizes: SizesOption = None,
    profile: ProfileOption = None,
    keys: AssociationsOption = None,
    spread: SpreadOption = None,
    parts: PartsOption = None,
    quick: QuickOption = False,
    plan: PlanOption = None,
    dry_run: DryRunOption = False,
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    cpus: CpusOption = None,
    library: LibraryOption = None,
    json: JsonOption = False,
    output: OutputOption = None,
    runs: RunsOption = None,
    on: OnOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure what a tunnel does to each packet: ESP, TLS 1.3, WireGuard and others.

    Padding, header, IV, cipher, integrity, look-up of the key and the checks of the receiving side
    are all inside the measured call; figures are per byte of the packet within. The fastest library
    of each suite is taken unless told otherwise. With --spread one tunnel's packets, or many
    tunnels, are spread over 1, 2, … cores. Exit code 1 when a case has failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.plan import build, manner, selection
    from ciphermark.record.store import Store
    from ciphermark.workloads import choosing

    chosen = selection.from_options(
        providers=providers,
        sizes=sizes,
        profile=profile,
        precision=precision,
        budget=budget,
        cpus=cpus,
        library=library,
        manners=manner.from_options(None, None, None, keys, None),
    )
    on_machine.refuse_files(on, library=library)
    name, file = _plan_file(quick, plan)
    binary = on_machine.engine_of(engine, on, runs, json)
    facts = binary.describe(chosen.libraries)
    file = _laid_over(file, suites, operations, chosen, facts)
    if _spread(spread) != "none":
        _over_cores(
            _spread(spread),
            file,
            binary,
            SelectionOptions(providers=providers, sizes=sizes, profile=profile),
            SamplingOptions(budget=budget),
            PlanOptions(dry_run=dry_run),
            BuildOptions(library=library),
            OutputOptions(json=json, output=output, runs=runs),
            EngineOptions(on=on, engine=engine),
        )
        return
    if output is not None:
        from ciphermark.command.report import check_output

        check_output(output)
    build.build(file, chosen, facts)  # what cannot be is refused before anything is measured
    choosing.choose_fastest(binary, file, chosen, facts)
    if profile is None and (not quick if parts is None else parts):
        file = _with_parts(file, chosen, facts)
    built = build.build(file, chosen, facts)
    if dry_run:
        measuring.list_cases(built, json)
        return
    store = Store.default(runs)
    kept = measuring.measure_and_keep(binary, store, built, name, measuring.header(built, json))
    with measuring.known_to_be_kept(kept):
        _show(kept, measuring.report_path(store, kept, output), json)
    measuring.say_how_it_ended(kept)
    raise typer.Exit(measuring.exit_code(kept))


def _plan_file(quick: bool, plan: Path | None) -> tuple[str, PlanFile]:
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    if quick and plan is not None:
        raise UsageError("--quick and --plan exclude each other: give one of them")
    if plan is not None:
        return plan.stem, planfile.read(plan, "single")
    return "esp", planfile.default("esp").at("quick" if quick else "usual")


def _spread(text: str | None) -> str:
    from ciphermark.plan import names

    known = {it: it for it in SPREADS}
    return names.find(text or "none", known, "way to spread", ", ".join(SPREADS))


def _laid_over(
    file: PlanFile,
    suites: str | None,
    operations: str | None,
    chosen: Selection,
    facts: contract.Description,
) -> PlanFile:
    """The plan with the user's suites, operations and sizes in it, so that further parts of the
    plan keep their own."""
    import msgspec

    from ciphermark.errors import UsageError
    from ciphermark.plan import naming
    from ciphermark.workloads.suites.plan import check_operations, suite_names

    wanted = suites if suites is not None else file.algorithms
    found = suite_names(wanted, facts)
    if not found:
        raise UsageError("--suites names nothing: write a list such as esp:aes-128-gcm,tls13")
    own = naming.operation_names(operations) if operations is not None else file.operations
    check_operations(own)
    sizes = chosen.sizes or file.sizes
    chosen.sizes = None
    return msgspec.structs.replace(file, algorithms=found, operations=own, sizes=sizes)


def _with_parts(file: PlanFile, chosen: Selection, facts: contract.Description) -> PlanFile:
    """The plan with the functions that its suites are made of, in the library that does each."""
    import msgspec

    from ciphermark.workloads.suites.plan import parts, suites_of

    by_name = {it.name: it for it in suites_of(facts)}
    found = []
    for name in file.algorithms:
        own = {chosen.fastest.get((name, it)) for it in file.operations} - {None}
        found += [(by_name[name], it) for it in sorted(filter(None, own)) or [None]]
    also = parts(found, file.operations, file.sizes, facts)
    return msgspec.structs.replace(file, also=[*file.also, *also])


def _over_cores(
    how: str,
    file: PlanFile,
    binary: Engine,
    selected: SelectionOptions,
    sampling: SamplingOptions,
    plan: PlanOptions,
    builds: BuildOptions,
    output: OutputOptions,
    engine: EngineOptions,
) -> None:
    """Does what `packets` and `sessions` do with these suites: on 1, 2, … all cores."""
    from dataclasses import replace

    from ciphermark.measure.here import here
    from ciphermark.workloads.packets import command as packets
    from ciphermark.workloads.packets.options import PacketOptions, QuestionOptions
    from ciphermark.workloads.sessions import command as sessions
    from ciphermark.workloads.sessions.options import CourseOptions, SessionOptions

    suites, operations = ",".join(file.algorithms), ",".join(file.operations)
    selected = replace(selected, algorithms=suites, operations=operations)
    if selected.sizes is None and selected.profile is None:
        selected.sizes = str(file.sizes[0])
    if how == "packets":
        packets.packets(
            selected,
            PacketOptions(keys="1", delivery="ordered"),
            LoadOptions(cores="each"),
            OffloadOptions(),
            QuestionOptions(),
            WishOptions(),
            plan,
            sampling,
            builds,
            output,
            engine,
        )
    else:
        # As many tunnels as cores, each on its own; all of them on all CPUs that there are.
        tunnels = ",".join(str(it + 1) for it in range(len(here(binary).cpus.allowed)))
        sessions.sessions(
            selected,
            MannerOptions(),
            SessionOptions(sessions=tunnels),
            LoadOptions(cpus=["all"]),
            OffloadOptions(),
            CourseOptions(),
            WishOptions(),
            plan,
            sampling,
            builds,
            output,
            engine,
        )


def _show(kept: Kept, report: Path | None, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json
        from ciphermark.workloads.suites.parts import parts_figures

        found = parts_figures(kept.run.context.algorithms, kept.rows)  # type: ignore[arg-type]
        print_json({"run": kept.id, "rows": kept.rows, "parts": found})
        return
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console

    console = output_console()
    workload_of(kept.run.context.workload).print_rows(console, kept.run.context, kept.rows)
    next_lines = [
        ("ciphermark capacity", "how much traffic that carries, and what limits it"),
        ("ciphermark advise --for ipsec", "which to use, and what to type"),
        ("ciphermark esp --spread packets", "does one tunnel get faster with more cores?"),
        ("ciphermark esp --spread tunnels", "do several tunnels?"),
    ]
    if kept.run.context.interrupted:
        next_lines = [("ciphermark report last", "draws what was measured")]
    print_footer(console, kept.id, report, [f"{it:<34}{what}" for it, what in next_lines])
