"""`ciphermark packets`: packets through a queue from one core to others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ciphermark.command.offload_options import OffloadCpusOption, OffloadOption
from ciphermark.command.options import (
    AlgorithmsOption,
    BackendsOption,
    BudgetOption,
    EngineOption,
    JsonOption,
    KernelOption,
    LibraryOption,
    OnOption,
    OperationsOption,
    OutputOption,
    PrecisionOption,
    ProfileOption,
    ProvidersOption,
    RunsOption,
    SizesOption,
)
from ciphermark.workload import workload_of
from ciphermark.workloads.packets.options import (
    ArchitectureOption,
    BatchOption,
    BreakdownOption,
    BreakEvenOption,
    CallOption,
    CoresOption,
    DeliveryOption,
    DurationOption,
    FlowsOption,
    FlushOption,
    GroupOption,
    InFlightOption,
    KeySetupOption,
    PacketsOption,
    PrioritiesOption,
    QueueOption,
    QuickOption,
    RateOption,
    SetsOption,
    SweepOption,
    TermsOption,
    WaitingOption,
    WithinOption,
)
from ciphermark.workloads.sessions.options import DryRunOption, PlanOption

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.workloads.packets.ask_findings import Question
    from ciphermark.workloads.packets.row import PacketRow


def packets(
    algorithms: AlgorithmsOption = None,
    providers: ProvidersOption = None,
    backends: BackendsOption = None,
    operations: OperationsOption = None,
    sizes: SizesOption = None,
    profile: ProfileOption = None,
    packets: PacketsOption = None,
    cpus: SetsOption = None,
    cores: CoresOption = None,
    keys: FlowsOption = None,
    lanes: CallOption = None,
    batch: BatchOption = None,
    flush: FlushOption = None,
    queue: QueueOption = None,
    delivery: DeliveryOption = None,
    architecture: ArchitectureOption = None,
    waiting: WaitingOption = None,
    key_setup: KeySetupOption = None,
    priorities: PrioritiesOption = None,
    group: GroupOption = None,
    rate: RateOption = None,
    offload: OffloadOption = None,
    offload_cpus: OffloadCpusOption = None,
    in_flight: InFlightOption = None,
    duration: DurationOption = None,
    sweep: SweepOption = False,
    break_even: BreakEvenOption = False,
    p99: WithinOption = None,
    terms: TermsOption = False,
    breakdown: BreakdownOption = False,
    quick: QuickOption = False,
    plan: PlanOption = None,
    dry_run: DryRunOption = False,
    precision: PrecisionOption = None,
    budget: BudgetOption = None,
    library: LibraryOption = None,
    kernel: KernelOption = None,
    json: JsonOption = False,
    output: OutputOption = None,
    runs: RunsOption = None,
    on: OnOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure packets that pass from one core to others, and what is done to them there.

    Transfer is the way through the queue without the cryptographic work, processing the same with
    it, and actual the difference of both. `--operations encrypt+decrypt` does both to each packet.
    The fastest library of each function is taken unless told otherwise, and every answer is
    checked. Exit code 1 when a case has failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.measure.engine import Engine
    from ciphermark.plan import packet_options, selection
    from ciphermark.record.store import Store
    from ciphermark.workloads.packets import ask_findings as packet_findings

    on_machine.refuse_files(on, library=library, kernel=kernel, breakdown=breakdown)
    if breakdown:
        _break_down(Engine(engine), algorithms, sizes, json)
        return
    question = packet_findings.question(
        sweep=sweep, break_even=break_even, terms=terms, plan=plan, rate=rate, p99=p99
    )
    chosen = selection.from_options(
        algorithms=algorithms,
        providers=providers,
        backends=backends,
        operations=operations,
        sizes=sizes,
        profile=profile,
        precision=precision,
        budget=budget,
        libraries=library,
        kernels=kernel,
    )
    chosen.loads = packet_options.from_options(
        packets=packets,
        cpus=cpus,
        cores=cores,
        keys=keys,
        lanes=lanes,
        batch=batch,
        flush=flush,
        queue=queue,
        delivery=delivery,
        architecture=architecture,
        waiting=waiting,
        key_setup=key_setup,
        priorities=priorities,
        group=group,
        rate=rate,
        in_flight=in_flight,
        offload=offload,
        offload_cpus=offload_cpus,
        duration=duration,
    )
    name, file = _plan_file(question, quick, plan)
    if output is not None:
        from ciphermark.command.report import check_output

        check_output(output)
    binary = on_machine.engine_of(engine, on, runs, json)
    built = _built(binary, file, chosen, question)
    if dry_run:
        measuring.list_cases(built, json)
        return
    store = Store.default(runs)
    kept = measuring.measure_and_keep(binary, store, built, name, measuring.header(built, json))
    with measuring.known_to_be_kept(kept):
        _show(kept, question, measuring.report_path(store, kept, output), json)
    measuring.say_how_it_ended(kept)
    raise typer.Exit(measuring.exit_code(kept))


def _plan_file(question: Question, quick: bool, plan: Path | None) -> tuple[str, PlanFile]:
    """The plan with its name; one of the user's own says itself how thorough it is."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    effort = "quick" if quick else "usual"
    if plan is not None:
        if quick:
            raise UsageError("--quick and --plan exclude each other: give one of them")
        return plan.stem, planfile.read(plan, "packets")
    if question.break_even:
        from ciphermark.workloads.packets import plan as packet_plan

        wishes = question.wishes
        return packet_plan.BREAK_EVEN, packet_plan.break_even_plan(
            effort, wishes.rate_per_s, wishes.p99_ns is not None
        )
    return question.plan, planfile.default(question.plan).at(effort)


def _built(engine: Engine, file: PlanFile, chosen: Selection, question: Question) -> Built:
    """The cases, each of the fastest library where the user named none."""
    from ciphermark.command import choosing
    from ciphermark.measure.here import here

    machine = here(engine)
    if question.break_even:
        from ciphermark.workloads.packets.plan import break_even_loads

        chosen.loads = break_even_loads(chosen.loads, machine.cpus)
    return choosing.built_of_fastest(engine, file, chosen, machine)


def _show(kept: Kept, question: Question, report: Path | None, json: bool) -> None:
    from ciphermark.workloads.packets import ask_findings as packet_findings

    found = packet_findings.findings(kept.run, kept.rows, question)
    if json:
        from ciphermark.command.output import print_json

        print_json({"run": kept.id, "rows": kept.rows} | packet_findings.document(found))
        return
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console

    console = output_console()
    workload_of(kept.run.context.workload).print_rows(console, kept.run.context, kept.rows)
    packet_findings.print_findings(console, found)
    print_footer(console, kept.id, report, _next(kept, kept.rows))


def _next(kept: Kept, rows: list[PacketRow]) -> list[str]:
    """Commands that make sense now, with what they do."""
    if kept.run.context.interrupted:
        return [f"{'ciphermark report last':<34}draws what was measured"]
    if any(row.is_measured and not row.converged for row in rows):
        return [f"{'ciphermark doctor':<34}what makes this machine unfit, and the cure"]
    return [f"{'ciphermark packets --sweep':<34}how it scales over packets, cores and batches"]


def _break_down(engine: Engine, algorithms: str | None, sizes: str | None, json: bool) -> None:
    """Counts and prints where kernels spend their instructions; measures nothing."""
    from ciphermark.plan import naming, quantities
    from ciphermark.workloads.packets.ask_breakdown import breakdown

    names = naming.algorithm_names(algorithms or "uea1,uia1", engine.describe())
    lengths = quantities.sizes(sizes or "40,1000")
    found = breakdown(engine, names, lengths)
    if json:
        from ciphermark.command.output import print_json

        print_json({"breakdown": found})
        return
    from ciphermark.show.terminal import output_console
    from ciphermark.workloads.packets.show_breakdown import print_breakdown

    print_breakdown(output_console(), found)
