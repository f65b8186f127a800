"""JSON: the rows as `show --json` prints them, with the context that explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ciphermark.messages import visible

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows


def export(context: Context, rows: AnyRows) -> bytes:
    """`{"run", "rows", "context"}`, indented."""
    document = {"run": context.run, "rows": rows, "context": context}
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    return f"{visible(text)}\n".encode()
