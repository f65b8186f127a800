"""The paper's model on one source of observations, beside what is printed of it.

The refinements are its equations (2) and (3): a = a_base + a_mul + a_risc, and so b. An adjustment
is what the parameters of a group of processors differ by from those of all, the base. The paper
prints them for processors with and without a multiply instruction, and for RISC and CISC. The base
is the printed one where the observations give it back, as it will have been for the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from ciphermark.answers.models import block_model
from ciphermark.answers.models.block_model import (
    RULES,
    BlockFit,
    Blocks,
    Cell,
    Errors,
    Parameters,
    Point,
    Rule,
    function_blocks,
    points,
)
from ciphermark.answers.models.observations import Function, Observed
from ciphermark.run.targets.target import Processor
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Headline, Notes, Section, Table
from ciphermark.view.column import Column, of_text, of_words

REFITTED_WITHIN = 0.03
"""How near a refitted parameter must be to count as given back: Table 3 is rounded to microseconds,
of which some cells have two or three."""


class PublishedFit(NamedTuple):
    """A row of a printed table of parameters."""

    function: str
    """As it is printed."""
    algorithm: str
    operation: str
    a: float
    """Cycles·bits."""
    b: float
    """Per block of `block_bits`."""
    block_bits: int

    def per_block_of(self, bits: int) -> Parameters:
        """Returns the same cost per bit, in blocks of another length."""
        return Parameters(self.a, self.b * bits / self.block_bits)


class ComparedFit(BlockFit, kw_only=True):
    """A fit with the printed parameters beside it, where some are printed."""

    published_function: str | None = None
    published_a: float | None = None
    published_b: float | None = None
    """Per block of `block_bits`."""
    published_errors: Errors | None = None
    """Of the printed parameters on the same observations."""
    published_cells: list[Cell] = []

    @property
    def a_ratio(self) -> float | None:
        """Ours by the printed one."""
        return _ratio(self.a, self.published_a)

    @property
    def b_ratio(self) -> float | None:
        return _ratio(self.b, self.published_b)

    @property
    def is_given_back(self) -> bool:
        """Returns whether both parameters are the published ones."""
        ratios = (self.a_ratio, self.b_ratio)
        return all(ratio is not None and abs(ratio - 1) <= REFITTED_WITHIN for ratio in ratios)

    @property
    def adopted(self) -> Parameters | None:
        """Returns the published parameters where they come back, else ours."""
        a, b = (self.published_a, self.published_b) if self.is_given_back else (self.a, self.b)
        return None if a is None or b is None else Parameters(a, b)


def compared(
    observed: Observed, fits: Iterable[BlockFit], published: Sequence[PublishedFit]
) -> list[ComparedFit]:
    """Returns the fits with the published parameters of their functions."""
    printed = {(it.algorithm, it.operation): it for it in published}
    return [_compared(observed, fit, printed.get((fit.algorithm, fit.operation))) for fit in fits]


def _compared(observed: Observed, fit: BlockFit, printed: PublishedFit | None) -> ComparedFit:
    own = {name: getattr(fit, name) for name in BlockFit.__struct_fields__}
    if printed is None:
        return ComparedFit(**own)
    parameters = printed.per_block_of(fit.block_bits)
    function = Function(fit.algorithm, fit.operation)
    blocks = function_blocks(observed, function)
    cells = block_model.cells(
        observed, points(observed)[function], parameters, blocks, fit.rule or RULES[0]
    )
    return ComparedFit(
        **own,
        published_function=printed.function,
        published_a=parameters.a,
        published_b=parameters.b,
        published_errors=block_model.errors(cells),
        published_cells=cells,
    )


def _ratio(ours: float | None, printed: float | None) -> float | None:
    return None if ours is None or printed is None else ours / printed


GROUPS: dict[str, Callable[[Processor], bool]] = {
    "multiply": lambda it: it.multiply_bits > 0,
    "no-multiply": lambda it: it.multiply_bits == 0,
    "risc": lambda it: it.isa == "risc",
    "cisc": lambda it: it.isa == "cisc",
}
OTHERS = {"multiply": "no-multiply", "no-multiply": "multiply", "risc": "cisc", "cisc": "risc"}

IDEA, MD5 = Function("idea-ecb", "encrypt"), Function("md5", "digest")
READINGS = {"Table 5": (IDEA,), "Table 6": (IDEA, MD5)}
"""Functions that a table may be of: the caption of Table 6 says IDEA, the text before it MD5."""


PRINTED_BITS = {IDEA: 128, MD5: 512}
"""What the tables' b is the cost of: the whole plaintext of 16 bytes, and the hash's block."""


class Adjustment(NamedTuple):
    """A printed row."""

    table: str
    condition: str
    a: float
    """Cycles·bits."""
    b: float


class Refinement(msgspec.Struct, kw_only=True):
    """The adjustment for a group of processors, beside the printed one."""

    table: str
    function: str
    rule: Rule | None
    condition: str
    processors: list[str]
    a: float
    """The group's parameter less that of all, cycles·bits."""
    b: float
    others_a: float
    """The parameter of all less that of the other group: what Table 5 prints, see docs/models.md.
    """
    others_b: float
    published_a: float
    published_b: float
    """Per block of the fit."""
    base_errors: Errors
    """On the cells of the group: of the parameters of all,"""
    refined_errors: Errors
    """and of its own."""


class _Reading(NamedTuple):
    """One function by one rule, as a table may mean it."""

    function: Function
    base: ComparedFit
    blocks: Blocks
    them: list[Point]

    @property
    def rule(self) -> Rule:
        """Returns the rule; either where both count the same."""
        return self.base.rule or RULES[0]

    def solved(self, them: Sequence[Point]) -> Parameters | None:
        return block_model.solve(them, self.blocks, self.rule) if them else None


def refinements(
    observed: Observed, fits: Sequence[ComparedFit], printed: Sequence[Adjustment]
) -> list[Refinement]:
    """Returns the published adjustments in their readings, as far as observations give them."""
    found = points(observed)
    readings = {
        function: [
            _Reading(function, fit, function_blocks(observed, function), found[function])
            for fit in fits
            if (fit.algorithm, fit.operation) == function
        ]
        for function in (IDEA, MD5)
    }
    return [
        refinement
        for row in printed
        for function in READINGS[row.table]
        for reading in readings[function]
        if (refinement := _refinement(observed, row, reading)) is not None
    ]


def members(observed: Observed, condition: str) -> list[str]:
    belongs = GROUPS[condition]
    return [name for name, it in observed.processors.items() if belongs(it.processor)]


def _refinement(observed: Observed, row: Adjustment, reading: _Reading) -> Refinement | None:
    """Returns None if a side has no processors or no separable parameters."""
    own = _of(reading.them, members(observed, row.condition))
    base = reading.base.adopted
    group = reading.solved(own)
    others = reading.solved(_of(reading.them, members(observed, OTHERS[row.condition])))
    if base is None or group is None or others is None:
        return None

    def errors(model: Parameters) -> Errors:
        found = block_model.cells(observed, own, model, reading.blocks, reading.rule)
        return block_model.errors(found)

    return Refinement(
        table=row.table,
        function=reading.base.function,
        rule=reading.base.rule,
        condition=row.condition,
        processors=members(observed, row.condition),
        a=group.a - base.a,
        b=group.b - base.b,
        others_a=base.a - others.a,
        others_b=base.b - others.b,
        published_a=row.a,
        published_b=row.b * reading.blocks.bits / PRINTED_BITS[reading.function],
        base_errors=errors(base),
        refined_errors=errors(group),
    )


def _of(them: Sequence[Point], processors: Sequence[str]) -> list[Point]:
    return [it for it in them if it.processor in processors]


class Overall(Errors, kw_only=True):
    """Errors over the cells of all functions."""

    parameters: Literal["fitted", "published"]
    rule: Rule
    cells: int


class ModelFits(msgspec.Struct, kw_only=True):
    """What `ciphermark model fit` finds."""

    source: str
    is_published: bool
    """Whether the observations are those that the printed parameters are from, as far as these were
    printed."""
    metrics: list[str]
    """The kinds of figures that were fitted together."""
    fits: list[ComparedFit]
    refinements: list[Refinement]
    overall: list[Overall]
    notes: list[str]


def fit_model(
    observed: Observed,
    published: Sequence[PublishedFit],
    adjustments: Sequence[Adjustment],
    rules: Sequence[Rule] = RULES,
) -> ModelFits:
    """Fits all functions of the source, and compares them with what is printed."""
    fits = compared(observed, block_model.fits(observed, rules), published)
    return ModelFits(
        source=observed.source,
        is_published="cycles-published" in observed.metrics,
        metrics=observed.metrics,
        fits=fits,
        refinements=refinements(observed, fits, adjustments),
        overall=[it for rule in rules for it in _overall(fits, rule)],
        notes=observed.notes,
    )


def _overall(fits: Sequence[ComparedFit], rule: Rule) -> list[Overall]:
    """Returns the errors by one rule, of our and of the published parameters."""
    counted = [fit for fit in fits if fit.rule in (None, rule)]
    ours = [cell for it in counted for cell in it.cells]
    printed = [cell for it in counted for cell in it.published_cells]
    sides: dict[Literal["fitted", "published"], list[Cell]] = {"fitted": ours, "published": printed}
    return [
        Overall(
            **msgspec.structs.asdict(block_model.errors(cells)),
            parameters=parameters,
            rule=rule,
            cells=len(cells),
        )
        for parameters, cells in sides.items()
        if cells
    ]


RULE_WORDS = {
    None: "Blocks that need no padding; of ciphers key setup, and key setup with text",
    "printed": "Blocks counted as printed: ⌈length / block⌉, none for an empty message",
    "padded": "Blocks counted as the function pads",
}

NEAR = 0.03
"""An adjustment this near to the printed one is taken to be it."""


def notes(found: ModelFits) -> Iterator[str]:
    """Errors, what cannot be refitted and by how much, how the refinements compare, and what the
    source needs to be said of it."""
    yield from (_errors(it) for it in found.overall)
    if found.is_published:
        yield from (_not_refitted(it) for it in _parted(found.fits))
        yield from _refinements(found.refinements)
    else:
        yield from (_inseparable(fit) for fit in found.fits if fit.a is None)
    yield from found.notes
    if len(found.metrics) > 1:
        yield (
            "figures of several metrics are fitted together, to test the model on all word "
            f"sizes; for one of them add --metric {min(found.metrics)}"
        )


def reading(it: Refinement) -> str:
    """Returns for example `md5 digest, padded`."""
    return it.function + (f", {it.rule}" if it.rule else "")


def whole(value: float) -> str:
    """Parameters are printed to the unit, as they are published."""
    return ("−" if value < 0 else "") + figures.grouped(abs(value))


def _errors(it: Overall) -> str:
    whose = "parameters fitted here" if it.parameters == "fitted" else "published parameters"
    worst = (
        "at worst no time at all"
        if it.worst_factor == float("inf")
        else f"at worst a factor of {figures.significant(it.worst_factor)}"
    )
    return (
        f"{whose}, blocks as {it.rule}: median error {figures.percent(it.median_relative_error)}, "
        f"{figures.percent(it.within_10_percent)} of {figures.counted(it.cells, 'cell')} within "
        f"10 %, {figures.percent(it.within_20_percent)} within 20 %, {worst}"
    )


def _parted(fits: list[ComparedFit]) -> Iterator[ComparedFit]:
    """Returns the fits whose published parameters do not come back."""
    return (fit for fit in fits if fit.published_a is not None and not fit.is_given_back)


def _not_refitted(it: ComparedFit) -> str:
    """Returns the reason, and the distance of ours from the published parameters."""
    if it.a is None:
        printed = (it.published_a or 0.0) + (it.published_b or 0.0)
        return f"{_inseparable(it)}; published: {whole(printed)}"
    lengths = len({cell.message_bytes for cell in it.cells})
    return (
        f"{it.function}, blocks as {it.rule}: published a and b cannot be refitted, since a sweep "
        f"over lengths was fitted and {figures.counted(lengths, 'length')} of it printed; "
        f"those give {figures.times(it.a_ratio or 0.0)} of a and "
        f"{figures.times(it.b_ratio or 0.0)} of b"
    )


def _inseparable(it: ComparedFit) -> str:
    return (
        f"{it.function}: all messages have the same number of blocks"
        f"{f' as {it.rule}' if it.rule else ''}, so a and b cannot be distinguished; one block "
        f"costs {whole(it.a_plus_b)}"
    )


def _refinements(found: list[Refinement]) -> Iterator[str]:
    """Yields the published adjustments that come back, and their form."""
    for name in dict.fromkeys(it.table for it in found):
        for condition in dict.fromkeys(it.condition for it in found if it.table == name):
            alike = [it for it in found if (it.table, it.condition) == (name, condition)]
            back = [it for it in alike if _is_near(it.others_a, it.others_b, it)]
            straight = [it for it in alike if _is_near(it.a, it.b, it)]
            yield f"{name}, {condition}: {_came_back(alike, straight, back)}"


def _came_back(
    alike: list[Refinement], straight: list[Refinement], others: list[Refinement]
) -> str:
    if straight:
        return f"the published adjustment comes back for {reading(straight[0])}"
    if others:
        it = others[0]
        return (
            "the published adjustment comes back as what the base has beyond the other group, with "
            f"the signs and labels of that ({reading(it)}: a {whole(it.others_a)}, "
            f"b {whole(it.others_b)}, published {whole(it.published_a)}, {whole(it.published_b)})"
        )
    nearest = ", ".join(f"{reading(it)} a {whole(it.a)}, b {whole(it.b)}" for it in alike)
    first = alike[0]
    return (
        f"the published adjustment (a {whole(first.published_a)}, b {whole(first.published_b)}) "
        f"cannot be refitted; here {nearest}"
    )


def _is_near(a: float, b: float, it: Refinement) -> bool:
    return abs(a / it.published_a - 1) <= NEAR and abs(b / it.published_b - 1) <= NEAR


def document(found: ModelFits) -> dict[str, object]:
    """Returns the content of `--json`, with the sentences of the screen."""
    return msgspec.structs.asdict(found) | {"notes": list(notes(found))}


def blocks(found: ModelFits) -> Iterator[Block]:
    """Yields the verdict, the parameters, the refinements, and the notes on both."""
    if found.overall:
        yield Headline(text=_verdict(found))
    yield Notes.of(
        [
            f"t ≈ (a + b·blocks) / (clock · bus width), fitted to {found.source}; a and b in "
            "cycles·bits, b for each block"
        ]
    )
    rules = list(RULE_WORDS)
    yield Table(
        columns=COLUMNS,
        rows=sorted(found.fits, key=lambda row: rules.index(row.rule)),
        section=lambda row: RULE_WORDS[row.rule],
    )
    yield Section(
        title="Refinements: what a group of processors adds to a and b",
        blocks=[Table(columns=ADJUSTED, rows=found.refinements, section=lambda row: row.table)],
    )
    yield Notes.of(notes(found))


def _verdict(found: ModelFits) -> str:
    """Returns the least error of the model, and the number of parameters that come back."""
    best = min(found.overall, key=lambda it: it.median_relative_error)
    whose = "fitted" if best.parameters == "fitted" else "published"
    said = (
        f"The {whose} parameters, blocks as {best.rule}, are wrong by "
        f"{figures.percent(best.median_relative_error)} in the median of "
        f"{figures.counted(best.cells, 'figure')}"
    )
    printed = [fit for fit in found.fits if fit.published_a is not None]
    if not (found.is_published and printed):
        return f"{said}."
    back = {fit.function for fit in printed if fit.is_given_back}
    functions = len({fit.function for fit in printed})
    return f"{said}; of {functions} functions the published parameters come back for {len(back)}."


def _block(row: ComparedFit) -> str:
    """Returns the block of the fit, and the function's own where that is another."""
    own = "" if row.block_bits == row.true_block_bits else f" (own {row.true_block_bits})"
    return f"{row.block_bits}{own}"


def _whole(value: float, separator: str) -> str:
    return whole(value)


def _parameter(name: Literal["a", "b"]) -> list[Column[Any]]:
    """Returns the columns of a parameter: ours, the published one, and their ratio."""
    return [
        Column(f"{name}\nfitted", lambda row: getattr(row, name), form=_whole),
        Column(
            f"{name}\npublished",
            lambda row: getattr(row, f"published_{name}"),
            form=_whole,
            dispensable=2,
        ),
        Column(f"{name}\nratio", lambda row: getattr(row, f"{name}_ratio"), dispensable=1),
    ]


def _times(factor: float) -> str:
    return "any" if factor == float("inf") else figures.times(factor)


def _error(error: float) -> str:
    return "0" if error < 1e-9 else figures.percent(error)


COLUMNS: list[Column[ComparedFit]] = [
    of_words("", lambda row: row.function),
    of_text("block,\nbits", _block, dispensable=3, called="block"),
    *_parameter("a"),
    *_parameter("b"),
    of_text("error\nmedian", lambda row: figures.percent(row.median_relative_error)),
    of_text("error\nworst", lambda row: figures.percent(row.worst_relative_error), dispensable=4),
    of_text("worst\nfactor", lambda row: _times(row.worst_factor), dispensable=4),
    of_text("cells", lambda row: str(len(row.cells)), dispensable=5),
]

ADJUSTED: list[Column[Refinement]] = [
    of_words("", lambda row: reading(row)),
    of_words("group", lambda row: row.condition),
    Column("added\na", lambda row: row.a, form=_whole),
    Column("added\nb", lambda row: row.b, form=_whole),
    Column("less the others'\na", lambda row: row.others_a, form=_whole, dispensable=2),
    Column("less the others'\nb", lambda row: row.others_b, form=_whole, dispensable=2),
    Column("published\na", lambda row: row.published_a, form=_whole),
    Column("published\nb", lambda row: row.published_b, form=_whole),
    of_text(
        "median error\nbase",
        lambda row: _error(row.base_errors.median_relative_error),
        dispensable=1,
    ),
    of_text(
        "median error\nwith own",
        lambda row: _error(row.refined_errors.median_relative_error),
        dispensable=1,
    ),
]
