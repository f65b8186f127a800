"""What commands print: documents for machines, and messages that are no result."""

from __future__ import annotations

from typing import Any

from ciphermark.messages import say as say


def print_json(document: Any) -> None:
    """Prints one JSON document on standard output; msgspec structs are encoded field by field."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
