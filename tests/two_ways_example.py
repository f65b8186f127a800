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
from ciphermark.view.findings import Column, Table
from ciphermark.studies.statements import Questions

given = {"price": "what it costs"}
QUESTIONS = Questions(__file__, {"slow": lambda given: (given.get("price") == 30, str(given))})


def tables(run, rows):
    also = [row for other in run.also for row in rows_of(other)]
    cells = [[row.algorithm, row.provider, row.sessions, row.cores] for row in also]
    names = ("algorithm", "provider", "sessions", "cores")
    return [Table(title="SHA-256", columns=[Column(heading=it) for it in names], rows=cells)]


def claims(run, rows):
    return QUESTIONS.claims(run.given)
"""


def add(folder: Path) -> list[str]:
    """Writes the study into a folder; where studies are looked for from then on."""
    study_example.add(folder, "two-ways", PLAN, MODULE)
    return [*studies.__path__, str(folder)]
