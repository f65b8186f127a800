"""Directions within the engine: which crate may know which, and no cycle of modules in a crate."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "engine"

KNOWS = {
    "record": set(),
    "algorithms": {"record"},
    "codepath": set(),
    "harness": {"record"},
    "traffic": {"record"},
    "providers": {"record", "algorithms"},
    "suites": {"record", "algorithms", "providers"},
    "devices": {"record", "algorithms", "harness", "providers"},
    "registry": {"providers", "suites", "devices"},
    "workloads": {"record", "algorithms", "harness", "providers", "devices", "registry"},
    "limits": {"record", "algorithms", "codepath", "harness", "providers", "registry"},
    "supervisor": {
        *("record", "algorithms", "codepath", "harness", "providers", "registry", "workloads"),
    },
    "engine": {"record", "algorithms", "harness", "limits", "traffic", "supervisor"},
}  # fmt: skip
"""The crates of the engine that each may call; tests may call more."""

FOLDERS = {"engine": "cli"}
"""Folders that are called otherwise than their crates."""

TESTS = re.compile(r"#\[cfg\(test\)\]\n(?:pub )?mod \w+ \{.*", re.DOTALL)
"""The tests at the end of a file."""

PATH = re.compile(r"\b(crate|super(?:::super)*)::(?:\{([^;]*?)\}|(\w+))", re.DOTALL)
"""What a module names of its crate: one name, or several in braces."""


@cache
def modules(crate: str) -> dict[str, set[str]]:
    """The modules at the top of a crate, each with those that it names outside of tests."""
    source = ENGINE / FOLDERS.get(crate, crate) / "src"
    tops = {path.stem for path in source.glob("*.rs")} - {"lib", "main"}
    named: dict[str, set[str]] = {top: set() for top in tops}
    for path in source.rglob("*.rs"):
        place = path.relative_to(source).with_suffix("").parts
        if place[0] in named and "tests" not in place and place[-1] != "fake":
            named[place[0]] |= used(path, len(place)) & (tops - {place[0]})
    return named


def used(path: Path, depth: int) -> set[str]:
    """Names at the top of the crate that a file of that depth names."""
    text = re.sub(r"//.*", "", TESTS.sub("", path.read_text("utf-8")))
    names: set[str] = set()
    for way, several, one in PATH.findall(text):
        if way == "crate" or way.count("super") == depth:
            names |= set(re.findall(r"(?:^|,)\s*(\w+)", several)) if several else {one}
    return names


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Some modules of which each names the next and the last the first; none without a cycle."""
    left = {module: set(names) for module, names in graph.items()}
    while ends := [module for module, names in left.items() if not names & left.keys()]:
        for module in ends:
            del left[module]
    if not left:
        return []
    way = [min(left)]
    while (following := min(left[way[-1]] & left.keys())) not in way:
        way.append(following)
    return way[way.index(following) :]


def test_a_cycle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]


def test_every_crate_of_the_engine_has_its_place() -> None:
    members = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["members"]
    folders = {FOLDERS.get(crate, crate) for crate in KNOWS}
    assert {it.removeprefix("engine/") for it in members if it.startswith("engine/")} == folders


@pytest.mark.parametrize("crate", KNOWS)
def test_a_crate_knows_only_those_below_it(crate: str) -> None:
    manifest = tomllib.loads((ENGINE / FOLDERS.get(crate, crate) / "Cargo.toml").read_text("utf-8"))
    tables = [manifest, *manifest.get("target", {}).values()]
    named = {name for table in tables for name in table.get("dependencies", {})}
    assert {
        name.removeprefix("ciphermark-") for name in named if name.startswith("ciphermark-")
    } - {"kernels"} == KNOWS[crate]


@pytest.mark.parametrize("crate", KNOWS)
def test_modules_of_a_crate_do_not_name_each_other_in_a_circle(crate: str) -> None:
    assert cycle(modules(crate)) == []
