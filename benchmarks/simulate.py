"""All simulated targets × all functions of the study of sensor nodes, once everything is compiled,
and whether the same input gives the same numbers."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections import Counter
from typing import Any

from common import CIPHERMARK, benchmark, figure, find_engine, options

from ciphermark.view import figures

TARGET_S = 90
"""On two cores, after building."""

LONGEST_S = 1800

Timed = tuple[float, list[dict[str, Any]]]
"""Seconds of a command, and its rows."""


def main() -> None:
    options(__doc__)
    with benchmark("Simulated processors", find_engine()):
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as runs:
            timed = [_simulate(runs) for _ in range(3)]
        (first, rows), *others = timed
        counts = Counter(row["metric"] for row in rows if row["error"] is None)
        figure("targets", str(len({row["target"] for row in rows})))
        for metric, count in counts.items():
            figure(f"cases in {metric}", figures.grouped(count))
        figure("first time, with what was not compiled yet", f"{first:.0f} s")
        seconds = ", ".join(f"{it:.0f} s" for it, _ in others)
        figure("after that", seconds, f"at most {TARGET_S} s on two cores")
        figure("the same numbers each time", "yes" if _are_same(timed) else "no", "yes")


def _are_same(timed: list[Timed]) -> bool:
    return all(rows == timed[0][1] for _, rows in timed)


def _simulate(runs: str) -> Timed:
    began = time.monotonic()
    ended = subprocess.run(
        [*CIPHERMARK, "simulate", "all", "--json", "--runs", runs],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=True,
    )
    return time.monotonic() - began, json.loads(ended.stdout)["rows"]


if __name__ == "__main__":
    main()
