"""What the page that compares two runs needs of each: its cases with their figures, and of runs
whose samples are at hand the medians of the groups.

Two of ten thousand runs cannot be compared beforehand. The page does what
`workloads.single.comparison` does, from what is computed here: of each row the standard errors of
the logarithm of its cost (`statistics.ratio`), and of each case the cost in each round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from ciphermark.contract.others import UNKNOWN_MACHINE
from ciphermark.record.case_row import way
from ciphermark.record.table import FLAG, INTEGER, NUMBER, TEXT, Column, Table
from ciphermark.record.tables import schema_of, table_of
from ciphermark.statistics.estimate import ASSUMED_SHARE
from ciphermark.statistics.quantiles import (
    FEWEST_GROUPS,
    Floats,
    interval_rank,
    student_quantile,
)
from ciphermark.statistics.ratio import (
    BY_CHANCE,
    Z_CONFIDENCE,
    Z_POWER,
    OrderStatistics,
    interval_quantile,
    standard_errors,
)
from ciphermark.workload import workload_of
from ciphermark.workloads.loaded import LoadedRow
from ciphermark.workloads.single.ratio import order_statistics

if TYPE_CHECKING:
    from ciphermark.record.run import Outline

DIGITS = 10
"""Significant digits of a figure that is compared: its error is far below any interval."""

TEXTS = (
    *("algorithm", "operation", "provider", "backend_asked", "backend", "profile"),
    *("workload", "pattern", "offload", "buffers", "after", "load"),
)
NUMBERS = ("message_bytes", "chunk_bytes", "lanes", "keys", "batch")
FIGURES = {
    "cycles": "cycles_per_message",
    "low": "cycles_per_message_low",
    "high": "cycles_per_message_high",
    "ns": "ns_per_message",
    "mbytes": "mbytes_per_second",
}
CALLED = ("operation", "pattern", "chunk_bytes", "offload", "lanes", "keys", "buffers", "after")
"""What the way of calling is told by, beside the switches."""

FIELDS = frozenset(
    (*TEXTS, *NUMBERS, *FIGURES.values(), "case", "switches", "groups", "processes", "converged",
     "not_converged_reason", "error")
)  # fmt: skip
"""The columns of stored rows that this needs."""

NEEDED = FIELDS - {
    "profile",
    "after",
    "load",
    "batch",
    "message_bytes",
    "chunk_bytes",
    *FIGURES.values(),
    "not_converged_reason",
    "error",
}
"""Those that each row has."""


def of_messages(context: Outline, stored: Table) -> Table | None:
    """The rows of a run as costs of messages, as they are compared; None of one that is not."""
    workload = workload_of(context.workload)
    if workload.compared is None or workload.of_messages:
        return stored if workload.of_messages else None
    return table_of(workload.message_rows(workload.rows_from_table(stored)), LoadedRow)


def cases(context: Outline, stored: Table | None) -> dict[str, Any]:
    """The cases of a run by its rows of messages, column by column; None of a run that is not
    compared.

    Texts are numbers of a list of them; a column that has one value everywhere has it once. Raises
    what `record.parquet.explained` takes for a damaged file.
    """
    workload = workload_of(context.workload)
    texts: dict[str, int] = {}
    columns = {} if stored is None else _columns(stored, texts)
    hello = context.hello
    return {
        "run": context.run,
        "machine": context.machine_name,
        "kind": context.machine_kind,
        "unknown_machine": context.machine_name == UNKNOWN_MACHINE,
        "subject": workload.subject,
        "figure": workload.compared,
        "of_rounds": workload.of_messages,
        "measured_here": workload.measured_here,
        "cycle_source": context.cycle_source,
        "engine": msgspec.json.encode(hello.engine).decode() if hello else None,
        "interrupted": context.interrupted,
        "versions": {provider.name: provider.version for provider in hello.providers}
        if hello
        else {},
        "texts": list(texts),
        "rows": 0 if stored is None else stored.num_rows,
        "columns": {name: _once(values) for name, values in columns.items()},
    }


def _columns(stored: Table, texts: dict[str, int]) -> dict[str, list[Any]]:
    """All columns; `texts` gets what is not in it yet."""
    table = _of_today(stored)
    columns: dict[str, list[Any]] = {name: _numbers(table[name], texts) for name in TEXTS}
    columns |= {name: _integers(table[name]) for name in NUMBERS}
    switches = [_number(switches, texts) for switches in _switches(table["switches"])]
    columns |= {"case": _integers(table["case"]), "switches": switches}
    figures = np.array([table[field].to_numpy() for field in FIGURES.values()], np.float64)
    below, above, degrees = _standard_errors(
        dict(zip(FIGURES, figures, strict=True)),
        _integers(table["processes"]),
        _integers(table["groups"]),
    )
    written = _written(np.vstack([figures, below, above]))
    columns |= dict(zip((*FIGURES, "below", "above"), written, strict=True))
    return columns | {
        "way": _ways(columns, texts),
        "degrees": degrees,
        "converged": table["converged"].to_numpy().astype(int).tolist(),
        "error": _errors(table["error"], texts),
        "reason": _numbers(table["not_converged_reason"], texts),
    }


def _number(text: str | None, texts: dict[str, int]) -> int:
    """The place of a text among all; -1 of none."""
    return -1 if text is None else texts.setdefault(text, len(texts))


def _numbers(column: Column, texts: dict[str, int]) -> list[int]:
    """The texts of a column by their places; of one value everywhere, that once."""
    values = column.to_pylist()
    known = {text: _number(text, texts) for text in dict.fromkeys(values)}
    return [*known.values()] if len(known) == 1 else [known[text] for text in values]


def _integers(column: Column) -> list[int | None]:
    """The same of whole numbers."""
    if column.null_count == len(column):
        return [None] * min(1, len(column))
    return _once(column.to_pylist())


def _ways(columns: dict[str, list[Any]], texts: dict[str, int]) -> list[int]:
    """How each row was called, from columns that are known: of one way everywhere, that once."""
    called = [columns[name] for name in (*CALLED, "switches")]
    several = max(map(len, called))
    known = [None, *texts]  # the last place is that of none
    found: dict[tuple[Any, ...], int] = {}

    def number(*values: Any) -> int:
        if values not in found:
            said = [
                known[value + 1] if name in TEXTS or name == "switches" else value
                for name, value in zip((*CALLED, "switches"), values, strict=True)
            ]
            found[values] = _number(_way(*said), texts)
        return found[values]

    return list(map(number, *(_spread(values, several) for values in called)))


def _errors(column: Column, texts: dict[str, int]) -> list[int]:
    """The messages of errors by their places."""
    if column.null_count == len(column):
        return [-1] * min(1, len(column))
    return [_number(error and error["message"], texts) for error in column]


class _Field(NamedTuple):
    """A column of `FIELDS`: its type, and what stands in it where an older format lacks it."""

    name: str
    kind: str
    default: Any


@cache
def _fields() -> list[_Field]:
    schema = schema_of(LoadedRow)
    return [
        _Field(
            field.name,
            schema[field.name],
            None if field.name == "load" else field.default,
        )
        for field in msgspec.structs.fields(LoadedRow)
        if field.name in FIELDS
    ]


def _of_today(stored: Table) -> dict[str, Column]:
    """The columns of `FIELDS` as rows have them today."""
    columns = {name: stored[name] for name in stored.schema}
    for field in _fields():
        column = columns.get(field.name)
        if column is None:
            if field.default is msgspec.NODEFAULT:
                raise ValueError(f"it has no column {field.name}")
            column = Column(field.kind, [field.default] * stored.num_rows)
        elif column.kind != field.kind:
            column = _cast(column, field)
        if column.null_count and field.name in NEEDED:
            raise ValueError(f"a row has no {field.name}")
        columns[field.name] = column
    return columns


_VALUES: dict[str, type | tuple[type, ...]] = {
    INTEGER: int,
    NUMBER: (int, float),
    FLAG: bool,
    TEXT: str,
}


def _cast(column: Column, field: _Field) -> Column:
    """Returns a column of an older type. Raises `ValueError` where its values are no others."""
    values = column.to_pylist()
    kind = _VALUES.get(field.kind)
    if kind and not all(it is None or isinstance(it, kind) for it in values):
        raise ValueError(f"its column {field.name} is of {column.kind}")
    return Column(field.kind, values)


def _once(values: list[Any]) -> list[Any]:
    return values[:1] if len(values) > 1 and values.count(values[0]) == len(values) else values


def groups(samples: Table, reproducibility: float) -> dict[str, Any]:
    """Of each case the rounds in which it has an undisturbed group of positive cost, the logarithm
    of that cost, and the process that took it; equal lists are kept once. `reproducibility` is what
    ratios of cases move by from run to run, as `Rule` has it."""
    from ciphermark.workloads.single.groups import groups_by_case

    lists: dict[tuple[int, ...], int] = {}

    def number(values: list[int]) -> int:
        return lists.setdefault(tuple(values), len(lists))

    found: dict[int, list[Any]] = {}
    for case, of in groups_by_case(samples).items():
        kept = of.cycles > 0
        logs = [round(math.log(cost), DIGITS) for cost in of.cycles[kept].tolist()]
        rounds, process = of.rounds[kept].tolist(), of.process[kept].tolist()
        found[case] = [of.processes, number(rounds), number(process), logs]
    return {
        "reproducibility": reproducibility,
        "lists": [list(values) for values in lists],
        "cases": found,
    }


def constants(most: int, most_pairs: int) -> dict[str, Any]:
    """Numbers that the page's arithmetic shares with `statistics.ratio`, with the ranks of medians
    of up to so many values, and Student's quantiles for up to so many pairs of cases."""
    counts = range(FEWEST_GROUPS, most + 1)
    return {
        "fewest": FEWEST_GROUPS,
        "z_confidence": Z_CONFIDENCE,
        "z_power": Z_POWER,
        "by_chance": BY_CHANCE,
        "assumed_share": ASSUMED_SHARE,
        "assumed_errors": standard_errors(1.0, (1 - ASSUMED_SHARE, 1 + ASSUMED_SHARE), None),
        "ranks": [interval_rank(count) for count in counts],
        "quantiles": [interval_quantile(OrderStatistics(count)) for count in counts],
        "students": [
            [student_quantile(share, degrees) for share in (0.975, 0.8)]
            for degrees in range(1, most_pairs)
        ],
    }


def _standard_errors(
    figures: Mapping[str, Floats], processes: list[int | None], groups: list[int | None]
) -> tuple[Floats, Floats, list[int | None]]:
    """Of the logarithms of costs, downwards and upwards, and their degrees of freedom."""
    value, low, high = figures["cycles"], figures["low"], figures["high"]
    rows = len(value)
    of = list(map(_order_statistics, _spread(processes, rows), _spread(groups, rows)))
    quantiles = np.array([quantile for quantile, _ in of])
    known = (value > 0) & (low > 0) & (high > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(known, (np.log(value) - np.log(low)) / quantiles, np.nan)
        above = np.where(known, (np.log(high) - np.log(value)) / quantiles, np.nan)
    degrees = [it if has else None for (_, it), has in zip(of, known.tolist(), strict=True)]
    return below, above, degrees


def _spread(values: list[Any], rows: int) -> list[Any]:
    """The inverse of `_once`."""
    return values * rows if len(values) == 1 else values


@cache
def _order_statistics(processes: int | None, groups: int | None) -> tuple[float, int | None]:
    """The normal quantile of an interval, and its degrees of freedom where they are known."""
    row: Any = SimpleNamespace(processes=processes, groups=groups)
    of = order_statistics(row)
    return (Z_CONFIDENCE, None) if of is None else (interval_quantile(of), of.observations - 1)


def _switches(column: Column) -> list[str]:
    """As one text for each row, empty without any; without any at all, that once."""
    found = [
        msgspec.json.encode(sorted(switches.items())).decode() if switches else ""
        for switches in column
    ]
    return _once(found)


@cache
def _way(*called: Any) -> str:
    row: Any = SimpleNamespace(**dict(zip((*CALLED, "switches"), called, strict=True)))
    return way(row)


def _written(columns: Floats) -> list[list[float | None]]:
    """The columns of these rows of an array, with nothing where there is no number."""
    rounded = _rounded(columns)
    found: list[list[float | None]] = rounded.tolist()
    for number in np.flatnonzero(np.isnan(rounded).any(axis=1)).tolist():
        found[number] = [None if value != value else value for value in found[number]]
    return found


def _rounded(values: Floats) -> Floats:
    """To so many significant digits: a whole number over or times a power of ten, of which doubles
    have the nearest."""
    with np.errstate(divide="ignore", invalid="ignore"):
        exponents = DIGITS - 1 - np.floor(np.log10(np.abs(values)))
        exponents = np.where(np.isfinite(exponents), exponents, 0.0)
        down, up = 10.0 ** np.maximum(exponents, 0), 10.0 ** np.maximum(-exponents, 0)
        rounded: Floats = np.rint(values * down / up) / down * up
    return rounded
