"""Files cut short, changed or missing: one sentence that names the file, and no other run lost."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ciphermark.errors import WorkError
from ciphermark.record import parquet
from ciphermark.record.layout import TABLES, table_file
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workload import rows_table
from workload_examples import EXAMPLES

GOLDEN = Path(__file__).parent / "golden"

Harm = Callable[[Path], object]


def cut(share: float) -> Harm:
    return lambda file: file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])


def cut_last_byte(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def other_table(file: Path) -> None:
    """A file that is valid, in the wrong place."""
    other = "warnings" if file.name.startswith("samples") else "samples"
    file.write_bytes(table_file(file.parent, other).read_bytes())


HARMS = {
    "emptied": cut(0),
    "cut to a tenth": cut(0.1),
    "cut in half": cut(0.5),
    "cut by a byte": cut_last_byte,
    "missing": Path.unlink,
}


def _read(store: Store, run: str, table: str) -> None:
    store.rows(run) if table == "rows" else store.load(run)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_damaged_file_is_named(
    store: Store, run: Run, run_rows: Table, table: str, harm: Harm
) -> None:
    file = table_file(store.save(run, run_rows), table)
    harm(file)
    with pytest.raises(WorkError) as told:
        _read(store, run.context.run, table)
    assert str(file) in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("workload", "table"),
    [("sessions", "sessions"), ("packets", "packets"), ("packets", "passes")],
)
@pytest.mark.parametrize("harm", [cut_last_byte, Path.unlink])
def test_a_damaged_file_of_a_workload_is_named_and_its_rows_are_still_there(
    store: Store, workload: str, table: str, harm: Harm
) -> None:
    run, rows = EXAMPLES[workload]()
    file = table_file(store.save(run, rows_table(rows, workload)), table)
    harm(file)
    with pytest.raises(WorkError, match=str(file)):
        store.load(run.context.run)
    assert store.rows(run.context.run).num_rows == len(run.cases)


@pytest.mark.parametrize("table", ["context", "cases", "warnings"])
def test_a_file_of_another_table_is_refused(
    store: Store, run: Run, run_rows: Table, table: str
) -> None:
    file = table_file(store.save(run, run_rows), table)
    other_table(file)
    with pytest.raises(WorkError, match=file.name):
        store.load(run.context.run)


def test_samples_without_what_every_format_has_are_refused(
    store: Store, run: Run, run_rows: Table
) -> None:
    file = table_file(store.save(run, run_rows), "samples")
    samples = parquet.read(file).without("wall_ns")
    file.unlink()
    parquet.write(samples, file)
    with pytest.raises(WorkError, match="a sample has no wall_ns"):
        store.load(run.context.run)


def test_a_changed_bit_is_noticed(store: Store, run: Run, run_rows: Table) -> None:
    file = table_file(store.save(run, run_rows), "samples")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(WorkError, match=file.name):
        store.load(run.context.run)


def test_a_run_that_is_not_there_is_told(store: Store) -> None:
    with pytest.raises(WorkError, match="is missing"):
        store.load("20261121-091500-7f3a")


def repeated(text: str, rows: int) -> Harm:
    """A small file of one long text in many rows."""

    def harm(file: Path) -> None:
        places = pa.array([0] * rows, pa.int32())
        column = pa.DictionaryArray.from_arrays(places, pa.array([text]))
        pq.write_table(pa.table({"run": column}), file, compression="zstd", store_schema=False)

    return harm


BOMBS: dict[str, Harm] = {
    "a long text in many rows": repeated("x" * 100_000, 20_000),
    "a text of 300 MB": repeated("x" * 300_000_000, 1),
}


@pytest.mark.parametrize("table", ["context", "rows", "cases"])
@pytest.mark.parametrize("bomb", ["a long text in many rows", "a text of 300 MB"])
def test_a_small_file_of_a_large_table_is_refused_within_bounds(
    store: Store, run: Run, run_rows: Table, table: str, bomb: str
) -> None:
    store.save(run, run_rows)
    file = table_file(store.folder(run.context.run), table)
    BOMBS[bomb](file)
    assert file.stat().st_size < 100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(WorkError, match="MiB of memory"):
        parquet.read(file)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < parquet.MOST_BYTES


@pytest.mark.parametrize("table", ["context", "rows", "samples"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    store: Store, run: Run, run_rows: Table, table: str
) -> None:
    store.save(run, run_rows)
    file = table_file(store.folder(run.context.run), table)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(WorkError, match="it is no file"):
        parquet.read(file)
    with store.figures() as figures:
        assert figures.ask("SELECT count(*) AS n FROM runs").num_rows == 1


def test_every_changed_byte_is_noticed(store: Store, run: Run, run_rows: Table) -> None:
    file = table_file(store.save(run, run_rows), "warnings")
    content = file.read_bytes()
    key = content.index(parquet.DIGEST.encode())
    for place in {*range(len(content))} - {*range(key, key + len(parquet.DIGEST) + 2)}:
        changed = bytearray(content)
        changed[place] ^= 1
        file.write_bytes(changed)
        with pytest.raises(WorkError, match=file.name):
            parquet.read(file)
    file.write_bytes(content)
    assert parquet.read(file).num_rows == len(run.warnings)


@pytest.mark.parametrize("table", ["context", "cases", "samples"])
def test_a_changed_page_of_an_older_file_is_noticed(table: str, tmp_path: Path) -> None:
    """Files of pyarrow have no digest of ours, but a checksum of each page."""
    content = table_file(GOLDEN / "run-1.21", table).read_bytes()
    column = pq.ParquetFile(pa.BufferReader(content)).metadata.row_group(0).column(0)
    end = column.data_page_offset + column.total_compressed_size
    if column.has_dictionary_page:
        end = column.dictionary_page_offset + column.total_compressed_size
    file = tmp_path / "file.parquet"
    file.write_bytes(content)
    assert parquet.read(file).num_rows
    file.write_bytes(content[: end - 2] + bytes([content[end - 2] ^ 4]) + content[end - 1 :])
    with pytest.raises(WorkError, match=r"the checksum of a page does not fit|Snappy|ZSTD"):
        parquet.read(file)


def test_other_programs_read_the_files(store: Store, run: Run, run_rows: Table) -> None:
    folder = store.save(run, run_rows)
    for name in TABLES:
        read = pq.read_table(table_file(folder, name))
        ours = parquet.read(table_file(folder, name))
        assert read.column_names == ours.column_names
        assert read.to_pylist(maps_as_pydicts="strict") == ours.to_pylist()


def test_a_table_of_many_texts_is_added_up_and_read(tmp_path: Path) -> None:
    """Texts of all types, which may be many times as large by what is stored of them."""
    text = "±" * 1000
    columns = {
        "text": ("VARCHAR", [text] * 20_000),
        "json": ("JSON", ['{"a": "±"}'] * 20_000),
        "list": ("VARCHAR[]", [["±"], []] * 10_000),
        "map": ("MAP(VARCHAR, VARCHAR)", [{"±": "±"}, {}] * 10_000),
        "struct": ("STRUCT(a VARCHAR, b BIGINT)", [{"a": "±", "b": 1}, None] * 10_000),
    }
    table = Table(
        {name: kind for name, (kind, _) in columns.items()},
        {name: values for name, (_, values) in columns.items()},
    )
    file = tmp_path / "file.parquet"
    parquet.write(table, file)
    assert parquet.read(file, most_bytes=2100 * 20_000).to_pylist() == table.to_pylist()
    with pytest.raises(WorkError, match="MiB of memory"):
        parquet.read(file, most_bytes=2000 * 20_000)


def test_a_footer_that_takes_seconds_to_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1" + (parquet.MOST_OF_FOOTER + 1).to_bytes(4, "little") + b"PAR1")
    for read in (parquet.check_footer, parquet.read):
        with pytest.raises(WorkError, match="its footer takes more than 4 MiB"):
            read(path)
