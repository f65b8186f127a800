"""The machines that stored runs were measured on, and how people name them."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.contract.others import UNKNOWN_MACHINE
from ciphermark.errors import UsageError
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store

MOST_NAMED = 5
"""Machines that a message names at most."""


class MachineSummary(msgspec.Struct, kw_only=True):
    """One machine. The same identity with other hardware is another machine: its figures are."""

    name: str
    """Unique name here: its name, where others have that too with digits of its identity."""
    machine_id: str
    """Empty where nothing but its name is known."""
    machine_name: str
    machine_kind: str
    processor: str
    architecture: str | None = None
    """Architecture; this and the next fields are None where no run has them, as of imported ones.
    """
    cores: int | None = None
    """Physical ones where the system tells, else logical CPUs."""
    cpus: int | None = None
    features: list[str] | None = None
    virtualisation: str | None = None
    operating_system: str | None = None
    kernel: str | None = None
    memory_bytes: int | None = None
    plans: dict[str, int]
    """Its runs by the name of their plan."""
    runs: int
    newest: str
    """Its newest run."""
    newest_unix_ns: int
    first_unix_ns: int


Key = tuple[str, str, str]
"""Identity, kind and name: common to the runs of one machine."""


def unsaid(sentence: str) -> None:
    """Discards a sentence that has no reader."""


def key_of(summary: Summary) -> Key:
    """Returns the machine of a run."""
    return summary.machine_id, summary.machine_kind, summary.machine_name


def machines(store: Store) -> list[MachineSummary]:
    """Returns the machines of a store, by their newest runs. Raises `WorkError`."""
    return of_summaries(store, store.summaries())


def of_summaries(store: Store, summaries: Sequence[Summary]) -> list[MachineSummary]:
    """Returns the machines of these runs of a store, which are given newest first."""
    from ciphermark.record import index

    by_key = runs_by_machine(summaries)
    telling = {
        key: next((it.run for it in runs if workload_of(it.workload).measured_here), None)
        for key, runs in by_key.items()
    }
    facts = index.machines(
        store.root, filter(None, telling.values()), lambda runs: store.copies(runs, "context")
    )
    names = _names(list(by_key))
    return [
        _machine(names[key], runs, facts.get(telling[key] or "")) for key, runs in by_key.items()
    ]


def runs_by_machine(summaries: Sequence[Summary]) -> dict[Key, list[Summary]]:
    """Returns the runs of each machine that is known, in their order."""
    by_key: dict[Key, list[Summary]] = {}
    for it in summaries:
        if it.machine_name != UNKNOWN_MACHINE or it.machine_id:
            by_key.setdefault(key_of(it), []).append(it)
    return by_key


def names_of(known: Sequence[MachineSummary]) -> dict[Key, str]:
    """Returns the names of these machines."""
    return {(it.machine_id, it.machine_kind, it.machine_name): it.name for it in known}


def find(name: str, known: Sequence[MachineSummary]) -> MachineSummary:
    """Returns the machine with this name here, or this beginning of its identity.

    Raises `UsageError` when none or several have it.
    """
    exact = [it for it in known if name in (it.name, it.machine_id)]
    matching = exact or [
        it for it in known if it.machine_name == name or (name and it.machine_id.startswith(name))
    ]
    if len(matching) == 1:
        return matching[0]
    if matching:
        named = ", ".join(it.name for it in matching[:MOST_NAMED])
        more = ", …" if len(matching) > MOST_NAMED else ""
        raise UsageError(
            f"'{name}' means {len(matching)} machines ({named}{more}); name one of them"
        )
    near = difflib.get_close_matches(name, [it.name for it in known], n=3, cutoff=0.4)
    hint = f"near it: {', '.join(near)}" if near else "see 'ciphermark list machines'"
    raise UsageError(f"there is no machine '{name}' in the stored runs; {hint}")


def _machine(name: str, runs: Sequence[Summary], facts: contract.Machine | None) -> MachineSummary:
    newest = runs[0]
    known: dict[str, Any] = {}
    if facts is not None:
        names = ("architecture", "virtualisation", "operating_system", "kernel", "memory_bytes")
        known = {it: getattr(facts, it) for it in names} | {
            "cores": facts.cores_physical or facts.cpus_online,
            "cpus": facts.cpus_online,
            "features": facts.cpu_features,
        }
    return MachineSummary(
        name=name,
        machine_id=newest.machine_id,
        machine_name=newest.machine_name,
        machine_kind=newest.machine_kind,
        processor=newest.cpu_name,
        plans=dict(Counter(it.plan_name for it in runs)),
        runs=len(runs),
        newest=newest.run,
        newest_unix_ns=newest.started_unix_ns,
        first_unix_ns=min(it.started_unix_ns for it in runs),
        **known,
    )


def _names(keys: list[Key]) -> dict[Key, str]:
    """Returns the shortest names that distinguish the machines."""
    names = {key: key[2] for key in keys}
    for place in range(3):
        common = {name for name, count in Counter(names.values()).items() if count > 1}
        names = {key: _longer(key)[place] if it in common else it for key, it in names.items()}
    return names


def _longer(key: Key) -> tuple[str, str, str]:
    """Returns longer names: with some digits of the identity, all, and the kind's."""
    identity, kind, name = key
    whole = f"{name}:{identity}"
    return (
        f"{name}:{identity[:4]}",
        whole,
        f"{whole}.{hashlib.sha256(kind.encode()).hexdigest()[:4]}",
    )
