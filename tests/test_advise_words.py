"""Advice in words: figures with and without an upper end, and the sentence with the reason."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermark.answers.advice import uses, words
from ciphermark.answers.advice.facts import facts
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from test_advice_facts import every


def test_rates_have_one_unit_with_their_interval() -> None:
    assert words.rates(Estimate(9.42e9, 9.1e9, 9.71e9)) == "9.42 Gbit/s (9.10–9.71)"
    assert words.rates(Estimate(4.2e8, 4.2e8, 4.2e8)) == "420 Mbit/s"
    assert words.rates(Estimate(88e9, 40e9, math.inf)) == "88.0 Gbit/s (40.0 or more)"


@pytest.mark.parametrize(
    ("number", "said"),
    [(136.1, "136 years"), (71.58 / 60 / 24 / 365.25, "71.6 minutes"), (3e23, "3.0 × 10^23 years")],
)
def test_times_have_units_that_people_know(number: float, said: str) -> None:
    assert words.years(number) == said


@pytest.mark.parametrize(("first", "second"), [(128, 256), (256, 128)])
def test_a_tie_says_what_decided(first: int, second: int) -> None:
    """The better facts decide only where the cost is near the least."""
    use = uses.USES.named("ipsec")

    def ranked(bits: int, cost: float, tied: bool) -> Any:
        of = facts(f"esp:aes-{bits}-gcm", use, every())
        ns, ratio = Estimate(cost, 0.6 * cost, 1.4 * cost), Estimate(cost, 0.7, 1.9)
        return SimpleNamespace(facts=of, ns=ns, ratio=ratio, tied=tied)

    said = words.tie([ranked(first, 1.0, False), ranked(second, 1.3, True)])
    assert said is not None
    assert ("1.3 times as dear" in said) is (second > first)
    assert ("the choice is by" in said) is (second < first)


@pytest.mark.parametrize(
    ("number", "said"), [(42.0, "42.0"), (9.96e9, "1.0 × 10^10"), (2.0**128, "3.4 × 10^38")]
)
def test_large_numbers_are_powers_of_ten(number: float, said: str) -> None:
    assert figures.power(number) == said


@pytest.mark.parametrize(
    ("chance", "said"),
    [(0.0, "0"), (1.0, "1"), (0.25, "25 %"), (2.0**-32, "1 in 4.3 × 10^9")],
)
def test_chances_are_shares_or_one_in_so_many(chance: float, said: str) -> None:
    assert words.chance(chance) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "uea1",
            "Of KASUMI, four related keys give the key away with 2^26 data and 2^32 work "
            "(Dunkelman, Keller, Shamir 2010).",
        ),
        ("md5", "Collisions were found in 2004 (Wang and others) and take seconds now."),
        (
            "rc4-128",
            "Its keystream is biased, so that plaintext sent often enough can be recovered "
            "(AlFardan and others 2013; Vanhoef, Piessens 2015).",
        ),
    ],
)
def test_the_reason_that_is_shown_has_its_source(name: str, said: str) -> None:
    assert words.first_sentence(every()[name].status_reason) == said


@pytest.mark.parametrize("name", sorted(every()))
def test_every_reason_can_be_shown_in_a_sentence(name: str) -> None:
    """Whole words, brackets that close, one stop at the end."""
    reason = every()[name].status_reason
    said = words.first_sentence(reason)
    assert said.endswith(".") and not said.endswith("..")
    assert said.rstrip(".") in reason
    assert said.count("(") == said.count(")")
