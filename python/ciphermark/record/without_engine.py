"""What a run has in the place of plan and samples where the engine measured nothing for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

import ciphermark
from ciphermark import contract
from ciphermark.record import tables
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR, new_run_id

if TYPE_CHECKING:
    from collections.abc import Sequence


def begun(started_unix_ns: int, command: str) -> dict[str, Any]:
    """What the context of every run begins with."""
    return {
        "format_major": FORMAT_MAJOR,
        "format_minor": FORMAT_MINOR,
        "run": new_run_id(started_unix_ns),
        "started_unix_ns": started_unix_ns,
        "command": command,
        "ciphermark_version": ciphermark.__version__,
    }


def no_plan(
    schema: contract.SchemaVersion = contract.SCHEMA, cases: Sequence[contract.Case] = ()
) -> contract.Plan:
    """A plan that nobody was asked to carry out."""
    return contract.Plan(
        schema=schema, workload="single", seed=0, precision=0.0, budget_s=0.0, cases=list(cases)
    )


def no_samples() -> pa.Table:
    """The columns of samples, empty."""
    return pa.table({field.name: [] for field in tables.SAMPLES}, schema=tables.SAMPLES)
