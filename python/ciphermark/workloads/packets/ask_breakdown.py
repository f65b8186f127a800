"""`packets --breakdown`: from names and sizes to where kernels spend their instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark.measure.engine import Engine
    from ciphermark.workloads.packets.breakdown import Breakdown


def breakdown(engine: Engine, algorithms: Sequence[str], sizes: Sequence[int]) -> list[Breakdown]:
    """Where our kernels of these algorithms spend their instructions, at these sizes.

    Raises `WorkError` where there is no compiler, and where no kernel has an algorithm.
    """
    from ciphermark.measure.breakdown import count
    from ciphermark.workloads.packets.breakdown import broken_down

    return [broken_down(counted) for counted in count(engine, algorithms, sizes)]
