"""Counts of operations for observations that have none: published and measured ones.

What a call needs does not depend on who measured it, so the counts of a simulation serve. A
published key setup that is not for decrypting is that for sending.
"""

from __future__ import annotations

import msgspec

from ciphermark.answers.models.observation import KnownProcessor, Observation
from ciphermark.answers.models.observations import Observed

_SENDING_SETUPS = ("init", "init-encrypt")


def lend_operations(observed: Observed, simulated: Observed) -> Observed:
    """The observations with counts of the same calls; those that were not counted have none.

    All of them are then cycles, whatever a simulation of their processors would give.
    """
    counts = {
        (it.algorithm, it.operation, it.message_bytes): it.operations
        for it in simulated.observations
        if it.operations
    }
    lent = [
        msgspec.structs.replace(
            it, operations=counts.get((it.algorithm, _setup(it), it.message_bytes))
        )
        for it in observed.observations
    ]
    without = sum(it.operations is None for it in lent)
    note = (
        f"operations counted in {simulated.source}; {without} of {len(lent)} calls have none there "
        "and are left out"
    )
    return msgspec.structs.replace(
        observed,
        processors={name: _in_cycles(it) for name, it in observed.processors.items()},
        observations=lent,
        notes=[*observed.notes, note],
    )


def _setup(it: Observation) -> str:
    return "setup" if it.operation in _SENDING_SETUPS else it.operation


def _in_cycles(it: KnownProcessor) -> KnownProcessor:
    processor = msgspec.structs.replace(it.processor, metric="cycles-simulated")
    return msgspec.structs.replace(it, processor=processor)
