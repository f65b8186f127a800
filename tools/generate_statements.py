"""Writes statements.toml of each study anew, as its judges find the paper's own tables now.

What the paper says stays as it stands there; verdicts on its tables, and figures that are worked
out of these, are replaced. Comments above the first statement are kept.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ciphermark.studies import registry
from ciphermark.studies.statements import Questions, Said

COLUMNS = 97
FIRST = "[[statement]]"


def documents() -> dict[Path, str]:
    """What each file should be."""
    return {it.path: document(it) for it in registry.questions().values()}


def document(questions: Questions[Any, Any]) -> str:
    """One of them."""
    head = questions.path.read_text("utf-8").partition(FIRST)[0]
    said = questions.worked_out().statement
    return head + "\n\n".join("\n".join(statement(it)) for it in said) + "\n"


def statement(said: Said) -> Iterator[str]:
    yield FIRST
    for name in ("claim", "text", "place", "published"):
        yield string(name, getattr(said, name))
    if not said.asked_here:
        yield "asked_here = false"
    if said.printed is not None:
        yield "[statement.printed]"
        if said.printed.holds is not None:
            yield f"holds = {json.dumps(said.printed.holds)}"
        yield string("here", said.printed.here)


def string(name: str, text: str) -> str:
    """A long one over several lines, of which each but the last goes on."""
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    line = f'{name} = "{escaped}"'
    if len(line) <= COLUMNS + 3:
        return line
    lines = textwrap.wrap(escaped, COLUMNS, break_long_words=False, break_on_hyphens=False)
    return f'{name} = """\\\n' + " \\\n".join(lines) + '"""'


if __name__ == "__main__":
    for path, text in documents().items():
        path.write_text(text, "utf-8")
