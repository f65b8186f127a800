"""What an exporter is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows

Export = Callable[["Context", "AnyRows"], bytes]
"""Makes a whole file of a run's context and rows."""


@dataclass(frozen=True)
class Format:
    """A registered exporter."""

    export: Export
    binary: bool = False
    """Whether it is no text, and so not for a terminal."""
