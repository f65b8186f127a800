"""`ciphermark simulate`: kernels on processors that are not here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    EngineOption,
    Only,
    OutputOptions,
    SelectionOptions,
    flag,
    option,
)
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ciphermark.command.measuring import Kept
    from ciphermark.plan.simulation import Simulations

TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[TARGET]",
        help="Targets, comma-separated, or `all`; `ciphermark list targets` lists them.",
    ),
]
SeedsOption = Annotated[
    int,
    typer.Option(
        "--seeds", min=1, max=10_000, help="Number of random keys and messages for each case."
    ),
]
TargetOption = Annotated[
    str | None,
    option(
        "NAME", "Another way to name the target; with --serial the target of the board.", "--target"
    ),
]
SerialOption = Annotated[
    str | None,
    option(
        "DEVICE",
        "Also measure on the board at this serial port, and compare: /dev/ttyACM0.",
        "--serial",
    ),
]
FlashOption = Annotated[
    bool, flag("With --serial: first flash the image with the target's own commands.", "--flash")
]
FlagsOption = Annotated[
    list[str] | None,
    option(
        "FLAGS",
        "Compile with these flags too, in place of the target's -O2: --flags='-O3 -funroll-loops'; "
        "repeatable.",
        "--flags",
    ),
]
DryRunOption = Annotated[bool, flag("Only print the cases that would be simulated.", "--dry-run")]


def simulate(
    target: TargetArgument = None,
    *,
    named: TargetOption = None,
    serial: SerialOption = None,
    flash: FlashOption = False,
    flags: FlagsOption = None,
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

    With --serial a board with the target's processor does the same and counts its own cycles, which
    are printed beside the simulated ones. They are recorded only if all of them arrive.
    """
    from ciphermark.command import measuring
    from ciphermark.plan import simulation
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.run.targets.target import simulated, with_flags
    from ciphermark.workloads.simulation import simulating

    if output.output is not None:
        from ciphermark.command.report import check_output

        check_output(output.output)
    chosen = simulation.find_targets(
        _one_of(target, named), [described.name for described in simulated()]
    )
    chosen += [with_flags(name, it) for it in flags or () for name in chosen]
    _check_serial(chosen, serial, flash)
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
    board = None if serial is None else simulating.Serial(serial, flash)
    kept = simulating.simulate_and_keep(binary, store, planned, board)
    with measuring.known_to_be_kept(kept):
        report = measuring.report_path(store, kept, output.output)
        if output.json:
            from ciphermark.command.output import print_json
            from ciphermark.workloads.simulation.comparison import compared

            document = {"run": kept.id, "rows": kept.rows, "targets": kept.run.targets}
            if serial is not None:
                document["compared"] = compared(kept.rows)
            print_json(document)
        else:
            _show(kept, report)
    measuring.say_how_it_ended(kept)
    raise typer.Exit(simulating.exit_code(kept))


def _one_of(argument: str | None, option: str | None) -> str:
    if (argument is None) == (option is None):
        raise UsageError(
            "name the target once, as in: ciphermark simulate cortex-m4; see: "
            "ciphermark list targets"
        )
    return argument or option or ""


def _check_serial(targets: list[str], serial: str | None, flash: bool) -> None:
    if flash and serial is None:
        raise UsageError("--flash goes with --serial DEVICE, the port of the board")
    if serial is not None and len(targets) > 1:
        raise UsageError(
            f"--serial {serial} is one board, and {len(targets)} targets are named: choose its own "
            "without --flags"
        )


def _show(kept: Kept, report: Path | None) -> None:
    from ciphermark.command.measuring import aligned
    from ciphermark.view.frame import print_footer, row_blocks
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    console = output_console()
    show(console, row_blocks(kept.run.context, kept.rows))
    print_footer(console, kept.id, report, aligned(_next_commands(kept)))


def _next_commands(kept: Kept) -> list[tuple[str, str]]:
    """Returns commands that use these figures; of several targets for the first one."""
    target = kept.rows[0].target.partition("@")[0]
    return [
        (
            f"ciphermark model feasible --target {target} --deadline 5ms",
            "which functions fit its flash, RAM and time",
        ),
        ("ciphermark model fit --data last", "a model of these figures, and its error"),
    ]


def _list(planned: Simulations, json: bool) -> None:
    from ciphermark.command.output import print_answer
    from ciphermark.workloads.simulation.document import plan_blocks

    document = {"cases": planned.cases, "notes": planned.notes}
    print_answer(json, lambda: document, lambda: plan_blocks(planned))
