"""Which cases stay when there are too many."""

from __future__ import annotations

import pytest

from ciphermark.plan.trimming import Trimmed, trim
from ciphermark.record import contract

SIZES = [1024, 64, 16384]


def cases(providers: int = 10) -> list[contract.Case]:
    wanted = [
        (provider, operation, size)
        for provider in range(providers)
        for operation, sizes in (("setup", [None]), ("seal", SIZES), ("open", SIZES))
        for size in sizes
    ]
    return [
        contract.Case(
            case=number,
            algorithm="aes-128-gcm",
            operation=operation,
            provider=f"p{provider}",
            backend="default",
            message_bytes=size,
        )
        for number, (provider, operation, size) in enumerate(wanted)
    ]


def layers(trimmed: Trimmed) -> set[tuple[str, int | None]]:
    return {(case.operation, case.message_bytes) for case in trimmed.cases}


def test_nothing_is_left_out_where_all_fit() -> None:
    assert trim(cases(), SIZES, 70) == Trimmed(cases(), [])


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (5, {("seal", 1024)}),
        (10, {("seal", 1024)}),
        (39, {("seal", 1024), ("seal", 64), ("seal", 16384)}),
        (50, {("seal", size) for size in SIZES} | {("open", 1024), ("setup", None)}),
    ],
)
def test_whole_layers_stay_the_most_telling_first(
    limit: int, expected: set[tuple[str, int | None]]
) -> None:
    assert layers(trim(cases(), SIZES, limit)) == expected


def test_every_provider_stays_in_a_layer_and_cases_are_numbered_anew() -> None:
    found = trim(cases(), SIZES, 20).cases
    assert {case.provider for case in found} == {f"p{number}" for number in range(10)}
    assert [case.case for case in found] == list(range(20))


def test_what_stays_is_said_and_how_to_have_more() -> None:
    [note] = trim(cases(), SIZES, 20).notes
    assert note.startswith("20 of 70 cases, to stay within 20: seal at 64, 1024 bytes; for more")
