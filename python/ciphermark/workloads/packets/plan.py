"""Plans of packets: how they pass from core to core, for how long, and whether they fit here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets, names, offloads
from ciphermark.plan import working as loading
from ciphermark.plan.cpu_sets import Cpus, Here, Limits, mebibytes
from ciphermark.plan.loads import PacketLoads
from ciphermark.plan.manner import Manners
from ciphermark.plan.offloads import device_cpus, is_done_by
from ciphermark.plan.planfile import Part
from ciphermark.plan.profile import Profile
from ciphermark.plan.selection import Selection
from ciphermark.plan.working import Placed, Working

LEAST_PAIRS = 6
"""The 95 % interval of a median needs so many undisturbed ones."""

USUAL_BATCH = 32
"""Packets of a batch that no lanes ask for: as frameworks for packets pass them on."""

MOST_USUAL_LANES = 256
"""Packets of one call, unless told otherwise, where an implementation takes more: beyond, it gains
little, and the first packet waits for all others."""

ANSWER_BYTES = 16
"""Bytes of a tag, by which an answer is longer than its packet."""

PACKET_BYTES = 64
"""Bytes of a packet's descriptor and of the reference for its answer."""

AROUND_S = 0.4
"""Seconds of a case besides its passes: a fresh process, its library, the right answers."""

AROUND_S_PER_BYTE = 4e-9
"""For making packets and looking at their answers afterwards, on one core."""

SHORTEST_S = 0.1
LONGEST_S = 2.5
"""Passes of a case take a few milliseconds: more time makes an interval hardly narrower."""

SPARE = 0.9
"""Share of the budget that is given away; the rest is for passes longer than expected."""

REAL_TIME: contract.Policy = "round-robin"
NO_REAL_TIME = (
    "the policy round-robin needs the capability CAP_SYS_NICE or a limit of real-time priorities "
    "(ulimit -r): leave it out, or run as root"
)

Timed = tuple[contract.Case, float | None]
"""A case, and the seconds for its passes that somebody has said."""


class Wanted(loading.Wanted, frozen=True, kw_only=True):
    """One of these combinations with its CPUs. Its batch, its time and the lanes are still open."""

    operation: contract.Operation
    load: contract.PacketLoad
    keys: int
    batch: int | None
    lanes_are_given: bool
    """True if the number of packets in a call is given, and not chosen to suit."""
    offload: contract.Offload
    offload_cpus: list[int]
    measure_s: float | None

    def suits(self, case: contract.Case) -> bool:
        """Returns whether a case has this operation, and its provider does the work."""
        if case.operation != self.operation:
            return False
        return is_done_by(self.offload, case.provider)


class PacketLoading(loading.Loading):
    """Rules by which packets pass."""

    def working(
        self,
        part: Part,
        selection: Selection,
        facts: contract.Description,
        algorithms: list[contract.Algorithm],
        here: Here | None,
    ) -> Working:
        """Returns the ways in which packets pass.

        An operation may be two: the cases have the first, and their loads the other.
        """
        loads = msgspec.structs.replace(part.packets, **selection.loads)
        operations = names.packet_operation_names(selection.operations or part.operations)
        manner = Working(
            operations=list(dict.fromkeys(name.partition("+")[0] for name in operations)),
            manners=Manners(lanes=loads.lanes or (None, 1), keys=(1,)),
            first_manner_only=not loads.lanes,
            left_out=offloads.absent(loads.offload, {it.name for it in algorithms}, facts),
        )
        if here is not None:
            if REAL_TIME in loads.policy and not here.may_be_real_time:
                if "policy" in selection.loads:
                    raise UsageError(NO_REAL_TIME)
                manner.left_out.append(NO_REAL_TIME)
                allowed = tuple(policy for policy in loads.policy if policy != REAL_TIME)
                loads = msgspec.structs.replace(loads, policy=allowed)
            if not loads.policy:
                manner.wanted = []
                return manner
            combined, left_out = wanted(loads, operations, here.cpus)
            manner.wanted, manner.left_out = [*combined], manner.left_out + left_out
        return manner

    def placed(
        self,
        cases: list[tuple[contract.Case, loading.Wanted | None]],
        budget_s: float,
        selection: Selection,
        keyless: set[str],
        seed: int,
        here: Here,
    ) -> Placed:
        """Gives each case its load, and leaves out cases that do not fit.

        Raises UsageError where nothing is left.

        The functions without a key have one flow. A time for each case without a budget sets the
        budget to the time needed.
        """
        profiles = {it.name: it for it in selection.profiles or []}
        loaded = [
            (_loaded(case, how, profiles, keyless, seed), how.measure_s)
            for case, how in cases
            if isinstance(how, Wanted)
        ]
        fitting, notes = _fitting(loaded, here.limits)
        takes_its_time = selection.budget_s is None and all(given for _, given in fitting)
        seconds = shared(fitting, math.inf if takes_its_time else budget_s)
        timed = [
            _timed(case, number, measure_s)
            for number, ((case, _), measure_s) in enumerate(zip(fitting, seconds, strict=True))
        ]
        if takes_its_time:
            needed_s = sum(map(needed_seconds, timed))
            budget_s = max(budget_s, budget_for(needed_s))
        return Placed(timed, budget_s, notes)

    def seconds(self, case: contract.Case) -> float:
        """Returns the wall time of a case."""
        return needed_seconds(case)


def break_even_loads(given: dict[str, Any], cpus: Cpus) -> dict[str, Any]:
    """Returns the user's loads, completed: a device needs a rival on the CPU.

    Where there are two CPUs, none is left that neither processes packets nor submits them; then the
    one that submits is the device of the offload `cores`, as it waits most of the time.
    """
    chosen = dict(given)
    offload = chosen.get("offload", ("none",))
    if "none" not in offload:
        chosen["offload"] = ("none", *offload)
    if len(cpus.allowed) == 2 and not {"cpus", "cores", "offload_cpus"} & given.keys():
        chosen["offload_cpus"] = str(submitting_cpu(cpus.first(1), cpus))
    return chosen


def wanted(loads: PacketLoads, operations: list[str], cpus: Cpus) -> tuple[list[Wanted], list[str]]:
    """Returns every possible combination here, and reasons for the others.

    An operation may be two, `encrypt+decrypt`. Raises UsageError where nothing is possible.
    """
    _check(loads)
    sets, left_out = _sets(loads, cpus)
    groups = _groups(loads, cpus)
    if loads.groups and not groups:
        left_out.append("one CPU cannot form two groups")
    possible: dict[bytes, Wanted] = {}
    for how in _combinations(loads, operations, sets, groups, cpus):
        why = _impossible(how, cpus)
        if why is None:
            possible.setdefault(msgspec.json.encode(how), how)
        else:
            left_out.append(why)
    if not possible:
        raise UsageError(left_out[0])
    return [*possible.values()], [*dict.fromkeys(left_out)]


def submitting_cpu(processing: list[int], cpus: Cpus) -> int:
    """Returns a CPU that processes nothing, if any; else the last that does."""
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
            f"{max(loads.lanes)} lanes are more than a batch of {min(loads.batch)}: write "
            f"--batch {max(loads.lanes)}"
        )
    if len(loads.groups) > min(loads.keys):
        raise UsageError(
            f"{len(loads.groups)} groups need as many flows, and there are {min(loads.keys)}: "
            f"write --keys {len(loads.groups)}"
        )


def _sets(loads: PacketLoads, cpus: Cpus) -> tuple[list[list[int]], list[str]]:
    """Returns the sets of CPUs that process, each once, and reasons for missing ones."""
    there = len(cpus.allowed)
    counts = _counts(loads, there)
    left_out = [
        f"{count} cores cannot process packets where {there} are allowed: write at most --cores "
        f"{there}"
        for count in counts
        if count > there
    ]
    sets = [cpus.first(count) for count in counts if count <= there]
    for text in loads.cpus:
        try:
            sets.append(cpu_sets.resolve(text, cpus))
        except UsageError as error:
            left_out.append(str(error))
    return [list(it) for it in dict.fromkeys(map(tuple, sets))], left_out


def _counts(loads: PacketLoads, there: int) -> list[int]:
    if loads.cores == "each":
        return cpu_sets.numbers_up_to(there)
    named = [there if count == "all" else count for count in loads.cores]
    return named or [1] * (not loads.cpus)


def _groups(loads: PacketLoads, cpus: Cpus) -> list[list[int]]:
    """Returns the CPUs of each group; none if a plan's halves of all CPUs are not two."""
    groups = [
        cpu_sets.half(text, cpus)
        if text in cpu_sets.HALVES
        else cpu_sets.resolve(text, cpus, "--group")
        for text in loads.groups
    ]
    return groups if all(groups) else []


def _combinations(
    loads: PacketLoads,
    operations: list[str],
    sets: list[list[int]],
    groups: list[list[int]],
    cpus: Cpus,
) -> Iterator[Wanted]:
    """Packets change quickest, so that a curve over them is measured in one piece."""
    axes = {
        "offload": loads.offload,
        "operation": operations,
        "architecture": loads.architecture,
        "delivery": loads.delivery,
        "waiting": loads.waiting,
        "key_setup": loads.key_setup,
        "policy": loads.policy,
        "offered_per_s": loads.offered_per_s or (None,),
        "keys": loads.keys,
        "cpus": sets,
        "in_flight": loads.in_flight,
        "batch": loads.batch or (None,),
        "packets": loads.packets,
    }
    for values in product(*axes.values()):
        yield _wanted(loads, dict(zip(axes, values, strict=True)), groups, cpus)


def _wanted(
    loads: PacketLoads, chosen: dict[str, Any], groups: list[list[int]], cpus: Cpus
) -> Wanted:
    """Returns the combination of these values, one of each axis."""
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
    """Returns why a combination is impossible, without a full stop; None where it is possible."""
    load, allowed = it.load, cpu_sets.listed(cpus.allowed)
    if it.offload == "cores" and not it.offload_cpus:
        return (
            f"the offload cores has no CPU left where {cpu_sets.listed(load.cpus)} process packets "
            f"and {load.submit_cpu} submits them: name some of {allowed} with --offload-cpus, or "
            "fewer --cores"
        )
    if it.offload != "none" and load.then is not None:
        return f"the offload {it.offload} does one operation per packet: write --offload none"
    if it.offload != "none" and load.key_setup != "cached":
        return f"the offload {it.offload} keeps its keys: write --key-setup cached"
    if load.architecture != "run-to-completion" and load.then is None:
        return (
            f"the architecture {load.architecture} needs two operations: write for example "
            "--operations encrypt+decrypt"
        )
    if load.architecture == "pinned-pipeline" and len(load.cpus) < 2:
        return "the architecture pinned-pipeline needs two CPUs: write --cores 2 or more"
    if load.policy == REAL_TIME and {*load.cpus} == {*cpus.allowed}:
        return (
            f"real-time threads on all CPUs ({allowed}) would stop the machine: the policy "
            "round-robin needs one that processes no packets"
        )
    outside = {cpu for group in load.groups for cpu in group} - {*load.cpus}
    if outside:
        return (
            f"the CPUs {cpu_sets.listed(outside)} of groups do not process packets, which "
            f"{cpu_sets.listed(load.cpus)} do: write --cpus "
            f"{cpu_sets.listed({*outside, *load.cpus})}"
        )
    return None


def _loaded(
    case: contract.Case,
    wanted: Wanted,
    profiles: dict[str, Profile],
    keyless: set[str],
    seed: int,
) -> contract.Case:
    """Returns a case with its packets, as long as these may take."""
    lanes, batch = _lanes_and_batch(case.lanes, wanted)
    profile = profiles[case.profile] if case.profile else None
    return msgspec.structs.replace(
        case,
        lanes=lanes,
        keys=1 if case.algorithm in keyless else wanted.keys,
        lengths=profile.lengths(lanes, seed) if profile else [],
        offload=wanted.offload,
        offload_cpus=wanted.offload_cpus,
        packets=msgspec.structs.replace(wanted.load, batch=batch),
    )


def _lanes_and_batch(most: int, wanted: Wanted) -> tuple[int, int]:
    """Returns packets of a call, up to `most`, and packets of a batch.

    A batch without a given size holds whole calls and no more packets than each CPU has.
    """
    if wanted.lanes_are_given:
        return most, wanted.batch or max(USUAL_BATCH, most)
    share = -(-wanted.load.packets // len(wanted.load.cpus))
    batch = wanted.batch or min(max(USUAL_BATCH, min(most, MOST_USUAL_LANES)), share)
    return min(most, batch), batch


def _fitting(cases: list[Timed], limits: Limits) -> tuple[list[Timed], list[str]]:
    """Returns the cases that fit into memory, and reasons for the others."""
    reasons = [too_large(case, limits) for case, _ in cases]
    fitting = [case for case, why in zip(cases, reasons, strict=True) if why is None]
    reasons_once = [why for why in dict.fromkeys(reasons) if why is not None]
    if not fitting:
        raise UsageError(reasons_once[0])
    return fitting, [f"left out: {why}" for why in reasons_once]


def _timed(case: contract.Case, number: int, measure_s: float) -> contract.Case:
    # To the microsecond, so that a plan can be read.
    load = msgspec.structs.replace(_load(case), measure_ms=round(1e3 * measure_s, 3))
    return msgspec.structs.replace(case, case=number, packets=load)


def _load(case: contract.Case) -> contract.PacketLoad:
    """Returns the load of a case that has packets."""
    assert case.packets is not None
    return case.packets


def needed_bytes(case: contract.Case) -> int:
    """Packets and their answers, all of which are there before the clock starts."""
    load = _load(case)
    message = sum(case.lengths) / len(case.lengths) if case.lengths else case.message_bytes or 0
    answers = 2 if load.then else 1
    each = message + answers * (message + ANSWER_BYTES) + PACKET_BYTES
    return int(load.packets * each)


def too_large(case: contract.Case, limits: Limits) -> str | None:
    """Returns why a case's packets exceed the memory, with the arithmetic; else None."""
    load, room, needed = _load(case), limits.room_bytes, needed_bytes(case)
    if needed <= room:
        return None
    each = case.profile or f"{case.message_bytes} bytes"
    return (
        f"{load.packets} packets of {each} need {mebibytes(needed)} with their answers, and "
        f"{mebibytes(room)} of the memory may be used: write at most --packets "
        f"{load.packets * room // needed}, or shorter --sizes"
    )


def around_s(case: contract.Case) -> float:
    """Seconds besides the passes."""
    return AROUND_S + AROUND_S_PER_BYTE * needed_bytes(case)


def needed_seconds(case: contract.Case) -> float:
    """Returns the wall time of a case."""
    return around_s(case) + _load(case).measure_ms / 1e3


def shared(cases: list[Timed], budget_s: float) -> list[float]:
    """Returns seconds for the passes of each case: as given, else an even share.

    Raises UsageError where the shares are too short to mean anything.
    """
    taken = sum(around_s(case) + (given or 0.0) for case, given in cases)
    unsaid = sum(given is None for _, given in cases)
    least_s = taken + SHORTEST_S * unsaid
    if least_s > SPARE * budget_s:
        raise UsageError(_too_short(len(cases), least_s, budget_s))
    each = min((SPARE * budget_s - taken) / max(unsaid, 1), LONGEST_S)
    return [each if given is None else given for _, given in cases]


def budget_for(needed_s: float) -> int:
    """Returns whole seconds of a budget in which the needed time fits."""
    return math.ceil(needed_s / SPARE)


def _too_short(cases: int, least_s: float, budget_s: float) -> str:
    take = "1 case takes" if cases == 1 else f"{cases} cases take"
    return (
        f"{take} at least {math.ceil(least_s)} s with the making and checking of packets, and the "
        f"budget is {budget_s:g} s: write --budget {budget_for(least_s)}s, or choose less"
    )
