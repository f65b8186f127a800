"""Rows of sessions and of packets with what every such row has; a test names what matters."""

from __future__ import annotations

from typing import Any

from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.sessions.row import SessionRow

CASE: dict[str, Any] = {
    **{"case": 0, "pattern": "reused-key", "offload": "none", "lanes": 1, "buffers": "hot"},
    **{"switches": {}, "offered_per_s": None, "cycle_source": "calibrated"},
    **{"cpus": [0], "backend_evidence": "reported"},
}
"""Of both."""

SESSIONS: dict[str, Any] = {
    **{"algorithm": "hmac-sha256", "operation": "mac", "provider": "openssl", "backend": "shani"},
    **{"workload": "sessions", "keys": 1, "message_bytes": 1024, "sessions": 1, "life": None},
    **{"placement": "free", "threads": "per-session", "contexts": "own", "policy": "other"},
    **{"nice": 19, "quota_cpus": None, "neighbours": 0, "valid": True},
}

PACKETS: dict[str, Any] = {
    **{"algorithm": "uea1", "operation": "encrypt", "provider": "kernels", "backend": "table"},
    **{"workload": "packets", "keys": 16, "message_bytes": 64, "packets": 1000, "submit_cpu": 1},
    **{"offload_cpus": [], "batch": 32, "flush_us": None, "queue_batches": 64},
    **{"delivery": "unordered", "architecture": "run-to-completion", "waiting": "poll"},
    **{"key_setup": "cached", "priorities": 1, "groups": [], "in_flight": 1, "pairs": 8},
}


def session_row(**fields: Any) -> SessionRow:
    """A valid row of one session on CPU 0, or with other fields."""
    facts = CASE | SESSIONS | fields
    return SessionRow(**{"cores": len(facts["cpus"])} | facts)


def packet_row(**fields: Any) -> PacketRow:
    """A row of 1000 packets on CPU 0, or with other fields."""
    facts = CASE | PACKETS | fields
    size = facts["message_bytes"]
    told = {
        "cores": len(facts["cpus"]),
        "packet_bytes": size,
        "bits": 8.0 * (size or 0) * facts["packets"],
    }
    return PacketRow(**told | facts)
