"""What older formats meant by the same columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ciphermark.record.layout import table_file
from ciphermark.record.run_folder import upgraded
from ciphermark.record.store import Store
from ciphermark.record.table import INTEGER, TEXT, Table

GOLDEN = Path(__file__).parent / "golden" / "run-1.1"


def lanes_and_keys(operation: str, lanes: int, keys: int) -> Table:
    kinds = {"operation": TEXT, "lanes": INTEGER, "keys": INTEGER}
    return Table(kinds, {"operation": [operation], "lanes": [lanes], "keys": [keys]})


def keys_of(table: Table) -> list[int]:
    return table["keys"].to_pylist()


def test_lanes_had_a_key_each_and_were_not_counted() -> None:
    assert keys_of(upgraded(lanes_and_keys("mac", 8, 1), (1, 1))) == [8]
    assert keys_of(upgraded(lanes_and_keys("mac", 1, 1000), (1, 1))) == [1000]
    assert keys_of(upgraded(lanes_and_keys("digest", 8, 1), (1, 1))) == [1], "which has no key"


def test_today_one_key_of_lanes_is_one_key() -> None:
    assert keys_of(upgraded(lanes_and_keys("mac", 8, 1), (1, 2))) == [1]


def test_cases_and_rows_of_an_old_run_are_read_so(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "20261121-091500-7f3a"
    folder.mkdir()
    for name in ("context", "cases", "samples", "warnings", "rows"):
        table = pq.read_table(table_file(GOLDEN, name))
        if name in ("cases", "rows"):
            lanes = pa.array([8] * table.num_rows, pa.int64())
            table = table.set_column(table.column_names.index("lanes"), "lanes", lanes)
        pq.write_table(table, table_file(folder, name))
    run = store.resolve(str(folder))
    counted = {(row["operation"], row["keys"]) for row in store.rows(run).to_pylist()}
    assert counted == {(it.case.operation, it.case.keys) for it in store.load(run).cases}
    assert ("seal", 8) in counted
