"""Tables as Markdown and LaTeX.

Not by a library of tables, as tabulate: it would pad every cell, and has neither sections within a
table, captions nor escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ciphermark.messages import one_line
from ciphermark.view import figures
from ciphermark.view.blocks import Table
from ciphermark.view.column import Column, Place

# Underscores within words are no emphasis, and common in names.
_MARKUP = re.compile(r"[\\`*\[\]<|~&$]|(?<![^\W_])_|_(?![^\W_])")

BULLET = "·"
"""Mark of a note that explains no mark."""

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "·": r"\textperiodcentered{}",
        "±": r"$\pm$",
        "≤": r"$\le$",
        "≈": r"$\approx$",
        "µ": r"\textmu{}",
        "−": r"$-$",
        figures.NARROW_SPACE: r"\,",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)


def markdown(table: Table[Any], caption: str) -> bytes:
    """Returns a table for each section below its heading, in GitHub's dialect, and notes."""
    columns = _exported(table)
    heads = [" ".join(filter(None, _heading(column))) for column in columns]
    lines = [markdown_text(f"{table.title}. {caption}.")]
    for title, rows in table.sections().items():
        lines += ["", f"### {markdown_text(title)}"] if title else []
        lines += ["", markdown_row(heads)]
        lines.append(markdown_row("---" if it.has_words else "---:" for it in columns))
        lines += [markdown_row(_cells(columns, row)) for row in rows]
    if table.legend:
        lines += ["", *map(markdown_text, _notes(table))]
    return "\n".join([*lines, ""]).encode()


def latex(table: Table[Any], caption: str, label: str) -> bytes:
    """Returns an environment with all sections, and a caption that names machine and run.

    The document needs the package booktabs.
    """
    columns = _exported(table)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "  \\centering",
        *_captioned(table.title, " ".join([f"{table.title}. {caption}.", *_notes(table)]), label),
        f"  \\begin{{tabular}}{{{''.join('l' if it.has_words else 'r' for it in columns)}}}",
        "    \\toprule",
        *_groups(columns),
        _latex_row(_heading(column)[1] for column in columns),
    ]
    for title, rows in table.sections().items():
        lines.append("    \\midrule")
        if title:
            emphasised = f"\\emph{{{latex_text(title)}}}"
            lines.append(f"    \\multicolumn{{{len(columns)}}}{{l}}{{{emphasised}}} \\\\")
        lines += [_latex_row(_cells(columns, row)) for row in rows]
    lines += ["    \\bottomrule", "  \\end{tabular}", "\\end{table}", ""]
    return "\n".join(lines).encode()


def _exported(table: Table[Any]) -> list[Column[Any]]:
    return [column for column in table.columns if Place.EXPORT in column.places]


def _heading(column: Column[Any]) -> tuple[str, str]:
    """Returns the group that a column shares with its neighbours, and its own heading."""
    if column.name:
        return "", column.name
    group, _, head = column.heading.rpartition("\n")
    return group, head


def _cells(columns: Sequence[Column[Any]], row: Any) -> list[str]:  # noqa: ANN401
    return [column.cell(row, figures.NARROW_SPACE).text for column in columns]


def _notes(table: Table[Any]) -> Iterator[str]:
    for note in table.legend:
        mark = "" if note.mark == BULLET else note.mark
        yield f"{mark} {note.text.rstrip('.')}.".lstrip()


def markdown_text(text: str) -> str:
    """Escapes markup, links and HTML in a text for a line or a cell."""
    return _MARKUP.sub(r"\\\g<0>", one_line(text))


def markdown_row(cells: Iterable[str]) -> str:
    """Returns a line of a table."""
    return f"| {' | '.join(map(markdown_text, cells))} |"


def latex_text(text: str) -> str:
    return one_line(text).translate(LATEX_ESCAPES)


def _latex_row(cells: Iterable[str]) -> str:
    return f"    {' & '.join(map(latex_text, cells))} \\\\"


def _captioned(title: str, text: str, named: str) -> Iterator[str]:
    """Yields the caption, its short form for a list of tables, and a label."""
    label = re.sub(r"[^0-9a-z]+", "-", named.lower()).strip("-")
    yield f"  \\caption[{{{latex_text(title)}}}]{{{latex_text(text)}}}"
    yield f"  \\label{{tab:{label}}}"


def _groups(columns: Sequence[Column[Any]]) -> Iterator[str]:
    """Yields the groups of neighbouring columns, with a rule below each; nothing without any."""
    groups = [_heading(column)[0] for column in columns]
    if not any(groups):
        return
    cells, rules, at = [], [], 1
    for group, alike in groupby(groups):
        count = len(list(alike))
        cells.append(f"\\multicolumn{{{count}}}{{c}}{{{latex_text(group)}}}")
        if group:
            rules.append(f"\\cmidrule(lr){{{at}-{at + count - 1}}}")
        at += count
    yield f"    {' & '.join(cells)} \\\\"
    yield f"    {' '.join(rules)}"
