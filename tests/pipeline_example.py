"""Traces of a few instructions, put together by hand."""

from __future__ import annotations

from functools import cache

from ciphermark.run.targets.intervals import Block, Trace
from ciphermark.run.targets.pipelines.pipeline import Pipeline
from ciphermark.run.targets.target import FOLDER, Target, read

OUTSIDE = 0
"""An address before the call."""


def pipeline(target: str) -> Pipeline:
    """The model of a target of the package."""
    return Pipeline(_read(target))


@cache
def _read(target: str) -> Target:
    return read(FOLDER / f"{target}.toml")


def block(address: int, *codes: str) -> Block:
    """Instructions behind each other; their codes as a disassembler prints them."""
    instructions = []
    for code in codes:
        bits = b"".join(int(it, 16).to_bytes(len(it) // 2, "little") for it in code.split())
        instructions.append((address, bits))
        address += len(bits)
    return Block(instructions[0][0], tuple(instructions))


def trace(edges: dict[tuple[int, int], int], *blocks: Block) -> Trace:
    """The execution of blocks."""
    return Trace(blocks={it.address: it for it in blocks}, edges=edges)


def straight(target: str, *codes: str) -> int:
    """Cycles of instructions that are executed once, one behind the other."""
    only = block(0x1000, *codes)
    return pipeline(target).cycles(trace({(OUTSIDE, only.address): 1}, only))
