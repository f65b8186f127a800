"""LaTeX: a table for a paper. The document needs the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.messages import one_line
from ciphermark.show import figures
from ciphermark.show.export.pivot import Pivot
from ciphermark.show.machine import caption
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows

ESCAPES = str.maketrans(
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


def export(context: Context, rows: AnyRows) -> bytes:
    """One table environment with all sections, and a caption that names machine and run."""
    return "\n".join(_lines(context, workload_of(context.workload).pivot(context, rows))).encode()


# Not by a library of tables, as tabulate: it has no sections within a table, and no captions.
def _lines(context: Context, table: Pivot) -> Iterator[str]:
    columns = "l" * table.words + "r" * (len(table.headings) - table.words)
    yield "% needs \\usepackage{booktabs}"
    yield "\\begin{table}"
    yield "  \\centering"
    yield from captioned(table.title, _caption(context, table), context.run)
    yield f"  \\begin{{tabular}}{{{columns}}}"
    yield "    \\toprule"
    yield row(table.headings)
    for title, lines in table.sections.items():
        yield "    \\midrule"
        yield f"    \\multicolumn{{{len(table.headings)}}}{{l}}{{\\emph{{{escaped(title)}}}}} \\\\"
        for line in lines:
            yield row(line)
    yield "    \\bottomrule"
    yield "  \\end{tabular}"
    yield "\\end{table}"
    yield ""


def _caption(context: Context, table: Pivot) -> str:
    text = f"{table.title}. {caption(context)}."
    for mark, meaning in table.legend:
        text += f" {meaning}." if mark == _BULLET else f" {mark} {meaning}."
    return text


_BULLET = "·"
"""Of a note in a legend, which explains no mark."""


def captioned(title: str, text: str, named: str) -> Iterator[str]:
    """The caption, with the title alone for a list of tables, and a label from a name."""
    label = re.sub(r"[^0-9a-z]+", "-", named.lower()).strip("-")
    yield f"  \\caption[{{{escaped(title)}}}]{{{escaped(text)}}}"
    yield f"  \\label{{tab:{label}}}"


def row(cells: Iterable[str]) -> str:
    """A line of a tabular, indented."""
    return f"    {' & '.join(map(escaped, cells))} \\\\"


def escaped(text: str) -> str:
    """A text with the signs that LaTeX takes for its own."""
    return one_line(text).translate(ESCAPES)
