"""How the cases of a part run: without a load, as sessions or as packets."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import naming, offloads, packets, sessions
from ciphermark.plan.here import Here
from ciphermark.plan.manner import Manners
from ciphermark.plan.planfile import Part
from ciphermark.plan.selection import Selection

Wanted = sessions.Wanted | packets.Wanted
"""How the sessions or the packets of a case run."""


class Working(msgspec.Struct, kw_only=True):
    """What of a part depends on the workload."""

    operations: list[str]
    manners: Manners
    first_manner_only: bool = False
    """Whether an implementation is called in the first of these ways that it has, and no other."""
    wanted: list[Wanted | None] = msgspec.field(default_factory=lambda: [None])
    """How sessions run or packets pass; None alone where there are neither."""
    left_out: list[str] = []
    """What of it cannot be here, one sentence each."""


def working(part: Part, selection: Selection) -> Working:
    """How cases without a load run."""
    return Working(
        operations=naming.operation_names(selection.operations or part.operations),
        manners=selection.manners or part.manners,
    )


def offloads_of(part: Part, selection: Selection) -> tuple[contract.Offload, ...]:
    """Where the work of sessions or packets is done: by the table of their workload, as the other
    says nothing."""
    usual = ("none",)
    told = (part.sessions.offload, part.packets.offload)
    return selection.loads.get("offload") or next((it for it in told if it != usual), usual)


def of_sessions(
    part: Part,
    selection: Selection,
    facts: contract.Description,
    algorithms: list[contract.Algorithm],
    here: Here | None,
) -> Working:
    """How sessions run, and what cannot be; without `here` that is left open."""
    found = working(part, selection)
    if here is None:
        return found
    loads = msgspec.structs.replace(part.sessions, **selection.loads)
    if loads.quota_cpus and not here.may_bound_cpu:
        if "quota_cpus" in selection.loads:
            raise UsageError(sessions.NO_QUOTA)
        found.wanted, found.left_out = [], [sessions.NO_QUOTA]
        return found
    combined = sessions.wanted(loads, here.cpus)
    absent = offloads.absent(loads.offload, {it.name for it in algorithms}, facts)
    found.wanted, found.left_out = [*combined.wanted], absent + combined.left_out
    return found


def of_packets(
    part: Part,
    selection: Selection,
    facts: contract.Description,
    algorithms: list[contract.Algorithm],
    here: Here | None,
) -> Working:
    """How packets pass. An operation may be two: the cases have the first, and what they want has
    the other."""
    loads = msgspec.structs.replace(part.packets, **selection.loads)
    operations = naming.packet_operation_names(selection.operations or part.operations)
    found = Working(
        operations=list(dict.fromkeys(name.partition("+")[0] for name in operations)),
        manners=Manners(lanes=loads.lanes or (None, 1), keys=(1,)),
        first_manner_only=not loads.lanes,
        left_out=offloads.absent(loads.offload, {it.name for it in algorithms}, facts),
    )
    if here is not None:
        combined = packets.wanted(loads, operations, here.cpus)
        found.wanted = [*combined.wanted]
        found.left_out += combined.left_out
    return found
