"""What people tell beside what is measured."""

from __future__ import annotations

import pytest

from ciphermark.errors import UsageError
from ciphermark.plan import quantities

KNOWN = {"price": "what the machine costs", "watts": "what it draws"}


def test_numbers_come_by_name() -> None:
    assert quantities.given_figures("price=120, Watts = 9.5", KNOWN, "gateway") == {
        "price": 120,
        "watts": 9.5,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prize=120", "the study gateway does not ask for --given 'prize'; it takes price "),
        ("price", "'price' is no NAME=NUMBER: write price=120"),
        ("price=cheap", "--given price= 'cheap' is not a number above 0"),
        ("watts=0", "--given watts= '0' is not a number above 0"),
        ("watts=-3", "is not a number above 0"),
        (",", "has no figure: it takes price "),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        quantities.given_figures(text, KNOWN, "gateway")


def test_a_study_that_asks_for_nothing_is_told_nothing() -> None:
    with pytest.raises(UsageError, match="the study umac asks for no figures"):
        quantities.given_figures("price=1", {}, "umac")
