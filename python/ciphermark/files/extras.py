"""Extras: packages that an installation may lack, and what to type for each."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ciphermark.errors import UsageError

EXTRAS = {
    "arrow": ("pyarrow.parquet", "tables of Arrow are made with pyarrow"),
    "fleet": ("distributed", "many machines are reached with Dask"),
    "pandas": ("pandas", "data frames are made with pandas"),
    "plots": ("vl_convert", "plots are drawn into files with vl-convert"),
    "s3": ("fsspec", "runs in an object store are reached with s3fs"),
    "sftp": ("fsspec", "runs on a shared filesystem are reached with fsspec"),
    "simulate": ("capstone", "instructions of other processors are decoded with Capstone"),
}
"""The module and the purpose of each, by its name in `pyproject.toml`."""


def needed(extra: str) -> Any:  # noqa: ANN401  # modules differ
    """Returns the module of an extra. Raises `UsageError` where it is not installed."""
    try:
        return importlib.import_module(EXTRAS[extra][0])
    except ImportError:
        raise UsageError(lacking(extra)) from None


def is_installed(extra: str) -> bool:
    """Returns whether the module of an extra is there, without importing it."""
    return importlib.util.find_spec(EXTRAS[extra][0]) is not None


def lacking(extra: str) -> str:
    """Returns the sentence about an extra that is not installed."""
    return f"{EXTRAS[extra][1]}, which is not installed: pip install 'ciphermark[{extra}]'"
