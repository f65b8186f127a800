"""How many sessions were measured, in sentences, with the figures of that run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.workloads.sessions.figures import MOST_CLOCK_SPREAD, MOST_OFFSET_NS
from ciphermark.workloads.single.method import ANSWERS, calling, cycles

if TYPE_CHECKING:
    from ciphermark.record.run import Context


def session_method(context: Context) -> dict[str, str]:
    """Heading and paragraph of each rule."""
    return {
        "Sessions": (
            "Each session has a key, nonces and buffers of its own, and takes one message after "
            "the other. It has a thread of its own, or takes turns with others on a thread for "
            "each CPU where that is said. All are made ready, wait, and start at once."
        ),
        **calling(context.plan),
        "Window": (
            "The window opens when every thread has run. At both of its edges the CPU time of each "
            "thread and what it has done are noted; only what lies between counts. Sessions go on "
            "after it, so that none stops within it."
        ),
        "Absolute and apparent": (
            "Absolute cycles per byte are the CPU time of all sessions, as cycles, over their "
            "bytes: what the work costs. Apparent ones are the time that passed, as cycles, over "
            "the same bytes: what it seems to cost. On one CPU both are the same but for what else "
            "ran there; on p CPUs the apparent ones fall towards the p-th part. Wall-clock cycles "
            "per byte are those of one session, which the others make wait."
        ),
        "Cycles": cycles(context.hello.environment.clocks),
        "Estimate": (
            "Where wall clocks of CPUs differ by more than "
            f"{MOST_OFFSET_NS / 1e3:g} µs, or their core clocks by more than "
            f"{figures.percent(MOST_CLOCK_SPREAD, 1)}, the absolute figure is the apparent one "
            "times the CPUs that the kernel's own accounts say the sessions kept busy."
        ),
        "Fairness": (
            "Jain's index of the bytes that each session did: 1 when all did the same, 1/n when "
            "one of n did everything."
        ),
        "Validity": (
            "After each execution it is judged whether it counts: whether others had the CPUs, the "
            "rate was steady, every session ran, there were enough messages, the clock kept still, "
            "and CPU time was even. If not, times are adjusted and it is repeated; each attempt is "
            "listed with why it was rejected."
        ),
        "Answers": ANSWERS,
    }
