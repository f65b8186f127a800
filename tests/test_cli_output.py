"""What commands write: the fields that machines rely on, and output that nobody takes."""

from __future__ import annotations

import os

import pytest

from ciphermark.analyse.row import Row
from engine_fixture import FEW, Command, ended, has_figures
from library_fixture import Build

pytestmark = pytest.mark.engine

PROMISED = {
    "algorithm",
    "operation",
    "provider",
    "backend",
    "message_bytes",
    "lanes",
    "pattern",
    "keys",
    "buffers",
    "offload",
    "cycles_per_byte",
    "cycles_per_message",
    "ns_per_message",
    "mbytes_per_second",
    "ci_low",
    "ci_high",
    "samples",
    "disturbed",
    "converged",
    "cycle_source",
    "backend_evidence",
    "constant_time",
    "error",
}
"""Fields of a row that other programs were told of."""

SURVEY = ("survey", *FEW, "--algorithms", "sha256,hmac-sha256", "--sizes", "64,1000")


def test_every_row_has_every_field_also_when_it_failed(command: Command, library: Build) -> None:
    broken = library("digest", WHEN="bytes==1000", MISDEED="raise(SIGSEGV)")
    survey = command(*SURVEY, "--library", f"openssl={broken}", "--json")
    assert survey.code == 1
    assert survey.document.keys() == {"run", "rows"}
    assert survey.document["run"] == command.only_run().run
    for row in survey.document["rows"]:
        assert row.keys() == set(Row.__struct_fields__) >= PROMISED
        if row["provider"] == "openssl" and row["message_bytes"] == 1000:
            assert row["error"].keys() == {"kind", "message", "signal"}
            assert row["error"]["signal"] == "SIGSEGV"
            assert row["cycles_per_message"] is None
        else:
            has_figures(row)
    assert command("show", "--json").document == survey.document
    assert "SIGSEGV" in command("show").output


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "algorithms"],
        ["list", "providers"],
        ["list", "implementations", "--algorithms", "md5", "--no-measure"],
        ["list", "studies"],
        ["list", "runs"],
        ["doctor"],
        ["verify", "--algorithms", "md5"],
        ["study", "gateway", "--claims"],
        ["study", "gateway", "--dry-run"],
    ],
    ids=" ".join,
)
def test_every_command_prints_one_document_for_machines(
    command: Command, arguments: list[str]
) -> None:
    printed = command(*arguments, "--json")
    assert (printed.code, printed.messages) == (0, "")
    assert isinstance(printed.document, dict)


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_reader_who_has_seen_enough_is_no_error(command: Command, options: list[str]) -> None:
    readable, writable = os.pipe()
    os.close(readable)
    listing = command.start("list", "algorithms", *options, stdout=writable)
    os.close(writable)
    end = ended(listing)
    assert (end.code, end.messages) == (1, "")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_output_without_room_is_a_sentence(command: Command, options: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        end = ended(command.start("list", "algorithms", *options, stdout=full))
    assert end.code == 1
    assert end.sentence == "the output cannot be written: No space left on device"
