"""Pairs of passes of packets, and which of them others disturbed.

A pair is one pass without the cryptographic work and one with it, one right after the other, so
that both saw the same machine.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import NamedTuple

from ciphermark import contract

MOST_CLOCK_MOVE = 0.03
"""A pass whose core clock is further from that of the others is compared with none of them: three
times what the clock of a quiet guest moves."""

MOST_AWAY = 0.02
"""Share of a pass that a thread which always looks for work may be away from its CPU: the kernel's
own work takes less, a neighbour or the hypervisor more."""

MOST_CROWDED = 0.1
"""Share of a pass's stretches in which another thread may use the core of one that works on
packets: it slows these packets by up to half, which is as much as the other limits allow."""

USUAL_PREEMPTIONS_PER_S = 100
"""As often as the kernel's own threads may take the CPU from any other thread."""


class Pair(NamedTuple):
    """Both passes of a pair, whichever of them came first."""

    transfer: contract.Pass
    processing: contract.Pass


def pairs(run: contract.PacketsRun) -> list[Pair]:
    """All whole pairs, in their order."""
    found = zip(run.passes[::2], run.passes[1::2], strict=False)
    return [
        Pair(first, second) if first.kind == "transfer" else Pair(second, first)
        for first, second in found
        if first.kind != second.kind
    ]


def undisturbed(run: contract.PacketsRun, offload_cpus: list[int]) -> list[Pair]:
    """The pairs in neither of whose passes something else took time or changed the clock."""
    usual_hz = median([it.core_hz for it in run.passes] or [0.0])
    alone = _alone(run.load, offload_cpus)

    def is_quiet(it: contract.Pass) -> bool:
        return abs(it.core_hz - usual_hz) <= MOST_CLOCK_MOVE * usual_hz and not any(
            _was_kept_away(place, it, run.load.waiting)
            for place, core in enumerate(it.cores)
            if core.cpu in alone
        )

    return [
        pair
        for pair in pairs(run)
        if all(is_quiet(one) and not is_crowded(run, one) for one in pair)
    ]


def crowded(run: contract.PacketsRun) -> int:
    """Pairs in one of whose passes others used the cores."""
    return sum(any(is_crowded(run, one) for one in pair) for pair in pairs(run))


def is_crowded(run: contract.PacketsRun, one: contract.Pass) -> bool:
    """Whether others used a core of a pass. Where its own threads share one, or a device's do, that
    is part of what packets cost."""
    own = run.device is not None or any(clock.shares_core for clock in run.core_clocks)
    return not own and any(core.crowded > MOST_CROWDED * core.stretches for core in one.cores)


def _alone(load: contract.PacketLoad, offload_cpus: list[int]) -> set[int]:
    """CPUs that one thread has to itself; on others preemptions are explained by sharing."""
    submits = [] if load.submit_cpu in load.cpus else [load.submit_cpu]
    threads = Counter([*load.cpus, *submits, *offload_cpus])
    return {cpu for cpu, count in threads.items() if count == 1}


def _was_kept_away(place: int, of: contract.Pass, waiting: contract.Waiting) -> bool:
    """Whether the thread at this place of the pass could not run when it wanted to.

    One that processes and never slept, not for a device either, wants to all the time. The first
    submits and ends before the others, so that its CPU time tells nothing of the kind.
    """
    core = of.cores[place]
    if place > 0 and waiting == "poll" and core.waits == 0:
        return of.wall_ns - core.cpu_ns > MOST_AWAY * of.wall_ns
    return core.preemptions > max(1, USUAL_PREEMPTIONS_PER_S * of.wall_ns / 1e9)
