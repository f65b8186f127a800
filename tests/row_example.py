"""Rows of single messages, made up: called in the usual way, with the figures that are given."""

from __future__ import annotations

from typing import Any

from ciphermark import contract
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import USUAL_CALL, Row

NO_COST = dict.fromkeys(("cycles_per_message", "cycles_per_message_low", "cycles_per_message_high"))
"""Of a row whose samples gave no figure."""


def bare_row(algorithm: str, operation: str, **fields: Any) -> Row:
    """One by OpenSSL without figures."""
    usual: dict[str, Any] = {
        "case": 0,
        "provider": "openssl",
        "backend": "default",
        "workload": "single",
        "switches": {},
        "message_bytes": None,
        "cycle_source": "calibrated",
        "backend_evidence": "reported",
        "agrees_with": [],
        **USUAL_CALL,
    }
    return Row(algorithm=algorithm, operation=operation, **usual | fields)


def case_of(row: Row, **fields: Any) -> contract.Case:
    """The case that a row is of."""
    names = ("case", "algorithm", "operation", "provider", "backend", "message_bytes")
    return contract.Case(**{name: getattr(row, name) for name in names} | fields)


def a_row(message_bytes: int | None, cycles: float | None, half: float = 0.0, **fields: Any) -> Row:
    """One of SHA-256 that has converged to ± `half`, a share of the cycles of a message."""
    usual: dict[str, Any] = {
        "algorithm": "sha256",
        "operation": "digest",
        "backend": "shani",
        "message_bytes": message_bytes,
        "cycles_per_message": cycles,
        "cycles_per_message_low": None if cycles is None else cycles * (1 - half),
        "cycles_per_message_high": None if cycles is None else cycles * (1 + half),
        "converged": True,
    }
    return bare_row(**usual | fields)


def timed_row(
    message_bytes: int | None, cycles: float, half: float | None, at_hz: float, **fields: Any
) -> Row:
    """The same with all that follows from the cycles of a message at a clock, unless `fields` say
    otherwise; None for no interval."""
    figure = Estimate.of_cost(cycles, None if half is None else half * cycles)
    facts: dict[str, Any] = {
        "cycles_per_message_low": figure.low,
        "cycles_per_message_high": figure.high,
        "ns_per_message": cycles / at_hz * 1e9,
        "core_hz": at_hz,
    }
    if message_bytes:
        names = ("cycles_per_byte", "ci_low", "ci_high")
        facts |= dict(zip(names, figure.times(1 / message_bytes), strict=True))
        facts["mbytes_per_second"] = message_bytes / cycles * at_hz / 1e6
    return a_row(message_bytes, cycles, **facts | fields)
