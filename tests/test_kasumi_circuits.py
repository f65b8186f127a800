"""The circuits of KASUMI's S-boxes, and the tool that writes them."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType

import pytest

from conftest import script

TOOL = Path(__file__).resolve().parent.parent / "tools" / "kasumi_circuits.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/kasumi_circuits.py")


def values(tool: ModuleType, name: str, bits: int) -> list[int]:
    """What the header's function of that name computes, for every input."""
    circuit = tool.read(tool.HEADER.read_text(), name)
    computed = []
    for x in range(1 << bits):
        signals = {f"x{i}": x >> i & 1 for i in range(bits)}
        for gate in circuit:
            signals[gate.to] = gate.value(signals[gate.a], signals[gate.b]) & 1
        computed.append(sum(signals[f"y{i}"] << i for i in range(bits)))
    return computed


def test_circuits_compute_the_tables(tool: ModuleType) -> None:
    """Those of both steps, at every input."""
    added = tool.constants(*tool.sboxes())
    for sbox in tool.sboxes():
        for step, constant in (("first", 0), ("second", added[sbox.name])):
            table = sbox.table
            wanted = [table[x ^ constant] ^ table[constant] for x in range(len(table))]
            assert values(tool, f"{sbox.name}_{step}", sbox.bits) == wanted


def test_header_is_what_the_tool_writes(tool: ModuleType) -> None:
    text = tool.HEADER.read_text()
    circuits = {name: tool.read(text, f"{name}_first") for name in ("s7", "s9")}
    assert tool.header(circuits) == text


@pytest.mark.slow
def test_search_starts_from_the_polynomials_and_repeats_itself(tool: ModuleType) -> None:
    seven, _ = tool.sboxes()
    one, again = (tool.improved([], seven, 10, random.Random(1)) for _ in range(2))
    assert seven.is_computed_by(one)
    assert one == again


def test_wrong_circuit_is_noticed(tool: ModuleType) -> None:
    seven, _ = tool.sboxes()
    circuit = tool.read(tool.HEADER.read_text(), "s7_first")
    gate = circuit[-1]
    assert not seven.is_computed_by([*circuit[:-1], gate._replace(a=gate.b)])
