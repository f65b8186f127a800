"""Whether the sessions of a plan fit into the limits of this machine, counted beforehand."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError

SPARE_THREADS = 16
"""For the engine itself and for what else the user starts meanwhile."""

STACK_BYTES = 64 << 10
"""Stack and latencies of a thread, as far as they are used."""

TURN_BYTES = 8 << 10
"""Context and place in the turns of a session without a thread of its own."""

MEMORY_SHARE = 0.8
"""Of the available memory; the rest is for the caches of the kernel."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What this user may still have here."""

    threads: int
    threads_by: str
    """Whose limit it is: `ulimit -u`."""
    memory_bytes: int


def check(cases: list[contract.Case], limits: Limits) -> None:
    """Raises UsageError, with the arithmetic, where a case does not fit."""
    for case in cases:
        assert case.sessions is not None
        _check_threads(case.sessions, limits)
        _check_memory(case, case.sessions, limits)


def session_bytes(case: contract.Case, load: contract.SessionLoad) -> int:
    """Memory of one session: the message and the answer, once more on their way to other CPUs, and
    what it runs on."""
    longest = max(case.lengths, default=case.message_bytes or 0)
    copies = 4 if case.offload == "cores" else 2
    return copies * longest + (STACK_BYTES if load.threads == "per-session" else TURN_BYTES)


def _check_threads(load: contract.SessionLoad, limits: Limits) -> None:
    own = load.sessions if load.threads == "per-session" else len(load.cpus)
    needed = own + load.neighbours + SPARE_THREADS
    if needed > limits.threads:
        most = max(1, limits.threads - load.neighbours - SPARE_THREADS)
        raise UsageError(
            f"{load.sessions} sessions need {needed} threads ({SPARE_THREADS} of them to spare), "
            f"and {limits.threads_by} leaves {limits.threads}: write at most --sessions {most}, or "
            "--threads per-cpu"
        )


def _check_memory(case: contract.Case, load: contract.SessionLoad, limits: Limits) -> None:
    each = session_bytes(case, load)
    room = int(MEMORY_SHARE * limits.memory_bytes)
    if each * load.sessions > room:
        raise UsageError(
            f"{load.sessions} sessions of {case.algorithm} need about "
            f"{mebibytes(each * load.sessions)} ({mebibytes(each)} each: message, answer and "
            f"{'stack' if load.threads == 'per-session' else 'context'}), and "
            f"{mebibytes(room)} of the memory may be used: write at most --sessions "
            f"{max(1, room // each)}, or shorter --sizes"
        )


def mebibytes(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 2**20:,.0f} MiB" if count >= 10 << 20 else f"{count / 2**20:.2f} MiB"
