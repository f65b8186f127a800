"""Which cases of one caller are done with each message split over cores: the offload `split`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets
from ciphermark.plan.build import MOST_CASES, Built
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.names import each, name_of

Spread = Literal["none", "split"]
"""Where the work of one caller's messages is done, one message at a time."""


def from_option(text: str | None) -> tuple[Spread, ...]:
    """What `--offload` of commands with one caller names; the calling core where it is absent."""
    see = "for other CPUs and devices that take packets see ciphermark packets --help"
    return each(text, name_of(Spread, "offload of one message", see)) or ("none",)


def sharing_cpus(named: str | None, cpus: Cpus, calling: int | None) -> list[int]:
    """The CPUs that share each message, the calling one included; all that are allowed unless
    somebody said which."""
    caller = cpus.allowed[-1] if calling is None else calling
    found = cpus.allowed if named is None else cpu_sets.resolve(named, cpus, "--offload-cpus")
    sharing = sorted({*found, caller})
    if len(sharing) == 1:
        there = cpu_sets.listed(cpus.allowed)
        raise UsageError(
            f"one message cannot be split over CPU {caller} alone: write --offload-cpus with "
            f"others where there are any; allowed: {there}"
        )
    return sharing


def spread(built: Built, offloads: Iterable[Spread], sharing: list[int]) -> Built:
    """The plan with each case once for each offload; key setups and several messages a call, of
    which none is split, stay whole and are left out where only `split` is asked for."""
    offloads = [*offloads]
    cases = []
    for case in built.plan.cases:
        for offload in offloads:
            if offload == "none":
                cases.append(case)
            elif case.operation != "setup" and case.lanes == 1:
                cases.append(msgspec.structs.replace(case, offload="split", offload_cpus=sharing))
    if not cases:
        raise UsageError(
            "neither key setups nor several messages a call can be split: leave out --lanes, and "
            "choose others with --operations"
        )
    if len(cases) > MOST_CASES:
        raise UsageError(
            f"{len(cases)} cases are more than {MOST_CASES}: choose fewer with --algorithms or "
            "--sizes"
        )
    numbered = [msgspec.structs.replace(it, case=number) for number, it in enumerate(cases)]
    places = {number: place for place, number in enumerate(built.plan.optional)}
    optional = [number for number, it in enumerate(cases) if it.case in places]
    optional.sort(key=lambda number: places[cases[number].case])
    plan = msgspec.structs.replace(built.plan, cases=numbered, optional=optional)
    return msgspec.structs.replace(built, plan=plan)
