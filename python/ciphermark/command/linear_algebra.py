"""Threads of linear algebra in commands."""

from __future__ import annotations

import os


def use_one_thread() -> None:
    """Keeps linear algebra on one thread, before it is loaded: thousands of small matrices, as
    of cost cards and models, take many times as long on several where other programs run."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
