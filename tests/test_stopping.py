"""The stopping rule against tests/golden/stopping.json, which the engine is held to as well."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from ciphermark.analyse.groups import groups_by_case
from ciphermark.analyse.statistics import Estimate, Observations, Rule, estimate_median
from golden import make_stopping

CASES = json.loads(make_stopping.FILE.read_text(encoding="utf-8"))["cases"]


def observations(samples: list[dict]) -> Observations:
    """The groups of samples whose cycles, of one message each, are the given x."""
    if not samples:
        return Observations(np.empty(0), np.empty(0, np.int64), samples=0, disturbed=0)
    return groups_by_case(sample_table(samples))[0].observations()


def sample_table(samples: list[dict]) -> pa.Table:
    """The columns of `contract.Sample` that statistics read."""
    count = len(samples)
    return pa.table(
        {
            "case": [0] * count,
            "round": [sample["round"] for sample in samples],
            "process": [0] * count,
            "at_ns": [sample["at_ns"] for sample in samples],
            "messages": [1] * count,
            "wall_ns": [1.0] * count,
            "cycles": [sample["x"] for sample in samples],
            "loop_cycles": [0.0] * count,
            "core_hz": [1e9] * count,
            "disturbed": pa.array(
                [["clock"] if sample["disturbed"] else [] for sample in samples],
                pa.list_(pa.string()),
            ),
        }
    )


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: entry["name"])
def test_the_rule_gives_the_golden_answer(entry: dict) -> None:
    seen = observations(entry["samples"])
    missing = seen.missing(Rule(entry["precision"], entry["min_groups"], entry["min_span_ms"]))
    estimate = estimate_median(seen.values) or Estimate(None, None, None)
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
    assert kinds == {"none", "disturbed", "groups", "interval", "halves", "span"}
