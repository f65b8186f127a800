"""A study that somebody adds, whose second plan is of another workload."""

from __future__ import annotations

from pathlib import Path

import study_example
from ciphermark import studies

PLAN = (
    study_example.PLAN.replace("budget_s = 5", "budget_s = 30")
    + """
[[then]]
name = "cores"
workload = "sessions"
providers = "fastest"
budget_s = 10
sessions = { sessions = ["per-cpu"], cores = [1, 2], window_s = [0.1, 0.5] }

[then.quick]
precision = 0.05
budget_s = 4

[[then.also]]
algorithms = ["hmac-sha256"]
operations = ["mac"]
effort = "usual"
"""
)

MODULE = """
from ciphermark.workload import rows as rows_of
from ciphermark.show.findings import Column, Statement, Table, judge

given = {"price": "what it costs"}
SLOW = Statement(claim="slow", text="SHA-256 is slow", place="Table 1", published="30 cycles/byte")
STATEMENTS = (SLOW,)


def tables(run, rows):
    also = [row for other in run.also for row in rows_of(other)]
    cells = [[row.algorithm, row.provider, row.sessions, row.cores] for row in also]
    names = ("algorithm", "provider", "sessions", "cores")
    return [Table(title="SHA-256", columns=[Column(heading=it) for it in names], rows=cells)]


def claims(run, rows):
    return [judge(SLOW, lambda given: (given.get("price") == 30, str(given)), run.given)]
"""


def add(folder: Path) -> list[str]:
    """Writes the study into a folder; where studies are looked for from then on."""
    (folder / "two-ways.toml").write_text(PLAN)
    (folder / "two_ways.py").write_text(MODULE)
    return [*studies.__path__, str(folder)]
