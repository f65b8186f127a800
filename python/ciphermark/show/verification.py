"""What test vectors said of each implementation, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ciphermark.record import contract
from ciphermark.show import figures
from ciphermark.show.columns import Column, Columns


def render(verification: contract.Verification) -> RenderableType:
    """The counts of each implementation, what failed and why, and the verdict last."""
    parts: list[RenderableType] = [Columns(_columns(), verification.results), ""]
    parts += [line for result in verification.results for line in _failures(result)]
    parts += [_missing(verification.without_implementation)] * bool(
        verification.without_implementation
    )
    return Group(*parts, _covered(verification), _verdict(verification))
