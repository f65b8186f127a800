"""The chance of a forgery, against values computed by hand from the formulas' sources."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.advice.facts import any_of, forgery

YEAR_S = 31_557_600
"""365.25 days."""


def log2(algorithm: str, tag_bytes: int, message_bytes: int = 1500, aad_bytes: int = 8) -> float:
    found = forgery(algorithm, tag_bytes, message_bytes, aad_bytes)
    assert found is not None
    assert found.source and found.in_words
    return found.log2_chance


@pytest.mark.parametrize(
    ("algorithm", "tag_bytes", "chance"),
    [
        # 1500 bytes are 93.75 blocks, 8 bytes of header are one, the lengths one more: 94 + 1 + 1.
        ("aes-128-gcm", 16, Fraction(96, 2**128)),
        ("gmac-aes-256", 12, Fraction(96, 2**96)),
        ("chacha20-poly1305", 16, Fraction(8 * 96, 2**106)),
        ("hmac-sha1", 12, Fraction(1, 2**96)),
        ("hmac-sha256", 32, Fraction(1, 2**256)),
        ("cmac-aes-128", 4, Fraction(1, 2**32)),
        ("aes-128-ccm", 8, Fraction(1, 2**64)),
        ("eia2", 4, Fraction(1, 2**32)),
        ("umac-32", 4, Fraction(1, 2**30)),
        ("umac-64", 8, Fraction(1, 2**60)),
        ("umac-128", 16, Fraction(1, 2**120)),
        ("vmac-64", 8, Fraction(1, 2**60)),
        ("vmac-128", 16, Fraction(1, 2**120)),
        ("siphash-2-4-64", 8, Fraction(1, 2**64)),
    ],
)
def test_bounds_are_those_of_their_sources(
    algorithm: str, tag_bytes: int, chance: Fraction
) -> None:
    exact = math.log2(chance.numerator) - math.log2(chance.denominator)
    assert log2(algorithm, tag_bytes) == pytest.approx(exact, abs=1e-12)


def test_poly1305_alone_has_neither_lengths_nor_header() -> None:
    """8⌈L/16⌉ / 2^106: of 16 bytes 8 / 2^106, which is the strength of 103 bits in its facts."""
    assert log2("poly1305", 16, 16, 0) == -103
    assert log2("poly1305", 16, 17, 0) == -102


def test_a_short_tag_bounds_poly1305_from_below() -> None:
    assert log2("chacha20-poly1305", 4) == -32


@given(st.integers(1, 16384), st.integers(1, 16384))
def test_longer_messages_help_only_against_universal_hashes(one: int, other: int) -> None:
    short, long = sorted((one, other))
    assert log2("aes-128-gcm", 16, short) <= log2("aes-128-gcm", 16, long)
    assert log2("hmac-sha256", 16, short) == log2("hmac-sha256", 16, long)


def test_a_32_bit_tag_falls_in_136_years_at_one_try_a_second() -> None:
    found = forgery("cmac-aes-128", 4, 24, attempts_per_second=1)
    assert found is not None
    assert found.years == pytest.approx(2**32 / YEAR_S)
    assert found.years == pytest.approx(136.1, abs=0.01)


def test_a_32_bit_tag_falls_in_72_minutes_at_a_million_tries_a_second() -> None:
    found = forgery("cmac-aes-128", 4, 24, attempts_per_second=1e6)
    assert found is not None
    assert found.years * YEAR_S / 60 == pytest.approx(71.58, abs=0.01)


def test_the_chance_of_any_of_many_tries() -> None:
    """As many tries as there are tags: 1 − 1/e. A few: their number times the chance."""
    assert any_of(2.0**-32, 2.0**32) == pytest.approx(1 - math.exp(-1), rel=1e-9)
    assert any_of(2.0**-128, 1e6) == pytest.approx(1e6 * 2.0**-128, rel=1e-12)
    assert any_of(0.5, 2) == 0.75
    assert any_of(1.0, 1) == 1


@given(st.floats(1e-40, 0.99), st.floats(1, 1e12))
def test_a_chance_stays_one(chance: float, attempts: float) -> None:
    found = any_of(chance, attempts)
    assert 0 <= found <= 1
    assert found <= chance * attempts * (1 + 1e-9)


def test_what_has_no_key_has_no_forgery() -> None:
    assert forgery("sha256", 32, 1500) is None
    assert forgery("aes-128-ctr", 0, 1500) is None
