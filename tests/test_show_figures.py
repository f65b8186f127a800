"""Figures keep their digits, their size and their order of magnitude."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.view import figures

POSITIVE = st.floats(1e-9, 1e12)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.7297, "0.730"),
        (12.14, "12.1"),
        (1623.4, "1 620"),
        (9.996, "10.0"),
        (999.6, "1 000"),
        (0.0, "0"),
        (-4.567, "-4.57"),
        (0.000123456, "0.000123"),
        (1234567.0, "1 230 000"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "unknown"),
    ],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert figures.significant(value) == text


@given(POSITIVE, st.integers(1, 6))
def test_a_figure_is_within_half_a_unit_of_its_last_digit(value: float, digits: int) -> None:
    shown = float(figures.significant(value, digits, separator=""))
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    assert abs(shown - value) <= unit * 0.5001


@given(POSITIVE)
def test_a_figure_has_exactly_so_many_digits(value: float) -> None:
    shown = figures.significant(value, 3, separator="").replace(".", "").lstrip("0")
    assert len(shown.rstrip("0")) <= 3 <= max(3, len(shown))


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (690.0, 686.0, 694.0, "±4"),
        (0.699, 0.696, 0.702, "±0.003"),
        (1623.0, 1614.0, 1632.0, "±9"),
        (690.0, 689.8, 690.2, "±0.2"),
        (690.0, 690.0, 690.0, "±0"),
    ],
)
def test_an_interval_ends_where_its_figure_does(
    value: float, low: float, high: float, text: str
) -> None:
    assert figures.half_width(value, low, high) == text


@pytest.mark.parametrize(
    ("message_bytes", "text"),
    [
        (0, "0 B"),
        (16, "16 B"),
        (1500, "1500 B"),
        (1024, "1 KiB"),
        (16384, "16 KiB"),
        (3 * 2**20, "3 MiB"),
        (2**30, "1 GiB"),
    ],
)
def test_sizes_are_said_in_the_largest_whole_unit(message_bytes: int, text: str) -> None:
    assert figures.message_size(message_bytes) == text


def test_counts_agree_with_their_noun() -> None:
    assert figures.counted(1, "case") == "1 case"
    assert figures.counted(1200, "case") == "1 200 cases"


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (80.04, 3.2, "+80.0"),
        (-363.4, 55.0, "−363"),
        (0.0689, 0.004, "+0.0689"),
        (-5e-18, 0.03, "0.000"),
        (-0.004, 0.5, "0.00"),
        (12345.6, 210.0, "+12 346"),
        (80.0, 0.0, "+80.000"),
        (0.5, 1e-9, "+0.5000"),
    ],
)
def test_a_difference_is_as_exact_as_its_uncertainty(value: float, half: float, shown: str) -> None:
    assert figures.difference(value, half) == shown


def test_a_unit_begins_where_there_is_one_of_it() -> None:
    rates = [figures.in_units(it, figures.BIT_RATES) for it in (1e9, 0.999e9, 1.0, 0.5)]
    assert rates == ["1.00 Gbit/s", "999 Mbit/s", "1.00 bit/s", "0.500 bit/s"]


def test_a_share_that_is_rounding_is_none() -> None:
    assert figures.percent(1.7e-16) == "0 %"
    assert figures.percent(0.004) == "0.40 %"
