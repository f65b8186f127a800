"""What makes two rows figures of the same thing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.row import Row

IMPLEMENTATION = ("algorithm", "operation", "provider", "backend")
PARAMETERS = ("workload", "pattern", "offload", "lanes", "keys", "buffers", "switches")
CASE = (*IMPLEMENTATION, *PARAMETERS, "message_bytes")
"""Two rows of different runs that agree in these were measured on the same case."""


def key(row: Row | CostCard, fields: Iterable[str]) -> tuple[Hashable, ...]:
    """The values of these fields, as something that can be looked up."""
    return tuple(_hashable(getattr(row, field)) for field in fields)


def _hashable(value: object) -> Hashable:
    return tuple(sorted(value.items())) if isinstance(value, dict) else value
