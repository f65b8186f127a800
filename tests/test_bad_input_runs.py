"""Runs folders that cannot be written, and stored runs that cannot be read."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ciphermark.record.index import INDEX_FILE
from ciphermark.record.layout import FORMAT_MAJOR, table_file
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import FEW, Command, contents, ended
from synthetic import synthetic_cases, synthetic_run

pytestmark = pytest.mark.engine


@pytest.fixture
def earlier(command: Command, run: Run, run_rows: Table) -> Path:
    """The folder of a run that is stored."""
    return Store(command.runs).save(run, run_rows)


@pytest.fixture
def other(command: Command) -> Path:
    """The folder of a newer run that is stored, too."""
    newer = synthetic_run(synthetic_cases(sizes=(64,)), rounds=6, seed=2)
    return Store(command.runs).save(newer, SINGLE.rows_table(rows(newer)))


def test_a_runs_folder_that_cannot_be_made_is_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder, why in ((tmp_path / "file" / "runs", "Not a directory"), ("/proc/runs", "No such")):
        refusal = command("survey", *FEW, "--runs", folder)
        assert refusal.code == 2
        assert refusal.sentence.startswith(f"runs cannot be stored in {folder} ({why}")
        assert refusal.sentence.endswith("or name another folder with --runs DIR")
    assert (tmp_path / "file").read_text() == "mine"


def test_the_home_of_nobody_is_a_folder_of_that_name(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listed = command("list", "runs", "--runs", "~nobody-has-this-name/runs", "--json")
    assert (listed.code, listed.messages) == (0, "")
    for arguments in (
        ("protocol", "--node", "~nobody-has-this-name/node.toml"),
        ("capacity", "--profile", "~nobody-has-this-name/mine.toml"),
    ):
        refused = command(*arguments)
        assert refused.code == 2
        assert "~nobody-has-this-name/" in refused.sentence or "no stored run" in refused.sentence


def test_a_runs_folder_that_is_read_only_is_refused(command: Command) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    command.runs.mkdir(mode=0o555)
    refusal = command("survey", *FEW)
    assert refusal.code == 2
    assert "(Permission denied)" in refusal.sentence


def test_a_runs_folder_without_room_is_refused_before_the_work(
    command: Command, earlier: Path
) -> None:
    before = contents(command.runs)
    # Compiled in: a shim is written to a file in memory first, which has no room either.
    survey = command.start("survey", *FEW, "--providers", "rustcrypto")
    limit_files(survey.pid)
    refusal = ended(survey)
    assert refusal.code == 2
    assert refusal.sentence == (
        f"runs cannot be stored in {command.runs} (File too large); make room there, or name "
        "another folder with --runs DIR"
    )
    assert contents(command.runs) == before


def test_a_runs_folder_that_fills_up_keeps_what_it_had(command: Command, earlier: Path) -> None:
    before = contents(command.runs)
    half_a_second = ("--sizes", "256K", "--precision", "0.001%", "--budget", "0.5")
    survey = command.fork("survey", *FEW, *half_a_second)
    assert survey.stderr is not None
    assert survey.stderr.readline().startswith("Verifying")
    limit_files(survey.pid)
    failure = ended(survey)
    assert failure.code == 1
    last = failure.messages.splitlines()[-1]
    assert last.startswith("ciphermark: run ")
    assert f"could not be stored in {command.runs}" in last
    assert "(File too large); it is printed as JSON" in last
    printed = [line for line in failure.output.splitlines() if line.startswith("{")]
    assert len(printed) == 1 and "sha256" in printed[0]
    assert contents(command.runs) == before


def limit_files(process: int) -> None:
    """Lets no file of a process grow beyond 1 KiB, as on a full disk."""
    resource.prlimit(process, resource.RLIMIT_FSIZE, (1024, 1024))


READERS = {
    "show": ["show"],
    "report": ["report"],
    "export": ["export"],
    "compare": ["compare", "last"],
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_run_file_cut_short_is_named(
    command: Command, earlier: Path, other: Path, reader: list[str]
) -> None:
    context = table_file(earlier, "context")
    context.write_bytes(context.read_bytes()[:-100])
    failure = command(*reader, earlier.name)
    assert (failure.code, failure.output) == (1, "")
    assert failure.sentence.startswith(f"{context} cannot be read, it may be cut short or damaged")
    assert failure.sentence.endswith(f"copy the run again from where it came, or remove {earlier}")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_run_of_a_newer_format_is_refused(
    command: Command, earlier: Path, other: Path, reader: list[str]
) -> None:
    context = table_file(earlier, "context")
    table = pq.read_table(context).replace_schema_metadata()
    column = table.column_names.index("format_major")
    newer = pa.array([FORMAT_MAJOR + 1], table.schema.field(column).type)
    pq.write_table(table.set_column(column, "format_major", newer), context)
    failure = command(*reader, earlier.name)
    assert (failure.code, failure.output) == (1, "")
    assert failure.sentence.startswith(f"{context} has format {FORMAT_MAJOR + 1}.")
    assert failure.sentence.endswith("; upgrade ciphermark to read it")


@pytest.mark.parametrize("reader", ["show", "report", "export"])
def test_rows_that_are_none_are_named(command: Command, earlier: Path, reader: str) -> None:
    file = table_file(earlier, "rows")
    file.write_bytes(table_file(earlier, "samples").read_bytes())
    failure = command(reader, earlier.name)
    assert (failure.code, failure.output) == (1, "")
    assert failure.sentence.startswith(f"{file} cannot be read, it may be cut short or damaged")


@pytest.mark.parametrize("reader", ["show", "report", "export"])
def test_rows_of_another_run_are_named(command: Command, earlier: Path, reader: str) -> None:
    file = table_file(earlier, "rows")
    table = pq.read_table(file).replace_schema_metadata()
    place = table.column_names.index("algorithm")
    pq.write_table(table.set_column(place, "algorithm", pa.array(["seed-cbc"] * len(table))), file)
    failure = command(reader, earlier.name)
    assert (failure.code, failure.output) == (1, "")
    assert failure.sentence.startswith(f"{file} cannot be read, it may be cut short or damaged")
    assert "row 0 is of seed-cbc, which the run's context does not have" in failure.sentence


def test_the_other_runs_are_still_listed(command: Command, earlier: Path, other: Path) -> None:
    table_file(earlier, "context").write_bytes(b"PAR1")
    (command.runs / INDEX_FILE).unlink()
    listing = command("list", "runs", "--json")
    assert listing.code == 0
    assert [run["run"] for run in listing.document["runs"]] == [other.name]
    assert listing.sentence.startswith(f"{table_file(earlier, 'context')} cannot be read")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "none"], "there is no run 'none'; see 'ciphermark list runs'"),
        (["report", "none"], "there is no run 'none'"),
        (["export", "none"], "there is no run 'none'"),
        (["export", "--format", "xml"], "there is no format xml; choose one of csv, "),
        (["export", "--format", "parquet"], "parquet is no text: name a file with --output PATH"),
        (["compare", "last", "none"], "there is no run 'none'"),
        (["compare", "last", "last", "--threshold", "far"], "--threshold 'far' is not a share"),
        (["study", "gateways"], "gateway"),
        (["study", "gateway", "--from", "last"], "is of survey and not of the study gateway"),
        (["verify", "--algorithms", "aes-128-gmc"], "aes-128-gmc'; near: aes-128-gmac, "),
        (["verify", "--vectors", "/nonexistent"], "/nonexistent"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_what_is_not_there_is_refused(
    command: Command, earlier: Path, arguments: list[str], said: str
) -> None:
    before = contents(command.runs)
    refusal = command(*arguments)
    assert (refusal.code, refusal.output) == (2, "")
    assert said in refusal.sentence
    assert contents(command.runs) == before


def test_nothing_is_overwritten_unasked(command: Command, earlier: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("mine")
    for arguments in (["survey", *FEW], ["report"], ["export"]):
        refusal = command(*arguments, "--output", mine)
        assert refusal.code == 2
        assert refusal.sentence.startswith(f"{mine} is there already: ")
    assert mine.read_text() == "mine"
