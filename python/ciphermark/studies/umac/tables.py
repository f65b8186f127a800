"""The page's five tables beside today's figures, and what the page could not show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ciphermark.studies.evidence import implementation, why_none
from ciphermark.studies.umac import paper, processors
from ciphermark.studies.umac.evidence import LADDERS, Asked, Figure, Measured, Way, ladder, ratio
from ciphermark.studies.umac.paper import (
    COMPARISON,
    FUNCTIONS,
    LONG,
    PENTIUM,
    PLATFORMS,
    POWERPC,
    SIZES,
    SIZES_OF_TAGS,
    TAGS,
    Function,
    Section,
)
from ciphermark.view.findings import Cell, Column, Table, columns

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

TODAY = {
    "umac-32": "UMAC-32 (RFC 4418)",
    "umac-64": "UMAC-64 (RFC 4418)",
    "umac-96": "UMAC-96 (RFC 4418)",
    "umac-128": "UMAC-128 (RFC 4418)",
    "poly1305": "Poly1305",
    "gmac-aes-128": "GHASH (GMAC)",
    "blake3-mac": "BLAKE3, keyed",
}
"""What would be chosen now, as algorithm and title."""

STEPS = tuple(paper.umac(word, tag) for tag in paper.TAG_BYTES for word in (4, 2)) + tuple(
    paper.uhash(word, tag) for tag in paper.TAG_BYTES for word in (4, 2)
)
STEP_SIZES = (1500, LONG)

HOW_TO_READ = (
    "here: the fastest verified implementation, with the 95 % interval of the median",
    "RC6, AES: the block cipher that makes keys and pads. The page does not name it; its "
    "authors' code of that month used RC6. UHASH has no pad, and its time does not depend on its "
    "keys",
    "ratio: here (UMAC with RC6) / published",
    "262 144 bytes: one small buffer in the nearest cache, passed repeatedly",
)


def tables(run: Run, rows: list[Row]) -> list[Table]:
    measured = Measured(rows, run)
    of_tags = [_of_tags(section, measured) for section in TAGS]
    of_tags[0].notes = [*HOW_TO_READ, *of_tags[0].notes]
    further = [
        *processors.tables(measured),
        _of_ways(measured),
        _of_steps(measured),
        _of_doubles(measured),
        _of_today(measured),
    ]
    return [*of_tags, _of_comparison(measured), *(table for table in further if table.rows)]


def _of_tags(section: Section, measured: Measured) -> Table:
    table = Table(
        title=f"{section.title}, cycles/byte",
        columns=[
            *_names(),
            *_columns_of(PENTIUM),
            *_columns_of(POWERPC),
            *_figures("with RC6, or no pad"),
            *_figures("with AES"),
            Column(heading="fastest"),
        ],
    )
    for function in section.functions:
        for size in SIZES_OF_TAGS:
            here = measured.fastest(Asked(function.algorithm, size))
            with_aes = measured.fastest(Asked(function.with_aes, size))
            cells = [_beside(here, function, size, platform) for platform in PLATFORMS]
            _add(
                table,
                [function.name, size, *cells[0], *cells[1], *_shown(here), *_shown(with_aes)],
                (here, with_aes),
            )
            _mark_doubtful(table, function, size)
    _explain(table, measured, [it for it in section.functions])
    return table


def _of_comparison(measured: Measured) -> Table:
    table = Table(
        title=f"{COMPARISON.title}, cycles/byte",
        columns=[
            *_names(),
            *_columns_of(PENTIUM),
            *_figures("here"),
            Column(heading="fastest"),
        ],
        notes=[
            "43 and 1500 bytes are no whole blocks of CBC-RC6-MAC, and 43 no whole words of "
            "hash127: messages are padded with zeros to 48, 1504 and 44 bytes, and cycles are "
            "divided by the bytes before the padding",
            "hash127 and hash127-RC6 of 2000 did not read their 262 144 bytes from the nearest "
            "cache; here they do, and the next table has other places too",
        ],
    )
    for function in COMPARISON.functions:
        for size in SIZES:
            here = measured.fastest(Asked(function.algorithm, size))
            cells = _beside(here, function, size, PENTIUM)
            _add(table, [function.name, size, *cells, *_shown(here)], (here,))
    _explain(table, measured, COMPARISON.functions)
    return table


def _of_ways(measured: Measured) -> Table:
    """262144 bytes in three places."""
    table = Table(
        title="256 KB (262 144 bytes) by the place of the message, cycles/byte",
        columns=[
            Column(heading="function"),
            Column(heading="published", group=PLATFORMS[PENTIUM], decimals=1),
            *_figures("nearest cache"),
            *_figures("in a cache"),
            *_figures("from memory"),
            Column(heading="memory/nearest"),
        ],
        notes=[
            "nearest cache: one small buffer, passed repeatedly, as on the page except for "
            "hash127 and hash127-RC6, whose interface took whole messages only",
            "in a cache: one whole message, passed repeatedly, in the nearest cache that holds it",
            "from memory: whole messages in turn from a ring of twice the last-level cache",
        ],
    )
    for function in FUNCTIONS:
        found = [measured.fastest(Asked(function.algorithm, LONG, way)) for way in _WAYS]
        nearest, _, memory = found
        if memory is None:
            continue
        cells = [cell for figure in found for cell in _shown(figure)]
        times = ratio(memory, nearest).value if nearest else None
        _add(
            table,
            [function.name, paper.published(function, LONG), *cells, times],
            found,
            with_name=False,
        )
    return table


_WAYS = (Way.IN_PIECES, Way.WHOLE, Way.FROM_MEMORY)


def _of_steps(measured: Measured) -> Table:
    """What each width of vectors brings."""
    names = ladder(measured)
    gains = [
        column
        for wider in names[1:]
        for column in (
            Column(heading="cycles/byte", group=wider),
            Column(heading="gain", group=wider),
            Column(heading="low", group=wider),
            Column(heading="high", group=wider),
        )
    ]
    table = Table(
        title="Gain from wider vectors: our kernels, each backend alone (UMAC with AES)",
        columns=[
            *_names(),
            *(Column(heading="cycles/byte", group=name) for name in names[:1]),
            *gains,
        ],
        notes=[
            "gain: time of the backend to the left / time of this one, with the ends that both "
            "intervals allow; the page expected 1.5 from twice the width",
            "UMAC by sse2 computes AES with tables, by the wider backends with AES instructions; "
            "UHASH uses no AES",
        ],
    )
    if names and names[0] in LADDERS[0]:
        absent = [name for name in LADDERS[0] if name not in names]
        table.notes += [f"{name}: not on this machine" for name in absent]
    for function in STEPS:
        for size in STEP_SIZES:
            algorithm = function.with_aes or function.algorithm
            found = [measured.fastest(Asked(algorithm, size, backend=name)) for name in names]
            if sum(figure is not None for figure in found) < (2 if len(names) > 1 else 1):
                continue
            cells: list[Cell] = [found[0].cycles.value if found[0] else None]
            for before, after in zip(found, found[1:], strict=False):
                cells += [after.cycles.value if after else None]
                cells += ratio(before, after) if before and after else [None] * 3
            _add(table, [function.name, size, *cells], found, with_name=False)
    return table


def _of_doubles(measured: Measured) -> Table:
    """hash127 in both ways that it was ever computed in."""
    table = Table(
        title="hash127 by floating point, as its author computed it, and by integers",
        columns=[
            Column(heading="bytes"),
            *_figures("doubles"),
            *_figures("integers"),
            Column(heading="doubles/integers"),
            *_figures("the fastest here"),
            Column(heading="fastest"),
        ],
        notes=[
            "both in plain C by the same compiler, which vectorises what it can; the page's "
            "figure is of its author's assembly"
        ],
    )
    for size in SIZES:
        found = [
            measured.fastest(Asked(paper.HASH127.algorithm, size, backend=it))
            for it in ("doubles", "portable", None)
        ]
        doubles, integers, fastest = found
        if doubles is None or integers is None:
            continue
        cells = [
            *_shown(doubles),
            *_shown(integers),
            ratio(doubles, integers).value,
            *_shown(fastest),
        ]
        name = implementation(fastest.row) if fastest else None
        _add(table, [size, *cells, name], found, with_name=False)
    return table


def _of_today(measured: Measured) -> Table:
    """What one would choose now."""
    table = Table(
        title="Today's choices, cycles/byte",
        columns=[
            Column(heading="function"),
            *(column for size in SIZES for column in _figures(f"{size:,}".replace(",", " "), True)),
            Column(heading="fastest at 1500"),
        ],
        notes=[
            "GHASH: no provider offers it alone; GMAC is GHASH and one block of AES for each "
            "message",
            "Poly1305: a key serves one message; the making of the next key is not in the figure",
            "262 144 bytes: one small buffer in the nearest cache, passed repeatedly",
        ],
    )
    then = {it.with_aes: f"{it.name} with AES" for it in (paper.umac(4, 8), paper.umac(2, 8))}
    for algorithm, title in (then | TODAY).items():
        found = [measured.fastest(Asked(algorithm, size)) for size in SIZES]
        if algorithm in TODAY and not any(found):
            table.notes.append(
                f"no figure ({why_none(measured.rows(Asked(algorithm, 1500)))}): {title}"
            )
            continue
        cells = [cell for figure in found for cell in _shown(figure)]
        packet = found[SIZES.index(1500)]
        _add(
            table,
            [title, *cells, implementation(packet.row) if packet else None],
            found,
            with_name=False,
        )
    return table


def _names() -> list[Column]:
    return columns("function", "bytes")


def _columns_of(platform: str) -> list[Column]:
    group = PLATFORMS[platform]
    return [
        Column(heading="published", group=group, decimals=1),
        Column(heading="ratio", group=group),
    ]


def _figures(group: str, detail: bool = False) -> list[Column]:
    """A figure with the ends of its interval."""
    return [Column(heading="c/B", group=group), *columns("low", "high", group=group, detail=detail)]


def _beside(
    here: Figure | None, function: Function, message_bytes: int, platform: str
) -> list[Cell]:
    """What was published, and how many times it the figure here is."""
    then = paper.published(function, message_bytes, platform)
    return [then, here.cycles.value / then if here and then else None]


def _shown(figure: Figure | None) -> list[Cell]:
    return [None] * 3 if figure is None else [*figure.cycles]


def _add(
    table: Table,
    cells: Sequence[Cell],
    figures: Iterable[Figure | None],
    with_name: bool = True,
) -> None:
    """A row, with the implementation of its first figure unless told otherwise, and a mark when one
    of its figures did not settle."""
    found = [it for it in figures if it]
    if any(not it.row.converged for it in found):
        table.unsettled.append(len(table.rows))
    name = [implementation(found[0].row) if found else None] if with_name else []
    table.rows.append([*cells, *name])


def _mark_doubtful(table: Table, function: Function, message_bytes: int) -> None:
    """Marks the cells of the row just added that the published data doubts."""
    for platform, title in PLATFORMS.items():
        cell = paper.cells().get((function.name, platform, message_bytes))
        if cell and cell.note:
            column = next(
                place for place, column in enumerate(table.columns) if column.group == title
            )
            table.doubtful.append((len(table.rows) - 1, column))
            table.notes.append(
                f"? {function.name}, {title}, {message_bytes} bytes: {cell.cycles_per_byte} "
                f"{cell.note}"
            )


def _explain(table: Table, measured: Measured, functions: Iterable[Function]) -> None:
    """Why a function has no figure at all."""
    for function in functions:
        if not any(measured.fastest(Asked(function.algorithm, size)) for size in SIZES):
            reason = why_none(measured.rows(Asked(function.algorithm, 1500)))
            table.notes.append(f"no figure ({reason}): {function.name}")
