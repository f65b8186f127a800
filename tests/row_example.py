"""Rows of single messages, made up: called in the usual way, with the figures that are given."""

from __future__ import annotations

from typing import Any

from ciphermark.workloads.single.row import USUAL_CALL, Row


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
