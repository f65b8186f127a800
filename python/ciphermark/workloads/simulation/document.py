"""Screen, report and exports of simulated processors: calls, boards, targets, and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.contract.others import Metric, SimulatedTarget, target_of_board
from ciphermark.record.without_engine import description
from ciphermark.run.targets.pipelines.cores import CORES
from ciphermark.run.targets.target import UNVERIFIED
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Section, Table
from ciphermark.view.column import Cell, Column, Fact, Place, count, of_text, of_words
from ciphermark.view.problems import REMARK
from ciphermark.workloads.simulation.charts import charts
from ciphermark.workloads.simulation.comparison import RatioLine, ratio_lines, verdicts
from ciphermark.workloads.simulation.row import (
    MEANINGS,
    METRICS,
    Line,
    SimulationRow,
    lines,
    metrics,
    sizes,
)
from ciphermark.workloads.single.method import timed
from ciphermark.workloads.surroundings import machine, method

if TYPE_CHECKING:
    from ciphermark.plan.simulation import Simulations
    from ciphermark.record.run import Run

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

TITLE = "Cycles or instructions of one call on simulated processors"

MEMORY = (("code", 1), ("context", 2), ("stack", 3))
"""Columns in bytes, and how soon they make room for others; sizes go before all of them."""

MOST_SIZES = 8
"""Columns of sizes in the report; the exports have all."""

NAMED = 3
"""Cases whose figures differ most between seeds that are named."""


def blocks(rows: list[SimulationRow], run: Run | None) -> Iterator[Block]:
    """Yields the figures, the boards, the charts, the targets, and the failures."""
    shown = lines(rows)
    failed = Notes.of(
        failures(rows),
        title=f"{figures.counted(sum(not it.is_measured for it in rows), 'case')} without a figure",
        anchor="failures",
        places=TERMINAL | PAGE,
    )
    if run is not None:
        yield Facts(facts=_facts(run, rows), places=PAGE)
    yield Section(title=TITLE, anchor="figures", about=_about(shown), blocks=[_table(shown, rows)])
    yield _boards(ratio_lines(rows))
    if run is None:
        yield failed
        return
    yield from charts(shown)
    yield _targets(run.targets, failed)
    yield method(run, rules(rows))
    yield replace(machine(run), title="The machine that simulated")


def plan_blocks(planned: Simulations) -> Iterator[Block]:
    """Yields the cases that would be simulated."""
    cases = figures.counted(len(planned.cases), "case")
    targets = figures.counted(len(planned.targets), "target")
    yield Notes.of([f"{cases} on {targets}: {', '.join(planned.targets)}", *planned.notes])


def page_title(run: Run) -> str:
    """Returns the title of a report: the board, the only target, or their number."""
    used = [it for it in run.targets if not it.reason]
    boards = [it for it in used if target_of_board(it.target) is not None]
    if boards:
        return f"What cryptography costs on {boards[0].title}, beside its simulation"
    if len(used) == 1:
        return f"What cryptography costs on {used[0].title}, simulated"
    return f"What cryptography costs on {len(used)} simulated processors"


def _about(shown: list[Line]) -> str:
    more = len(sizes(shown)) - MOST_SIZES
    return (
        "Key setup is that of the operation; the time is at the target's clock, and instructions "
        "have none. Memory is the most of the key setup and the operation. Click a heading to "
        "sort." + (f" {more} further sizes are in the exports." if more > 0 else "")
    )


def _table(shown: list[Line], rows: list[SimulationRow]) -> Table[Line]:
    return Table(
        title=TITLE,
        columns=list(columns(shown)),
        rows=shown,
        section=lambda line: f"{line.first.target}, {METRICS[line.metric]}",
        legend=[Note(sentence, REMARK) for sentence in remarks(rows)],
        filter="cortex aes",
    )


def columns(shown: list[Line]) -> Iterator[Column[Line]]:
    """Yields the cost of a call by message size, and its memory."""
    yield of_words("Target", lambda line: line.first.target, places=PAGE, kind="name")
    yield of_words("Figures", lambda line: METRICS[line.metric], places=PAGE)
    yield of_words(
        "Algorithm", lambda line: line.first.algorithm, "function", page_heading="Function"
    )
    yield of_words("Operation", lambda line: line.operation, "\n", page_heading="Operation")
    yield of_words("Backend", lambda line: line.first.backend, "kernel", page_heading="Kernel")
    call = "cycles or instructions of a call\n"
    yield Column("key setup", Line.of_setup, "key\nsetup", count, page_heading=call + "key setup")
    present = sizes(shown)
    for size, rank in zip(present, ranks(len(present)), strict=True):
        yield _of_size(
            size,
            rank,
            partial(Line.at, message_bytes=size),
            count,
            page_heading=call + figures.message_size(size),
            places=EXPORT | TERMINAL | (PAGE if rank < MOST_SIZES else Place(0)),
        )
    if present:
        # The largest is always among those of the report.
        largest = f"at {figures.message_size(present[-1])}\n"
        for head, name in (("per byte", "value_per_byte"), ("µs", "microseconds")):
            yield Column("", _of_call(present[-1], name), largest + head, places=PAGE)
    for name, dispensable in MEMORY:
        yield Column(
            f"{name} bytes",
            partial(Line.most, name=f"{name}_bytes"),
            f"{name}\nbytes",
            count,
            page_heading=f"bytes of\n{name}",
            dispensable=dispensable,
            called=f"bytes of {name}",
        )


def _of_size(size: int, rank: int, value: Any, form: Any, **fields: Any) -> Column[Any]:  # noqa: ANN401
    """Returns the column of a size; the smallest and the largest never make room for others."""
    dispensable = len(MEMORY) + rank if rank > 1 else 0
    more: dict[str, Any] = {"dispensable": dispensable, "called": "further sizes"}
    return Column(figures.message_size(size), value, form=form, **more | fields)


def ranks(sizes: int) -> list[int]:
    """Returns the rank of each size, so that the first ranks are spread evenly.

    The smallest comes first, then the largest, then always the middle of the widest gap.
    """
    chosen = [0, sizes - 1] if sizes > 1 else [0] * sizes
    while len(chosen) < sizes:
        ordered = sorted(chosen)
        gaps = list(zip(ordered, ordered[1:], strict=False))
        low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
        chosen.append((low + high) // 2)
    return [chosen.index(place) for place in range(sizes)]


def _of_call(message_bytes: int, name: str) -> Callable[[Line], float | None]:
    """Returns a function that reads a field of the call whose figure is shown."""

    def value(line: Line) -> float | None:
        median = line.at(message_bytes)
        calls = (row for row in line.own if row.message_bytes == message_bytes)
        return next((getattr(row, name) for row in calls if row.value == median), None)

    return value


def _boards(ratios: list[RatioLine]) -> Section:
    present = {cell.message_bytes for line in ratios for cell in line.cells}
    in_order = sorted(size for size in present if size is not None)
    return Section(
        title="The board over its simulation",
        anchor="boards",
        about="Cycles that the processor has counted on a board over the figure of the same call "
        "in its simulation; where that counts instructions, cycles per instruction.",
        blocks=[
            Table(
                columns=[
                    of_words("Target", lambda line: line.target, kind="name"),
                    of_words("Function", lambda line: line.function),
                    of_words("Operation", lambda line: line.operation),
                    Column("key setup", lambda line: line.at(None), form=_times),
                    *(
                        _of_size(size, rank, partial(RatioLine.at, message_bytes=size), _times)
                        for size, rank in zip(in_order, ranks(len(in_order)), strict=True)
                    ),
                ],
                rows=ratios,
            )
        ],
        places=TERMINAL | PAGE,
    )


def _times(value: float, separator: str) -> str:
    return figures.times(value)


def _facts(run: Run, rows: list[SimulationRow]) -> list[Fact]:
    measured = [row for row in rows if row.is_measured]
    missing = sum(bool(it.reason) for it in run.targets)
    failed = len(rows) - len(measured)
    # Rows of one operation have the same vectors.
    vectors = {(it.target, it.algorithm, it.backend, it.operation): it for it in measured}
    passed = sum(row.vectors_passed for row in vectors.values())
    kinds = [METRICS[it] for it in metrics(rows)]
    one = len(kinds) < 2
    return [
        Fact(
            "Targets",
            str(len(run.targets) - missing),
            f"{missing} without tools here" if missing else "all that were asked for",
        ),
        Fact(
            "Algorithms",
            str(len({row.algorithm for row in measured})),
            figures.counted(len(measured), "figure"),
        ),
        Fact(
            "Figures" if one else "Kinds of figures",
            (kinds[0] if kinds else "none") if one else str(len(kinds)),
            "on all targets" if one else ", ".join(kinds),
        ),
        Fact("Vectors passed", figures.grouped(passed), "on the targets themselves"),
        Fact(
            "Without a figure", figures.grouped(failed), f"of {figures.counted(len(rows), 'case')}"
        ),
        Fact("Took", f"{run.context.elapsed_s:.0f} s", f"on {run.context.cpu_name}"),
    ]


def _targets(targets: Sequence[SimulatedTarget], failed: Notes) -> Section:
    missing = (f"{it.title} ({it.target}): {it.reason}" for it in targets if it.reason)
    return Section(
        title="The targets",
        anchor="targets",
        about="How each was compiled and run, what it was taken to be, and where that is from. "
        "“unverified” is what has not been looked up yet.",
        blocks=[
            *(_target(it) for it in targets if not it.reason),
            Notes.of(missing, title="Not simulated here"),
            failed,
        ],
        places=PAGE,
    )


class Parameter(NamedTuple):
    """Fact of a target's file with its source."""

    name: str
    value: str
    source: str

    @property
    def is_verified(self) -> bool:
        return UNVERIFIED not in self.source


PARAMETERS: list[Column[Parameter]] = [
    of_words("Parameter", lambda it: it.name),
    of_text("Value", lambda it: it.value),
    of_words(
        "Source", lambda it: it.source if it.is_verified else Cell(it.source, mark="unsettled")
    ),
]


def _target(target: SimulatedTarget) -> Section:
    """Returns the stored file of a target; an anonymous run has none."""
    made = {"Compiler": target.compiler, "Flags": target.flags, "Runner": target.runner}
    processor = description(target).get("processor")
    parameters: list[Parameter] = []
    title, remark = f"{target.title} ({target.target})", ""
    if processor is None:
        remark = "No description of the processor is stored."
    else:
        is_board = target_of_board(target.target) is not None
        metric: Metric = "cycles-measured" if is_board else processor["metric"]
        made = {"Figures": f"{METRICS[metric]}: {MEANINGS[metric]}"} | made
        core = CORES.get(processor.get("pipeline"))
        if core is not None and core.limits and not is_board:
            remark = f"The model of its pipeline takes for granted: {core.limits}."
        parameters = [
            Parameter(name, _written(_value(processor, name)), source)
            for name, source in processor["sources"].items()
        ]
        width, clock = processor["bus_width_bits"], processor["clock_mhz"]
        title += f": {width} bits, {clock:g} MHz, {METRICS[metric]}"
    unverified = sum(not it.is_verified for it in parameters)
    if unverified:
        title += f", {unverified} of {len(parameters)} parameters unverified"
    return Section(
        title=title,
        anchor=f"target-{target.target}",
        blocks=[
            Facts.of({name: value for name, value in made.items() if value}),
            Notes.of([remark] if remark else []),
            Table(columns=PARAMETERS, rows=parameters),
        ],
        folded=True,
    )


def _value(processor: dict[str, Any], name: str) -> Any:  # noqa: ANN401
    """Returns the value of `clock_mhz`, or of a field of a table, such as `cycles.load`."""
    table, _, field = name.rpartition(".")
    return (processor[table] if table else processor)[field]


def _written(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else figures.grouped(value)


def failures(rows: Iterable[SimulationRow]) -> Iterator[str]:
    """Yields each reason once for a target, with the algorithms without a figure."""
    alike: dict[tuple[str, str], list[SimulationRow]] = {}
    for row in rows:
        if row.error is not None:
            alike.setdefault((row.target, row.error.message), []).append(row)
    for (target, why), own in alike.items():
        named = ", ".join(dict.fromkeys(row.algorithm for row in own))
        yield f"{named} on {target}, {figures.counted(len(own), 'case')}: {why}"


def remarks(rows: Iterable[SimulationRow]) -> Iterator[str]:
    """Yields the meaning of the figures, and of several kinds and several seeds."""
    measured = [row for row in rows if row.is_measured]
    if measured:
        yield (
            "figures are of one call of a kernel in portable C, beyond a call that does nothing; "
            "code is the flash of the algorithm linked alone, context the memory of a key, stack "
            "the bytes that a call needs below its caller"
        )
    present = [it for it in metrics(measured) if it != "cycles-measured"]  # compared below
    if len(present) > 1:
        *others, last = (METRICS[it] for it in present)
        named = f"{', '.join(others)} and {last}"
        yield f"{named} are not comparable with each other; each target has one of them"
    yield from verdicts(measured)
    seeds = len({row.seed for row in measured})
    if seeds > 1:
        yield from _spreads(measured, seeds)


def _spreads(rows: list[SimulationRow], seeds: int) -> Iterator[str]:
    """Yields how much figures depend on key, nonce and message, for real-time systems."""
    cases: dict[tuple[object, ...], list[SimulationRow]] = {}
    for row in rows:
        key = (row.target, row.algorithm, row.backend, row.operation, row.keyed_for)
        cases.setdefault((*key, row.message_bytes), []).append(row)
    spreads = [_Spread.of(own) for own in cases.values()]
    differing = sorted((it for it in spreads if it.share > 0), key=lambda it: -it.share)
    kept = len(spreads) - len(differing)
    yield (
        f"figures are medians over {seeds} seeds of key, nonce and message; "
        f"{figures.grouped(kept)} of {figures.counted(len(spreads), 'case')} cost the same for all"
    )
    for it in differing[:NAMED]:
        yield it.sentence
    if len(differing) > NAMED:
        yield f"{figures.counted(len(differing) - NAMED, 'other case')} depend on the seed less"


class _Spread(NamedTuple):
    """Extremes of one case over seeds."""

    row: SimulationRow
    low: int
    high: int

    @classmethod
    def of(cls, rows: list[SimulationRow]) -> _Spread:
        values = [row.value for row in rows if row.value is not None]
        return cls(rows[0], min(values), max(values))

    @property
    def share(self) -> float:
        return self.high / self.low - 1 if self.low else 0.0

    @property
    def sentence(self) -> str:
        row = self.row
        size = "" if row.message_bytes is None else f" of {figures.message_size(row.message_bytes)}"
        return (
            f"{row.algorithm} {row.operation}{size} on {row.target} depends on the seed: "
            f"{figures.grouped(self.low)} to {figures.grouped(self.high)}, "
            f"{figures.percent(self.share)} more"
        )


def rules(rows: list[SimulationRow]) -> dict[str, str]:
    """Returns the heading and the paragraph of each rule of counting."""
    kinds = "; ".join(f"{METRICS[it]}: {MEANINGS[it]}" for it in metrics(rows))
    operations = "; ".join(f"{name}: {what}" for name, what in timed(rows).items())
    return {
        "What is counted": (
            "The kernel alone, called once. Each call is made twice, first with a kernel that "
            "does nothing; the figure is the difference, so it excludes the cost of calling. "
            f"{operations}."
        ),
        "What a figure is": (
            f"{kinds}. Figures of different kinds are never compared. The models assume that "
            "code and data lie in the nearest memory: they leave out caches, write buffers and "
            "wait states of flash."
        ),
        "Answers": (
            "The test vectors of each function pass on the target before it is counted. Keys, "
            "nonces and messages are made from a seed on the target, and a digest of each "
            "call's output is compared with that of this machine, since a wrong program has "
            "plausible counts too. A case that fails has no figure."
        ),
        "Memory": (
            "Code is the flash that the algorithm takes when it is linked alone with all that "
            "it needs, the compiler's library included; context is the memory of a key; stack "
            "is how far below its caller a call writes."
        ),
        "Repetition": "The same input gives the same numbers: there is no noise and no interval.",
    }
