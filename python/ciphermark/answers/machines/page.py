"""All that is said of one machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.machines.history import History, histories
from ciphermark.answers.machines.likeness import Likeness, costs_of, likenesses
from ciphermark.answers.machines.machine import MachineSummary, find, key_of, names_of, of_summaries
from ciphermark.answers.machines.matrix import SENDING, usual
from ciphermark.answers.machines.newest import stored_sizes

if TYPE_CHECKING:
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store


class MachinePage(msgspec.Struct, kw_only=True):
    """What a machine is, what was measured on it, what it costs there, and what is like it."""

    machine: MachineSummary
    runs: list[Summary]
    """Newest first."""
    message_bytes: int | None
    """The size that the histories are of; None where there is no figure."""
    histories: list[History]
    alike: list[Likeness]
    """The machines that can be compared with it, the most alike first; it is `a`."""
    untold: int
    """Machines that have too few figures in common with it."""


def machine_page(
    store: Store,
    name: str,
    size: int | None = None,
    operations: Sequence[str] = SENDING,
    say: Callable[[str], None] = str,
) -> MachinePage:
    """The page of the machine that is meant by a name. Raises `UsageError`."""
    with store.figures(say) as figures:
        known = of_summaries(store, figures.summaries)
        machine = find(name, known)
        key = (machine.machine_id, machine.machine_kind, machine.machine_name)
        chosen = [size] if size is not None else usual(stored_sizes(figures))
        found = [it for one in chosen for it in histories(figures, key, one, operations)]
        costs = costs_of(figures, names_of(known))
    others = sorted(it.name for it in known if it.name != machine.name)
    pairs = likenesses(machine.name, others, costs)
    told = [it for it in pairs if it.factor is not None]
    return MachinePage(
        machine=machine,
        runs=[it for it in figures.summaries if key_of(it) == key],
        message_bytes=chosen[0] if found else None,
        histories=found,
        alike=sorted(told, key=lambda it: it.factor or 0.0),
        untold=len(pairs) - len(told),
    )
