"""What curves over cores and sessions are called."""

from __future__ import annotations

from ciphermark.show import figures
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.sessions.curves import Over
from ciphermark.workloads.sessions.limits import Limit
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import Scaling

NOUNS: dict[Over, str] = {"cores": "CPU", "sessions": "session"}
"""What is counted. A core counts as often as it has CPUs that are used."""


def function(found: Scaling | Limit | SessionRow) -> str:
    """`hmac-sha256 mac 1 KiB, openssl · shani`."""
    size = found.profile or found.message_bytes
    said = "" if size is None else f" {figures.message_size(size)}"
    backend = "" if found.backend == "default" else f" · {found.backend}"
    return f"{found.algorithm} {found.operation}{said}, {found.provider}{backend}"


def at(found: Scaling | Limit, rows: dict[int, SessionRow]) -> str:
    """What is the same at all of its points; `rows` are those of the run by their cases."""
    return conditions(found.over, found.siblings, rows[found.cases[0]])


def conditions(over: Over, siblings: bool, row: SessionRow) -> str:
    """`100 sessions, siblings too`, `CPUs 0-3, rekeyed · nice 5`."""
    place = session_words.sessions(row) if over == "cores" else session_words.cpus(row)
    shared = "siblings too" if over == "cores" and siblings else ""
    return ", ".join(filter(None, (place, shared, session_words.conditions(row))))
