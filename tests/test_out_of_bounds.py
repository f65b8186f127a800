"""Functions that write or read beside their buffers: no speed for them, and a sentence that tells
what they did."""

from __future__ import annotations

from typing import Any

import pytest

from engine_fixture import Command
from library_fixture import Build

pytestmark = pytest.mark.engine


def errors(command: Command, kernel: Build, when: str, misdeed: str) -> dict[int, Any]:
    """The error of each size that was measured, none where there is a figure."""
    end = command(
        *("survey", "--kernel", kernel("careless", WHEN=when, MISDEED=misdeed)),
        *(
            "--algorithms",
            "siphash-2-4-64",
            "--providers",
            "kernel@careless",
            "--operations",
            "mac",
        ),
        *("--sizes", "64,1501", "--precision", "5%", "--budget", "1", "--json"),
    )
    return {row["message_bytes"]: row["error"] for row in end.document["rows"]}


TOUCHED = (
    "mac reads or writes {} its buffers: where that memory is not its own, it crashes with SIGSEGV"
)


@pytest.mark.parametrize(
    ("misdeed", "message"),
    [
        ("m->output[m->output_bytes]^=1", "mac wrote 1 byte behind its output of 8 bytes"),
        ("m->output[-1]^=1", "mac wrote 1 byte before its output of 8 bytes"),
        ("m->output[m->output_bytes+2]^=1", "mac wrote 3 bytes behind its output of 8 bytes"),
        ("((uint8_t*)m->input)[bytes]^=1", "mac wrote 1 byte behind its input of 1501 bytes"),
        ("((uint8_t*)m->input)[17]^=1", "mac changed its input of 1501 bytes"),
        ("(void)((volatile const uint8_t*)m->input)[bytes]", TOUCHED.format("behind")),
        ("(void)((volatile const uint8_t*)m->input)[-1]", TOUCHED.format("before")),
    ],
)
def test_a_function_that_leaves_its_buffers_gets_no_figure(
    command: Command, kernel: Build, misdeed: str, message: str
) -> None:
    of = errors(command, kernel, "bytes==1501", misdeed)
    assert (of[1501]["kind"], of[1501]["message"]) == ("out-of-bounds", message)
    assert of[64] is None


def test_one_that_does_so_for_a_test_vector_gets_no_figure_at_all(
    command: Command, kernel: Build
) -> None:
    of = errors(command, kernel, "bytes==7", "m->output[m->output_bytes]^=1")
    for size in (64, 1501):
        assert of[size]["kind"] == "out-of-bounds"
        assert of[size]["message"].startswith("siphash")
        assert of[size]["message"].endswith(": mac wrote 1 byte behind its output of 8 bytes")


def test_no_library_leaves_its_buffers_where_a_message_ends_within_a_block(
    command: Command,
) -> None:
    end = command(
        *("survey", "--algorithms", "cmac-aes-*", "--operations", "mac", "--sizes", "7,20"),
        *("--precision", "50%", "--budget", "1", "--json"),
    )
    assert [row["error"] for row in end.document["rows"]] == [None] * len(end.document["rows"])
