"""Rows as they are stored, with a column for each of their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ciphermark.workload import Row, Workload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ciphermark.record.table import Table


class StoredWorkload(Workload[Row]):
    """A workload whose rows are structs."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """Columns of fields whose names have another type in rows of other workloads, so that runs of
    all can be asked together."""

    def rows_table(self, rows: list[Row]) -> Table:
        from ciphermark.record.tables import table_of

        return table_of(rows, self.row_type(), self.renamed)

    def rows_from_table(self, table: Table) -> list[Row]:
        from ciphermark.record.tables import rows_of

        return rows_of(table, self.row_type(), self.renamed)
