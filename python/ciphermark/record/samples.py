"""Collects samples as they arrive."""

from __future__ import annotations

from array import array

import pyarrow as pa

from ciphermark import contract
from ciphermark.record.tables import SAMPLES

_TYPE_CODES = {pa.int64(): "q", pa.float64(): "d"}


class SampleColumns:
    """Samples by column, 100 bytes each: a run has up to some hundred thousand.

    While they arrive the machine is being measured, so that taking one in must cost little.
    """

    def __init__(self) -> None:
        self._numbers = {
            field.name: array(_TYPE_CODES[field.type])
            for field in SAMPLES
            if field.type in _TYPE_CODES
        }
        self._disturbed: list[list[contract.Disturbance]] = []

    def append(self, sample: contract.Sample) -> None:
        for name, column in self._numbers.items():
            column.append(getattr(sample, name))
        self._disturbed.append(sample.disturbed)

    def table(self) -> pa.Table:
        """The columns of `tables.SAMPLES`, in the order of arrival."""
        count = len(self._disturbed)
        columns = {
            field.name: pa.Array.from_buffers(
                field.type, count, [None, pa.py_buffer(self._numbers[field.name])]
            )
            for field in SAMPLES
            if field.name in self._numbers
        }
        columns["disturbed"] = pa.array(self._disturbed, SAMPLES.field("disturbed").type)
        return pa.table(columns, schema=SAMPLES)
