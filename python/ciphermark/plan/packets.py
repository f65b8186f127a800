"""How packets pass from one core to others: the table `[packets]` of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, Literal

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.offloads import device_cpus, is_done_by

MOST_PACKETS = 1_000_000
MOST_BATCH = 4096
MOST_QUEUE_BATCHES = 1 << 20
MOST_FLOWS = 1_000_000
MOST_PRIORITIES = 8
MOST_IN_FLIGHT = 1024

USUAL_PACKETS = 64_000
"""The most of the published KASUMI study."""

USUAL_FLOWS = 16
"""Enough for every CPU to have some, and few enough for their keys to stay in the nearest cache."""

USUAL_QUEUE_BATCHES = 64
LEAST_PAIRS = 6
"""The 95 % interval of a median needs so many undisturbed ones."""

Packets = Annotated[int, msgspec.Meta(ge=1, le=MOST_PACKETS)]
Batch = Annotated[int, msgspec.Meta(ge=1, le=MOST_BATCH)]
Flows = Annotated[int, msgspec.Meta(ge=1, le=MOST_FLOWS)]
Above0 = Annotated[float, msgspec.Meta(gt=0)]


class PacketLoads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How packets pass in the cases of a part: one case for each combination of what is listed."""

    packets: tuple[Packets, ...] = (USUAL_PACKETS,)
    cpus: tuple[str, ...] = ()
    """Sets of CPUs that process them; one CPU where neither this nor `cores` says otherwise."""
    cores: tuple[Annotated[int, msgspec.Meta(ge=1)] | Literal["all"], ...] | Literal["each"] = ()
    """The first so many CPUs, on different cores while there are some; numbers that a machine does
    not have are left out. `each` goes from one to all."""
    keys: tuple[Flows, ...] = (USUAL_FLOWS,)
    """Flows, each with a key of its own."""
    lanes: tuple[Batch, ...] = ()
    """Packets of one call; absent: as many as an implementation takes, at most a batch."""
    batch: tuple[Batch, ...] = ()
    """Packets of a batch; absent: what suits the lanes."""
    flush_us: Above0 | None = None
    """After so long a batch is passed on though it is not full; absent: it waits."""
    queue_batches: Annotated[int, msgspec.Meta(ge=1, le=MOST_QUEUE_BATCHES)] = USUAL_QUEUE_BATCHES
    """Batches that each queue holds; a power of two."""
    delivery: tuple[contract.Delivery, ...] = ("unordered",)
    architecture: tuple[contract.Architecture, ...] = ("run-to-completion",)
    waiting: tuple[contract.Waiting, ...] = ("poll",)
    key_setup: tuple[contract.KeySetup, ...] = ("cached",)
    priorities: Annotated[int, msgspec.Meta(ge=1, le=MOST_PRIORITIES)] = 1
    groups: tuple[str, ...] = ()
    """The set of CPUs of each group of flows, out of those that process; absent: all take all."""
    offered_per_s: tuple[Above0, ...] = ()
    in_flight: tuple[Annotated[int, msgspec.Meta(ge=1, le=MOST_IN_FLIGHT)], ...] = (1,)
    """Batches that each CPU has at a device at once."""
    offload: tuple[contract.Offload, ...] = ("none",)
    offload_cpus: str | None = None
    """The CPUs that are the device `cores`; absent: those that neither submit nor process."""
    measure_s: Annotated[float, msgspec.Meta(gt=0, le=86_400)] | None = None
    """Time for the passes of a case; absent: its share of the budget."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """One of these combinations with its CPUs. Its batch, its time and the lanes are still open."""

    operation: contract.Operation
    load: contract.PacketLoad
    keys: int
    batch: int | None
    lanes_are_given: bool
    """Whether a call takes as many packets as somebody said, and not what suits."""
    offload: contract.Offload
    offload_cpus: list[int]
    measure_s: float | None

    def suits(self, case: contract.Case) -> bool:
        """Whether a case has its operation, and its function is where the work is to be done."""
        if case.operation != self.operation:
            return False
        return is_done_by(self.offload, case.provider)


class Combined(msgspec.Struct):
    """All combinations, and what of them is left out, one sentence each."""

    wanted: list[Wanted]
    left_out: list[str]


def wanted(loads: PacketLoads, operations: list[str], cpus: Cpus) -> Combined:
    """Every combination that there is here; raises UsageError where there is none.

    An operation may be two, `encrypt+decrypt`.
    """
    _check(loads)
    sets, left_out = _sets(loads, cpus)
    found: dict[bytes, Wanted] = {}
    for it in _combinations(loads, operations, sets, cpus):
        why = _impossible(it, cpus)
        if why is None:
            found.setdefault(msgspec.json.encode(it), it)
        else:
            left_out.append(why)
    if not found:
        raise UsageError(left_out[0])
    return Combined([*found.values()], [*dict.fromkeys(left_out)])


def submitting_cpu(processing: list[int], cpus: Cpus) -> int:
    """One that processes none, where there is one; else the last that does."""
    free = [cpu for cpu in cpus.in_turn if cpu not in processing]
    return free[0] if free else processing[-1]


def _check(loads: PacketLoads) -> None:
    """Refuses numbers that do not go together on any machine."""
    queue = loads.queue_batches
    if queue & (queue - 1):
        below = 1 << (queue.bit_length() - 1)
        raise UsageError(f"--queue {queue} is no power of two: write {below} or {2 * below}")
    if loads.lanes and loads.batch and max(loads.lanes) > min(loads.batch):
        raise UsageError(
            f"{max(loads.lanes)} lanes are more than a batch of {min(loads.batch)}: write --batch "
            f"{max(loads.lanes)}"
        )
    if len(loads.groups) > min(loads.keys):
        raise UsageError(
            f"{len(loads.groups)} groups need as many flows, and there are {min(loads.keys)}: "
            f"write --keys {len(loads.groups)}"
        )


def _sets(loads: PacketLoads, cpus: Cpus) -> tuple[list[list[int]], list[str]]:
    """The sets of CPUs that process, each once, and why others are left out."""
    there = len(cpus.allowed)
    counts = _counts(loads, there)
    left_out = [
        f"{count} cores cannot process packets where {there} are allowed: write at most --cores "
        f"{there}"
        for count in counts
        if count > there
    ]
    found = [cpus.first(count) for count in counts if count <= there]
    for text in loads.cpus:
        try:
            found.append(cpu_sets.resolve(text, cpus))
        except UsageError as error:
            left_out.append(str(error))
    return [list(it) for it in dict.fromkeys(map(tuple, found))], left_out


def _counts(loads: PacketLoads, there: int) -> list[int]:
    if loads.cores == "each":
        return cpu_sets.numbers_up_to(there)
    named = [there if count == "all" else count for count in loads.cores]
    return named or [1] * (not loads.cpus)


def _combinations(
    loads: PacketLoads, operations: list[str], sets: list[list[int]], cpus: Cpus
) -> Iterator[Wanted]:
    """Packets change quickest, so that a curve over them is measured in one piece."""
    axes = {
        "offload": loads.offload,
        "operation": operations,
        "architecture": loads.architecture,
        "delivery": loads.delivery,
        "waiting": loads.waiting,
        "key_setup": loads.key_setup,
        "offered_per_s": loads.offered_per_s or (None,),
        "keys": loads.keys,
        "cpus": sets,
        "in_flight": loads.in_flight,
        "batch": loads.batch or (None,),
        "packets": loads.packets,
    }
    groups = [cpu_sets.resolve(text, cpus, "--group") for text in loads.groups]
    for values in product(*axes.values()):
        yield _wanted(loads, dict(zip(axes, values, strict=True)), groups, cpus)


def _wanted(
    loads: PacketLoads, chosen: dict[str, Any], groups: list[list[int]], cpus: Cpus
) -> Wanted:
    """The combination of these values, one of each axis."""
    offload, keys, batch = (chosen.pop(name) for name in ("offload", "keys", "batch"))
    first, _, then = chosen.pop("operation").partition("+")
    if offload == "none":
        chosen["in_flight"] = 1
    submit = submitting_cpu(chosen["cpus"], cpus)
    load = contract.PacketLoad(
        submit_cpu=submit,
        then=then or None,
        batch=batch or 0,
        flush_us=loads.flush_us,
        queue_batches=loads.queue_batches,
        priorities=loads.priorities,
        groups=groups,
        least_pairs=LEAST_PAIRS,
        measure_ms=0,
        **chosen,
    )
    return Wanted(
        operation=first,
        load=load,
        keys=keys,
        batch=batch,
        lanes_are_given=bool(loads.lanes),
        offload=offload,
        offload_cpus=device_cpus(offload, loads.offload_cpus, {*load.cpus, submit}, cpus),
        measure_s=loads.measure_s,
    )


def _impossible(it: Wanted, cpus: Cpus) -> str | None:
    """Why a combination cannot be, in a sentence without its end; None where it can."""
    load, allowed = it.load, cpu_sets.listed(cpus.allowed)
    if it.offload == "cores" and not it.offload_cpus:
        return (
            f"the offload cores has no CPU left where {cpu_sets.listed(load.cpus)} process packets "
            f"and {load.submit_cpu} submits them: name some of {allowed} with --offload-cpus, or "
            "fewer --cores"
        )
    if it.offload != "none" and load.then is not None:
        return f"the offload {it.offload} does one operation for each packet: write --offload none"
    if it.offload != "none" and load.key_setup != "cached":
        return f"the offload {it.offload} keeps its keys: write --key-setup cached"
    if load.architecture != "run-to-completion" and load.then is None:
        return (
            f"the architecture {load.architecture} needs two operations: write for example "
            "--operations encrypt+decrypt"
        )
    if load.architecture == "pinned-pipeline" and len(load.cpus) < 2:
        return "the architecture pinned-pipeline needs two CPUs: write --cores 2 or more"
    outside = {cpu for group in load.groups for cpu in group} - {*load.cpus}
    if outside:
        return (
            f"groups with the CPUs {cpu_sets.listed(outside)} go with packets that are processed "
            f"on them, and not on {cpu_sets.listed(load.cpus)}: write --cpus "
            f"{cpu_sets.listed({*outside, *load.cpus})}"
        )
    return None
