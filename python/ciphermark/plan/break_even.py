"""What `ciphermark packets --break-even` measures: each function with devices and without one."""

from __future__ import annotations

from typing import Any

import msgspec

from ciphermark.plan import planfile
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.packets import submitting_cpu
from ciphermark.plan.planfile import Effort, Part, PlanFile

NAME = "packets-break-even"
"""Of the default plan."""


def plan_file(
    effort: Effort = "usual", rate_per_s: float | None = None, wants_latency: bool = False
) -> PlanFile:
    """The default plan; with all cores too where somebody wants to know how many a rate or a
    latency takes.

    A latency that is to hold at a rate is measured with packets that come at that rate: where the
    queue is kept full it is mostly the time to pass through the queue.
    """
    if rate_per_s is None and not wants_latency:
        return planfile.default(NAME).at(effort)
    file = planfile.default(NAME).at("full")
    if rate_per_s is None or not wants_latency:
        return file
    on_all = file.also[-1]
    at_rate = [
        _replaced(on_all, offered_per_s=(rate_per_s,), cores=(1, "all")),
        _replaced(on_all, offered_per_s=(rate_per_s,), cores=(1,), offload=("cores",)),
    ]
    return msgspec.structs.replace(file, also=[*file.also, *at_rate])


def _replaced(part: Part, **fields: Any) -> Part:
    """With other fields of its packets."""
    return msgspec.structs.replace(part, packets=msgspec.structs.replace(part.packets, **fields))


def loads(given: dict[str, Any], cpus: Cpus) -> dict[str, Any]:
    """What the user says of packets, completed: a device needs a rival on the CPU, and a rate is
    one that is wanted, at which packets need not come.

    Where there are two CPUs, none is left that neither processes packets nor submits them; then the
    one that submits is the device of the offload `cores`, as it waits most of the time.
    """
    found = {name: value for name, value in given.items() if name != "offered_per_s"}
    offload = found.get("offload", ("none",))
    if "none" not in offload:
        found["offload"] = ("none", *offload)
    if len(cpus.allowed) == 2 and not {"cpus", "cores", "offload_cpus"} & given.keys():
        found["offload_cpus"] = str(submitting_cpu(cpus.first(1), cpus))
    return found
