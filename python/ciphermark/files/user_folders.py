"""Folders of the user for data and caches, as the XDG Base Directory Specification has them."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Returns the folder for data. Raises `RuntimeError` where the user has no home."""
    return _folder("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """Returns the folder for what can be made again. Raises `RuntimeError` without a home."""
    return _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, usual: str) -> Path:
    named = os.environ.get(variable, "").strip()
    return (Path(named) if named else Path.home() / usual) / "ciphermark"
