"""Cases of packets: each with its load, within a budget and the memory of a machine."""

from __future__ import annotations

import math

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import packet_limits, packet_times
from ciphermark.plan.here import Here
from ciphermark.plan.packets import Wanted
from ciphermark.plan.profiles import Profile
from ciphermark.plan.selection import Selection
from ciphermark.plan.session_cases import Placed

Found = list[tuple[contract.Case, Wanted]]
"""Numbered cases, and how their packets are to pass."""

USUAL_BATCH = 32
"""Packets of a batch that no lanes ask for: as frameworks for packets pass them on."""

MOST_USUAL_LANES = 256
"""Packets of one call, unless told otherwise, where an implementation takes more: beyond, it gains
little, and the first packet waits for all others."""


def placed(
    found: Found,
    budget_s: float,
    selection: Selection,
    here: Here,
    keyless: set[str],
    seed: int,
) -> Placed:
    """Gives each case its load, and leaves out what does not fit; raises UsageError where nothing
    is left.

    The functions that have no key have one flow. Who says how long a case runs and nothing of a
    budget gets the budget that it takes.
    """
    profiles = {it.name: it for it in selection.profiles or []}
    loaded = [(_loaded(case, it, profiles, keyless, seed), it) for case, it in found]
    fitting, notes = _fitting(loaded, here.limits.memory_bytes)
    cases = [case for case, _ in fitting]
    given = [it.measure_s for _, it in fitting]
    takes_its_time = selection.budget_s is None and None not in given
    seconds = packet_times.shared(cases, given, math.inf if takes_its_time else budget_s)
    timed = [
        _timed(case, number, measure_s)
        for number, (case, measure_s) in enumerate(zip(cases, seconds, strict=True))
    ]
    if takes_its_time:
        needed_s = sum(map(packet_times.needed_seconds, timed))
        budget_s = max(budget_s, packet_times.budget_for(needed_s))
    return Placed(timed, budget_s, notes)


def _loaded(
    case: contract.Case,
    wanted: Wanted,
    profiles: dict[str, Profile],
    keyless: set[str],
    seed: int,
) -> contract.Case:
    """A case with its packets, as long as these may take."""
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
    """Packets of a call, of so many that there may be, and of a batch. One that nobody named holds
    whole calls and no more packets than each CPU has."""
    if wanted.lanes_are_given:
        return most, wanted.batch or max(USUAL_BATCH, most)
    share = -(-wanted.load.packets // len(wanted.load.cpus))
    batch = wanted.batch or min(max(USUAL_BATCH, min(most, MOST_USUAL_LANES)), share)
    return min(most, batch), batch


def _fitting(found: Found, memory_bytes: int) -> tuple[Found, list[str]]:
    """What there is memory for, and why the rest is left out."""
    reasons = [packet_limits.too_large(case, memory_bytes) for case, _ in found]
    fitting = [it for it, why in zip(found, reasons, strict=True) if why is None]
    told = [why for why in dict.fromkeys(reasons) if why is not None]
    if not fitting:
        raise UsageError(told[0])
    return fitting, [f"left out: {why}" for why in told]


def _timed(case: contract.Case, number: int, measure_s: float) -> contract.Case:
    assert case.packets is not None
    # To the microsecond, so that a plan can be read.
    load = msgspec.structs.replace(case.packets, measure_ms=round(1e3 * measure_s, 3))
    return msgspec.structs.replace(case, case=number, packets=load)
