"""Why a variant has no figure, in one sentence."""

from __future__ import annotations

import platform

import ciphermark
from ciphermark.contract import Failure
from ciphermark.errors import WorkError

_TELLING = ("error:", "undefined reference", "internal compiler error", "Error:")
_MOST = 300
"""Characters of a compiler's message."""


def check_version(version: str) -> None:
    """Raises `WorkError` where this process is of another ciphermark than who sends the work."""
    if version != ciphermark.__version__:
        raise WorkError(
            f"{platform.node()} has ciphermark {ciphermark.__version__} and not {version}: install "
            "the same version there"
        )


def failure(error: BaseException) -> Failure:
    """The failure of a variant that could not be compiled, linked or run."""
    kind = "timeout" if "did not end in" in str(error) else "failed"
    return Failure(kind=kind, message=sentence(error))


def sentence(error: BaseException) -> str:
    """What a program has said that failed: of a compiler the first line that says why."""
    text = str(error)
    _, failed, messages = text.partition(" failed (")
    lines = [line.strip() for line in (messages.partition("): ")[2] or text).splitlines()]
    telling = next((line for line in lines if any(it in line for it in _TELLING)), None)
    said = telling or next(filter(None, lines), type(error).__name__)
    if failed and telling:
        what = "link" if "undefined reference" in telling else "compile"
        said = f"does not {what}: {_without_place(telling)}"
    return said if len(said) <= _MOST else f"{said[:_MOST]} …"


def _without_place(line: str) -> str:
    """Without folders of the machine that compiled."""
    words = line.split(" ")
    return " ".join(it.rpartition("/")[2] if it.startswith("/") else it for it in words)
