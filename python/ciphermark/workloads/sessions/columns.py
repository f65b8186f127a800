"""The columns of many sessions, for a terminal, a report and exports, and their table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ciphermark.plan.cpu_sets import listed
from ciphermark.record.case_row import settled
from ciphermark.show import figures
from ciphermark.show.column import Column, Place, count, of_words, printed
from ciphermark.show.problems import UNSETTLED, print_failures
from ciphermark.show.tables import print_groups, print_left_out
from ciphermark.workloads import energy, flows
from ciphermark.workloads.flows import field, latency_us, together
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.row import SessionRow

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

NAMED = 3
"""Cases with rejected attempts that are named; the report names all."""


def columns(rows: list[SessionRow]) -> Iterator[Column[SessionRow]]:
    """Cycles first; what makes room for them on a narrow terminal last."""
    yield from flows.names(remarks.conditions)
    yield flows.sizes("Message")
    yield Column(
        "Sessions",
        lambda row: row.sessions,
        "sessions",
        form=count,
        page_heading="Sessions",
        key=True,
    )
    yield of_words("CPUs", lambda row: listed(row.cpus), order=lambda row: row.cores, key=True)
    per_byte = any(row.absolute_cycles_per_byte is not None for row in rows)
    yield from _cycles("byte", PAGE | EXPORT | (TERMINAL if per_byte else PAGE))
    if not per_byte:
        yield from _cycles("message", TERMINAL)
        yield Column(
            "", field("messages_per_second"), "messages\nper s", dispensable=2, places=TERMINAL
        )
    yield Column(
        "session's cycles/byte",
        field("wall_cycles_per_byte"),
        "wall per\nsession",
        page_heading="cycles/byte\na session",
        dispensable=6,
    )
    yield Column("MB/s", field("mbytes_per_second"), dispensable=2)
    yield from energy.columns(lambda row: row.energy, rows, per_message=not per_byte)
    yield Column(
        "",
        field("device_cpus"),
        "device\nCPUs",
        page_heading="device CPUs",
        dispensable=1,
        called="CPUs of the device",
        places=TERMINAL | PAGE,
    )
    for name, head, dispensable in (
        ("p50", "p50", 4),
        ("p90", "p90", None),
        ("p99", "p99", 3),
        ("p999", "p99.9", 4),
    ):
        yield Column(
            f"{head} µs",
            latency_us(name),
            f"{head}\nµs",
            page_heading=f"latency, µs\n{head}",
            called="latency p99" if name == "p99" else "latency",
            dispensable=dispensable or 0,
            places=PAGE if dispensable is None else Place.EVERYWHERE,
        )
    yield Column(
        "fairness",
        field("fairness"),
        "fair-\nness",
        _index(3),
        dispensable=1,
        called="fairness",
        places=~PAGE,
    )
    yield Column("", field("fairness"), "fairness of\nbytes", _index(4), places=PAGE)
    yield Column("", field("cpu_fairness"), "fairness of\nCPU time", _index(4), places=PAGE)
    for name, head in (("preemptions", "preempt-\nions/s"), ("migrations", "migra-\ntions/s")):
        yield Column("", _per_second(name), head, dispensable=8, called=name, places=TERMINAL)
    for name in ("preemptions", "waits", "migrations", "never_ran"):
        head = f"in the window\n{name.replace('_', ' ')}"
        yield Column("", field(name), head, count, places=PAGE)
    yield Column(
        "",
        field("session_bytes", 1024),
        "KiB per\nsession",
        page_heading="KiB each",
        dispensable=7,
        called="memory per session",
        places=TERMINAL | PAGE,
    )
    yield Column("GHz", field("core_hz", 1e9), places=PAGE)


def _cycles(unit: str, places: Place) -> Iterator[Column[SessionRow]]:
    """Of a byte, or of a message where messages are empty."""
    for kind in ("absolute", "apparent"):
        yield Column(
            f"{kind} cycles/{unit}",
            field(f"{kind}_cycles_per_{unit}"),
            f"{kind}\ncycles/{unit}",
            mark=_absolute_mark if kind == "absolute" else _mark,
            page_heading=f"cycles/{unit}\n{kind}",
            places=places,
        )


def _mark(row: SessionRow) -> str:
    return "" if row.valid else UNSETTLED


def _absolute_mark(row: SessionRow) -> str:
    return UNSETTLED if row.absolute_is_estimated else _mark(row)


def _per_second(name: str) -> Callable[[SessionRow], float | None]:
    def value(row: SessionRow) -> float | None:
        events = getattr(row, name)
        return 1e3 * events / row.window_ms if events is not None and row.window_ms else None

    return value


def _index(decimals: int) -> Callable[[Any, str], str]:
    """Of what lies between 0 and 1."""
    return lambda value, separator: f"{value:.{decimals}f}"


def print_sessions(console: Console, rows: list[SessionRow]) -> None:
    """Prints the table of a run, what failed, what was rejected, and what the marks mean."""
    measured = [row for row in rows if row.is_measured]
    groups = list(together(measured, _title).items())
    left_out = print_groups(console, printed(columns(measured), measured), groups)
    print_failures(console, rows)
    _print_legend(console, rows)
    _print_rejected(console, rows)
    print_left_out(console, left_out)


def _title(row: SessionRow) -> str:
    """What runs."""
    return f"{row.algorithm} {row.operation}   {flows.implementation(row)}"


def _print_legend(console: Console, rows: list[SessionRow]) -> None:
    """The marks that occur, and what one must know, each with what it means."""
    legend = Table.grid(padding=(0, 1))
    found = settled(rows)
    if found.unsettled:
        count = f"{found.unsettled} of {figures.counted(found.cases, 'case')}"
        verb = "is" if found.unsettled == 1 else "are"
        meaning = f"{count} {verb} not valid; the reasons are below"
        legend.add_row(Text(UNSETTLED, style="dim"), Text(meaning, style="dim"))
    for mark, meaning in remarks.remarks(rows):
        legend.add_row(Text(mark, style="dim"), Text(meaning, style="dim"))
    if legend.row_count:
        console.print()
        console.print(legend)


def _print_rejected(console: Console, rows: list[SessionRow]) -> None:
    """The attempts that do not count, with their reasons; those without a valid one first."""
    troubled = [row for row in rows if remarks.rejected(row)]
    troubled.sort(key=lambda row: row.valid)
    for row in troubled[:NAMED]:
        console.print()
        outcome = f"{remarks.case(row)}: {remarks.outcome(row)}"
        console.print(Text(outcome, style="" if row.valid else "yellow"))
        for line in remarks.rejected_together(row):
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 2)))
    if (rest := len(troubled) - NAMED) > 0:
        more = f"and {figures.counted(rest, 'case')} more with rejected attempts, in the report"
        console.print(Text(more, style="dim"))
