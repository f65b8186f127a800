"""Code of one's own: `--kernel` makes it a provider, `--ab` judges a new build of it."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark.workloads.single.row import Row
from engine_fixture import Command, Ended, has_figures, look_at_measured, unspaced
from library_fixture import Build

pytestmark = [pytest.mark.engine, pytest.mark.measures]

SIPHASH = "siphash-2-4-64"
MAC = ("--operations", "mac", "--precision", "10%", "--budget", "1")
WRONG = {"WHEN": "bytes == 64", "MISDEED": "spoil = 1"}


def only(ended: Ended, provider: str) -> dict[str, Any]:
    [row] = [it for it in ended.document["rows"] if it["provider"] == provider]
    return row


def compared(ended: Ended) -> dict[str, Any]:
    [pair] = ended.document["comparison"]["pairs"]
    return pair


def test_a_kernel_is_measured_beside_the_libraries(command: Command, kernel: Build) -> None:
    ended = command("survey", "--kernel", kernel("mine"), "--algorithms", SIPHASH, *MAC, "--sizes",
                    "64", "--json")  # fmt: skip
    assert ended.code == 0, ended.messages
    look_at_measured(ended.document["rows"])
    row = only(ended, "kernel@mine")
    assert set(row) == set(Row.__struct_fields__)
    assert (row["backend_asked"], row["backend"]) == ("default", "portable")
    assert row["backend_evidence"] == "reported"
    assert row["vectors_passed"] > 0
    others = {it["provider"] for it in ended.document["rows"]} - {"kernel@mine"}
    assert set(row["agrees_with"]) == others


def test_a_survey_of_a_kernel_is_of_its_algorithms_too(command: Command, kernel: Build) -> None:
    """SipHash is none of those that a survey measures unless told."""
    ended = command("survey", "--kernel", kernel("mine"), "--providers", "kernel@mine", *MAC,
                    "--sizes", "64", "--json")  # fmt: skip
    assert ended.code == 0, ended.messages
    assert only(ended, "kernel@mine")["algorithm"] == SIPHASH


def test_two_builds_are_measured_in_one_run_and_compared(command: Command, kernel: Build) -> None:
    """What is made of their figures is tested in test_ab.py."""
    arguments = ("survey", "--ab", kernel("old"), kernel("new"), *MAC, "--sizes", "64")
    ended = command(*arguments, "--json")
    assert ended.document.keys() == {"run", "rows", "comparison"}
    rows = [only(ended, name) for name in ("kernel@old", "kernel@new")]
    look_at_measured(rows)
    comparison = ended.document["comparison"]
    assert comparison["selections"] == ["kernel@new", "kernel@old"] and comparison["paired"]
    assert comparison["only_a"] == comparison["only_b"] == []
    pair = compared(ended)
    assert (pair["provider_a"], pair["provider_b"]) == ("kernel@new", "kernel@old")
    unknown = pair["verdict"] == "unknown"
    assert unknown == (pair["ratio"] is None) == bool(pair["reason"])
    assert ended.code == int(unknown or pair["verdict"] == "regression"), ended.messages


def test_a_new_build_with_a_wrong_answer_gets_no_figure(command: Command, kernel: Build) -> None:
    ended = command("survey", "--ab", kernel("old"), kernel("new", **WRONG), *MAC, "--sizes", "64",
                    "--json")  # fmt: skip
    assert ended.code == 1
    new, old = only(ended, "kernel@new"), only(ended, "kernel@old")
    assert new["error"]["kind"] == "wrong-answer"
    assert new["cycles_per_message"] is new["cycles_per_byte"] is None
    has_figures(old)
    pair = compared(ended)
    assert (pair["verdict"], pair["ratio"]) == ("unknown", None)
    assert new["error"]["message"] in pair["reason"]


def test_builds_of_two_libraries_are_not_a_and_b(command: Command, kernel: Build) -> None:
    refusal = command("survey", "--ab", kernel("old"), f"openssl={kernel('new')}")
    assert refusal.code == 2
    assert "kernel is not openssl" in refusal.sentence


def test_a_kernel_that_disagrees_is_named_with_the_smallest_input(
    command: Command, kernel: Build
) -> None:
    """No vector has these lengths."""
    broken = kernel("broken", WHEN="bytes == 33 || bytes == 65", MISDEED="spoil = 1")
    arguments = ("verify", "--kernel", broken, "--algorithms", SIPHASH)
    ended = command(*arguments, "--json")
    assert ended.code == 1
    [found] = ended.document["agreement"]["disagreements"]
    assert (found["algorithm"], found["operation"]) == (SIPHASH, "mac")
    assert (found["provider"], found["backend"]) == ("kernel@broken", "portable")
    assert len(found["differs_from"]) > 1
    assert (found["message_bytes"], found["lengths"]) == (33, 2)
    shown = {name: bytes.fromhex(value) for name, value in found["shown_by"].items()}
    assert (len(shown["key"]), len(shown["message"])) == (16, 33)
    answer, right = shown["answer"], shown["their_answer"]
    assert len(answer) == len(right) == 8
    assert answer == bytes([right[0] ^ 1]) + right[1:]

    text = unspaced(command(*arguments).output)
    assert unspaced("✗ kernel@broken (portable) differs from ") in text
    assert unspaced(f"in mac of {SIPHASH} at 33 bytes, and at 1 more length") in text
    for name, value in found["shown_by"].items():
        assert value in text, name


@pytest.mark.parametrize(
    "address",
    ["(size_t)m->input & 1", "(size_t)m->input & 7", "(size_t)m->output & 15"],
)
def test_one_that_is_wrong_at_some_addresses_has_no_figure(
    command: Command, kernel: Build, address: str
) -> None:
    """The loop that is timed has its messages at cache lines."""
    broken = kernel("broken", WHEN=f"({address}) != 0", MISDEED="spoil = 1")
    for size in ("64", "1000"):
        ended = command("survey", "--kernel", broken, "--algorithms", SIPHASH, *MAC, "--sizes",
                        size, "--providers", "kernel@broken", "--json")  # fmt: skip
        row = only(ended, "kernel@broken")
        assert ended.code == 1 and row["cycles_per_message"] is None
        assert row["error"]["kind"] == "wrong-answer"


def test_one_that_is_wrong_at_some_addresses_for_a_length_without_vectors_has_no_figure(
    command: Command, kernel: Build
) -> None:
    wrong = "bytes == 1003 && ((size_t)m->input & 7) == 5"
    broken = kernel("broken", WHEN=wrong, MISDEED="spoil = 1")
    ended = command("survey", "--kernel", broken, "--algorithms", SIPHASH, *MAC, "--sizes", "1003",
                    "--providers", "kernel@broken", "--json")  # fmt: skip
    row = only(ended, "kernel@broken")
    assert row["cycles_per_message"] is None
    assert row["error"]["kind"] == "wrong-answer"
    assert "multiple of 16" in row["error"]["message"]
