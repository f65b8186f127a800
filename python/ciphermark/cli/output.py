"""What commands print for machines."""

from __future__ import annotations

from typing import Any


def print_json(document: Any) -> None:
    """Prints one JSON document on standard output; msgspec structs are encoded field by field."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
