"""The parameters of the paper's model on a terminal: fitted here beside published."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.answers.models import fit_words as words
from ciphermark.answers.models.model_fits import ModelFits
from ciphermark.answers.models.published import ComparedFit
from ciphermark.answers.models.refinement import Refinement
from ciphermark.show import figures
from ciphermark.show.fitting import Column, Groups, print_groups, print_left_out

NOTHING = "–"


def document(found: ModelFits) -> dict[str, object]:
    """What `--json` prints; with the sentences that people get."""
    return msgspec.structs.asdict(found) | {"notes": list(words.notes(found))}


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
    for note in words.notes(found):
        console.print(Padding(Text(note), (0, 0, 0, 2)))


def _groups(fits: list[ComparedFit]) -> Groups[ComparedFit]:
    """By how the blocks are counted."""
    return [
        (words.RULES[rule], them)
        for rule in words.RULES
        if (them := [it for it in fits if it.rule == rule])
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
    return Text(NOTHING if value is None else words.whole(value))


def _ratio(value: float | None) -> Text:
    return Text("" if value is None else figures.significant(value), style="dim")


def _times(factor: float) -> str:
    return "any" if factor == float("inf") else figures.times(factor)


def _tables(found: ModelFits) -> Groups[Refinement]:
    tables = dict.fromkeys(it.table for it in found.refinements)
    return [(name, [it for it in found.refinements if it.table == name]) for name in tables]


def _adjustments() -> Iterator[Column[Refinement]]:
    yield Column("", lambda it: Text(words.reading(it)), left=True)
    yield Column("group", lambda it: Text(it.condition), left=True)
    yield Column("a added", lambda it: Text(words.whole(it.a)))
    yield Column("b added", lambda it: Text(words.whole(it.b)))
    yield Column("a less\nthe others'", lambda it: Text(words.whole(it.others_a)), 2)
    yield Column("b less\nthe others'", lambda it: Text(words.whole(it.others_b)), 2)
    yield Column("published\na", lambda it: Text(words.whole(it.published_a)))
    yield Column("published\nb", lambda it: Text(words.whole(it.published_b)))
    yield Column("median error\nbase", lambda it: _median(it.base_errors.median_relative_error), 1)
    yield Column("with own", lambda it: _median(it.refined_errors.median_relative_error), 1)


def _median(error: float) -> Text:
    return Text("0" if error < 1e-9 else figures.percent(error))
