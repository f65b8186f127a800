"""`ciphermark simulate`: kernels on processors that are not here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.linear_algebra import use_one_thread
from ciphermark.command.options import EngineOption, Only, OutputOptions, SelectionOptions
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from pathlib import Path

    from ciphermark.command.measuring import Kept
    from ciphermark.plan.simulation import Simulations

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="Targets, comma-separated, or `all`; `ciphermark list targets` lists them.",
    ),
]
SeedsOption = Annotated[
    int,
    typer.Option(
        "--seeds", min=1, max=10_000, help="So many random keys and messages of each case."
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say what would be simulated.")]


def simulate(
    target: TargetArgument,
    *,
    selected: Annotated[SelectionOptions, Only("algorithms", "backends", "operations", "sizes")],
    seeds: SeedsOption = 1,
    dry_run: DryRunOption = False,
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOption = None,
) -> None:
    """Count the cycles of our kernels on processors that you do not have.

    The kernels are compiled for each target, answer their test vectors on it, and are then called
    once for each size. Figures are simulated cycles, cycles by a model of the pipeline, or
    instructions, and labelled so. The same input gives the same numbers. Exit code 1 when a case
    has failed; a target whose tools are missing is named and left out.
    """
    use_one_thread()
    from ciphermark.command import measuring
    from ciphermark.measure.engine import Engine
    from ciphermark.measure.targets.target import simulated
    from ciphermark.plan import simulation
    from ciphermark.record.store import Store
    from ciphermark.workloads.simulation import simulating

    if output.output is not None:
        from ciphermark.command.report import check_output

        check_output(output.output)
    chosen = simulation.find_targets(target, [it.name for it in simulated()])
    binary = Engine(engine)
    planned = simulation.plan(
        binary.describe(),
        chosen,
        algorithms=selected.algorithms,
        operations=selected.operations,
        backends=selected.backends,
        sizes=selected.sizes,
        seeds=seeds,
    )
    if dry_run:
        _list(planned, output.json)
        return
    store = Store.default(output.runs)
    kept = simulating.simulate_and_keep(binary, store, planned)
    with measuring.known_to_be_kept(kept):
        report = measuring.report_path(store, kept, output.output)
        if output.json:
            from ciphermark.command.output import print_json

            print_json({"run": kept.id, "rows": kept.rows, "targets": kept.run.targets})
        else:
            _show(kept, report)
    measuring.say_how_it_ended(kept)
    raise typer.Exit(simulating.exit_code(kept))


def _show(kept: Kept, report: Path | None) -> None:
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console

    console = output_console()
    workload_of(kept.run.context.workload).print_rows(console, kept.run.context, kept.rows)
    print_footer(
        console,
        kept.id,
        report,
        [f"{'ciphermark model fit --data last':<34}a model of these figures, and its error"],
    )


def _list(planned: Simulations, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json

        print_json({"cases": planned.cases, "notes": planned.notes})
        return
    from ciphermark.show.terminal import output_console
    from ciphermark.workloads.simulation.columns import print_plan

    print_plan(output_console(), planned)
