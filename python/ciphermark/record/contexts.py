"""Reads what is known of a stored run, and refuses a format that is too new."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from ciphermark.record import parquet, tables
from ciphermark.record.layout import check_format, table_file
from ciphermark.record.run import Context, Summary


def read_context(folder: Path) -> Context:
    """The context of the run in a folder. Raises `WorkError`."""
    file = table_file(folder, "context")
    with parquet.explained(file):
        return tables.context_of(_read(file, tables.CONTEXT))


def read_summary(folder: Path) -> Summary:
    """The summary of the run in a folder, several times quicker than its context."""
    file = table_file(folder, "context")
    with parquet.explained(file):
        return tables.summary_of(_read(file, tables.SUMMARY))


def _read(file: Path, schema: pa.Schema) -> pa.Table:
    table = parquet.read(file, schema.names)
    # Before anything else is decoded: a newer major may have given it another meaning.
    version = tables.version_of(table)
    check_format(version.format_major, version.format_minor, file)
    return table
