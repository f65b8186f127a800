"""`ciphermark packets`: packets through a queue from one core to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ciphermark.command.options import (
    BuildOptions,
    EngineOptions,
    Help,
    LoadOptions,
    OffloadOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    given,
)
from ciphermark.workloads.packets.options import PacketOptions, QuestionOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark.command.measuring import Kept
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import Effort, PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.run.engine import Engine
    from ciphermark.view.blocks import Block


def packets(
    selected: SelectionOptions,
    packets: PacketOptions,
    load: Annotated[
        LoadOptions,
        Help(
            cpus="CPUs that process packets: 0, 0-3, 0,2, physical, smt, all; repeatable for "
            "several sets. Default: one CPU and all.",
            cores="How many CPUs process packets, the first ones: 1,2,all; `each`: from one to "
            "all.",
            rate="Packets submitted per second, evenly spaced. Default: as fast as the queue "
            "takes them.",
            duration="Time for the passes of each case. Default: its share of the budget.",
        ),
    ],
    offload: OffloadOptions,
    asked: QuestionOptions,
    plan: Annotated[PlanOptions, Only("quick", "plan", "dry_run")],
    sampling: Annotated[SamplingOptions, Only("precision", "budget")],
    builds: BuildOptions,
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOptions,
) -> None:
    """Measure packets that pass from one core to others, and the work on them there.

    Transfer is the way through the queue without the cryptographic work, processing the same with
    it, and actual the difference of both. `--operations encrypt+decrypt` does both to each packet.
    By default the fastest library of each function is measured. Every answer is checked. Exit code
    1 when a case has failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.errors import UsageError
    from ciphermark.plan import selection
    from ciphermark.workloads import load_options
    from ciphermark.workloads.packets import break_even_table
    from ciphermark.workloads.packets.break_even import break_even

    on_machine.refuse_files(engine.on, **vars(builds))
    if sum((asked.sweep, asked.break_even, plan.plan is not None)) > 1:
        raise UsageError("--sweep, --break-even and --plan exclude each other: give one of them")
    if asked.break_even and load.rate is not None:
        raise UsageError("--break-even keeps the queue full: leave out --rate")
    chosen = selection.from_options(**given(selected, sampling, builds))
    chosen.loads = load_options.of_packets(packets, load, offload)
    name, file = _plan_file(asked, plan)

    def answer(kept: Kept) -> measuring.Answer:
        comparisons = break_even(kept.rows) if asked.break_even else None

        def blocks() -> Iterator[Block]:
            yield from measuring.row_blocks(kept)
            if comparisons is not None:
                yield from break_even_table.break_even_blocks(comparisons)

        document = {} if comparisons is None else break_even_table.document(comparisons)
        return measuring.Answer(blocks, document, _next(kept))

    measuring.measure_command(
        name,
        lambda binary: _built(binary, file, chosen, break_even=asked.break_even),
        answer,
        output,
        engine,
        dry_run=plan.dry_run,
    )


def _plan_file(asked: QuestionOptions, options: PlanOptions) -> tuple[str, PlanFile]:
    """Returns the plan and its name; a user's own plan sets its effort itself."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    effort: Effort = "quick" if options.quick else "usual"
    if options.plan is not None:
        if options.quick:
            raise UsageError("--quick and --plan exclude each other: give one of them")
        return options.plan.stem, planfile.read(options.plan, "packets")
    name = "packets-sweep" if asked.sweep else "packets"
    name = "packets-break-even" if asked.break_even else name
    return name, planfile.default(name).at(effort)


def _built(engine: Engine, file: PlanFile, chosen: Selection, *, break_even: bool) -> Built:
    """Returns the cases, each of the fastest library where none is named."""
    from ciphermark.run.here import here
    from ciphermark.workloads import choosing

    machine = here(engine)
    if break_even:
        from ciphermark.workloads.packets.plan import break_even_loads

        chosen.loads = break_even_loads(chosen.loads, machine.cpus)
    return choosing.built_of_fastest(engine, file, chosen, machine)


def _next(kept: Kept) -> list[tuple[str, str]]:
    """Returns the next useful commands, with their purpose."""
    if any(row.is_measured and not row.converged for row in kept.rows):
        return [("ciphermark doctor", "why this machine is unfit to measure, and the remedy")]
    return [("ciphermark packets --sweep", "how it scales over packets, cores and batches")]
