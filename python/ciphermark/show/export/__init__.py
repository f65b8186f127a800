"""The formats in which figures leave ciphermark. To add one, write a file and name it here."""

from __future__ import annotations

from ciphermark.show.export import csv, json, latex, markdown, parquet
from ciphermark.show.export.format import Format

FORMATS: dict[str, Format] = {
    "csv": Format(csv.export),
    "json": Format(json.export),
    "latex": Format(latex.export),
    "markdown": Format(markdown.export),
    "parquet": Format(parquet.export, binary=True),
}
"""By the name that `--format` takes."""
