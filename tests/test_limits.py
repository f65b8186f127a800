"""`ciphermark limits`: what is asked, what the engine answers, and how that is shown."""

from __future__ import annotations

import platform
from typing import Any

import pytest

from ciphermark import contract
from ciphermark.answers.limits.asked import MachineLimits
from ciphermark.answers.limits.show import print_limits, rate_lines, share
from engine_fixture import Command, refusal
from on_screen import on_screen
from synthetic import a_machine


def rate(kind: str, bits: int, cycles: float, **fields: Any) -> contract.Rate:
    usual = {"instruction": f"{kind}{bits}", "vector_cycles": None, "shares": []}
    return contract.Rate(kind=kind, bits=bits, cycles=cycles, **usual | fields)


def kernel(**fields: Any) -> contract.KernelLimit:
    usual: dict[str, Any] = dict(
        algorithm="uea1",
        operation="encrypt",
        backend="bytesliced-avx512",
        lanes=192,
        message_bytes=1500,
        instructions=2.34,
        loads=0.5,
        stores=0.25,
        kinds=[],
        limit_cycles=1.0,
        limited_by="unit of shift",
        cycles=1.25,
        error=None,
    )
    return contract.KernelLimit(**usual | fields)


def limits(**fields: Any) -> contract.Limits:
    usual: dict[str, Any] = dict(
        schema=contract.SCHEMA,
        unavailable=None,
        rates=[
            rate("any", 64, 0.17),
            rate("general product", 64, 1.0, instruction="imul"),
            rate("general product", 64, 1.0, instruction="mulx"),
            rate("shift", 256, 0.5, vector_cycles=0.33, shares=["shift"]),
            rate("shift", 512, 1.0, vector_cycles=0.5, shares=["shift", "product"]),
        ],
        kernels=[kernel()],
    )
    return contract.Limits(**usual | fields)


def printed(found: contract.Limits) -> str:
    return on_screen(print_limits, MachineLimits(machine=a_machine(), limits=found))


def test_a_kind_has_a_line_and_a_column_for_each_width() -> None:
    lines = rate_lines(limits().rates)
    assert [(line.kind, line.instruction) for line in lines] == [
        ("any", "any64"),
        ("general product", "imul"),
        ("general product", "mulx"),
        ("shift", "shift512"),
    ]
    shift = lines[-1]
    assert shift.cycles == {256: 0.5, 512: 1.0}
    assert (shift.vector_cycles, shift.shares) == (0.5, ["product"])


def test_a_kernel_stands_beside_its_limit() -> None:
    assert share(kernel()) == pytest.approx(0.8)
    assert share(kernel(limit_cycles=None)) is None
    assert share(kernel(cycles=None)) is None
    line = next(it for it in printed(limits()).splitlines() if "uea1" in it and "192" in it)
    assert line.split() == [
        *("uea1", "bytesliced-avx512", "192", "1500", "2.34", "0.500", "0.250"),
        *("1.00", "1.25", "80", "%", "unit", "of", "shift"),
    ]


def test_without_rates_the_reason_is_told_and_kernels_are_timed() -> None:
    why = "rates of instructions are measured on x86-64 only"
    counted = kernel(limit_cycles=None, limited_by=None, error="it can be seen on x86-64 only")
    text = printed(limits(unavailable=why, rates=[], kernels=[counted]))
    assert f"{why}." in text
    assert "uea1 bytesliced-avx512: it can be seen on x86-64 only" in text
    assert "1.25" in text
    assert "Core cycles from one instruction" not in text


@pytest.mark.engine
@pytest.mark.measures
def test_one_kernel_is_counted_and_timed_here(command: Command) -> None:
    asked = ("--algorithms", "umac-64", "--backends", "portable", "--sizes", "44", "--json")
    answer = command("limits", *asked)
    assert (answer.code, answer.messages) == (0, "")
    found = answer.document
    assert found["machine"]["architecture"] == platform.machine()
    [umac] = found["limits"]["kernels"]
    assert (umac["algorithm"], umac["backend"], umac["message_bytes"]) == (
        "umac-64",
        "portable",
        44,
    )
    assert umac["cycles"] > 0
    if platform.machine() == "x86_64":
        assert {it["kind"] for it in found["limits"]["rates"]} >= {"any", "load", "store", "logic"}
        assert umac["limit_cycles"] > 0
        assert umac["limited_by"]
        assert sum(it["times"] for it in umac["kinds"]) == pytest.approx(umac["instructions"])
    else:
        assert found["limits"]["unavailable"]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--algorithms", "aes-128-gcm"), "none of our kernels has aes-128-gcm"),
        (
            ("--algorithms", "uea1", "--backends", "portable"),
            "none of our kernels has uea1 by portable",
        ),
        (("--backends", "avx1024"), "there is no backend of our kernels 'avx1024'; near: avx"),
        (("--lanes", "5000"), "--lanes '5000' is not a number of packets from 1 to 4096"),
        (("--sizes", "2M"), "--sizes '2M': messages of 1 byte to 1M can be counted"),
    ],
)
def test_what_there_is_not_is_refused_in_a_sentence(
    command: Command, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refusal(command, "limits", *arguments)
