"""A study on a terminal and in a report: claims with a verdict, tables beside the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ciphermark.plan.paper import Paper
from ciphermark.plan.planfile import PlanFile
from ciphermark.record.run import Context
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Headline, Note, Notes, Section
from ciphermark.view.blocks import Table as BlockTable
from ciphermark.view.column import Column as BlockColumn
from ciphermark.view.column import Place, of_text, of_words
from ciphermark.view.findings import Cell, Claim, Column, Findings, Statement, Table
from ciphermark.view.machine import caption

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


def study_blocks(
    plan: PlanFile,
    context: Context,
    tables: list[Table],
    claims: list[Claim],
    *,
    with_tables: bool = False,
) -> Iterator[Block]:
    """Yields the counts of claims, the claims, and the command that prints all.

    Claims that were decided here have their deciding figures, the others are in short. With
    `with_tables` each claim is as those that were decided here, and the tables follow.
    """
    first, *others = counts(claims)
    yield Headline(text=first)
    yield Notes.of(others)
    yield Facts.of({"Study": plan.title, "Source": plan.source or "", "Here": caption(context)})
    ordered = sorted(claims, key=lambda claim: claim.recomputed)
    whole = [it for it in ordered if with_tables or not (it.recomputed or it.holds is None)]
    yield Notes(notes=list(map(_claim, whole)))
    short = [claim for claim in ordered if claim not in whole]
    yield Notes(notes=[*_short(short)])
    shown = [table for table in tables if not table.detail]
    if with_tables:
        for table in shown:
            yield Section(title=table.title, blocks=[table_block(table)])
    elif shown or short:
        command = f"ciphermark study {context.plan_name} --from {context.run} --tables"
        what = ["all claims in full"] * bool(short)
        what += [figures.counted(len(shown), "table")] * bool(shown)
        said = " and ".join(what)
        yield Notes.of([f"{said[0].upper()}{said[1:]}: {command}"])


def _claim(claim: Claim) -> Note:
    mark, _, style = VERDICTS[claim.holds]
    figures_by = {found_by(claim): claim.here}
    return Note(f"{claim.claim}: {verdict(claim)}", mark, _details(claim, figures_by), style)


def _details(statement: Statement, found: Mapping[str, str]) -> list[str]:
    """Returns the statement's own words and figures, labelled."""
    labelled = {"says": statement.text, "place": statement.place, "published": statement.published}
    return [f"{label}: {text}" for label, text in {**labelled, **found}.items()]


def _short(claims: Sequence[Claim]) -> Iterator[Note]:
    """Yields untestable claims by their reasons, and recomputed ones with a figure."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        if not claim.recomputed:
            reasons.setdefault((claim.here, verdict(claim)), []).append(claim.claim)
    mark, _, style = VERDICTS[None]
    for (reason, words), names in reasons.items():
        yield Note(f"{', '.join(names)}: {words}", mark, [reason], style)
    for claim in claims:
        if claim.recomputed:
            mark, _, style = VERDICTS[claim.holds]
            first, more, _ = claim.here.partition("; ")
            below = [first + (" …" if more else "")]
            yield Note(f"{claim.claim}: {verdict(claim)}", mark, below, style)


def counts(claims: Sequence[Claim]) -> Iterator[str]:
    """Yields the numbers of claims that hold, by a run and by the paper's tables."""
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
    """Returns the verdict in words; `recomputed` if it is from the paper's tables."""
    if not claim.recomputed:
        return UNDECIDED if claim.undecided else VERDICTS[claim.holds][1]
    return UNTOLD if claim.holds is None else f"{VERDICTS[claim.holds][1]}, recomputed"


def found_by(claim: Claim) -> str:
    """Returns the label of the figures that decide."""
    return "recomputed" if claim.recomputed else "here"


def statement_blocks(plan: PlanFile, statements: Sequence[Statement]) -> Iterator[Block]:
    """Yields the statements that would be judged, by identifier and place."""
    yield Facts.of({"Study": plan.title, "Source": plan.source or ""})
    yield Notes(notes=[Note(it.claim, below=_details(it, {})) for it in statements])


def page_blocks(findings: Findings) -> tuple[Section, list[Section]]:
    """Returns the paper with its claims, judged, and the tables beside the paper's."""
    first, *others = counts(findings.claims)
    ordered = sorted(findings.claims, key=lambda claim: claim.recomputed)
    claims = Section(
        title=first,
        anchor="study",
        about=" ".join([_paper(findings.study.plan.paper), *others]).strip(),
        blocks=[Notes(notes=list(map(_claim, ordered)))],
    )
    shown = [table for table in findings.tables if not table.detail]
    tables = [Section(title=table.title, blocks=[table_block(table)]) for table in shown]
    return claims, tables


def _paper(paper: Paper | None) -> str:
    return "" if paper is None else f"{paper.line}."


def table_block(table: Table) -> BlockTable[list[str]]:
    """Returns a table with marks at figures that are unsure."""
    columns = [
        _column(place, column, is_text([row[place] for row in table.rows]))
        for place, column in enumerate(table.columns)
    ]
    return BlockTable(
        title=table.title,
        columns=columns,
        rows=_lines(table),
        legend=[*map(Note, notes(table))],
    )


def _column(place: int, column: Column, has_words: bool) -> BlockColumn[list[str]]:
    heading = f"{column.group}\n{column.heading}" if column.group else column.heading
    places = Place.PAGE | Place.EXPORT if column.detail else Place.EVERYWHERE
    if has_words:
        return of_words("", lambda line: line[place], heading, places=places)
    return of_text(heading, lambda line: line[place], places=places)


def _lines(table: Table) -> list[list[str]]:
    """Returns the cells of a table, with marks of uncertain ones."""
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
    """Returns whether a column is of words."""
    return any(isinstance(cell, str) for cell in cells)


def notes(table: Table) -> Iterator[str]:
    """Yields the notes below a table, with the meaning of its marks."""
    yield from table.notes
    if table.unsettled:
        yield f"{UNSETTLED} did not settle to the wanted precision"
    if any(cell is None for row in table.rows for cell in row):
        yield f"{NOTHING} no figure"
