"""Makes the exports that `test_export.py` compares with.

`PYTHONPATH=python:tests python tests/golden/exports/make_exports.py`, when a change is meant; read
the difference before it is committed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ciphermark.record.run import Run
from ciphermark.view.export import FORMATS
from ciphermark.workload import rows
from simulation_example import simulated_example
from survey_example import survey_example

FOLDER = Path(__file__).parent
SUFFIXES = {"csv": "csv", "json": "json", "latex": "tex", "markdown": "md"}
"""Of the formats that are text; Parquet's bytes differ from version to version of its library."""

ALGORITHMS = ("aes-128-gcm", "camellia-256-cbc", "hmac-sha512", "md5")
"""An AEAD, a cipher that crashed once, a MAC that did not settle, and a hash without setup."""


def _survey() -> tuple[Run, list[Any]]:
    return survey_example(ALGORITHMS)


def _simulation() -> tuple[Run, list[Any]]:
    run = simulated_example()
    return run, rows(run)


EXAMPLES = {"survey": _survey, "simulation": _simulation}


def exported(example: str, name: str) -> bytes:
    """An example in one format."""
    run, found = EXAMPLES[example]()
    return FORMATS[name].export(run.context, found)


def golden(example: str, name: str) -> Path:
    """The file that holds it."""
    return FOLDER / f"{example}.{SUFFIXES[name]}"


if __name__ == "__main__":
    for example in EXAMPLES:
        for name in SUFFIXES:
            golden(example, name).write_bytes(exported(example, name))
