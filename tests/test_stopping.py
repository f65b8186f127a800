"""The stopping rule against tests/golden/stopping.json, which the engine is held to as well."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ciphermark.record.table import Table
from ciphermark.record.tables import SAMPLES
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.stopping import Observations, Rule
from ciphermark.workloads.single.groups import groups_by_case
from golden import make_stopping

CASES = json.loads(make_stopping.FILE.read_text(encoding="utf-8"))["cases"]


def observations(samples: list[dict], rule: Rule) -> Observations:
    """What is observed in samples whose cycles, of one message each, are the given x."""
    if not samples:
        none = np.empty(0)
        return Observations(none, none, none.astype(np.int64), samples=0, disturbed=0)
    return groups_by_case(sample_table(samples))[0].observations(rule)


def sample_table(samples: list[dict]) -> Table:
    """The columns of `contract.Sample` that statistics read."""
    count = len(samples)
    read = (
        *("case", "round", "process", "at_ns", "messages"),
        *("wall_ns", "cycles", "loop_cycles", "core_hz", "disturbed"),
    )
    return Table(
        {name: SAMPLES[name] for name in read},
        {
            "case": [0] * count,
            "round": [sample["round"] for sample in samples],
            "process": [sample["process"] for sample in samples],
            "at_ns": [sample["at_ns"] for sample in samples],
            "messages": [1] * count,
            "wall_ns": [1.0] * count,
            "cycles": [sample["x"] for sample in samples],
            "loop_cycles": [0.0] * count,
            "core_hz": [1e9] * count,
            "disturbed": [["clock"] if sample["disturbed"] else [] for sample in samples],
        },
    )


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: entry["name"])
def test_the_rule_gives_the_golden_answer(entry: dict) -> None:
    names = ("precision", "min_groups", "min_span_ms", "processes", "reproducibility")
    rule = Rule(*(entry[name] for name in names))
    seen = observations(entry["samples"], rule)
    missing = seen.missing(rule)
    estimate = seen.estimate(rule) or Estimate(None)
    assert {
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "converged": missing is None,
        "reason_kind": missing or "none",
    } == entry["expect"]


def test_the_golden_file_is_what_its_maker_makes() -> None:
    stored = make_stopping.FILE.read_text(encoding="utf-8")
    assert stored == make_stopping.text(), "run: python tests/golden/make_stopping.py"


def test_every_reason_is_in_the_golden_file() -> None:
    kinds = {entry["expect"]["reason_kind"] for entry in CASES}
    assert kinds == {
        "none", "disturbed", "processes", "groups", "states", "interval", "halves", "span",
    }  # fmt: skip
