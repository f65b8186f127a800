"""What `ciphermark sessions` is told of its sessions, as fields of a plan's table `[sessions]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import offloads, quantities
from ciphermark.plan.lists import each, name_of
from ciphermark.plan.loads import MOST_ATTEMPTS, MOST_CPUS, MOST_NEIGHBOURS, MOST_SESSIONS


def from_options(
    *,
    sessions: str | None = None,
    cpus: list[str] | None = None,
    cores: str | None = None,
    placement: str | None = None,
    threads: str | None = None,
    contexts: str | None = None,
    duration: str | None = None,
    window: str | None = None,
    life: str | None = None,
    rate: str | None = None,
    policy: str | None = None,
    nice: str | None = None,
    quota: str | None = None,
    neighbours: str | None = None,
    attempts: str | None = None,
    offload: str | None = None,
    offload_cpus: str | None = None,
) -> dict[str, Any]:
    """The fields that the user gives; CPUs are looked up where the machine is known."""
    given = {
        "sessions": each(sessions, lambda it: quantities.whole(it, "--sessions", 1, MOST_SESSIONS)),
        **_places(cpus, cores),
        "placement": each(placement, _name(contract.Placement, "placement")),
        "threads": threads and _name(contract.Threads, "way to have threads")(threads),
        "contexts": each(contexts, _name(contract.Contexts, "kind of contexts")),
        "duration_s": duration and quantities.seconds(duration, "--duration"),
        "window_s": window and quantities.span(window, "--window"),
        "life_s": life and _life(life),
        "offered_per_s": each(rate, lambda it: quantities.amount(it, "--rate")),
        "policy": each(policy, _name(contract.Policy, "scheduling policy")),
        "nice": each(nice, lambda it: quantities.whole(it, "--nice", -20, 19)),
        "quota_cpus": each(quota, lambda it: quantities.amount(it, "--quota")),
        "neighbours": each(
            neighbours, lambda it: quantities.whole(it, "--neighbours", 0, MOST_NEIGHBOURS)
        ),
        "attempts": attempts and quantities.whole(attempts, "--attempts", 1, MOST_ATTEMPTS),
        "offload": each(offload, _name(offloads.Queued, "offload")),
        "offload_cpus": offload_cpus,
    }
    return {name: value for name, value in given.items() if value is not None}


def _places(cpus: list[str] | None, cores: str | None) -> dict[str, Any]:
    """Sets of CPUs; both options together are the sets of both."""
    if not cpus and cores is None:
        return {}
    if cores is not None and cores.strip().lower() == "each":
        counts: Any = "each"
    else:
        counts = each(cores, lambda it: quantities.whole(it, "--cores", 1, MOST_CPUS)) or ()
    return {"cpus": tuple(cpus or ()), "cores": counts}


def _name(kind: object, what: str) -> Callable[[str], Any]:
    return name_of(kind, what, "ciphermark sessions --help")


def _life(text: str) -> tuple[float, float]:
    """One length of life, or the shortest and the longest."""
    if "-" not in text:
        length_s = quantities.seconds(text, "--life")
        return length_s, length_s
    shortest_s, longest_s = quantities.span(text, "--life")
    if not 0 < shortest_s <= longest_s:
        raise UsageError(
            f"--life {text!r} does not go from a shorter one above 0 to a longer one: write for "
            "example 0.5s-2s"
        )
    return shortest_s, longest_s
