"""What `ciphermark packets` is told of its packets, as fields of a plan's table `[packets]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ciphermark import contract
from ciphermark.plan import offloads, quantities
from ciphermark.plan.lists import each, name_of
from ciphermark.plan.loads import (
    MOST_BATCH,
    MOST_CPUS,
    MOST_FLOWS,
    MOST_IN_FLIGHT,
    MOST_PACKETS,
    MOST_PRIORITIES,
    MOST_QUEUE_BATCHES,
)


def from_options(
    *,
    packets: str | None = None,
    cpus: list[str] | None = None,
    cores: str | None = None,
    keys: str | None = None,
    lanes: str | None = None,
    batch: str | None = None,
    flush: str | None = None,
    queue: str | None = None,
    delivery: str | None = None,
    architecture: str | None = None,
    waiting: str | None = None,
    key_setup: str | None = None,
    priorities: str | None = None,
    group: list[str] | None = None,
    rate: str | None = None,
    in_flight: str | None = None,
    offload: str | None = None,
    offload_cpus: str | None = None,
    duration: str | None = None,
) -> dict[str, Any]:
    """The fields that the user gives; CPUs are looked up where the machine is known."""
    given = {
        "packets": _numbers(packets, "--packets", MOST_PACKETS),
        **_places(cpus, cores),
        "keys": _numbers(keys, "--keys", MOST_FLOWS),
        "lanes": _numbers(lanes, "--lanes", MOST_BATCH),
        "batch": _numbers(batch, "--batch", MOST_BATCH),
        "flush_us": None if flush is None else _microseconds(flush),
        "queue_batches": _number(queue, "--queue", MOST_QUEUE_BATCHES),
        "delivery": each(delivery, _name(contract.Delivery, "order of delivery")),
        "architecture": each(architecture, _name(contract.Architecture, "architecture")),
        "waiting": each(waiting, _name(contract.Waiting, "way of waiting")),
        "key_setup": each(key_setup, _name(contract.KeySetup, "key setup")),
        "priorities": _number(priorities, "--priorities", MOST_PRIORITIES),
        "groups": tuple(group) if group else None,
        "offered_per_s": each(rate, lambda it: quantities.amount(it, "--rate")),
        "in_flight": _numbers(in_flight, "--in-flight", MOST_IN_FLIGHT),
        "offload": each(offload, _name(offloads.Queued, "offload")),
        "offload_cpus": offload_cpus,
        "measure_s": None if duration is None else quantities.seconds(duration, "--duration"),
    }
    return {name: value for name, value in given.items() if value is not None}


def _places(cpus: list[str] | None, cores: str | None) -> dict[str, Any]:
    """Sets of CPUs; both options together are the sets of both."""
    if not cpus and cores is None:
        return {}
    return {"cpus": tuple(cpus or ()), "cores": _counts(cores)}


def _counts(cores: str | None) -> Any:
    if cores is not None and cores.strip().lower() == "each":
        return "each"
    return each(cores, _count) or ()


def _count(text: str) -> int | str:
    if text.strip().lower() == "all":
        return "all"
    return quantities.whole(text, "--cores", 1, MOST_CPUS)


def _microseconds(text: str) -> float:
    """To the picosecond, so that a plan can be read."""
    return round(1e6 * quantities.seconds(text, "--flush"), 6)


def _number(text: str | None, option: str, most: int) -> int | None:
    return None if text is None else quantities.whole(text, option, 1, most)


def _numbers(text: str | None, option: str, most: int) -> tuple[int, ...] | None:
    return each(text, lambda it: quantities.whole(it, option, 1, most))


def _name(kind: object, what: str) -> Callable[[str], Any]:
    return name_of(kind, what, "ciphermark packets --help")
