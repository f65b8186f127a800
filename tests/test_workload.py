"""The registry of workloads: each is whole, and nobody else asks for a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import ciphermark
from ciphermark import contract
from ciphermark import workload as registry
from ciphermark.workload import NAMES, Workload, workload_of

PACKAGE = Path(ciphermark.__file__).parent
NEEDED = ("row_type", "rows", "rows_table", "rows_from_table", "blocks")


@pytest.mark.parametrize("name", NAMES)
def test_each_workload_says_all_that_the_frame_asks(name: str) -> None:
    workload = workload_of(name)
    assert workload.subject
    for method in NEEDED:
        assert getattr(type(workload), method) is not getattr(Workload, method)
    if workload.load is not None:
        assert workload.load in contract.Case.__struct_fields__
    assert (workload.loading() is None) == (workload.load is None)


def test_what_the_engine_runs_is_registered() -> None:
    assert {*get_args(contract.Workload)} < {*NAMES}


def test_nobody_but_the_registry_compares_a_workload() -> None:
    outside = [
        path
        for path in PACKAGE.rglob("*.py")
        if path != Path(registry.__file__) and "workloads" not in path.relative_to(PACKAGE).parts
    ]
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in outside
        for line in _comparisons(ast.parse(path.read_text("utf-8")))
    ]
    assert found == [], "ask `workload_of` instead"


def test_a_comparison_is_found() -> None:
    told = 'if context.workload == "single": ...\nif run.workload in ("packets", "other"): ...\n'
    matched = 'match plan.workload:\n    case "tuning": ...\n'
    assert sorted(_comparisons(ast.parse(told + matched))) == [1, 2, 3]


def _comparisons(tree: ast.AST) -> Iterator[int]:
    """Lines in which something called a workload is compared with the name of one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides: list[ast.AST] = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            sides = [node.subject, *node.cases]
        else:
            continue
        parts = [part for side in sides for part in ast.walk(side)]
        names = {part.value for part in parts if isinstance(part, ast.Constant)}
        asked = {ast.unparse(part).rpartition(".")[2] for part in parts if _is_name(part)}
        if names & {*NAMES} and "workload" in asked:
            yield node.lineno


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)
