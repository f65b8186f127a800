"""The parameters of the paper's model, fitted here beside published: a table, and sentences."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console
from rich.text import Text

from ciphermark.answers.models.fits import ComparedFit, ModelFits, Overall, Refinement
from ciphermark.show import figures
from ciphermark.show.frame import print_sentences
from ciphermark.show.tables import Column, Groups, print_groups, print_left_out

RULES = {
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
        yield from (_inseparable(it) for it in found.fits if it.a is None)
    yield from found.notes
    if len(found.metrics) > 1:
        yield (
            "figures of several metrics are fitted together here, to test the model on all word "
            f"sizes; for one of them add --metric {min(found.metrics)}"
        )


def reading(it: Refinement) -> str:
    """`md5 digest, padded`."""
    return it.function + (f", {it.rule}" if it.rule else "")


def whole(value: float) -> str:
    """Parameters are printed to the unit, as they are published."""
    return ("−" if value < 0 else "") + figures.grouped(abs(value))


def _errors(it: Overall) -> str:
    whose = "parameters fitted here" if it.parameters == "fitted" else "published parameters"
    worst = (
        "at worst not a time at all"
        if it.worst_factor == float("inf")
        else f"at worst a factor of {figures.significant(it.worst_factor)}"
    )
    return (
        f"{whose}, blocks as {it.rule}: median error {figures.percent(it.median_relative_error)}, "
        f"{figures.percent(it.within_10_percent)} of {figures.counted(it.cells, 'cell')} within "
        f"10 %, {figures.percent(it.within_20_percent)} within 20 %, {worst}"
    )


def _parted(fits: list[ComparedFit]) -> Iterator[ComparedFit]:
    """Those whose printed parameters do not come back."""
    return (it for it in fits if it.published_a is not None and not it.is_given_back)


def _not_refitted(it: ComparedFit) -> str:
    """Why not, and how far what comes out is from what is printed."""
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
        f"{f' as {it.rule}' if it.rule else ''}, so a and b cannot be told apart; one block costs "
        f"{whole(it.a_plus_b)}"
    )


def _refinements(found: list[Refinement]) -> Iterator[str]:
    """Which printed adjustments come back, and as what."""
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


NOTHING = "–"


def document(found: ModelFits) -> dict[str, object]:
    """What `--json` prints; with the sentences that people get."""
    return msgspec.structs.asdict(found) | {"notes": list(notes(found))}


def print_fits(console: Console, found: ModelFits) -> None:
    """Prints the parameters, the refinements, the errors, and what cannot be refitted."""
    console.print(Text(f"t ≈ (a + b·blocks) / (clock · bus width), fitted to {found.source}"))
    console.print(Text("a and b in cycles·bits, b for each block", style="dim"))
    console.print()
    left_out = print_groups(console, list(_columns()), _groups(found.fits))
    print_left_out(console, left_out)
    if found.refinements:
        console.print()
        console.print(Text("Refinements: what a group of processors adds to a and b", style="bold"))
        print_left_out(console, print_groups(console, list(_adjustments()), _tables(found)))
    console.print()
    print_sentences(console, notes(found))


def _groups(fits: list[ComparedFit]) -> Groups[ComparedFit]:
    """By how the blocks are counted."""
    return [
        (RULES[rule], them) for rule in RULES if (them := [it for it in fits if it.rule == rule])
    ]


def _columns() -> Iterator[Column[ComparedFit]]:
    yield Column("", lambda it: Text(it.function), left=True)
    yield Column("block,\nbits", lambda it: Text(_block(it)), 3, "block")
    yield Column("a", lambda it: _parameter(it.a))
    yield Column("published", lambda it: _parameter(it.published_a), 2, "published a")
    yield Column("ratio", lambda it: _ratio(it.a_ratio), 1, "ratio of a")
    yield Column("b", lambda it: _parameter(it.b))
    yield Column("published", lambda it: _parameter(it.published_b), 2, "published b")
    yield Column("ratio", lambda it: _ratio(it.b_ratio), 1, "ratio of b")
    yield Column("median\nerror", lambda it: Text(figures.percent(it.median_relative_error)))
    yield Column("worst\nerror", lambda it: Text(figures.percent(it.worst_relative_error)), 4)
    yield Column("worst\nfactor", lambda it: Text(_times(it.worst_factor)), 4)
    yield Column("cells", lambda it: Text(str(len(it.cells))), 5)


def _block(it: ComparedFit) -> str:
    """The block of the fit, and the function's own where that is another."""
    own = "" if it.block_bits == it.true_block_bits else f" (own {it.true_block_bits})"
    return f"{it.block_bits}{own}"


def _parameter(value: float | None) -> Text:
    return Text(NOTHING if value is None else whole(value))


def _ratio(value: float | None) -> Text:
    return Text("" if value is None else figures.significant(value), style="dim")


def _times(factor: float) -> str:
    return "any" if factor == float("inf") else figures.times(factor)


def _tables(found: ModelFits) -> Groups[Refinement]:
    tables = dict.fromkeys(it.table for it in found.refinements)
    return [(name, [it for it in found.refinements if it.table == name]) for name in tables]


def _adjustments() -> Iterator[Column[Refinement]]:
    yield Column("", lambda it: Text(reading(it)), left=True)
    yield Column("group", lambda it: Text(it.condition), left=True)
    yield Column("a added", lambda it: Text(whole(it.a)))
    yield Column("b added", lambda it: Text(whole(it.b)))
    yield Column("a less\nthe others'", lambda it: Text(whole(it.others_a)), 2)
    yield Column("b less\nthe others'", lambda it: Text(whole(it.others_b)), 2)
    yield Column("published\na", lambda it: Text(whole(it.published_a)))
    yield Column("published\nb", lambda it: Text(whole(it.published_b)))
    yield Column("median error\nbase", lambda it: _median(it.base_errors.median_relative_error), 1)
    yield Column("with own", lambda it: _median(it.refined_errors.median_relative_error), 1)


def _median(error: float) -> Text:
    return Text("0" if error < 1e-9 else figures.percent(error))
