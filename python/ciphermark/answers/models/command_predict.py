"""`ciphermark model predict`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.answers.models.data import SIMULATED, CostsOption, MetricOption
from ciphermark.command.options import JsonOption, RunsOption

if TYPE_CHECKING:
    from ciphermark.answers.models.observation import KnownProcessor, Observation
    from ciphermark.answers.models.observations import Observed

TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NAME|FILE",
        help="The processor: a target, or a file (TOML) with a table [processor] like a target's.",
    ),
]
LikeOption = Annotated[
    str | None,
    typer.Option("--like", metavar="NAME", help="A processor like that of a target; see --set."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=VALUE",
        help="What is different of it: multiply_bits=0, has_rotate=true; any number of times.",
    ),
]
ClockOption = Annotated[
    str | None, typer.Option("--clock", metavar="MHZ", help="Its clock: 8, 16.5.")
]
AlgorithmOption = Annotated[
    str | None, typer.Option("--algorithm", metavar="NAME", help="Of this algorithm only.")
]
OperationOption = Annotated[
    str | None, typer.Option("--operation", metavar="NAME", help="This operation only.")
]
SizesOption = Annotated[
    str | None,
    typer.Option(
        "--sizes", metavar="LIST", help="Message sizes; else of each function the one next to 64."
    ),
]
KnownOption = Annotated[
    str | None,
    typer.Option(
        "--known",
        metavar="FILE|RUN",
        help="Figures that are known: a CSV file with the columns algorithm, operation, "
        "message_bytes and cycles (or microseconds), or a run. Of the target; without one, of a "
        "new algorithm, with the column processor.",
    ),
]


def predict(
    target: TargetOption = None,
    like: LikeOption = None,
    changes: SetOption = None,
    clock: ClockOption = None,
    algorithm: AlgorithmOption = None,
    operation: OperationOption = None,
    sizes: SizesOption = None,
    known: KnownOption = None,
    data: CostsOption = SIMULATED,
    metric: MetricOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Predict what functions cost on a processor that was not measured, with an interval.

    From counts of operations and the processor's description; figures of some functions on the
    processor itself (--known) make it better. Without a processor, figures of a new algorithm on
    some known processors predict those on the others.
    """
    from ciphermark.answers.models.operations import observed_with_operations

    found = observed_with_operations(data, runs, metric)
    if target is None and like is None:
        _predict_function(found, algorithm, operation, known, json)
        return
    from ciphermark.answers.models.like import processor_of
    from ciphermark.answers.models.predictions import Wanted, predictions
    from ciphermark.plan import quantities

    processor = processor_of(target, like, changes or [], clock)
    wanted = Wanted(
        algorithm=algorithm,
        operation=operation,
        sizes=None if sizes is None else quantities.sizes(sizes),
    )
    figures = [] if known is None else _figures(found, processor, known, runs)
    answer = predictions(found, processor, figures, wanted)
    if json:
        from ciphermark.command.output import print_json

        print_json(answer)
        return
    from ciphermark.answers.models.show_predict import print_predictions
    from ciphermark.show.terminal import output_console

    print_predictions(output_console(), answer)


def _predict_function(
    found: Observed, algorithm: str | None, operation: str | None, known: str | None, json: bool
) -> None:
    """A new function on all processors."""
    from ciphermark.answers.models import known_figures
    from ciphermark.answers.models.new_function import new_function
    from ciphermark.errors import UsageError

    if algorithm is None or known is None:
        raise UsageError(
            "say of which processor: --target NAME, or --like NAME; or of which algorithm: "
            "--algorithm NAME --known FILE"
        )
    figures = [
        it
        for it in known_figures.read(Path(known), found.processors, None)
        if it.algorithm == algorithm and operation in (None, it.operation)
    ]
    if not figures:
        raise UsageError(f"--known {known} has no figure of {algorithm}: see its first column")
    answer = new_function(found, figures)
    if json:
        from ciphermark.command.output import print_json

        print_json(answer)
        return
    from ciphermark.answers.models.show_predict import print_new_function
    from ciphermark.show.terminal import output_console

    print_new_function(output_console(), answer)


def _figures(
    found: Observed, processor: KnownProcessor, known: str, runs: Path | None
) -> list[Observation]:
    """Figures of the processor itself, with the counts of their calls."""
    from ciphermark.answers.models import known_figures
    from ciphermark.answers.models.data import observed
    from ciphermark.answers.models.operation_model import operations_of
    from ciphermark.errors import UsageError

    if known.endswith(".csv") or Path(known).is_file():
        figures = known_figures.read(Path(known), {processor.name: processor}, processor.name)
    else:
        figures = observed(known, runs).of([processor.name]).observations
        if not figures:
            raise UsageError(f"--known {known} has no figures of {processor.name}")
    return known_figures.with_figures(operations_of(found), figures)
