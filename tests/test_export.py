"""Exports: what they say of the example is stored, and what is stored can be read again."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner, Result

from ciphermark.cli.export import export as command
from ciphermark.command.options import grouped
from ciphermark.errors import UsageError, WorkError
from ciphermark.record import parquet
from ciphermark.record.run import Context, Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.view.export import CONTEXT, FORMATS, written_csv
from ciphermark.view.text_formats import markdown_row
from ciphermark.workload import AnyRows, rows_from_table
from conftest import script
from survey_example import survey_example
from workload_examples import EXAMPLES

MAKER = script("tests/golden/exports/make_exports.py")
"""The script that made the golden files."""


@pytest.mark.slow
@pytest.mark.parametrize("example", MAKER.EXAMPLES)
@pytest.mark.parametrize("name", MAKER.SUFFIXES)
def test_the_text_formats_are_as_stored(example: str, name: str) -> None:
    assert MAKER.exported(example, name).decode() == MAKER.golden(example, name).read_text(), (
        "when this is meant, run tests/golden/exports/make_exports.py"
    )


def test_every_format_has_a_test() -> None:
    assert set(FORMATS) == {*MAKER.SUFFIXES, "parquet"}


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+cmd|' /C calc'!A0", "'=1+cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+A1", "'+A1"),
        ("-A1", "'-A1"),
        ("\t=A1", "'\t=A1"),
        ("\uff1dA1", "'\uff1dA1"),
        ("-1.5e-3", "-1.5e-3"),
        ("+4", "+4"),
        (-2.5, "-2.5"),
        (None, ""),
        (True, "true"),
        ("a=b\x1b", "a=b\\u001b"),
        (["=a", "b"], "'=a b"),
    ],
)
def test_a_cell_of_csv_is_no_formula(value: object, cell: str) -> None:
    written = written_csv([["x", value]]).decode()
    assert written in (f"x,{cell}\n", f'x,"{cell}"\n')


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("<img src=x onerror=alert(1)>", "\\<img src=x onerror=alert(1)>"),
        ("[x](javascript:a)", "\\[x\\](javascript:a)"),
        ("a|b`c`", "a\\|b\\`c\\`"),
        ("&#x202e;", "\\&#x202e;"),
        ("a\n\n# b", "a # b"),
        ("sha_256 __b__", "sha_256 \\_\\_b\\_\\_"),
        ("\u202e\x1b", "\\\\u202e\\\\u001b"),
    ],
)
def test_a_cell_of_markdown_has_no_markup(text: str, cell: str) -> None:
    assert markdown_row([text]) == f"| {cell} |"


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> tuple[Run, AnyRows]:
    return EXAMPLES[request.param]()


def test_csv_has_a_line_for_each_row_and_empties_for_what_failed(
    example: tuple[Run, AnyRows],
) -> None:
    run, rows = example
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"].export(run.context, rows).decode())))
    assert [line["algorithm"] for line in lines] == [row.algorithm for row in rows]
    errors = [row.error for row in rows]
    assert [line["error_kind"] for line in lines] == [it.kind if it else "" for it in errors]
    assert [line["error_signal"] for line in lines] == [
        (it.signal or "") if it else "" for it in errors
    ]


def test_json_holds_what_show_prints(example: tuple[Run, AnyRows]) -> None:
    run, rows = example
    document = json.loads(FORMATS["json"].export(run.context, rows))
    assert document["run"] == run.context.run
    assert document["rows"] == json.loads(msgspec.json.encode(rows))


def test_parquet_gives_back_the_rows_and_the_context(example: tuple[Run, AnyRows]) -> None:
    run, rows = example
    content = FORMATS["parquet"].export(run.context, rows)
    table = pq.read_table(pa.BufferReader(content))
    assert set(table.column("run").to_pylist()) == {run.context.run}
    context = msgspec.json.decode(table.schema.metadata[CONTEXT.encode()], type=Context)
    assert context == run.context
    stored = parquet.decoded(content).without("run")
    assert rows_from_table(stored, run.context.workload) == rows


@pytest.mark.parametrize("name", ["markdown", "latex"])
@pytest.mark.parametrize("workload", ["sessions", "packets"])
def test_tables_for_people_have_a_line_for_each_row_with_figures(name: str, workload: str) -> None:
    run, rows = EXAMPLES[workload]()
    text = FORMATS[name].export(run.context, rows).decode()
    assert text.count("openssl") == sum(row.is_measured for row in rows)
    assert {"markdown": "\\~", "latex": "\\textasciitilde{}"}[name] in text, "what is doubtful"


@pytest.mark.parametrize("name", ["csv", "markdown", "latex"])
@pytest.mark.parametrize("workload", list(EXAMPLES))
def test_no_line_of_an_export_ends_in_a_blank(name: str, workload: str) -> None:
    run, rows = EXAMPLES[workload]()
    lines = FORMATS[name].export(run.context, rows).decode().split("\n")
    assert [line for line in lines if line != line.rstrip()] == []


def test_latex_has_a_caption_and_a_label() -> None:
    run, rows = survey_example()
    text = FORMATS["latex"].export(run.context, rows).decode()
    assert "\\caption[{Core cycles per byte by message size}]{Core cycles" in text
    assert f"\\label{{tab:{run.context.run}}}" in text


def test_latex_escapes_what_it_would_take_for_commands() -> None:
    run, rows = survey_example(["md5"])
    run.context.machine_name = "100%_of #1 & {more}\\"
    text = FORMATS["latex"].export(run.context, rows).decode()
    assert r"100\%\_of \#1 \& \{more\}\textbackslash{}" in text


def test_latex_rows_have_as_many_cells_as_there_are_columns() -> None:
    run, rows = survey_example()
    text = FORMATS["latex"].export(run.context, rows).decode()
    columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1]
    body = [
        line for line in text.splitlines() if line.endswith("\\\\") and "multicolumn" not in line
    ]
    assert {line.count(" & ") for line in body} == {len(columns) - 1}


@pytest.fixture
def stored(store: Store, run: Run, run_rows: Table) -> Store:
    store.save(run, run_rows)
    return store


def _export(store: Store, *arguments: str) -> Result:
    app = typer.Typer()
    app.command()(grouped(command))
    return CliRunner().invoke(app, [*arguments, "--runs", str(store.root)])


def test_the_command_writes_to_standard_output(stored: Store, run: Run) -> None:
    result = _export(stored, "last", "--format", "csv")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1 + len(run.cases)


def test_the_command_writes_a_file(stored: Store, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "figures.parquet"
    result = _export(stored, "last", "--format", "parquet", "--output", str(path))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert pq.read_table(path).num_rows == len(run.cases)


def test_a_file_that_is_there_is_kept_unless_forced(stored: Store, tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    path.write_text("mine")
    result = _export(stored, "last", "--output", str(path))
    assert isinstance(result.exception, UsageError)
    assert "--force" in str(result.exception)
    assert path.read_text() == "mine"
    assert _export(stored, "last", "--output", str(path), "--force").exit_code == 0
    assert path.read_text().startswith("run,")


def test_parquet_needs_a_file(stored: Store) -> None:
    result = _export(stored, "last", "--format", "parquet")
    assert isinstance(result.exception, UsageError)
    assert "--output" in str(result.exception)


def test_an_unknown_format_is_answered_with_the_known_ones(stored: Store) -> None:
    result = _export(stored, "last", "--format", "xlsx")
    assert isinstance(result.exception, UsageError)
    assert "xlsx" in str(result.exception)
    assert all(name in str(result.exception) for name in FORMATS)


def test_a_place_that_cannot_be_written_is_named(stored: Store, tmp_path: Path) -> None:
    result = _export(stored, "last", "--output", str(tmp_path / "nowhere" / "figures.csv"))
    assert isinstance(result.exception, WorkError)
    assert "nowhere" in str(result.exception)
