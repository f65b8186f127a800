"""`ciphermark model …`: questions to the models of processors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.answers.models.sources import (
    REPORT_BYTES,
    TARGET,
    DataOption,
    DataOptions,
    MetricOption,
    observed,
)
from ciphermark.command.options import JsonOption, RunsOption, flag, grouped, option
from ciphermark.command.output import print_answer
from ciphermark.errors import UsageError, WorkError
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ciphermark import contract
    from ciphermark.answers.models.block_model import Rule
    from ciphermark.answers.models.costs import Costs, FunctionCosts
    from ciphermark.answers.models.feasible import Feasibility, Wanted
    from ciphermark.answers.models.observations import Function, Observation, Observed
    from ciphermark.answers.models.processors import KnownProcessor
    from ciphermark.answers.protocols.protocols import Protocol
    from ciphermark.command.additions import ReportPart
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.run.targets.target import Processor
    from ciphermark.workload import AnyRows


RuleOption = Annotated[
    str | None,
    option(
        "RULE",
        "How the blocks of a hash are counted: printed (an empty message has none) or padded (as "
        "the function pads). Default: both.",
        "--rule",
    ),
]


def fit(
    data: DataOption = "sensor-2003",
    rule: RuleOption = None,
    metric: MetricOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Fit the paper's model of blocks, and print its parameters beside the published ones.

    By this model a message takes (a + b·blocks) / (clock · bus width). It is fitted to all
    processors of the data at once, by the least relative error; its error on them is printed too.
    """
    from ciphermark.answers.models import fits, sensor_2003

    fitted = fits.fit_model(
        observed(data, runs, metric).modelled(),
        sensor_2003.parameters(),
        sensor_2003.adjustments(),
        _rules(rule),
    )
    print_answer(json, lambda: fits.document(fitted), lambda: fits.blocks(fitted))


def _rules(typed: str | None) -> Sequence[Rule]:
    from ciphermark.answers.models.block_model import RULES
    from ciphermark.plan import names

    if typed is None:
        return RULES
    named = names.find(typed, {it: it for it in RULES}, "rule", ", ".join(RULES))
    return [it for it in RULES if it == named]


def backtest(
    basis: DataOptions,
) -> None:
    """Measure the error of both models for processors and algorithms that they have not seen.

    Each processor is left out in turn and predicted from the others, by the paper's model of blocks
    and by that of operations; then each algorithm. A few measured functions of the processor
    improve the model of operations: the output has the gain, and the functions to measure first.
    """
    from ciphermark.answers.models.sources import observed_with_operations

    data = observed_with_operations(basis.data, basis.runs, basis.metric)
    from ciphermark.answers.models.backtests import backtests
    from ciphermark.answers.models.predictions import backtest_blocks

    tested = backtests(data)
    print_answer(basis.json, lambda: tested, lambda: backtest_blocks(tested))


@dataclass
class PredictOptions:
    """The processor and the functions that are predicted."""

    target: Annotated[str | None, TARGET] = None
    like: Annotated[
        str | None, option("NAME", "A processor that equals this target except for --set.")
    ] = None
    changes: Annotated[
        list[str] | None,
        option(
            "FIELD=VALUE",
            "A property that differs: multiply_bits=0, has_rotate=true; repeatable.",
            "--set",
        ),
    ] = None
    clock: Annotated[str | None, option("MHZ", "Its clock in MHz: 8, 16.5.")] = None
    algorithm: Annotated[str | None, option("NAME", "Only this algorithm.")] = None
    operation: Annotated[str | None, option("NAME", "This operation only.")] = None
    sizes: Annotated[
        str | None,
        option(
            "LIST",
            "Message sizes in bytes. Default: the stored size of each function nearest to 64.",
        ),
    ] = None
    known: Annotated[
        str | None,
        option(
            "FILE|RUN",
            "Known figures of the target: a CSV file with the columns algorithm, operation, "
            "message_bytes and cycles (or microseconds), or a run. Without a target: figures of a "
            "new algorithm, with the column processor.",
        ),
    ] = None


def predict(asked: PredictOptions, basis: DataOptions) -> None:
    """Predict the cost of functions on a processor that was not measured, with an interval.

    It uses counts of operations and the processor's description; figures of some functions on the
    processor itself (--known) improve it. Without a processor, figures of a new algorithm on some
    known processors predict those on the others.
    """
    from ciphermark.answers.models.processors import processor_of
    from ciphermark.answers.models.sources import observed_with_operations
    from ciphermark.plan import quantities

    if asked.target is None and asked.like is None:
        _predict_function(asked, basis)
        return
    # A name that nothing has is refused before simulations are asked for.
    processor = processor_of(asked.target, asked.like, asked.changes or [], asked.clock)
    data = observed_with_operations(basis.data, basis.runs, basis.metric)
    from ciphermark.answers.models.predictions import Wanted, prediction_blocks, predictions

    wanted = Wanted(
        algorithm=asked.algorithm,
        operation=asked.operation,
        sizes=None if asked.sizes is None else quantities.sizes(asked.sizes),
    )
    figures = []
    if asked.known is not None:
        figures = _figures(data, processor, asked.known, basis.runs)
    answer = predictions(data, processor, figures, wanted)
    print_answer(basis.json, lambda: answer, lambda: prediction_blocks(answer))


def _predict_function(asked: PredictOptions, basis: DataOptions) -> None:
    """Predicts a new function on all processors."""
    from ciphermark.answers.models.new_function import new_function
    from ciphermark.answers.models.predictions import new_function_blocks, read_figures
    from ciphermark.answers.models.sources import observed_with_operations

    if asked.algorithm is None or asked.known is None:
        raise UsageError(
            "say of which processor: --target NAME, or --like NAME; or of which algorithm: "
            "--algorithm NAME --known FILE"
        )
    data = observed_with_operations(basis.data, basis.runs, basis.metric)
    figures = [
        it
        for it in read_figures(Path(asked.known), data.processors, None)
        if it.algorithm == asked.algorithm and asked.operation in (None, it.operation)
    ]
    if not figures:
        raise UsageError(
            f"--known {asked.known} has no figure of {asked.algorithm}: see its first column"
        )
    answer = new_function(data, figures)
    print_answer(basis.json, lambda: answer, lambda: new_function_blocks(answer))


def _figures(
    found: Observed, processor: KnownProcessor, known: str, runs: str | None
) -> list[Observation]:
    """Returns figures of the processor itself, with the counts of their calls."""
    from ciphermark.answers.models import predictions
    from ciphermark.answers.models.operation_model import operations_of
    from ciphermark.answers.models.sources import observed

    if known.endswith(".csv") or Path(known).is_file():
        figures = predictions.read_figures(Path(known), {processor.name: processor}, processor.name)
    else:
        figures = observed(known, runs).modelled().of([processor.name]).observations
        if not figures:
            raise UsageError(f"--known {known} has no figures of {processor.name}")
    return predictions.with_operations(operations_of(found), figures)


DEFAULT_SIZE = str(REPORT_BYTES)

_DEADLINE = typer.Option(
    "--deadline", metavar="TIME", help="Time for key setup and one message: 5ms, 200us."
)
DeadlineOption = Annotated[str | None, _DEADLINE]
RequiredDeadlineOption = Annotated[str, _DEADLINE]
RateOption = Annotated[
    str | None, option("N", "Messages per second, under a key that is set up once.", "--rate")
]
SizeOption = Annotated[str, option("BYTES", "Bytes of a message: 16, 1K.", "--size")]
FlashOption = Annotated[
    str | None,
    option("BYTES", "Bytes of flash for code and tables. Default: the target's.", "--flash"),
]
RamOption = Annotated[
    str | None,
    option("BYTES", "Bytes of RAM for context and stack. Default: the target's.", "--ram"),
]
ConstantTimeOption = Annotated[
    bool, flag("Only kernels whose time does not depend on secrets.", "--constant-time")
]
ProtocolOption = Annotated[
    str | None,
    option(
        "NAMES|all",
        "Packets of these protocols instead of functions (ciphermark list protocols); --size is "
        "the payload.",
        "--protocol",
    ),
]
WantedAlgorithmOption = Annotated[str, option("NAME", "The algorithm.", "--algorithm")]
WantedOperationOption = Annotated[
    str | None,
    option("NAME", "The operation of the algorithm. Default: the sender's.", "--operation"),
]

SENDING = ("seal", "encrypt", "keystream", "mac", "digest")


@dataclass
class WantedOptions:
    """What a node must hold."""

    deadline: DeadlineOption = None
    rate: RateOption = None
    size: SizeOption = DEFAULT_SIZE
    flash: FlashOption = None
    ram: RamOption = None
    constant_time: ConstantTimeOption = False


def feasible(
    target: Annotated[str, TARGET],
    asked: WantedOptions,
    basis: DataOptions,
    protocol: ProtocolOption = None,
) -> None:
    """Say which functions fit a node, by what margin, and why others do not.

    Of several kernels of a function the fastest that fits the memory is taken and named. Measured
    figures of the target come first; a model predicts the others, with an interval from
    its errors on known processors. With a deadline the key is set up for each message, with a rate
    once. With --protocol the packets of protocols are judged instead, with keys that are set up
    before.
    """
    from ciphermark.answers.models import feasible as questions
    from ciphermark.answers.models import kernels
    from ciphermark.answers.models.costs import FunctionCosts, Room
    from ciphermark.answers.models.processors import described
    from ciphermark.answers.protocols import protocols

    processor = described(target)
    wanted = _wanted(asked, processor.processor)
    if protocol is not None:
        wanted = wanted._replace(with_setup=False)
    known = _costs(basis)
    refused = kernels.not_constant_time() if wanted.constant_time else ()
    own = FunctionCosts(known, processor, Room(wanted.flash_bytes, wanted.ram_bytes, refused))
    ciphers: set[str] = set()
    if protocol is not None:
        chosen = protocols.named(protocol)
        ciphers = {it.cipher for it in chosen}
        judged, notes = _packets(chosen, processor, wanted, own)
    else:
        judged = questions.feasible(known, processor, wanted, _statuses(), refused)
        algorithms = {it.algorithm for it in known.functions} - {it.algorithm for it in judged}
        notes = [*kernels.left_out(algorithms), *kernels.depending_on_secrets(judged)]
    notes += [*kernels.to_simulate(own, ciphers), *known.notes]
    print_answer(
        basis.json,
        lambda: questions.document(processor, wanted, judged, notes),
        lambda: questions.feasible_blocks(processor, wanted, judged, notes),
    )


def _packets(
    chosen: Sequence[Protocol],
    processor: KnownProcessor,
    wanted: Wanted,
    costs: FunctionCosts,
) -> tuple[list[Feasibility], list[str]]:
    """Returns the protocols' packets, and a sentence for each that has no cost."""
    from ciphermark.answers.protocols.feasible import KEYS, feasible_packets

    judged: list[Feasibility] = []
    left_out: list[str] = []
    for protocol in chosen:
        try:
            judged += feasible_packets(protocol, processor, wanted, costs)
        except UsageError as error:
            left_out.append(str(error))
    if not judged:
        raise UsageError(left_out[0])
    return judged, [KEYS, *left_out]


def require(
    *,
    algorithm: WantedAlgorithmOption,
    deadline: RequiredDeadlineOption,
    operation: WantedOperationOption = None,
    size: SizeOption = DEFAULT_SIZE,
    basis: DataOptions,
) -> None:
    """Compute the clock that a processor needs to meet a deadline.

    It prints a line for each word size (8, 16, 32 bits), with a multiply instruction and without.
    """
    from ciphermark.answers.models import feasible as questions
    from ciphermark.plan import quantities

    seconds = quantities.seconds(deadline, "--deadline")
    message_bytes = quantities.size(size)
    known = _costs(basis)
    function = _function(known, algorithm, operation)
    required = questions.Required(
        algorithm=function.algorithm,
        operation=function.operation,
        message_bytes=message_bytes,
        deadline_s=seconds,
        processors=questions.require(known, function, message_bytes, seconds),
        notes=known.notes,
    )
    print_answer(basis.json, lambda: required, lambda: questions.require_blocks(required))


def _statuses() -> dict[str, str]:
    """Returns the security status of each algorithm; empty without an engine."""
    from ciphermark.run import caches
    from ciphermark.run.engine import Engine

    try:
        return {it.name: it.status for it in caches.algorithms(Engine())}
    except (OSError, UsageError, WorkError):
        return {}


def _costs(basis: DataOptions) -> Costs:
    """Returns the known costs, with those of the better model if it can be fitted."""
    from ciphermark.answers.models.costs import costs
    from ciphermark.answers.models.operation_model import OperationModel

    data = observed(basis.data, basis.runs, basis.metric)
    try:
        return costs(data, [OperationModel(data.in_cycles().modelled())])
    except UsageError:  # no counts of operations, or too few processors with cycles
        return costs(data)


def _wanted(asked: WantedOptions, processor: Processor) -> Wanted:
    from ciphermark.answers.models.costs import Room
    from ciphermark.answers.models.feasible import Wanted
    from ciphermark.plan import quantities

    if (asked.deadline is None) == (asked.rate is None):
        raise UsageError("name the time available: either --deadline 5ms or --rate 10")
    if asked.deadline is not None:
        seconds = quantities.seconds(asked.deadline, "--deadline")
    else:
        seconds = 1 / quantities.amount(asked.rate or "", "--rate")
    room = Room(_room(asked.flash, "--flash"), _room(asked.ram, "--ram")).or_of(processor)
    return Wanted(
        seconds=seconds,
        with_setup=asked.deadline is not None,
        message_bytes=quantities.size(asked.size),
        flash_bytes=room.flash_bytes,
        ram_bytes=room.ram_bytes,
        constant_time=asked.constant_time,
    )


def _room(typed: str | None, option: str) -> int | None:
    from ciphermark.plan import quantities

    return None if typed is None else quantities.memory(typed, option)


def _function(known: Costs, algorithm: str, operation: str | None) -> Function:
    """Returns the known function of that name."""
    from ciphermark.plan import names

    algorithms = {it.algorithm: it.algorithm for it in known.functions}
    listing = ", ".join(algorithms)
    name = names.find(algorithm, algorithms, "cost in the data of the algorithm", listing)
    alike = {it.operation: it for it in known.functions if it.algorithm == name}
    if operation is None:
        return alike[min(alike, key=_rank)]
    chosen = names.find(operation, {it: it for it in alike}, "operation", ", ".join(alike))
    return alike[chosen]


def _rank(operation: str) -> int:
    return SENDING.index(operation) if operation in SENDING else len(SENDING)


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Predict what functions cost on processors that were not measured.",
)

app.command("fit")(fit)
app.command("predict")(grouped(predict))
app.command("backtest")(grouped(backtest))
app.command("feasible")(grouped(feasible))
app.command("require")(grouped(require))


def report_part(
    run: Run, rows: AnyRows, facts: Sequence[contract.Algorithm] | None, store: Store | None
) -> ReportPart:
    """Returns the errors of both models, in the report of a run of simulated processors."""
    from ciphermark.command.additions import ReportPart

    if not workload_of(run.context.workload).simulated:
        return ReportPart()
    from ciphermark.answers.models.backtests import model_tests
    from ciphermark.answers.models.report import blocks

    return ReportPart(after=blocks(model_tests(run)))
