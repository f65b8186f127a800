"""How often cases are measured."""

from __future__ import annotations

from ciphermark import contract

FEWEST_PROCESSES = 6
"""With fewer observations the 95 % interval of a median does not exist."""

PAIRED_PROCESSES = 12
"""Of a case that is held against another process by process. A disturbance of either takes the
groups from both, and on a busy machine of the usual six processes hardly any would be left."""


def sampling(processes: int = FEWEST_PROCESSES) -> contract.Sampling:
    """As the engine samples, in so many worker processes at least."""
    return contract.Sampling(min_processes=processes)
