"""Tables in memory: columns of one length, each with its type as DuckDB names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Schema = dict[str, str]
"""Types of columns by their names: `BIGINT`, `VARCHAR[]`, `MAP(VARCHAR, VARCHAR)`, `JSON`."""

Values = list[Any] | npt.NDArray[Any]
"""Values of a column: an array of numbers without a gap, or a list with None in gaps."""

INTEGER, NUMBER, TEXT, FLAG, JSON = "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "JSON"


def is_nested(kind: str) -> bool:
    """Returns whether values of a type have parts."""
    return kind.endswith((")", "]"))


class Column(Sequence[Any]):
    """One column of a table."""

    def __init__(self, kind: str, values: Values) -> None:
        self.kind = kind
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        return self.values[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pylist())

    def to_pylist(self) -> list[Any]:
        """Returns the values, None in gaps."""
        return self.values if isinstance(self.values, list) else self.values.tolist()

    def to_numpy(self) -> npt.NDArray[Any]:
        """Returns the values as an array; numbers have NaN in gaps."""
        if not isinstance(self.values, list):
            return self.values
        if self.kind == NUMBER or (self.kind == INTEGER and self.null_count):
            return np.array([np.nan if it is None else it for it in self.values], np.float64)
        return np.array(self.values, ARRAYS.get(self.kind, object))

    @property
    def null_count(self) -> int:
        """Number of gaps."""
        return self.values.count(None) if isinstance(self.values, list) else 0


ARRAYS = {INTEGER: np.int64, NUMBER: np.float64, FLAG: np.bool_}
"""Types of arrays by the types of their columns."""


class Table:
    """Columns by their names."""

    def __init__(self, schema: Mapping[str, str], columns: Mapping[str, Values]) -> None:
        self.schema: Schema = dict(schema)
        self._columns = {name: Column(kind, columns[name]) for name, kind in schema.items()}

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]], schema: Mapping[str, str]) -> Table:
        """Returns a table of these columns; a row without a column has a gap there."""
        found = list(rows)
        return cls(schema, {name: [row.get(name) for row in found] for name in schema})

    @property
    def column_names(self) -> list[str]:
        """Names in their order."""
        return list(self.schema)

    @property
    def num_rows(self) -> int:
        """Number of rows; 0 without columns."""
        return len(next(iter(self._columns.values()), ()))

    def __len__(self) -> int:
        return self.num_rows

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __eq__(self, other: object) -> bool:
        """Compares names and values: types of parts are spelled in several ways."""
        return isinstance(other, Table) and (
            self.column_names == other.column_names and self.to_pylist() == other.to_pylist()
        )

    __hash__ = None  # type: ignore[assignment]

    def to_pylist(self) -> list[dict[str, Any]]:
        """Returns the rows."""
        columns = [column.to_pylist() for column in self._columns.values()]
        return [dict(zip(self.schema, row, strict=True)) for row in zip(*columns, strict=True)]

    def with_column(self, name: str, values: Values, kind: str | None = None) -> Table:
        """Returns the table with other values in a column, or with a new one of a type."""
        columns = {it: column.values for it, column in self._columns.items()}
        return Table(self.schema | {name: kind or self.schema[name]}, columns | {name: values})

    def without(self, *names: str) -> Table:
        """Returns the table without some columns."""
        schema = {it: kind for it, kind in self.schema.items() if it not in names}
        return Table(schema, {it: self[it].values for it in schema})

    def renamed(self, names: Mapping[str, str]) -> Table:
        """Returns the table with other names for some columns."""
        new = {names.get(name, name): kind for name, kind in self.schema.items()}
        return Table(new, {names.get(it, it): self[it].values for it in self.schema})

    def taken(self, places: npt.NDArray[Any]) -> Table:
        """Returns the rows in these places, or those for which a mask is true."""
        chosen = np.flatnonzero(places) if places.dtype == np.bool_ else places
        return Table(
            self.schema,
            {
                name: [column.values[it] for it in chosen]
                if isinstance(column.values, list)
                else column.values[chosen]
                for name, column in self._columns.items()
            },
        )
