"""From which run on a figure stays on another level, and which library came with that run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.machines.changes import FEWEST_POINTS, changes, cheapest_cuts, releases
from ciphermark.answers.machines.figures import Point
from ciphermark.answers.machines.page import History
from ciphermark.answers.machines.report import document
from ciphermark.answers.machines.show import figures_title
from ciphermark.record.store import Store
from ciphermark.view.page import part
from machines_example import machine_run, save

SPREAD = 0.005


def history(costs: Sequence[float]) -> History:
    """A figure of openssl over as many runs, a day from each to the next."""
    points = [
        Point(
            run=f"202601{day % 28 + 1:02}-000000-{day:04x}",
            started_unix_ns=day * 86_400 * 10**9,
            backend="aesni",
            cycles_per_byte=float(cost),
            ci_low=None,
            ci_high=None,
            mbytes_per_second=None,
            converged=True,
        )
        for day, cost in enumerate(costs)
    ]
    return History(
        algorithm="aes-128-gcm",
        operation="seal",
        provider="openssl",
        backend_asked="default",
        message_bytes=1024,
        points=points,
        ratio=1.0,
        moved=False,
        path_changed=False,
    )


def levels(seed: int, *parts: tuple[int, float]) -> list[float]:
    """Costs that stay on each level for so many runs."""
    draw = np.random.default_rng(seed)
    means = np.concatenate([np.full(count, level) for count, level in parts])
    return list(means * np.exp(draw.normal(0, SPREAD, len(means))))


@pytest.mark.parametrize("seed", range(5))
def test_two_changes_are_found_with_their_sizes(seed: int) -> None:
    first, second = changes(history(levels(seed, (15, 1.0), (20, 1.1), (12, 0.9))))
    assert (first.before, first.after) == (15, 20)
    assert first.run.endswith(f"{15:04x}") and second.run.endswith(f"{35:04x}")
    for change, truth in ((first, 1.1), (second, 0.9 / 1.1)):
        assert change.ratio.value == pytest.approx(truth, rel=0.01)
        assert change.ratio.interval is not None
        low, high = change.ratio.interval
        assert low < change.ratio.value < high and high / low < 1.03


def test_noise_alone_changes_nothing() -> None:
    assert [changes(history(levels(seed, (60, 1.0)))) for seed in range(30)] == [[]] * 30


def test_what_is_too_small_to_matter_or_of_too_few_runs_is_no_change() -> None:
    assert changes(history(levels(1, (20, 1.0), (20, 1.015)))) == []
    assert changes(history(levels(1, (FEWEST_POINTS // 2, 1.0), (5, 2.0)))) == []
    assert changes(history([1.0] * 40)) == []
    # One bad run is no other level.
    assert changes(history([*levels(1, (20, 1.0)), 1.5, *levels(2, (20, 1.0))])) == []


def test_a_release_is_the_first_run_with_another_version() -> None:
    points = history([1.0] * 6).points
    known = dict(
        zip((it.run for it in points), ("3.0", "3.0", "", "3.1", "3.1", "3.2"), strict=True)
    )
    found = releases(points, "openssl@mine", lambda run: {"openssl": known[run]})
    assert [(it.run, it.was, it.version) for it in found] == [
        (points[3].run, "3.0", "3.1"),
        (points[5].run, "3.1", "3.2"),
    ]
    assert releases(points, "nettle", lambda run: {"openssl": known[run]}) == []


@pytest.mark.slow
def test_the_page_of_a_machine_says_so(store: Store) -> None:
    from ciphermark.answers.machines.page import machine_page

    slower = {"sha256": 1.25}
    for seed in range(14):
        save(
            store,
            machine_run(seed, "epyc", algorithms=["sha256"], slower=slower if seed >= 7 else None),
        )
    page = machine_page(store, "epyc")
    first = page.runs[-8].run
    versions = {it.run: {"openssl": "3.1" if it.run >= first else "3.0"} for it in page.runs}
    shown = part(document(page, lambda run: versions[run]))
    assert "When they changed for good" in shown.html and "openssl 3.0 → 3.1" in shown.html
    assert "×1.25" in shown.html and first in shown.html
    rules = [
        point["said"]
        for panel in shown.plots["panels"]["over-time"]
        for name, points in panel["spec"]["datasets"].items()
        if name.endswith("_rules")
        for point in points
    ]
    assert "openssl 3.0 → 3.1" in rules and any("×1.2" in said for said in rules)
    assert figures_title(page).startswith("Cycles per byte")


def cost_of(values: np.ndarray, cuts: Sequence[int], penalty: float) -> float:
    parts = [values[start:end] for start, end in pairwise([0, *cuts, len(values)])]
    return sum(float(np.sum((it - it.mean()) ** 2)) for it in parts) + penalty * len(cuts)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=11), st.floats(0.01, 50))
def test_no_other_cuts_are_cheaper(levels: list[int], penalty: float) -> None:
    values = np.array(levels, dtype=float)
    possible = [
        cuts
        for count in range(len(values))
        for cuts in combinations(range(2, len(values) - 1), count)
        if all(end - start >= 2 for start, end in pairwise([0, *cuts, len(values)]))
    ]
    found = cheapest_cuts(values, penalty, fewest=2)
    assert tuple(found) in possible
    least = min(cost_of(values, cuts, penalty) for cuts in possible)
    assert cost_of(values, found, penalty) == pytest.approx(least)


def test_hundreds_of_runs_are_cut_where_their_levels_change() -> None:
    """Starts that are given up early, and those that are not, lead to the same cuts."""
    noise = np.random.default_rng(5).normal(0, 0.1, 600)
    levels = np.repeat([1.0, 2.0, 1.5, 3.0], [100, 7, 293, 200])
    assert cheapest_cuts(noise + levels, 0.2, fewest=6) == [100, 107, 400]
