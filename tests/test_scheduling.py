"""How apparent processing power depends on scheduling, from rows that were made by a rule."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from ciphermark.plan.loads import USUAL_NICE
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scheduling import scheduling
from scaling_example import session_row

COSTS = {"md5": 5.0, "hmac-sha256": 2.0, "vmac-64": 0.5}
STREAMED = 1.5
CROWD = 1.02
"""Multiple at each doubling of the sessions."""
BATCH, NICE, NEIGHBOUR, BESIDE = 0.95, 1.01, 1.2, 1.4


def row(random: np.random.Generator, noise: float, **fields: Any) -> SessionRow:
    """A row by the rule; cores count only as far as there are sessions."""
    made = session_row(**fields)
    alone = COSTS[made.algorithm] * (STREAMED if made.buffers == "stream" else 1.0)
    share = 1.0 if made.quota_cpus is None else made.quota_cpus / made.cores
    multiple = CROWD ** np.log2(made.sessions) / min(made.cores, made.sessions) / share
    multiple *= BATCH if made.policy == "batch" else 1.0
    multiple *= NICE ** (made.nice - USUAL_NICE)
    if made.neighbours:
        multiple *= NEIGHBOUR * (BESIDE if made.buffers == "stream" else 1.0)
    made.absolute_cycles_per_byte = alone
    made.apparent_cycles_per_byte = alone * multiple * np.exp(noise * random.standard_normal())
    return made


def sweep(noise: float, **extra: list[Any]) -> list[SessionRow]:
    """Every combination of algorithms, working sets, cores, sessions and what is named."""
    levels: dict[str, list[Any]] = {
        "algorithm": list(COSTS),
        "buffers": ["hot", "stream"],
        "cpus": [[0], [0, 1], [0, 1, 2, 3]],
        "sessions": [1, 10, 100],
    }
    levels |= extra
    random = np.random.default_rng(11)
    return [
        row(random, noise, case=case, **dict(zip(levels, values, strict=True)))
        for case, values in enumerate(product(*levels.values()))
    ]


FULL: dict[str, list[Any]] = {
    "policy": ["other", "batch"],
    "nice": [USUAL_NICE, 14],
    "neighbours": [0, 1],
    "quota_cpus": [None, 0.5],
}
EXPECTED = {
    "each doubling of absolute cycles alone": 2.0,
    "each doubling of cores": 0.5,
    "each doubling of sessions": CROWD,
    "policy batch": BATCH,
    "each nice level": NICE,
    "each doubling of a quota's share": 0.5,
    "large working set": 1.0,
    "memory-bound neighbour": NEIGHBOUR,
    "neighbour beside a large working set": BESIDE,
}


def test_the_rule_is_recovered_within_its_intervals() -> None:
    found = scheduling(sweep(0.02, **FULL))
    assert (found.without_alone, found.refusal, found.model.left_out) == (0, None, [])
    effects = {it.factor: it.multiple for it in found.model.effects}
    assert {name: it.value for name, it in effects.items()} == pytest.approx(EXPECTED, rel=0.01)
    covered = [effects[name].low <= truth <= effects[name].high for name, truth in EXPECTED.items()]
    assert sum(covered) >= 8  # of 9 intervals of 95 %


def test_the_model_is_held_against_the_simple_one() -> None:
    found = scheduling(sweep(0.02, **FULL))
    assert found.model.error.median < 0.03
    assert found.simple.median > 0.3
    plain = [it for it in sweep(0.0) if it.sessions == 1]
    assert scheduling(plain).simple.largest == pytest.approx(0)


def test_what_was_not_varied_is_named() -> None:
    found = scheduling(sweep(0.02))
    assert {it.factor for it in found.model.left_out} == {
        "scheduling policy",
        "each nice level",
        "each doubling of a quota's share",
        "memory-bound neighbour",
        "neighbour beside a large working set",
    }
    assert all(it.confounded_with == [] for it in found.model.left_out)


def test_a_neighbour_beside_one_working_set_only_is_confounded_with_it() -> None:
    rows = [it for it in sweep(0.02, neighbours=[0, 1]) if it.buffers == "stream"]
    left_out = {it.factor: it.confounded_with for it in scheduling(rows).model.left_out}
    assert left_out["neighbour beside a large working set"] == ["memory-bound neighbour"]


def test_functions_that_were_not_measured_alone_are_counted() -> None:
    rows = [it for it in sweep(0.02) if it.algorithm != "md5" or it.sessions > 1 or it.cores > 1]
    found = scheduling(rows)
    assert found.without_alone == 16
    assert found.rows == len(rows) - 16


@pytest.mark.parametrize(
    "change",
    [{"apparent_cycles_per_byte": None}, {"valid": False}, {"offered_per_s": 1e3}],
)
def test_rows_without_the_figure_or_with_an_offered_load_are_left_out(
    change: dict[str, Any],
) -> None:
    rows = sweep(0.02)
    for field, value in change.items():
        setattr(rows[5], field, value)
    assert scheduling(rows).rows == len(rows) - 1


def test_what_cannot_be_told_is_refused_with_what_to_measure() -> None:
    assert "--sessions 1 --cpus 0" in scheduling([]).refusal
    assert "--sessions 1 --cpus 0" in scheduling([session_row(sessions=10)]).refusal
    few = scheduling([session_row(), session_row(sessions=10)])
    assert few.model is None
    assert "2 rows" in few.refusal
    assert few.simple.median == 0
