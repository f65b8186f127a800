"""`ciphermark model feasible` and `ciphermark model require`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.answers.models.data import SIMULATED, CostsOption, MetricOption, observed
from ciphermark.answers.models.target import TargetOption, described
from ciphermark.command.options import JsonOption, RunsOption

if TYPE_CHECKING:
    from pathlib import Path

    from ciphermark.answers.models.block_points import Function
    from ciphermark.answers.models.feasible import Wanted
    from ciphermark.answers.models.message_costs import Costs
    from ciphermark.measure.targets.processor import Processor

DEFAULT_SIZE = "32"
"""About what sensor nodes send: TinyOS carried 29 bytes in a packet."""

_DEADLINE = typer.Option(
    "--deadline", metavar="TIME", help="Key setup and one message within it: 5ms, 200us."
)
DeadlineOption = Annotated[str | None, _DEADLINE]
RequiredDeadlineOption = Annotated[str, _DEADLINE]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate", metavar="N", help="Messages per second, under a key that is set up once."
    ),
]
SizeOption = Annotated[
    str, typer.Option("--size", metavar="BYTES", help="Bytes of a message: 16, 1K.")
]
FlashOption = Annotated[
    str | None,
    typer.Option(
        "--flash", metavar="BYTES", help="Room for code and tables; else what the target has."
    ),
]
RamOption = Annotated[
    str | None,
    typer.Option(
        "--ram", metavar="BYTES", help="Room for context and stack; else what the target has."
    ),
]
AlgorithmOption = Annotated[
    str, typer.Option("--algorithm", metavar="NAME", help="The algorithm that is wanted.")
]
OperationOption = Annotated[
    str | None,
    typer.Option("--operation", metavar="NAME", help="Of the algorithm; what a sender does."),
]

SENDING = ("seal", "encrypt", "keystream", "mac", "digest")


def feasible(
    target: TargetOption,
    deadline: DeadlineOption = None,
    rate: RateOption = None,
    size: SizeOption = DEFAULT_SIZE,
    flash: FlashOption = None,
    ram: RamOption = None,
    data: CostsOption = SIMULATED,
    metric: MetricOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Say which functions fit a node, by what margin, and why others do not.

    What was measured of the target counts; of what was not, a model's answer with the interval that
    its errors on known processors give. With a deadline the key is set up for each message, with a
    rate once.
    """
    from ciphermark.answers.models import feasible as questions

    processor = described(target)
    wanted = _wanted(deadline, rate, size, flash, ram, processor.processor)
    known = _costs(data, runs, metric)
    found = questions.feasible(known, processor, wanted)
    if json:
        from ciphermark.answers.models.show_feasible import document
        from ciphermark.command.output import print_json

        print_json(document(processor, wanted, found, known.notes))
        return
    from ciphermark.answers.models.show_feasible import print_feasible
    from ciphermark.show.terminal import output_console

    print_feasible(output_console(), processor, wanted, found, known.notes)


def require(
    algorithm: AlgorithmOption,
    deadline: RequiredDeadlineOption,
    operation: OperationOption = None,
    size: SizeOption = DEFAULT_SIZE,
    data: CostsOption = SIMULATED,
    metric: MetricOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Say how fast a processor must be clocked to hold a deadline.

    For words of 8, 16 and 32 bits, with a multiply instruction and without.
    """
    from ciphermark.answers.models import require as questions
    from ciphermark.plan import quantities

    seconds = quantities.seconds(deadline, "--deadline")
    message_bytes = quantities.size(size)
    known = _costs(data, runs, metric)
    function = _function(known, algorithm, operation)
    found = questions.require(known, function, message_bytes, seconds)
    if json:
        from ciphermark.answers.models.show_require import document
        from ciphermark.command.output import print_json

        print_json(document(function, message_bytes, seconds, found, known.notes))
        return
    from ciphermark.answers.models.show_require import print_require
    from ciphermark.show.terminal import output_console

    print_require(output_console(), function, message_bytes, seconds, found, known.notes)


def _costs(data: str, runs: Path | None, metric: str | None) -> Costs:
    """Those that were found, and what the better model predicts where it has what it needs."""
    from ciphermark.answers.models.message_costs import costs
    from ciphermark.answers.models.operation_model import OperationModel
    from ciphermark.command.linear_algebra import use_one_thread
    from ciphermark.errors import UsageError

    use_one_thread()
    found = observed(data, runs, metric)
    try:
        return costs(found, [OperationModel(found.in_cycles())])
    except UsageError:  # no counts of operations, or too few processors with cycles
        return costs(found)


def _wanted(
    deadline: str | None,
    rate: str | None,
    size: str,
    flash: str | None,
    ram: str | None,
    processor: Processor,
) -> Wanted:
    from ciphermark.answers.models.feasible import Wanted
    from ciphermark.errors import UsageError
    from ciphermark.plan import quantities

    if (deadline is None) == (rate is None):
        raise UsageError("say how much time there is: either --deadline 5ms or --rate 10")
    return Wanted(
        seconds=(
            quantities.seconds(deadline, "--deadline")
            if rate is None
            else 1 / quantities.amount(rate, "--rate")
        ),
        with_setup=rate is None,
        message_bytes=quantities.size(size),
        flash_bytes=_room(flash, "--flash", processor.flash_kb),
        ram_bytes=_room(ram, "--ram", processor.ram_kb),
    )


def _room(typed: str | None, option: str, kilobytes: float | None) -> int | None:
    from ciphermark.plan import quantities

    if typed is not None:
        return quantities.memory(typed, option)
    return None if kilobytes is None else round(1024 * kilobytes)


def _function(known: Costs, algorithm: str, operation: str | None) -> Function:
    """The function of that name that is known."""
    from ciphermark.plan import names

    algorithms = {it.algorithm: it.algorithm for it in known.functions}
    listing = ", ".join(algorithms)
    found = names.find(algorithm, algorithms, "cost in the data of the algorithm", listing)
    alike = {it.operation: it for it in known.functions if it.algorithm == found}
    if operation is None:
        return alike[min(alike, key=_rank)]
    chosen = names.find(operation, {it: it for it in alike}, "operation", ", ".join(alike))
    return alike[chosen]


def _rank(operation: str) -> int:
    return SENDING.index(operation) if operation in SENDING else len(SENDING)
