"""What the rows of all workloads begin with: which case it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from ciphermark import contract


class CaseRow(msgspec.Struct, kw_only=True):
    """One case, as users see it."""

    case: int
    algorithm: str
    operation: str
    provider: str
    backend: str
    """The code path that ran, where that is known."""
    backend_asked: str = "default"
    """What the plan asked for; before format 1.1 nothing else could be."""
    workload: str
    pattern: str
    chunk_bytes: int | None = None
    """Bytes that the library was given at a time; only with the pattern `incremental`."""
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None = None
    """The algorithm that was called before each message."""
    switches: dict[str, str]
    message_bytes: int | None
    """Null for `setup` and with a profile, whose messages have several sizes."""
    profile: str | None = None
    """The mix of message sizes; figures per byte are over all bytes, those per message are of the
    mean message."""


def identity(case: contract.Case) -> dict[str, Any]:
    """The fields that a case has in common with every row of it."""
    fields = msgspec.structs.asdict(case)
    return {name: fields[name] for name in CaseRow.__struct_fields__ if name in fields}
