"""One table of a study and one plot of a report, for a paper."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import pytest

from ciphermark.errors import UsageError
from ciphermark.record.store import Store
from ciphermark.studies.export import FORMATS, find
from ciphermark.view.findings import Column, Table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Command
from survey_example import survey_example
from synthetic import synthetic_cases, synthetic_run

TITLES = (
    "The post's table, then and now",
    "Table 4. KASUMI, encryption",
    "Table 12. Cycles per bit",
    "A9. 1 000 packets",
)
TABLE = Table(
    title="Table 4. KASUMI, encryption",
    columns=[
        Column(heading="packets"),
        Column(heading="cycles & more", group="published"),
        Column(heading="cycles", group="here"),
        Column(heading="ratio", group="here"),
    ],
    rows=[["a | b", 1234.5678, 1000, None], ["c_d", 2.0, 3.0, 1.5]],
    unsettled=[1],
    notes=["Printed to 3 digits."],
)
CONTEXT = survey_example(["sha256"])[0].context


@pytest.mark.parametrize(
    ("wanted", "place"),
    [("4", 1), ("12", 2), ("A9", 3), ("#4", 3), ("1", 0), ("#1", 0), ("then and", 0), ("per B", 2)],
)
def test_a_table_is_found_by_the_papers_number_its_place_or_words(wanted: str, place: int) -> None:
    tables = [Table(title=title, columns=[]) for title in TITLES]
    assert find(tables, wanted) is tables[place]


@pytest.mark.parametrize("wanted", ["5", "#9", "#0", "a", "seal"])
def test_what_is_no_table_or_several_is_refused_with_a_list(wanted: str) -> None:
    tables = [Table(title=title, columns=[]) for title in TITLES]
    with pytest.raises(UsageError, match="#4  A9. 1 000 packets"):
        find(tables, wanted)


def test_latex_has_groups_and_escapes() -> None:
    text = FORMATS["latex"](CONTEXT, TABLE).decode()
    assert "\\multicolumn{2}{c}{here}" in text and "\\cmidrule(lr){3-4}" in text
    assert "cycles \\& more" in text and "c\\_d" in text
    assert "{lrrr}" in text
    shown = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert [line.count(" & ") for line in shown] == [2, 3, 3, 3]
    assert CONTEXT.run in text and "Printed to 3 digits" in text


def test_latex_has_a_caption_without_the_papers_number_and_a_label_of_its_own() -> None:
    other = msgspec.structs.replace(TABLE, title="Table 5. KASUMI, decryption")
    caption, label = _heads(TABLE)
    assert caption.startswith("[{KASUMI, encryption (Table 4 of the paper)}]{KASUMI, encryption (")
    assert CONTEXT.machine_name in caption and "Printed to 3 digits." in caption
    assert label == f"tab:{CONTEXT.run}-table-4-kasumi-encryption"
    assert _heads(other)[1] != label, "two tables of one run stand in one paper"


def _heads(table: Table) -> tuple[str, str]:
    """The caption and the label of a table in LaTeX."""
    lines = FORMATS["latex"](CONTEXT, table).decode().splitlines()
    (caption,) = (line for line in lines if line.startswith("  \\caption"))
    (label,) = (line for line in lines if line.startswith("  \\label"))
    return caption.removeprefix("  \\caption"), label.removeprefix("  \\label{").removesuffix("}")


@pytest.mark.parametrize("name", ["latex", "markdown"])
def test_no_line_of_a_table_ends_in_a_blank(name: str) -> None:
    empty = msgspec.structs.replace(TABLE, rows=[["", None, None, None]], unsettled=[])
    lines = FORMATS[name](CONTEXT, empty).decode().split("\n")
    assert [line for line in lines if line != line.rstrip()] == []


def test_markdown_has_a_cell_for_each_column() -> None:
    lines = FORMATS["markdown"](CONTEXT, TABLE).decode().splitlines()
    shown = [line for line in lines if line.startswith("|")]
    assert shown[1] == "| --- | ---: | ---: | ---: |"
    assert all(line.replace("\\|", "").count("|") == 5 for line in shown)


def test_csv_has_all_digits_and_what_did_not_settle() -> None:
    heads, *lines = csv.reader(io.StringIO(FORMATS["csv"](CONTEXT, TABLE).decode()))
    assert heads == ["packets", "published cycles & more", "here cycles", "here ratio", "settled"]
    assert lines[0] == ["a | b", "1234.5678", "1000", "", "true"]
    assert lines[1][-1] == "false"


@pytest.fixture
def typed(tmp_path: Path) -> Command:
    """A command with a stored survey, on a machine that has no engine."""
    run = synthetic_run(synthetic_cases(["sha256", "aes-128-gcm"]), rounds=8)
    Store(tmp_path / "runs").save(run, SINGLE.rows_table(rows(run)))
    return Command(tmp_path / "runs", tmp_path / "no-engine")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--table", "4"), "is of no study, and has one table: leave out --table"),
        (("--table", "4", "--plot", "throughput"), "--table and --plot exclude each other"),
        (("--table", "4", "--format", "pdf"), "no format pdf; choose one of csv, latex, markdown"),
        (("--plot", "throughput", "--format", "csv"), "choose one of pdf, png, svg"),
        (("--plot", "throughput", "--format", "pdf"), "pdf is no text: name a file"),
    ],
)
def test_what_cannot_be_is_refused(typed: Command, options: tuple[str, ...], sentence: str) -> None:
    ended = typed("export", *options)
    assert (ended.code, ended.output) == (2, "") and sentence in ended.sentence


@pytest.mark.slow
def test_a_plot_is_drawn_in_the_format_of_its_file(typed: Command, tmp_path: Path) -> None:
    listed = typed("export", "--plot", "list").output.split()
    assert "cycles-per-byte" in listed
    begins = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<svg"}
    for suffix, magic in begins.items():
        path = tmp_path / f"figure.{suffix}"
        ended = typed("export", "--plot", "cycles-per-byte", "--output", path)
        assert ended.code == 0, ended.messages
        assert path.read_bytes().startswith(magic)
    again = typed("export", "--plot", "cycles-per-byte", "--output", path)
    assert again.code == 2 and "--force" in again.sentence


def test_suffixes_are_short_names(typed: Command, tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    assert typed("export", "--output", path).code == 0
    assert path.read_text("utf-8") == typed("export", "--format", "md").output
    assert typed("export", "--format", "tex").output == typed("export", "--format", "latex").output
