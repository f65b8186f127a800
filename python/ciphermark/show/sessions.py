"""The figures of many sessions on a terminal, as many columns as it is wide."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ciphermark.analyse.session_row import Latencies, SessionRow
from ciphermark.plan.cpu_sets import listed
from ciphermark.show import figures, session_words
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.show.problems import UNSETTLED, print_failures
from ciphermark.show.session_words import ESTIMATED, TURNS

NAMED = 3
"""Cases with rejected attempts that are named; the report names all."""


def print_sessions(console: Console, rows: list[SessionRow]) -> None:
    """Prints the table of a run, what failed, what was rejected, and what the marks mean."""
    measured = [row for row in rows if row.is_measured]
    left_out = print_groups(console, _columns(measured), list(_groups(measured).items()))
    print_failures(console, rows)
    _print_legend(console, rows)
    _print_rejected(console, rows)
    print_left_out(console, left_out)


def _groups(rows: list[SessionRow]) -> dict[str, list[SessionRow]]:
    """Rows by what runs, in the order of the plan."""
    grouped: dict[str, list[SessionRow]] = {}
    for row in rows:
        backend = "" if row.backend == "default" else f" · {row.backend}"
        title = f"{row.algorithm} {row.operation}   {row.provider}{backend}"
        grouped.setdefault(title, []).append(row)
    return grouped


def _columns(rows: list[SessionRow]) -> list[Column[SessionRow]]:
    """Cycles first; what makes room for them on a narrow terminal last."""
    per_byte = any(row.absolute_cycles_per_byte is not None for row in rows)
    unit = "byte" if per_byte else "message"
    found = [
        Column("message", lambda row: Text(_message(row)), left=True),
        Column("sessions", _sessions),
        Column("CPUs", lambda row: Text(listed(row.cpus)), left=True),
        Column("absolute\ncycles/" + unit, lambda row: _absolute(row, unit)),
        Column("apparent\ncycles/" + unit, lambda row: _apparent(row, unit)),
    ]
    if per_byte:
        found.append(Column("wall per\nsession", _figure("wall_cycles_per_byte"), 6))
        found.append(Column("\nMB/s", _figure("mbytes_per_second"), 2))
    else:
        found.append(Column("messages\nper s", _figure("messages_per_second"), 2))
    if any(row.device is not None for row in rows):
        found.append(Column("device\nCPUs", _figure("device_cpus"), 1, "CPUs of the device"))
    found += [
        Column("p50\nµs", _latency("p50"), 4, "latency"),
        Column("p99\nµs", _latency("p99"), 3, "latency p99"),
        Column("p99.9\nµs", _latency("p999"), 4, "latency"),
        Column("fair-\nness", _fairness, 1, "fairness"),
        Column("preempt-\nions/s", _per_second("preemptions"), 8, "preemptions"),
        Column("migra-\ntions/s", _per_second("migrations"), 8, "migrations"),
        Column("KiB per\nsession", _memory, 7, "memory per session"),
    ]
    if any(map(session_words.conditions, rows)):
        found.append(
            Column("called", lambda row: Text(session_words.conditions(row), "dim"), left=True)
        )
    return found


def _message(row: SessionRow) -> str:
    return "" if row.size is None else figures.message_size(row.size)


def _sessions(row: SessionRow) -> Text:
    mark = TURNS if row.threads == "per-cpu" else ""
    return Text(mark + figures.grouped(row.sessions))


def _absolute(row: SessionRow, unit: str) -> Text:
    value = getattr(row, f"absolute_cycles_per_{unit}")
    return _marked(row, value, ESTIMATED if row.absolute_is_estimated else "")


def _apparent(row: SessionRow, unit: str) -> Text:
    return _marked(row, getattr(row, f"apparent_cycles_per_{unit}"))


def _marked(row: SessionRow, value: float | None, mark: str = "") -> Text:
    """A figure, marked where it is not valid or not measured as it stands."""
    if value is None:
        return Text("")
    mark = mark if row.valid else UNSETTLED + mark
    return Text(mark + figures.significant(value), style="" if row.valid else "yellow")


def _figure(field: str) -> Callable[[SessionRow], Text]:
    return lambda row: _plain(getattr(row, field))


def _plain(value: float | None) -> Text:
    return Text("" if value is None else figures.significant(value))


def _latency(field: str) -> Callable[[SessionRow], Text]:
    def cell(row: SessionRow) -> Text:
        found: Latencies | None = row.latency_ns
        return _plain(found and getattr(found, field) / 1e3)

    return cell


def _per_second(field: str) -> Callable[[SessionRow], Text]:
    def cell(row: SessionRow) -> Text:
        count, window_ms = getattr(row, field), row.window_ms
        return _plain(1e3 * count / window_ms if count is not None and window_ms else None)

    return cell


def _fairness(row: SessionRow) -> Text:
    return Text("" if row.fairness is None else f"{row.fairness:.3f}")


def _memory(row: SessionRow) -> Text:
    return _plain(None if row.session_bytes is None else row.session_bytes / 1024)


def _print_legend(console: Console, rows: list[SessionRow]) -> None:
    legend = Table.grid(padding=(0, 1))
    for mark, meaning in _legend(rows):
        legend.add_row(Text(mark, style="dim"), Text(meaning, style="dim"))
    if legend.row_count:
        console.print()
        console.print(legend)


def _legend(rows: list[SessionRow]) -> list[tuple[str, str]]:
    """The marks that occur, and what one must know, each with what it means."""
    measured = [row for row in rows if row.is_measured]
    invalid = [row for row in measured if not row.valid]
    found = []
    if invalid:
        count = f"{len(invalid)} of {figures.counted(len(measured), 'case')}"
        verb = "is" if len(invalid) == 1 else "are"
        found.append((UNSETTLED, f"{count} {verb} not valid; the reasons are below"))
    return [*found, *session_words.remarks(rows)]


def _print_rejected(console: Console, rows: list[SessionRow]) -> None:
    """The attempts that do not count, with their reasons; those without a valid one first."""
    troubled = [row for row in rows if session_words.rejected(row)]
    troubled.sort(key=lambda row: row.valid)
    for row in troubled[:NAMED]:
        console.print()
        outcome = f"{session_words.case(row)}: {session_words.outcome(row)}"
        console.print(Text(outcome, style="" if row.valid else "yellow"))
        for line in session_words.rejected_together(row):
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 2)))
    if rest := len(troubled) - NAMED:
        if rest > 0:
            more = f"and {figures.counted(rest, 'case')} more with rejected attempts, in the report"
            console.print(Text(more, style="dim"))
