"""Which cases stay when there are too many."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ciphermark import contract
from ciphermark.plan.trimming import Trimmed, of_cost_card, trim

SIZES = [1024, 64, 16384]


def cases(providers: int = 10, sizes: Sequence[int] = SIZES) -> list[contract.Case]:
    wanted = [
        (provider, operation, size)
        for provider in range(providers)
        for operation, of in (("setup", [None]), ("seal", sizes), ("open", sizes))
        for size in of
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
    found = trim(cases(), SIZES, 70)
    assert (found.cases, found.notes) == (cases(), [])


CARD = {("seal", size) for size in SIZES}
"""The layers that a cost card needs."""


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (5, CARD),
        (39, CARD),
        (40, CARD | {("open", 1024)}),
        (50, CARD | {("open", 1024), ("setup", None)}),
    ],
)
def test_whole_layers_stay_the_most_telling_first(
    limit: int, expected: set[tuple[str, int | None]]
) -> None:
    assert layers(trim(cases(), SIZES, limit)) == expected


MANY = [1024, 64, 16384, 256, 1500, 16]


def test_a_cost_card_needs_the_ends_and_two_sizes_between() -> None:
    assert of_cost_card([*MANY]) == {16, 64, 1024, 16384}
    assert of_cost_card([1024, "imix", 64]) == {64, 1024}
    assert of_cost_card(["imix"]) == set()


@pytest.mark.parametrize("limit", [1, 30, 60])
def test_its_sizes_stay_however_little_room_there_is(limit: int) -> None:
    found = layers(trim(cases(sizes=MANY), MANY, limit))
    assert {("seal", size) for size in (16, 64, 1024, 16384)} <= found
    assert {operation for operation, _ in found} <= {"seal", "open", "setup"}


def test_without_cost_cards_the_limit_holds() -> None:
    assert layers(trim(cases(), SIZES, 10, cost_cards=False)) == {("seal", 1024)}
    assert layers(trim(cases(), SIZES, 39, cost_cards=False)) == CARD


def test_nothing_is_said_where_cost_cards_need_all() -> None:
    sending = [it for it in cases() if it.operation == "seal"]
    found = trim(sending, SIZES, 5)
    assert (found.cases, found.notes) == (sending, [])


def order(trimmed: Trimmed) -> list[tuple[str, int | None]]:
    """The layers from the least telling one on."""
    assert sorted(trimmed.order) == list(range(len(trimmed.cases)))
    ordered = [trimmed.cases[number] for number in trimmed.order]
    return list(dict.fromkeys((case.operation, case.message_bytes) for case in ordered))


def test_the_least_telling_layers_come_last() -> None:
    found = trim(cases(), SIZES, 50)
    assert order(found) == [
        ("setup", None),
        ("open", 1024),
        ("seal", 16384),
        ("seal", 64),
        ("seal", 1024),
    ]


def test_a_plan_may_have_all_in_their_order() -> None:
    found = trim(cases(), SIZES, 50, all_optional=True)
    assert (found.cases, found.notes) == (cases(), [])
    assert order(found) == [
        ("open", 16384),
        ("open", 64),
        ("setup", None),
        ("open", 1024),
        ("seal", 16384),
        ("seal", 64),
        ("seal", 1024),
    ]


def test_every_provider_stays_in_a_layer_and_cases_are_numbered_anew() -> None:
    found = trim(cases(), SIZES, 40).cases
    assert {case.provider for case in found} == {f"p{number}" for number in range(10)}
    assert [case.case for case in found] == list(range(40))


def test_what_stays_and_what_is_left_out_is_said_and_how_to_have_more() -> None:
    [note] = trim(cases(), SIZES, 40).notes
    assert note == (
        "40 of 70 cases are measured (at most 40): seal, open at 64, 1024, 16384 bytes; left out: "
        "setup, open at 64, 16384 bytes; for more name --algorithms, --providers, --operations or "
        "--sizes, or give --all"
    )
    [note] = trim(cases(sizes=MANY), MANY, 30).notes
    assert note.startswith(
        "40 of 130 cases are measured (more than 30 only for the sizes that cost cards need): "
        "seal at 16, 64, 1024, 16384 bytes; left out: 256, 1500 bytes; "
        "setup, open at 16, 64, 1024, 16384 bytes; "
    )
