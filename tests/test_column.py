"""Columns, and what a terminal, a report and exports make of them."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from rich.cells import cell_len

from ciphermark.view.blocks import Table
from ciphermark.view.column import (
    Cell,
    Column,
    Place,
    count,
    of_words,
    page_cells,
    page_heads,
)
from ciphermark.view.export import table_of
from ciphermark.view.figures import NARROW_SPACE
from ciphermark.view.problems import UNSETTLED
from on_screen import blocks_on_screen, rows_on_screen
from workload_examples import EXAMPLES


class Thing(NamedTuple):
    name: str
    many: int
    cost: float | None
    sure: bool = True


COLUMNS = [
    Column("many", lambda it: it.many, "how\nmany", count, dispensable=1, called="number"),
    of_words("Name", lambda it: it.name, order=lambda it: len(it.name)),
    Column("cost", lambda it: it.cost, "how\ncost", mark=lambda it: "" if it.sure else UNSETTLED),
    Column("twice", lambda it: it.cost and 2 * it.cost, places=Place.PAGE, kind="interval"),
    of_words("note", lambda it: "long" if it.many > 1 else "", at_end=True, places=~Place.EXPORT),
    Column("unknown", lambda it: None, places=Place.TERMINAL),
]
THINGS = [Thing("one", 1, None), Thing("more", 1234, 5.6789, sure=False)]


def on_terminal(width: int) -> list[str]:
    table = Table(columns=COLUMNS, rows=THINGS, section=lambda it: "of all")
    return blocks_on_screen([table], width).splitlines()


def test_a_terminal_has_what_some_row_has() -> None:
    assert on_terminal(80) == [
        "  how          how",
        " many  Name   cost  note",
        "of all",
        "    1  one",
        "1 234  more  ~5.68  long",
    ]


def test_what_had_to_go_is_called_by_its_name() -> None:
    *_, note, name = on_terminal(18)
    assert (note, name) == ("Left out at 18", "columns: number")


def test_a_report_has_groups_and_cells_that_can_be_sorted() -> None:
    heads = [(it["name"], it["columns"], it["numbers"]) for it in page_heads(COLUMNS)]
    assert heads == [
        ("", ["how many"], True),
        ("", ["Name"], False),
        ("", ["how cost"], True),
        ("", ["twice"], True),
        ("", ["note"], False),
    ]
    assert page_cells(COLUMNS, THINGS[1]) == [
        Cell(f"1{NARROW_SPACE}234", 1234, mark="number"),
        Cell("more", 4),
        Cell(f"{UNSETTLED}5.68", 5.6789, mark="number unsettled"),
        Cell("11.4", 11.3578, mark="interval"),
        Cell("long", "long"),
    ]
    assert page_cells(COLUMNS, THINGS[0])[2] == Cell("", None, mark="number")


HEADS = {
    "single": ["cycles/byte", "16 B", "1500 B", "16 KiB", "MB/s", "provider"],
    "sessions": ["sessions", "CPUs", "absolute", "apparent"],
    "packets": ["packets", "CPUs", "batch", "cycles/packet", "processing", "actual"],
    "simulation": ["atmega128, cycles (simulated)", "code", "context", "stack"],
    "tunnel": ["packets", "payload", "arrives"],
}
"""What tells cases apart, and what they cost."""


@pytest.mark.parametrize("width", [80, 120, 160])
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_line_is_wider_than_the_terminal_and_what_tells_most_stays(
    name: str, width: int
) -> None:
    run, rows = EXAMPLES[name]()
    lines = rows_on_screen(run.context, rows, width).splitlines()
    assert max(cell_len(line.rstrip()) for line in lines) <= width
    assert all(head in " ".join(lines[:4]) for head in HEADS.get(name, []))


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_an_export_has_is_named_and_in_the_report_too(name: str) -> None:
    run, rows = EXAMPLES[name]()
    table = table_of(run.context, rows)
    exported = [column for column in table.columns if Place.EXPORT in column.places]
    names = [column.name or column.heading for column in exported]
    assert all(names) and len(set(names)) == len(names)
    for row in table.rows:
        shown = {cell.text for cell in page_cells(table.columns, row)}
        figures = [it.text(row, NARROW_SPACE) for it in exported if not it.has_words]
        assert {it for it in figures if "0." not in it} <= shown
