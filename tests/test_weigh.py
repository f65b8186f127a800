"""Ceilings of packages: heavier ones and silent rises are refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from conftest import script

ROOT = Path(__file__).parents[1]
CEILINGS = {"record": {"lines": 5, "modules": 2}, "workbench": {"lines": 9, "modules": 3}}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/weigh.py")


def weighed(tool: ModuleType, package: str, *texts: str) -> tuple[Counter[str], Counter[str]]:
    files = [
        (PurePosixPath(f"python/ciphermark/{package}/{number}.py"), text)
        for number, text in enumerate(texts)
    ]
    weight: tuple[Counter[str], Counter[str]] = tool.weigh(iter(files))
    return weight


def test_a_package_at_its_ceiling_passes(tool: ModuleType) -> None:
    weight = weighed(
        tool, "record", 'a = 1\nb = 2\n"""Not code."""\n', "c = 3\n# none\nd = 4\ne = 5\n"
    )
    assert [*tool.over(CEILINGS, *weight)] == []


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a = 1\n" * 6], "record has 6 lines, and its ceiling is 5: make it lighter"),
        (["a = 1\n"] * 3, "record has 3 modules, and its ceiling is 2: make it lighter"),
    ],
)
def test_a_heavier_package_is_named(tool: ModuleType, texts: list[str], said: str) -> None:
    [fault] = tool.over(CEILINGS, *weighed(tool, "record", *texts))
    assert fault.startswith(said)


def test_a_package_without_a_ceiling_is_named(tool: ModuleType) -> None:
    [fault] = tool.over(CEILINGS, *weighed(tool, "view", "a = 1\n"))
    assert fault == "view has no ceiling: write one into tools/ceilings.toml"


def test_a_rise_needs_a_reason_of_its_own(tool: ModuleType) -> None:
    higher = {"record": {"lines": 6, "modules": 2}}
    assert len([*tool.raised(higher, CEILINGS)]) == 1
    with_reason = {"record": {**higher["record"], "why": "a format of stored runs"}}
    assert [*tool.raised(with_reason, CEILINGS)] == []
    further = {"record": {**with_reason["record"], "lines": 7}}
    assert len([*tool.raised(further, with_reason)]) == 1
    assert [*tool.raised(CEILINGS, higher)] == []
