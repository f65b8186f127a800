"""What other programs than the engine have measured beside a run."""

from __future__ import annotations

import msgspec


class BesideFigure(msgspec.Struct, kw_only=True):
    """A figure of one function by another program, on the same machine just before the run."""

    program: str
    """Its name: `openssl speed`, `cryptest`, `32-bit build`."""
    detail: str = ""
    """How it was called or made."""
    algorithm: str
    message_bytes: int
    ns_per_byte: float | None = None
    """CPU time."""
    reason: str = ""
    """Why there is no figure."""
