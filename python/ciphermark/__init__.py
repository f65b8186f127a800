"""ciphermark measures what cryptography costs, verified and with its uncertainty.

As a library it has the names of `ciphermark.api`, which are loaded when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ciphermark.api import Run, UsageError, WorkError, compare, measure, runs

__version__ = "0.1.0"
__all__ = ["Run", "UsageError", "WorkError", "compare", "measure", "runs"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in __all__:
        raise AttributeError(f"module 'ciphermark' has no attribute {name!r}")
    return getattr(import_module("ciphermark.api"), name)
