"""What columns of older formats meant, brought to what they mean today."""

from __future__ import annotations

import pyarrow as pa

KEYS_OF_LANES = (1, 2)
"""The format from which on `keys` counts those of several lanes, where it was 1 before."""


def upgraded(table: pa.Table, version: tuple[int, int]) -> pa.Table:
    """Cases or rows that were written in a format, as they would be written today."""
    if version >= KEYS_OF_LANES:
        return table
    import pyarrow.compute as pc  # takes a tenth of a second, and hardly any run needs it

    lanes, keys = table["lanes"], table["keys"]
    has_keys = pc.not_equal(table["operation"], "digest")
    counted = pc.if_else(pc.and_(has_keys, pc.greater(lanes, 1)), lanes, keys)
    return table.set_column(table.column_names.index("keys"), "keys", counted)
