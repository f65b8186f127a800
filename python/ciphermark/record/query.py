"""Questions in SQL over all stored runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ciphermark.errors import UsageError, WorkError
from ciphermark.record import tables
from ciphermark.record.layout import table_file
from ciphermark.record.run import Summary

_FILE_VIEWS = ("rows", "samples")


def query(
    place: str,
    runs: Sequence[Summary],
    folder: Callable[[str], Path],
    sql: str,
    parameters: Sequence[Any] = (),
) -> pa.Table:
    """Answers a question over `runs`, and over `rows` and `samples` with a column `run`.

    `folder` tells where the files of a run lie, which are stored in `place`. Raises `UsageError`
    for a question that is not valid, `WorkError` for a file that is damaged.
    """
    with duckdb.connect() as connection:
        try:
            _add_views(connection, place, runs, folder, sql)
            answer = connection.sql(sql, params=list(parameters))
            if answer is None:
                raise UsageError("the query asks for nothing; begin it with SELECT")
            return answer.to_arrow_table()
        except duckdb.Error as error:
            if _is_of_files(error):
                raise WorkError(
                    f"the runs in {place} cannot be queried: {_first_line(error)}"
                ) from error
            raise UsageError(f"the query is not valid: {_first_line(error)}") from error


def _add_views(
    connection: duckdb.DuckDBPyConnection,
    place: str,
    runs: Sequence[Summary],
    folder: Callable[[str], Path],
    sql: str,
) -> None:
    connection.register("runs", tables.summaries_table(runs))
    for view in _FILE_VIEWS:
        # Making the view opens its file in every run, so only where it is asked for.
        if re.search(rf"\b{view}\b", sql, re.IGNORECASE):
            files = [str(table_file(folder(summary.run), view)) for summary in runs]
            if not files:
                raise UsageError(f"no runs are stored in {place}; measure with 'ciphermark survey'")
            _add_view(connection, view, files)


def _add_view(connection: duckdb.DuckDBPyConnection, view: str, files: Sequence[str]) -> None:
    # By name, since runs of several format minors have different columns. In SQL, since each step
    # of DuckDB's relations would open all files anew.
    connection.execute(
        f"CREATE VIEW {view} AS SELECT parse_path(filename)[-2] AS run, * EXCLUDE (filename) "
        f"FROM read_parquet([{', '.join(map(quoted, files))}], union_by_name = true, "
        "filename = true)"
    )


def quoted(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


def _is_of_files(error: duckdb.Error) -> bool:
    """Whether a file is wrong and not the question; of some damage DuckDB says no kind."""
    kinds = (duckdb.IOException, duckdb.InvalidInputException)
    return isinstance(error, kinds) or type(error) is duckdb.Error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
