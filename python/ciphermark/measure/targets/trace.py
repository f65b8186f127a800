"""What a simulator saw of one call: blocks of instructions, and how often each followed another."""

from __future__ import annotations

import msgspec


class Block(msgspec.Struct, frozen=True):
    """Instructions that are always executed together, in the order in which they are."""

    address: int
    instructions: tuple[tuple[int, bytes], ...]
    """Address and code of each; a delay slot stands behind its branch."""
    function: str = ""
    """The symbol that it lies in."""


class Trace(msgspec.Struct, kw_only=True):
    """The execution of one call."""

    blocks: dict[int, Block]
    """By numbers that the runner gave them; shared by all traces of an image."""
    edges: dict[tuple[int, int], int]
    """How often a block (the second number) followed another (the first)."""

    def times(self) -> dict[int, int]:
        """How often each block was executed."""
        times: dict[int, int] = {}
        for (_, block), count in self.edges.items():
            times[block] = times.get(block, 0) + count
        return times
