"""What figures of cryptography do not have in them, and whose code really does the work."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ciphermark.answers.advice.uses import USES, Use

if TYPE_CHECKING:
    from ciphermark.answers.capacity.path import PathCost

USUALLY = "key exchange, the kernel's network stack and the cards"
"""Of messages that go over a network."""


@cache
def use_of(protocol: str | None) -> Use | None:
    """The use whose suites are of a protocol; None for plain algorithms and protocols without."""
    if protocol is None:
        return None
    return next((use for use in USES.all() if use.protocol == protocol), None)


WITH_PATH = "key exchange and the cards"
"""Where the figures have the data path of a packet in them."""


def sentence(use: Use | None, provider: str, path: PathCost | None = None) -> str:
    """Returns the work that figures leave out, and the code that does it in the tools of a use.

    Figures are of `provider`, with the data path of a packet where there is one, or of the program
    of a tunnel as a whole.
    """
    if path is not None and path.has_cryptography:
        return f"{WITH_PATH}; {path.kind} was measured as a whole"
    if use is None:
        return USUALLY if path is None else WITH_PATH
    left_out = use.left_out or USUALLY if path is None else WITH_PATH
    if use.runs_in:
        return f"{left_out}; {use.runs_in} does this work, not the {provider} measured here"
    if is_another(use, provider):
        return f"{left_out}; the usual tools use {use.library}, not the {provider} measured here"
    return f"{left_out}; {provider} is what the usual tools use" if use.library else left_out


ON_NODE = (
    "reading the sensor and sending; the kernels are portable C, and a library for this processor "
    "may be faster"
)
"""Of a node, where no tool is configured."""


def measuring(use: Use) -> str:
    """Returns the command that measures the library of the usual tools."""
    return f"{use.measured_by} --providers {use.library}"


def is_another(use: Use, provider: str) -> bool:
    """Whether the tools take another library than the one that was measured."""
    return use.library not in (None, provider)
