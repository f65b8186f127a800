"""Text that a function or blocks print."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ciphermark.view.frame import row_blocks
from ciphermark.view.screen import show

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.view.blocks import Block
    from ciphermark.workload import AnyRows


def on_screen(write: Callable[..., object], *what: Any, width: int = 160, **options: Any) -> str:
    """Returns the text that `write(console, *what)` prints at a width in characters.

    `options` are those of `Console`.
    """
    text = io.StringIO()
    write(Console(file=text, width=width, **options), *what)
    return text.getvalue()


def blocks_on_screen(blocks: Iterable[Block], width: int = 160, **options: Any) -> str:
    """Returns blocks as a terminal shows them, without blanks at the ends of lines."""
    lines = on_screen(show, blocks, width=width, **options).splitlines()
    return "\n".join(line.rstrip() for line in lines)


def rows_on_screen(context: Context, rows: AnyRows, width: int = 160, **options: Any) -> str:
    """Returns the table of a run, with its notes and the marks, as a terminal shows it."""
    return on_screen(show, row_blocks(context, rows), width=width, **options)
