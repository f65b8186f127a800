"""The plan of a study that somebody adds, and a line of a study's table."""

from __future__ import annotations

from pathlib import Path

from ciphermark.view.findings import Table

PLAN = """
title = "Is SHA-256 fast?"
workload = "single"
algorithms = ["sha256"]
operations = ["digest"]
sizes = [1024]
precision = 0.01
budget_s = 5
max_cases = 10

[paper]
kind = "article"
title = "On Hashing & Speed"
authors = ["Ann B. Some", "Ötzi Other"]
venue = "A Journal"
year = 2001
doi = "10.1000/182"
"""

STATEMENTS = """
[[statement]]
claim = "slow"
text = "SHA-256 is slow"
place = "Table 1"
published = "30 cycles/byte"
"""


def add(folder: Path, name: str, plan: str, module: str) -> None:
    """Writes a study into a folder: its plan, and a package of its name with one statement."""
    (folder / f"{name}.toml").write_text(plan)
    package = folder / name.replace("-", "_")
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(module)
    (package / "statements.toml").write_text(STATEMENTS)


def line(shown: Table, *names: object) -> dict[str, object]:
    """A row of a table by `group heading`, found by its first cells."""
    [cells] = [cells for cells in shown.rows if tuple(cells[: len(names)]) == names]
    headings = [f"{column.group} {column.heading}".strip() for column in shown.columns]
    return dict(zip(headings, cells, strict=True))
