"""What a function prints, as text."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from rich.console import Console


def on_screen(write: Callable[..., object], *what: Any, width: int = 160, **options: Any) -> str:
    """What `write(console, *what)` prints into a file as wide as that many characters; `options`
    are those of `Console`."""
    text = io.StringIO()
    write(Console(file=text, width=width, **options), *what)
    return text.getvalue()
