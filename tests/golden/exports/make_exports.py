"""Makes the exports that `test_export.py` compares with.

`PYTHONPATH=python:tests python tests/golden/exports/make_exports.py`, when a change is meant; read
the difference before it is committed.
"""

from __future__ import annotations

from pathlib import Path

from ciphermark.analyse.models.cost_card import cost_cards
from ciphermark.show.export import FORMATS
from survey_example import survey_example

FOLDER = Path(__file__).parent
SUFFIXES = {"csv": "csv", "json": "json", "latex": "tex", "markdown": "md"}
"""Of the formats that are text; Parquet's bytes differ from version to version of its library."""

ALGORITHMS = ("aes-128-gcm", "camellia-256-cbc", "hmac-sha512", "md5")
"""An AEAD, a cipher that crashed once, a MAC that did not settle, and a hash without setup."""


def exported(name: str) -> bytes:
    """The example in one format."""
    run, rows = survey_example(ALGORITHMS)
    return FORMATS[name].export(run.context, rows, cost_cards(rows))


def golden(name: str) -> Path:
    """The file that holds it."""
    return FOLDER / f"survey.{SUFFIXES[name]}"


if __name__ == "__main__":
    for name in SUFFIXES:
        golden(name).write_bytes(exported(name))
