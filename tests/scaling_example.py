"""Rows of sessions made up from a law of scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

import flow_rows
from ciphermark.statistics.scaling_law import Point
from ciphermark.workloads.sessions.row import SessionRow

ALONE = 1e5
"""Messages per second of one."""


def by_law(number: float, sigma: float = 0.0, kappa: float = 0.0) -> float:
    """Messages per second by the universal scalability law."""
    return ALONE * number / (1 + sigma * (number - 1) + kappa * number * (number - 1))


def points(
    numbers: list[int],
    sigma: float,
    kappa: float = 0.0,
    noise: float = 0.0,
    random: np.random.Generator | None = None,
) -> list[Point]:
    """Throughput by the law, each off by a share."""
    random = random or np.random.default_rng(0)
    return [
        Point(number, by_law(number, sigma, kappa) * np.exp(noise * random.standard_normal()))
        for number in numbers
    ]


def session_row(**fields: Any) -> SessionRow:
    """One valid row of one session on CPU 0, or with other fields."""
    usual: dict[str, Any] = {
        **{"absolute_cycles_per_byte": 2.0, "apparent_cycles_per_byte": 2.0},
        **{"messages_per_second": ALONE, "core_hz": 3e9, "alone_hz": 3e9},
    }
    return flow_rows.session_row(**usual | fields)
