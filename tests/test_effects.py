"""The model of effects recovers what figures were made of, and names what rows do not tell."""

from __future__ import annotations

import numpy as np
import pytest

from ciphermark.statistics.effects import Effects, Factor, effects, error

TRUTH = (1.5, 0.9, 2.0)
NOISE = 0.03
ROWS = 24


def factors(random: np.random.Generator) -> list[Factor]:
    return [
        Factor("doubled", np.log(random.integers(1, 100, ROWS)), np.log(2)),
        Factor("level", random.integers(0, 5, ROWS).astype(float)),
        Factor("either", (np.arange(ROWS) % 2).astype(float), expected=1.9),
    ]


def figures(columns: list[Factor], random: np.random.Generator, noise: float) -> np.ndarray:
    logs = sum(
        np.log(multiple) * column.values / column.step
        for multiple, column in zip(TRUTH, columns, strict=True)
    )
    return 3 * np.exp(logs + noise * random.standard_normal(ROWS))


def of_example(noise: float = NOISE, seed: int = 1) -> Effects:
    random = np.random.default_rng(seed)
    columns = factors(random)
    return effects(figures(columns, random, noise), columns)


def test_effects_are_recovered() -> None:
    found = of_example(noise=0.0)
    assert [it.factor for it in found.effects] == ["doubled", "level", "either"]
    assert [it.multiple.value for it in found.effects] == pytest.approx(TRUTH)
    assert [it.expected for it in found.effects] == [1.0, 1.0, 1.9]
    assert found.error.largest < 1e-9


def test_intervals_cover_the_truth() -> None:
    covered = [
        [
            it.multiple.low <= truth <= it.multiple.high
            for it, truth in zip(of_example(seed=seed).effects, TRUTH, strict=True)
        ]
        for seed in range(400)
    ]
    assert np.min(np.mean(covered, axis=0)) >= 0.92


def test_the_error_is_that_of_rows_that_were_left_out() -> None:
    """By the leverages, as by fitting again without each row."""
    random = np.random.default_rng(5)
    columns = factors(random)
    measured = figures(columns, random, NOISE)
    design = np.column_stack([np.ones(ROWS), *(column.values for column in columns)])
    shares = []
    for row in range(ROWS):
        others = np.arange(ROWS) != row
        slopes = np.linalg.lstsq(design[others], np.log(measured[others]), rcond=None)[0]
        shares.append(abs(np.exp(design[row] @ slopes) / measured[row] - 1))
    found = effects(measured, columns).error
    assert found.median == pytest.approx(np.median(shares))
    assert found.largest == pytest.approx(max(shares))


def test_what_did_not_change_is_left_out_and_named() -> None:
    random = np.random.default_rng(2)
    columns = factors(random)
    still = [Factor("still", np.full(ROWS, 3.3)), Factor("never", np.zeros(ROWS))]
    found = effects(figures(columns, random, NOISE), [*still, *columns])
    assert [(it.factor, it.confounded_with) for it in found.left_out] == [
        ("still", []),
        ("never", []),
    ]
    assert len(found.effects) == 3


def test_what_changed_together_is_left_out_with_the_names_of_the_others() -> None:
    random = np.random.default_rng(3)
    columns = factors(random)
    level, either = columns[1], columns[2]
    same = Factor("same", 5 - 2 * level.values)
    both = Factor("both", level.values + either.values)
    found = effects(figures(columns, random, NOISE), [*columns, same, both])
    assert [(it.factor, it.confounded_with) for it in found.left_out] == [
        ("same", ["level"]),
        ("both", ["level", "either"]),
    ]


def test_a_row_that_an_effect_rests_on_cannot_be_left_out() -> None:
    once = Factor("once", np.array([0, 0, 0, 0, 1.0]))
    found = effects(np.array([1.0, 1.1, 0.9, 1.0, 2.0]), [once])
    assert found.indispensable == 1
    assert found.effects[0].multiple.value == pytest.approx(2.0, rel=0.02)
    assert found.error.largest < 0.2


def test_too_few_rows_are_refused() -> None:
    level = Factor("level", np.array([0.0, 1.0]))
    assert effects(np.array([1.0, 2.0]), [level]) is None


def test_errors_are_shares_of_what_was_measured() -> None:
    found = error(np.log([1.1, 0.8, 1.0]))
    assert found.median == pytest.approx(0.1)
    assert found.largest == pytest.approx(0.2)
