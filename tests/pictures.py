"""Pictures of reports, which tests leave undrawn unless they look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from ciphermark.command import report
from ciphermark.view.plots.vegalite import Spec

UNDRAWN = b"<svg/>", b"\x89PNG"


@contextmanager
def undrawn() -> Iterator[None]:
    """Reports are written with files that hold no picture."""

    @contextmanager
    def nothing(specs: Sequence[Spec]) -> Iterator[list[tuple[bytes, bytes]]]:
        yield [UNDRAWN] * len(specs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "pictured", nothing)
        yield


_pictured = report.pictured


@contextmanager
def drawn() -> Iterator[None]:
    """Within it they are drawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "pictured", _pictured)
        yield
