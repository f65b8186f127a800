"""What rows of kernels say of themselves on a target (`kernels/firmware/rows.c`)."""

from __future__ import annotations

import msgspec

OPERATIONS = ("", "seal", "open", "encrypt", "decrypt", "mac", "digest", "keystream")
"""By their numbers in `kernel.h`."""


class Row(msgspec.Struct):
    """One operation of one algorithm by one backend."""

    group: int
    """Its group, of those of the image."""
    number: int
    """In the group."""
    algorithm: str
    operation: int
    variant: str | None
    backend: str
    key_bytes: tuple[int, int]
    """Least and most."""
    nonce_bytes: tuple[int, int]
    tag_bytes: int
    context_bytes: int
    runs_here: bool
    """Whether the processor has the instructions that it uses."""

    def __str__(self) -> str:
        variant = f" with {self.variant}" if self.variant else ""
        return f"{self.algorithm} {OPERATIONS[self.operation]} {self.backend}{variant}"


def decode(lines: list[str]) -> list[Row]:
    """The rows that the firmware wrote, in their order."""
    return [msgspec.json.decode(line, type=Row) for line in lines]
