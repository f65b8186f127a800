"""Gain of splitting a message over several cores, from constructed rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import contract
from ciphermark.studies.gateway.splits import Split, reason, splits
from ciphermark.workloads.single.row import Row
from row_example import NO_COST, timed_row
from synthetic import CRASH

CHAINED = contract.Failure(
    kind="unsupported",
    message="not supported: encrypt of AES-128-CBC split over cores: each block needs the one "
    "before",
)
GCM = {"algorithm": "aes-128-gcm", "operation": "seal"}
CBC = {"algorithm": "aes-128-cbc", "operation": "encrypt"}
CORE_HZ = 2e9


def row(message_bytes: int, cycles: float, half: float = 0.01, **fields: Any) -> Row:
    """A settled row of AES-128-GCM by OpenSSL that takes so many cycles, known to such a share."""
    facts = {**GCM, "backend": "aesni", "samples": 60, "groups": 12}
    return timed_row(message_bytes, cycles, half, CORE_HZ, **facts | fields)


def failed(message_bytes: int, error: contract.Failure, **fields: Any) -> Row:
    """A row of a split function without figures."""
    nothing = dict.fromkeys(f"cycles_per_message{it}" for it in ("", "_low", "_high")) | {
        "mbytes_per_second": None,
        "samples": 0,
        "groups": 0,
        "converged": False,
    }
    return row(message_bytes, 1.0, offload="split", error=error, **nothing | fields)


def split(cycles: float, **fields: Any) -> Row:
    return row(1 << 20, cycles, offload="split", **fields)


def only(found: Sequence[Split]) -> Split:
    (one,) = found
    return one


def test_a_split_message_is_as_much_faster_as_its_time_is_shorter() -> None:
    found = only(splits([row(1 << 20, 1e6), split(5.2e5)], cores=2))
    assert found.speedup == pytest.approx(1e6 / 5.2e5)
    assert found.low < 1e6 / 5.2e5 < found.high
    assert found.why_not is None


@given(st.integers(0, 2**32 - 1))
def test_the_interval_of_a_speed_up_has_both_sides_of_it(seed: int) -> None:
    """The half-widths of both logarithms add up in squares: the method of variance estimates
    recovery, with arms of equal confidence."""
    random = np.random.default_rng(seed)
    half = float(random.uniform(0.001, 0.02))
    found = only(splits([row(1 << 20, 1e6, half), split(5e5, half=half)], cores=2))
    width = math.log(found.high / found.low) / 2
    assert width == pytest.approx(math.sqrt(2) * half, rel=0.2)


def test_what_cannot_be_split_says_why() -> None:
    rows = [row(1 << 20, 1e6, **CBC), failed(1 << 20, CHAINED, **CBC)]
    found = only(splits(rows, cores=2))
    assert (found.speedup, found.cannot) == (None, True)
    assert found.why_not == "each block needs the one before"


def test_what_has_failed_is_no_answer() -> None:
    found = only(splits([row(1 << 20, 1e6), failed(1 << 20, CRASH)], cores=2))
    assert (found.cannot, found.why_not) == (False, "the library crashed")
    rows = [row(1 << 20, 1e6), split(5e5, samples=0, mbytes_per_second=None)]
    assert only(splits(rows, cores=2)).why_not == "not measured within the budget"


def test_only_the_same_implementation_at_the_same_size_is_compared() -> None:
    others = [
        split(5e5, provider="botan"),
        row(1 << 19, 2e5, offload="split"),
        split(5e5, operation="open"),
    ]
    assert splits([row(1 << 20, 1e6), *others], cores=2) == []


def test_reasons_are_what_an_engine_says_last() -> None:
    assert reason(CHAINED.message) == "each block needs the one before"
    assert reason("the library crashed") == "the library crashed"


def test_a_side_all_of_whose_samples_were_disturbed_has_no_speed_up() -> None:
    alone = msgspec.structs.replace(row(1024, 2000.0), **NO_COST, samples=30)
    [found] = splits([alone, row(1024, 1200.0, offload="split")], 2)
    assert (found.speedup, found.why_not) == (None, "all samples were disturbed")
    assert not found.cannot


def test_more_than_the_cores_can_do_is_withheld() -> None:
    found = only(splits([row(1 << 20, 1e6), split(4e5)], cores=2))
    assert found.speedup is None and "more than 2 CPUs can do" in (found.why_not or "")
