"""Output of commands, and clean-up at their end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark.errors import WorkError
from ciphermark.messages import say as say
from ciphermark.messages import visible

if TYPE_CHECKING:
    from ciphermark.view.blocks import Block

_runs: str | None = None
"""The `--runs` of this command."""


def note_runs(runs: str | None) -> str | None:
    """Notes `--runs`, which commands that are suggested to the user need too."""
    global _runs
    _runs = runs
    return runs


def show_command(run: str) -> str:
    """Returns the command that shows a run which this command has stored."""
    return f"ciphermark show {run}" + (f" --runs {shlex.quote(_runs)}" if _runs else "")


def print_json(document: Any) -> None:
    """Prints one JSON document on standard output; msgspec structs are encoded field by field."""
    import msgspec

    print(visible(msgspec.json.format(_encoded(document), indent=2).decode()))


def json_in_page(document: Any) -> str:
    """Returns JSON whose texts neither end an element of a page nor hold control characters."""
    return visible(_encoded(document).decode()).replace("<", "\\u003c")


def _encoded(document: Any) -> bytes:
    """Returns JSON; a number of numpy, which models compute with, is one of Python's."""
    import msgspec

    return msgspec.json.encode(document, enc_hook=lambda number: number.item())


def print_answer(
    json: bool, document: Callable[[], object], blocks: Callable[[], Iterable[Block]]
) -> None:
    """Prints an answer as JSON for programs, or as blocks for people."""
    if json:
        print_json(document())
        return
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    show(output_console(), blocks())


def opened(page: Path) -> None:
    """Shows a page in the user's browser, or says where it is."""
    import webbrowser

    if not webbrowser.open(page.as_uri()):
        say(f"no browser could be started: open {page.as_uri()} in one")


def write_or_print(path: Path | None, content: bytes) -> None:
    """Writes a file, or to standard output without a path. Raises `WorkError`."""
    if path is None:
        sys.stdout.buffer.write(content)
        return
    from ciphermark.files.atomic import replaced_file

    try:
        with replaced_file(path) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise WorkError(
            f"{path} could not be written ({error.strerror}); name another place with --output PATH"
        ) from error


at_end = ExitStack()
"""Resources of the command, which `main` closes at its end."""
