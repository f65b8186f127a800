"""Rates as people type them: bits and bytes, powers of 1000 and of 1024 are never mixed up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.plan.quantities import bits_per_second, hertz


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("1G", 1e9),
        ("1Gbit/s", 1e9),
        ("1 Gbps", 1e9),
        ("1Gb/s", 1e9),
        ("100MB/s", 8e8),
        ("100MBps", 8e8),
        ("100Mbyte/s", 8e8),
        ("1 kBytes/s", 8000),
        ("1Gib/s", 2**30),
        ("1GiB/s", 2**33),
        ("1KiB/s", 8192),
        ("64k", 64_000),
        ("2.5Gbit", 2.5e9),
        ("1500", 1500),
    ],
)
def test_rates(text: str, bits: float) -> None:
    assert bits_per_second(text, "--rate") == pytest.approx(bits)


@given(number=st.integers(1, 999), prefix=st.sampled_from("kMG"))
@settings(deadline=None)
def test_a_byte_has_eight_bits_whatever_the_prefix(number: int, prefix: str) -> None:
    for binary in ("", "i"):
        bits = bits_per_second(f"{number}{prefix}{binary}bit/s", "--rate")
        assert bits_per_second(f"{number}{prefix}{binary}B/s", "--rate") == 8 * bits


@given(number=st.integers(1, 999), power=st.integers(1, 3), unit=st.sampled_from(["bit/s", "B/s"]))
@settings(deadline=None)
def test_prefixes_of_1000_and_1024_differ_as_their_powers(
    number: int, power: int, unit: str
) -> None:
    prefix = "kMG"[power - 1]
    decimal = bits_per_second(f"{number}{prefix}{unit}", "--rate")
    binary = bits_per_second(f"{number}{prefix}i{unit}", "--rate")
    assert binary / decimal == pytest.approx(1.024**power)


@given(st.floats(1e-3, 1e14))
@settings(deadline=None)
def test_a_number_alone_is_bits_per_second(value: float) -> None:
    text = f"{value:.6f}"
    assert bits_per_second(text, "--rate") == float(text)


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1G", "1GB", "1MBPS", "G", "1/s", "1e9", "1,5G", "nan", "inf", "1Pbit/s", "1iB/s"],
)
def test_what_is_no_rate_is_named_with_its_option(text: str) -> None:
    with pytest.raises(
        UsageError, match="^--link .* is not a rate: write bits per second"
    ) as error:
        bits_per_second(text, "--link")
    assert repr(text) in str(error.value)


@given(st.text())
@settings(deadline=None)
def test_any_text_is_a_rate_or_refused(text: str) -> None:
    try:
        assert 0 < bits_per_second(text, "--rate") <= 1e15
    except UsageError:
        pass


@pytest.mark.parametrize(("text", "hz"), [("2.4GHz", 2.4e9), ("16MHz", 16e6), ("32.768kHz", 32768)])
def test_clocks(text: str, hz: float) -> None:
    assert hertz(text, "--on") == pytest.approx(hz)


@pytest.mark.parametrize("text", ["2.4", "2.4ghz", "1Hz", "1000GHz", "fast", "-1GHz"])
def test_what_is_no_clock_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="--on .* is not a clock"):
        hertz(text, "--on")
