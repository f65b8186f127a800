"""What commands write: the fields that machines rely on, and output that nobody takes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workloads.single.row import Row
from engine_fixture import FEW, Command, Ended, ended, has_figures
from library_fixture import Build

pytestmark = pytest.mark.engine

SURVEY = ("survey", *FEW, "--algorithms", "sha256,hmac-sha256", "--sizes", "64,1000")


@pytest.mark.measures
def test_every_row_has_every_field_also_when_it_failed(command: Command, library: Build) -> None:
    broken = library("digest", WHEN="bytes==1000", MISDEED="raise(SIGSEGV)")
    survey = command(*SURVEY, "--library", f"openssl={broken}", "--json")
    assert survey.code == 1
    assert survey.document.keys() == {"run", "rows"}
    assert survey.document["run"] == command.only_run().run
    for row in survey.document["rows"]:
        assert row.keys() == set(Row.__struct_fields__)
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
        ["study", "gateway", "--dry-run", "--providers", "rustcrypto"],
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
    listing = command.fork("list", "profiles", *options, stdout=writable)
    os.close(writable)
    end = ended(listing)
    assert (end.code, end.messages) == (1, "")


@pytest.mark.parametrize("before", [[], ["list", "algorithms"], ["survey", "--budget"]], ids=str)
@pytest.mark.parametrize("word", ["a" * 100_000, "--" + "a" * 100_000], ids=["word", "option"])
def test_a_refusal_of_a_long_argument_is_short(
    command: Command, before: list[str], word: str
) -> None:
    end = command(*before, word)
    assert end.code == 2
    assert 0 < len(end.messages) < 1000


def closing(number: int) -> dict[str, Any]:
    """Starts a command as `2>&-` does."""
    return {"preexec_fn": lambda: os.close(number)}


def test_without_standard_error_no_message_goes_where_results_belong(command: Command) -> None:
    assert ended(command.start("survey", "--nonsense", **closing(2))) == Ended(2, "", "")
    assert ended(command.fork("show", "nope", **closing(2))) == Ended(2, "", "")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_standard_output_that_is_closed_is_a_sentence(command: Command, options: list[str]) -> None:
    end = ended(command.fork("list", "profiles", *options, **closing(1)))
    assert (end.code, end.output) == (1, "")
    assert end.sentence == "the output cannot be written: Bad file descriptor"


@pytest.mark.parametrize(
    ("number", "harm"),
    [
        *((1, "full"), (2, "closed")),
        *(
            pytest.param(*case, marks=pytest.mark.deep)
            for case in ((1, "closed"), (1, "reader gone"), (2, "full"), (2, "reader gone"))
        ),
    ],
)
def test_a_run_is_stored_whatever_becomes_of_the_output(
    command: Command, number: int, harm: str
) -> None:
    stream = {1: "stdout", 2: "stderr"}[number]
    readable, gone = os.pipe()
    os.close(readable)
    with open("/dev/full", "wb") as full:
        options: dict[str, Any] = {
            "full": {stream: full},
            "reader gone": {stream: gone},
            "closed": closing(number),
        }[harm]
        # Only what is closed meets Python itself, before it runs the command.
        begin = command.start if harm == "closed" else command.fork
        survey = begin("survey", *FEW, **options)
    os.close(gone)
    end = ended(survey)
    assert end.code == (1 if number == 1 else 0)
    assert "Traceback" not in f"{end.output}{end.messages}"
    run = command.only_run().run
    if number == 1:
        reason = {"full": "No space left on device", "closed": "Bad file descriptor"}
        assert end.messages.splitlines()[-1] == (
            f"ciphermark: the output cannot be written ({reason.get(harm, 'Broken pipe')}); "
            f"run {run} is kept: ciphermark show {run}"
        )
    else:
        assert run in end.output


def test_where_a_run_was_kept_is_part_of_what_shows_it(command: Command, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        runs = tmp_path / "runs of mine"
        said = ended(command.fork("survey", *FEW, "--runs", runs, stdout=full)).messages
    (run,) = Store(runs).run_ids()
    assert said.endswith(f": ciphermark show {run} --runs '{runs}'\n")


def test_what_the_encoding_lacks_is_escaped(command: Command, run: Run, run_rows: Table) -> None:
    command.environment["PYTHONIOENCODING"] = "ascii"
    Store(command.runs).save(run, run_rows)
    shown = ended(command.start("show", "last"))
    assert shown.code == 0 and "\\xb7" in shown.output


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_output_without_room_is_a_sentence(command: Command, options: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        end = ended(command.fork("list", "profiles", *options, stdout=full))
    assert end.code == 1
    assert end.sentence == "the output cannot be written: No space left on device"


def test_an_argument_that_is_no_utf_8_is_refused_before_anything_is_measured(
    command: Command, tmp_path: Path
) -> None:
    """No stored text could name it."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/M\xfcller")
    for arguments in (("--runs", folder), ("--output", f"{folder}.html")):
        refusal = command("survey", *FEW, *arguments)
        assert refusal.code == 2
        assert "is not UTF-8" in refusal.sentence
    assert not os.path.lexists(folder)


def test_a_runs_folder_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not UTF-8"):
        Store.default(os.fsdecode(os.fsencode(tmp_path) + b"/M\xfcller"))


def test_a_user_without_a_home_gets_a_sentence(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_home(*_: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("ciphermark.files.user_folders.data_folder", without_home)
    refusal = command("list", "runs")
    assert (refusal.code, "set HOME" in refusal.sentence) == (2, True)


@pytest.mark.parametrize("columns", ["0", "-3", "wide"])
def test_a_width_that_is_none_is_that_of_a_file(
    command: Command, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    usual = command("list", "studies").output
    monkeypatch.setenv("COLUMNS", columns)
    assert command("list", "studies").output == usual


def test_the_citation_is_that_of_the_source_tree(command: Command) -> None:
    cited = (Path(__file__).parents[1] / "CITATION.cff").read_text("utf-8")
    facts = dict(re.findall(r"^(title|version): (.+)$", cited, re.MULTILINE))
    author = re.search(r"^  - name: (.+)$", cited, re.MULTILINE)[1]
    year = re.search(r'^date-released: "(\d+)', cited, re.MULTILINE)[1]
    ended = command("--cite")
    assert ended.code == 0
    for fact in (*facts.values(), author, year, "MIT OR Apache-2.0"):
        assert fact in ended.output
