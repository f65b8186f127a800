"""One table of a study for a paper: LaTeX, Markdown, CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ciphermark.errors import UsageError
from ciphermark.show.export import csv as csv_export
from ciphermark.show.export import latex as latex_export
from ciphermark.show.export import markdown as markdown_export
from ciphermark.show.machine import caption
from ciphermark.studies.show import is_text, notes, printed

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.show.findings import Column, Table

_NUMBER = re.compile(r"#?(\d+)")

_PAPERS_NUMBER = re.compile(
    r"(?P<number>(?:Table|Figure) \w+|[A-Z]\d+)[.,] (?P<title>.+)", re.DOTALL
)


def listed(tables: Sequence[Table]) -> list[str]:
    """The tables with the number that `--table` takes."""
    return [f"#{place}  {table.title}" for place, table in enumerate(tables, 1)]


def find(tables: Sequence[Table], wanted: str) -> Table:
    """The table of the paper's number (`4`, `A9`), of its place in the study (`#4`), or with these
    words in its title. Raises `UsageError` that lists them."""
    by_title = [it for it in tables if _is_numbered(it.title, wanted)]
    if not by_title and (match := _NUMBER.fullmatch(wanted)):
        place = int(match[1])
        by_title = [tables[place - 1]] if 0 < place <= len(tables) else []
    elif not by_title:
        by_title = [it for it in tables if wanted.lower() in it.title.lower()]
    if len(by_title) == 1:
        return by_title[0]
    what = "fits several tables" if by_title else "is no table of this study"
    raise UsageError(f"--table {wanted} {what}: write one of\n" + "\n".join(listed(tables)))


def _is_numbered(title: str, wanted: str) -> bool:
    """Whether a title begins with the paper's number: `Table 4`, `A9.`, `Table A9`."""
    return re.match(rf"(?:Table )?{re.escape(wanted)}(?![\w#])[.:]? ", title) is not None


def latex(context: Context, table: Table) -> bytes:
    """A table environment with groups of columns, and a caption that names machine and run. The
    document needs the package booktabs."""
    texts = [is_text(cells) for cells in _columns(table)]
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "  \\centering",
        *latex_export.captioned(
            own_title(table.title), _caption(context, table), f"{context.run}-{table.title}"
        ),
        f"  \\begin{{tabular}}{{{''.join('l' if text else 'r' for text in texts)}}}",
        "    \\toprule",
        *_latex_groups(table.columns),
        latex_export.row([column.heading for column in table.columns]),
        "    \\midrule",
        *map(latex_export.row, printed(table)),
        "    \\bottomrule",
        "  \\end{tabular}",
        "\\end{table}",
        "",
    ]
    return "\n".join(lines).encode()


def _latex_groups(columns: Sequence[Column]) -> Iterator[str]:
    """What neighbouring columns have in common, with a rule below each."""
    if not any(column.group for column in columns):
        return
    cells, rules, at = [], [], 1
    for group, alike in groupby(columns, key=lambda column: column.group):
        count = len(list(alike))
        cells.append(f"\\multicolumn{{{count}}}{{c}}{{{latex_export.escaped(group)}}}")
        if group:
            rules.append(f"\\cmidrule(lr){{{at}-{at + count - 1}}}")
        at += count
    yield f"    {' & '.join(cells)} \\\\"
    yield f"    {' '.join(rules)}"


def markdown(context: Context, table: Table) -> bytes:
    """A line above with machine and run, the table, its notes below."""
    texts = [is_text(cells) for cells in _columns(table)]
    lines = [
        markdown_export.escaped(f"{table.title}. {caption(context)}."),
        "",
        markdown_export.row(_headings(table)),
        markdown_export.row(["---" if text else "---:" for text in texts]),
        *(markdown_export.row(line) for line in printed(table)),
    ]
    if said := list(notes(table)):
        lines += ["", *(markdown_export.escaped(note) for note in said)]
    return "\n".join([*lines, ""]).encode()


def as_csv(context: Context, table: Table) -> bytes:
    """The values as they are, with all their digits; absent ones are empty."""
    lines = ([*line, place not in table.unsettled] for place, line in enumerate(table.rows))
    return csv_export.written([[*_headings(table), "settled"], *lines])


def _columns(table: Table) -> list[tuple[object, ...]]:
    return list(zip(*table.rows, strict=True)) or [() for _ in table.columns]


def _headings(table: Table) -> list[str]:
    return [f"{column.group} {column.heading}".strip() for column in table.columns]


def own_title(title: str) -> str:
    """A title without the paper's number in front, which a document has of its own: `Cycles per bit
    (Table 12 of the paper)`."""
    if (match := _PAPERS_NUMBER.fullmatch(title)) is None:
        return title
    return f"{match['title']} ({match['number']} of the paper)"


def _caption(context: Context, table: Table) -> str:
    said = "".join(f" {note.rstrip('.')}." for note in notes(table))
    return f"{own_title(table.title)}. {caption(context)}.{said}"


FORMATS: dict[str, Callable[[Context, Table], bytes]] = {
    "csv": as_csv,
    "latex": latex,
    "markdown": markdown,
}
"""By the name that `--format` takes."""
