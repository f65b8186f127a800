"""`ciphermark sessions`: many sessions at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ciphermark.command.offload_options import OffloadCpusOption, OffloadOption
from ciphermark.command.options import (
    AlgorithmsOption,
    AllRateOption,
    BackendsOption,
    BudgetOption,
    BuffersOption,
    ChunkOption,
    EachRateOption,
    EngineOption,
    JsonOption,
    KernelOption,
    LibraryOption,
    OnOption,
    OperationsOption,
    OutputOption,
    P99Option,
    PatternOption,
    ProfileOption,
    ProvidersOption,
    RunsOption,
    SizesOption,
)
from ciphermark.workload import workload_of
from ciphermark.workloads.sessions.options import (
    AttemptsOption,
    ContextsOption,
    CoresOption,
    DryRunOption,
    DurationOption,
    FullOption,
    LifeOption,
    NeighboursOption,
    NiceOption,
    PlacementOption,
    PlanOption,
    PolicyOption,
    QuotaOption,
    RateOption,
    SessionsOption,
    SetsOption,
    SoakOption,
    SweepOption,
    ThreadsOption,
    WindowOption,
)

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.workloads.sessions.findings import SessionFindings

PLAN, SWEEP, CONDITIONS, SOAK = (
    f"sessions{kind}" for kind in ("", "-sweep", "-conditions", "-soak")
)
"""Names of the default plans."""


def sessions(
    algorithms: AlgorithmsOption = None,
    providers: ProvidersOption = None,
    backends: BackendsOption = None,
    operations: OperationsOption = None,
    sizes: SizesOption = None,
    profile: ProfileOption = None,
    pattern: PatternOption = None,
    chunk: ChunkOption = None,
    buffers: BuffersOption = None,
    sessions: SessionsOption = None,
    cpus: SetsOption = None,
    cores: CoresOption = None,
    placement: PlacementOption = None,
    threads: ThreadsOption = None,
    contexts: ContextsOption = None,
    duration: DurationOption = None,
    window: WindowOption = None,
    life: LifeOption = None,
    rate: RateOption = None,
    policy: PolicyOption = None,
    nice: NiceOption = None,
    quota: QuotaOption = None,
    neighbours: NeighboursOption = None,
    attempts: AttemptsOption = None,
    offload: OffloadOption = None,
    offload_cpus: OffloadCpusOption = None,
    sweep: SweepOption = False,
    full: FullOption = False,
    p99: P99Option = None,
    each_rate: EachRateOption = None,
    all_rate: AllRateOption = None,
    soak: SoakOption = None,
    plan: PlanOption = None,
    dry_run: DryRunOption = False,
    budget: BudgetOption = None,
    library: LibraryOption = None,
    kernel: KernelOption = None,
    json: JsonOption = False,
    output: OutputOption = None,
    runs: RunsOption = None,
    on: OnOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure many sessions at once: the CPU they burn and the time they take.

    Each session has a key, nonces and buffers of its own. Absolute cycles are the CPU time of all,
    apparent ones the time that passes; the fastest library of each function is taken unless told
    otherwise. With --offload the absolute cycles leave out what the device does, which the apparent
    ones include. An execution that does not count is repeated, and shown with its reason. Exit code
    1 when a case has failed.
    """
    from ciphermark.command import choosing, measuring, on_machine
    from ciphermark.measure.here import here
    from ciphermark.plan import manner, selection, session_options
    from ciphermark.record.store import Store
    from ciphermark.workloads.sessions import ask_findings as findings
    from ciphermark.workloads.sessions import findings as session_findings

    chosen = selection.from_options(
        algorithms=algorithms,
        providers=providers,
        backends=backends,
        operations=operations,
        sizes=sizes,
        profile=profile,
        budget=budget,
        libraries=library,
        kernels=kernel,
        manners=manner.from_options(pattern, chunk, None, None, buffers, kinds=manner.OF_SESSIONS),
    )
    chosen.loads = session_options.from_options(
        sessions=sessions,
        cpus=cpus,
        cores=cores,
        placement=placement,
        threads=threads,
        contexts=contexts,
        duration=duration,
        window=window,
        life=life,
        rate=rate,
        policy=policy,
        nice=nice,
        quota=quota,
        neighbours=neighbours,
        attempts=attempts,
        offload=offload,
        offload_cpus=offload_cpus,
    )
    on_machine.refuse_files(on, library=library, kernel=kernel)
    name, file = _plan_file(sweep, full, soak, plan)
    wanted = findings.wishes(p99, each_rate, all_rate)
    if soak is not None:
        chosen.loads |= _soaked(soak, duration)
    if output is not None:
        from ciphermark.command.report import check_output

        check_output(output)
    binary = on_machine.engine_of(engine, on, runs, json)
    built = choosing.built_of_fastest(binary, file, chosen, here(binary))
    if soak is not None:
        _check_is_one(built)
    if dry_run:
        measuring.list_cases(built, json)
        return
    store = Store.default(runs)
    kept = measuring.measure_and_keep(binary, store, built, name, measuring.header(built, json))
    with measuring.known_to_be_kept(kept):
        found = session_findings.findings(kept.run, kept.rows, wanted)
        _show(kept, found, measuring.report_path(store, kept, output), json)
    measuring.say_how_it_ended(kept)
    raise typer.Exit(measuring.exit_code(kept))


def _plan_file(
    sweep: bool, full: bool, soak: str | None, plan: Path | None
) -> tuple[str, PlanFile]:
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    if sum((sweep, soak is not None, plan is not None)) > 1:
        raise UsageError("--sweep, --soak and --plan exclude each other: give one of them")
    if full and not sweep:
        raise UsageError("--full goes with --sweep only: write --sweep --full")
    if plan is not None:
        return plan.stem, planfile.read(plan, "sessions")
    name = (CONDITIONS if full else SWEEP) if sweep else SOAK if soak is not None else PLAN
    return name, planfile.default(name)


def _soaked(soak: str, duration: str | None) -> dict[str, Any]:
    """What a soak decides of how sessions run."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import quantities

    if duration is not None:
        raise UsageError("--soak and --duration exclude each other: give one of them")
    return {"duration_s": quantities.seconds(soak, "--soak")}


def _check_is_one(built: Built) -> None:
    from ciphermark.errors import UsageError

    if len(built.plan.cases) > 1:
        raise UsageError(
            f"--soak runs one case, and these are {len(built.plan.cases)}: name one with "
            "--algorithms, --sizes, --pattern, --sessions and --cpus"
        )


def _show(kept: Kept, found: SessionFindings, report: Path | None, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json
        from ciphermark.workloads.sessions.ask_findings import document

        print_json(document(kept.id, kept.rows, found))
        return
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console

    console = output_console()
    workload_of(kept.run.context.workload).print_rows(console, kept.run.context, kept.rows, found)
    print_footer(console, kept.id, report, _next(kept))


def _next(kept: Kept) -> list[str]:
    """Commands that make sense now, with what they do."""
    if kept.run.context.interrupted:
        return [f"{'ciphermark report last':<34}draws what was measured"]
    lines = [("ciphermark sessions --sweep", "how it scales over CPUs and sessions")]
    if any(row.is_measured and not row.valid for row in kept.rows):
        lines = [("ciphermark doctor", "what makes this machine unfit, and the cure")]
    return [f"{command:<34}{what}" for command, what in lines]
