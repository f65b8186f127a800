"""A study on a terminal and in a report: claims with a verdict, tables beside the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ciphermark.plan.paper import Paper
from ciphermark.plan.planfile import PlanFile
from ciphermark.record.run import Context
from ciphermark.show import figures
from ciphermark.show.findings import Cell, Claim, Column, Findings, Statement, Table
from ciphermark.show.frame import print_sentences
from ciphermark.show.machine import caption

VERDICTS: dict[bool | None, tuple[str, str, str]] = {
    True: ("✓", "holds", "green"),
    False: ("✗", "does not hold", "red"),
    None: ("?", "not testable here", "yellow"),
}
"""Mark, words and colour of a verdict; the colour only guides the eye."""

UNDECIDED = "undecided here"
"""The words where figures of this machine leave it open."""

UNTOLD = "the tables do not tell"
"""The words where the paper's own tables decide nothing."""

UNSETTLED = "~"
DOUBTFUL = "?"
NOTHING = "–"
GAP = 2
"""Blank columns between two columns of a table."""


def print_study(
    console: Console,
    plan: PlanFile,
    context: Context,
    tables: list[Table],
    claims: list[Claim],
    *,
    with_tables: bool = False,
) -> None:
    """Prints how many claims hold, those that were decided here with the figures that decide, the
    others in short, and the command that prints all. With `with_tables` each claim is printed as
    those that were decided here, and the tables below them."""
    for sentence in counts(claims):
        console.print(Text(sentence, style="bold"))
    console.print()
    _print_head(console, plan)
    console.print(Text(f"Here: {caption(context)}"))
    console.print()
    # What was measured here comes first, as it does in the count.
    short: list[Claim] = []
    for claim in sorted(claims, key=lambda claim: claim.recomputed):
        if not with_tables and (claim.recomputed or claim.holds is None):
            short.append(claim)
            continue
        mark, _, style = VERDICTS[claim.holds]
        console.print(Text(f"  {mark} {claim.claim}: {verdict(claim)}", style=style))
        console.print(_details(claim, {found_by(claim): claim.here}))
    _print_short(console, short)
    shown = [table for table in tables if not table.detail]
    console.print()
    if with_tables:
        for table in shown:
            _print_table(console, table)
    elif shown or short:
        command = f"ciphermark study {context.plan_name} --from {context.run} --tables"
        what = ["all claims in full"] * bool(short)
        what += [figures.counted(len(shown), "table")] * bool(shown)
        said = " and ".join(what)
        console.print(Text(f"{said[0].upper()}{said[1:]}: {command}"))


def _print_short(console: Console, claims: Sequence[Claim]) -> None:
    """Claims that cannot be tested here by their reasons, and each that was recomputed with the
    first of its figures."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        if not claim.recomputed:
            reasons.setdefault((claim.here, verdict(claim)), []).append(claim.claim)
    mark, _, style = VERDICTS[None]
    for (reason, words), names in reasons.items():
        print_sentences(console, [f"{mark} {', '.join(names)}: {words}"], style)
        print_sentences(console, [reason], "dim", 4)
    for claim in claims:
        if claim.recomputed:
            mark, _, style = VERDICTS[claim.holds]
            print_sentences(console, [f"{mark} {claim.claim}: {verdict(claim)}"], style)
            first, more, _ = claim.here.partition("; ")
            print_sentences(console, [first + (" …" if more else "")], "dim", 4)


def _print_head(console: Console, plan: PlanFile) -> None:
    console.print(Text(plan.title, style="bold"))
    console.print(Text(plan.source or "", style="dim"))


def counts(claims: Sequence[Claim]) -> Iterator[str]:
    """How many claims hold, by a run and by the paper's own tables, one sentence each."""
    here = Counter(claim.holds for claim in claims if not claim.recomputed)
    undecided = sum(claim.undecided for claim in claims if not claim.recomputed)
    others = f", {undecided} {'is' if undecided == 1 else 'are'} undecided" if undecided else ""
    printed = Counter(claim.holds for claim in claims if claim.recomputed)
    yield (
        f"{figures.counted(here[True], 'claim')} {'holds' if here[True] == 1 else 'hold'} here, "
        f"{here[False]} {_do(here[False])} not{others}, {here[None] - undecided} cannot be tested "
        "here."
    )
    if printed:
        untold = f", {printed[None]} cannot be told" if printed[None] else ""
        yield (
            "Recomputed from the paper's own tables: "
            f"{printed[True]} {'holds' if printed[True] == 1 else 'hold'}, "
            f"{printed[False]} {_do(printed[False])} not{untold}."
        )


def _do(number: int) -> str:
    return "does" if number == 1 else "do"


def verdict(claim: Claim) -> str:
    """The verdict in words, which say where it was recomputed from the paper's tables."""
    if not claim.recomputed:
        return UNDECIDED if claim.undecided else VERDICTS[claim.holds][1]
    return UNTOLD if claim.holds is None else f"{VERDICTS[claim.holds][1]}, recomputed"


def found_by(claim: Claim) -> str:
    """The label of the figures that decide."""
    return "recomputed" if claim.recomputed else "here"


def print_statements(console: Console, plan: PlanFile, statements: Sequence[Statement]) -> None:
    """Prints what would be judged, by identifier and place."""
    _print_head(console, plan)
    for statement in statements:
        console.print(Text(f"  {statement.claim}"))
        console.print(_details(statement, {}))


def view(findings: Findings) -> dict[str, Any]:
    """What the template of the report needs of a study."""
    return {
        "title": findings.study.plan.title,
        "paper": _paper_view(findings.study.plan.paper),
        "counts": list(counts(findings.claims)),
        "tables": [_table_view(table) for table in findings.tables if not table.detail],
        "claims": [
            {
                "mark": VERDICTS[claim.holds][0],
                "verdict": verdict(claim),
                "claim": claim,
                "found_by": found_by(claim),
            }
            for claim in sorted(findings.claims, key=lambda claim: claim.recomputed)
        ],
    }


def _paper_view(paper: Paper | None) -> dict[str, str | None] | None:
    if paper is None:
        return None
    return {"line": msgspec.structs.replace(paper, doi=None).line, "doi": paper.doi}


def _table_view(table: Table) -> dict[str, Any]:
    """A table with all of its columns; numbers stand to the right."""
    numbers = [not is_text(cells) for cells in zip(*table.rows, strict=True)]
    groups = [(group, len(places)) for group, places in _spans(table.columns)]
    return {
        "title": table.title,
        "groups": groups if any(group for group, _ in groups) else [],
        "heads": list(zip([column.heading for column in table.columns], numbers, strict=True)),
        "rows": [
            {"cells": list(zip(row, numbers, strict=True)), "unsettled": place in table.unsettled}
            for place, row in enumerate(printed(table))
        ],
        "notes": list(notes(table)),
    }


def _print_table(console: Console, table: Table) -> None:
    """Prints a table under its title, with its notes below."""
    console.print(Text(table.title, style="bold"))
    for line in _lines(table):
        # A table that is too wide is cut by the terminal, where the user can widen it.
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    for note in notes(table):
        console.print(Text(note, style="dim"))
    console.print()


def _details(statement: Statement, found: dict[str, str]) -> Padding:
    """The statement's own words and figures, labelled, the text indented under itself."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    labelled = {"says": statement.text, "place": statement.place, "published": statement.published}
    for label, text in {**labelled, **found}.items():
        grid.add_row(Text(label, style="dim"), Text(text))
    return Padding(grid, (0, 0, 0, 4))


def _lines(table: Table) -> Iterator[Text]:
    """Groups, headings, then the rows, without the columns that are details."""
    places = [place for place, column in enumerate(table.columns) if not column.detail]
    columns = [table.columns[place] for place in places]
    shown = printed(table)
    body = [[shown[row][place] for place in places] for row in range(len(shown))]
    headings = [column.heading for column in columns]
    texts = [is_text([row[place] for row in table.rows]) for place in places]
    widths = _widths(columns, [headings, *body])
    if any(column.group for column in columns):
        yield Text(_groups(columns, widths), style="dim")
    yield Text(_joined(headings, texts, widths), style="dim")
    for place, row in enumerate(body):
        style = "yellow" if place in table.unsettled else ""
        yield Text(_joined(row, texts, widths), style=style)


def printed(table: Table) -> list[list[str]]:
    """The cells of a table as they are printed, with marks of what is unsure."""
    body = [
        [_shown(cell, column) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    for number in table.unsettled:
        body[number][0] = f"{UNSETTLED} {body[number][0]}"
    for row, column in table.doubtful:
        body[row][column] = f"{DOUBTFUL}{body[row][column]}"
    return body


def _shown(cell: Cell, column: Column) -> str:
    match cell:
        case None:
            return NOTHING
        case str():
            return cell
        case int():
            return figures.grouped(cell)
    if column.decimals is not None:
        return figures.grouped(cell, column.decimals)
    return figures.significant(cell, column.digits)


def is_text(cells: Sequence[object]) -> bool:
    """Whether a column is of words, which stand to the left."""
    return any(isinstance(cell, str) for cell in cells)


def _widths(columns: list[Column], lines: list[list[str]]) -> list[int]:
    """The width of each column; the last of a group makes room for the group's name."""
    widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
    for group, places in _spans(columns):
        spanned = sum(widths[place] + GAP for place in places) - GAP
        widths[places[-1]] += max(0, cell_len(group) - spanned)
    return widths


def _groups(columns: list[Column], widths: list[int]) -> str:
    """The names of the groups, each over the middle of its columns."""
    spans = [
        group.center(sum(widths[place] + GAP for place in places) - GAP)
        for group, places in _spans(columns)
    ]
    return (" " * GAP).join(spans).rstrip()


def _spans(columns: list[Column]) -> Iterator[tuple[str, list[int]]]:
    """Each group with the places of its columns."""
    for group, places in groupby(range(len(columns)), key=lambda place: columns[place].group):
        yield group, list(places)


def _joined(cells: list[str], texts: list[bool], widths: list[int]) -> str:
    placed = (
        cell + " " * (width - cell_len(cell)) if text else " " * (width - cell_len(cell)) + cell
        for cell, text, width in zip(cells, texts, widths, strict=True)
    )
    return (" " * GAP).join(placed).rstrip()


def notes(table: Table) -> Iterator[str]:
    """What stands below a table, with what its marks mean."""
    yield from table.notes
    if table.unsettled:
        yield f"{UNSETTLED} did not settle to the wanted precision"
    if any(cell is None for row in table.rows for cell in row):
        yield f"{NOTHING} no figure"
