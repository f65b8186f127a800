"""The columns of many sessions, on a terminal, in a report and in exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ciphermark.plan.cpu_sets import listed
from ciphermark.show.column import Column, Place, count, of_words
from ciphermark.show.problems import UNSETTLED
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.sessions.remarks import ESTIMATED, TURNS
from ciphermark.workloads.sessions.row import SessionRow

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL


def columns(rows: list[SessionRow]) -> Iterator[Column[SessionRow]]:
    """Cycles first; what makes room for them on a narrow terminal last."""
    yield of_words("Algorithm", lambda row: row.algorithm, places=PAGE, kind="name")
    yield of_words("Operation", lambda row: row.operation, places=PAGE)
    yield of_words("Implementation", session_words.implementation, places=PAGE)
    yield of_words("Provider", lambda row: row.provider, places=EXPORT)
    yield of_words("Backend", lambda row: row.backend, places=EXPORT)
    yield of_words(
        "Called", session_words.conditions, heading="called", page_heading="Called", at_end=True
    )
    size = {"heading": "message", "page_heading": "Message", "order": lambda row: row.message_bytes}
    yield of_words("Message", session_words.size, **size)
    yield Column(
        "Sessions",
        lambda row: row.sessions,
        "sessions",
        form=count,
        mark=lambda row: TURNS if row.threads == "per-cpu" else "",
        page_heading="Sessions",
    )
    yield of_words("CPUs", lambda row: listed(row.cpus), order=lambda row: row.cores)
    per_byte = any(row.absolute_cycles_per_byte is not None for row in rows)
    yield from _cycles("byte", PAGE | EXPORT | (TERMINAL if per_byte else PAGE))
    if not per_byte:
        yield from _cycles("message", TERMINAL)
        rate = {"heading": "messages\nper s", "dispensable": 2, "places": TERMINAL}
        yield Column("", _field("messages_per_second"), **rate)
    yield Column(
        "session's cycles/byte",
        _field("wall_cycles_per_byte"),
        "wall per\nsession",
        page_heading="cycles/byte\na session",
        dispensable=6,
    )
    yield Column("MB/s", _field("mbytes_per_second"), dispensable=2)
    yield Column(
        "",
        _field("device_cpus"),
        "device\nCPUs",
        page_heading="device CPUs",
        dispensable=1,
        called="CPUs of the device",
        places=TERMINAL | PAGE,
    )
    for field, head, dispensable in (
        ("p50", "p50", 4),
        ("p90", "p90", None),
        ("p99", "p99", 3),
        ("p999", "p99.9", 4),
    ):
        yield Column(
            f"{head} µs",
            _latency(field),
            f"{head}\nµs",
            page_heading=f"latency, µs\n{head}",
            called="latency p99" if field == "p99" else "latency",
            dispensable=dispensable or 0,
            places=PAGE if dispensable is None else Place.EVERYWHERE,
        )
    yield Column(
        "fairness",
        _field("fairness"),
        "fair-\nness",
        _index(3),
        dispensable=1,
        called="fairness",
        places=~PAGE,
    )
    yield Column("", _field("fairness"), "fairness of\nbytes", _index(4), places=PAGE)
    yield Column("", _field("cpu_fairness"), "fairness of\nCPU time", _index(4), places=PAGE)
    for field, head in (("preemptions", "preempt-\nions/s"), ("migrations", "migra-\ntions/s")):
        yield Column("", _per_second(field), head, dispensable=8, called=field, places=TERMINAL)
    for field in ("preemptions", "waits", "migrations", "never_ran"):
        head = f"in the window\n{field.replace('_', ' ')}"
        yield Column("", _field(field), head, count, places=PAGE)
    yield Column(
        "",
        _memory,
        "KiB per\nsession",
        page_heading="KiB each",
        dispensable=7,
        called="memory per session",
        places=TERMINAL | PAGE,
    )
    yield Column("GHz", lambda row: row.core_hz and row.core_hz / 1e9, places=PAGE)


def _cycles(unit: str, places: Place) -> Iterator[Column[SessionRow]]:
    """Of a byte, or of a message where messages are empty."""
    for kind in ("absolute", "apparent"):
        yield Column(
            f"{kind} cycles/{unit}",
            _field(f"{kind}_cycles_per_{unit}"),
            f"{kind}\ncycles/{unit}",
            mark=_absolute_mark if kind == "absolute" else _mark,
            page_heading=f"cycles/{unit}\n{kind}",
            places=places,
        )


def _mark(row: SessionRow) -> str:
    return "" if row.valid else UNSETTLED


def _absolute_mark(row: SessionRow) -> str:
    return _mark(row) + ESTIMATED * row.absolute_is_estimated


def _field(name: str) -> Callable[[SessionRow], float | None]:
    return lambda row: getattr(row, name)


def _latency(name: str) -> Callable[[SessionRow], float | None]:
    return lambda row: row.latency_ns and getattr(row.latency_ns, name) / 1e3


def _per_second(name: str) -> Callable[[SessionRow], float | None]:
    def value(row: SessionRow) -> float | None:
        events = getattr(row, name)
        return 1e3 * events / row.window_ms if events is not None and row.window_ms else None

    return value


def _memory(row: SessionRow) -> float | None:
    return None if row.session_bytes is None else row.session_bytes / 1024


def _index(decimals: int) -> Callable[[Any, str], str]:
    """Of what lies between 0 and 1."""
    return lambda value, separator: f"{value:.{decimals}f}"
