"""What functions leave behind in the processor, in sentences."""

from __future__ import annotations

from ciphermark.show import figures
from ciphermark.workloads.single.left_behind import LeftBehind

COSTS_NOTHING = 1.05
"""A factor up to this is within what the probe itself varies by."""


def sentence(it: LeftBehind) -> str:
    """One sentence that says who leaves what, and what that costs here."""
    what = f"{it.provider} {it.algorithm}"
    if it.path is not None:
        what += f" ({it.path})"
    what += " leaves vector registers dirty"
    if it.sizes:
        *first, last = map(figures.message_size, it.sizes)
        what += f" after messages of {', '.join(first)} and {last}" if first else f" after {last}"
    return what + _cost(it.times_after)


def _cost(ratio: float | None) -> str:
    if ratio is None:
        return ", which can slow legacy SSE code after it"
    if ratio <= COSTS_NOTHING:
        return ", which costs legacy SSE code nothing here"
    return f": legacy SSE code after it takes {figures.significant(ratio, 2)} times as long"
