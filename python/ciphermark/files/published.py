"""The figures of the papers, read from `published/`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TypeVar

import msgspec

import ciphermark

Record = TypeVar("Record")

_FOLDER = Path(ciphermark.__file__).parent / "studies" / "published"


def read(name: str, kind: type[Record]) -> list[Record]:
    """The lines of `published/NAME.csv` in their order, as structs with its columns as fields."""
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [msgspec.convert(line, kind, strict=False) for line in csv.DictReader(file)]
