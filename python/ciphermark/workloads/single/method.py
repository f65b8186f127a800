"""Description in sentences of how a run was measured, with the figures of that run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.workload import workload_of
from ciphermark.workloads.single.sections import OPERATIONS

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows

TIMED: dict[contract.Operation, str] = {
    "setup": "from the bytes of a key to a context that is ready for the first message",
    "seal": "a new nonce, the ciphertext and the tag of one message",
    "open": "decryption of one prepared message and the check of its tag",
    "encrypt": "a new IV where there is one, and the ciphertext of one message",
    "decrypt": "the plaintext of one prepared message",
    "mac": "the tag of one message",
    "verify": "the tag of one message, computed and compared",
    "digest": "the digest of one message",
    "keystream": "keystream of the length of one message",
}
"""Content of the timed code of each operation."""

CYCLES: dict[contract.CycleSource, str] = {
    "pmu": "Core cycles are counted by the processor's performance monitoring unit.",
    "calibrated": (
        "The cycle counter cannot be read here, so core cycles are wall time times the core clock, "
        "which is measured beside each slice with a chain of dependent one-cycle additions. A "
        "second chain, of multiplications, differs by the residual of {residual}."
    ),
    "nominal": (
        "The cycle counter cannot be read here, so core cycles are wall time times the nominal "
        "clock: trust the nanoseconds, and the cycles only as far as the clock was constant."
    ),
}


PATTERNS: dict[contract.Pattern, str] = {
    "reused-key": "contexts, fetched algorithms and the key schedule are made once and reused",
    "rekeyed": "the key is set again for each message, in the same context",
    "one-shot": "each message has a context of its own: made, given the key, used, given back",
    "fetched": "as one-shot, and the algorithm is looked up by its name for each message",
    "incremental": "the key is reused, and the message is given to the library in chunks",
}
"""Work for a message in each pattern of calling a function."""


ANSWERS = (
    "Before it is timed, each implementation passes the test vectors of its algorithm and agrees "
    "with another provider, where there is one, on random messages of every measured size. What it "
    "writes while timed is checked afterwards. A case that fails has no figure."
)
"""Checks that ensure right answers."""


def method(context: Context) -> dict[str, str]:
    """Returns the heading and paragraph of each rule."""
    return {
        "Calls": (
            "One thread calls one function for one message after the other. Unless a figure says "
            "otherwise, contexts, fetched algorithms and key schedules are made once and reused, "
            "as a good caller does, and the buffers stay in the nearest cache. 1 MB is 10⁶ bytes."
        ),
        **calling(context.plan),
        "Answers": ANSWERS,
        "Samples": _samples(context),
        "Interval": (
            f"A figure is the median over {_observed(context)}; its 95 % interval comes from "
            f"order statistics, which assume nothing about the distribution{_moved(context)}. A "
            "case has settled when half of the interval is within "
            f"{figures.percent(context.precision, 1)} and the earlier and the later half of the "
            "samples agree as closely."
        ),
        "Cycles": cycles(context.engine_hello.environment.clocks),
        "Cost card": (
            "Cycles per message are fitted over the measured sizes by a fixed cost and a cost "
            "per byte, with the least relative errors. The largest error is given: where it is "
            "large, the cost is no straight line over size."
        ),
    }


def _observed(context: Context) -> str:
    groups = "groups, each the median of its undisturbed slices"
    if context.plan.sampling.min_processes == 0:
        return groups
    return f"worker processes, each the median of its {groups}"


def _moved(context: Context) -> str:
    share = context.plan.sampling.reproducibility
    return (
        f", and from the {figures.percent(share, 1)} by which it moves between runs"
        if share
        else ""
    )


def older_rule(context: Context) -> str | None:
    """Returns a note on a run that was measured by an older rule, or None."""
    sampling = context.plan.sampling
    if not workload_of(context.workload).sampled or sampling.reproducibility > 0:
        return None
    if sampling.min_processes == 0:
        return (
            "Intervals are over groups, by the rule of format 1.8 and older, which hardly "
            "includes differences between processes. Measure again for intervals over "
            "processes."
        )
    return (
        "Intervals are by the rule of format 1.12 and older, which leaves out differences from "
        "run to run."
    )


def timed(rows: AnyRows) -> dict[str, str]:
    """Returns the content of the timed code of each operation that was measured."""
    present = {name for row in rows for name in row.operation.split("+")}
    return {operation: TIMED[operation] for operation in OPERATIONS if operation in present}


def calling(plan: contract.Plan) -> dict[str, str]:
    """Patterns and footprint, where they were not the usual ones."""
    patterns = {case.pattern for case in plan.cases}
    said = {}
    if patterns - {"reused-key"}:
        named = (f"{name}: {text}" for name, text in PATTERNS.items() if name in patterns)
        said["Patterns"] = f"{'; '.join(named)}."
    if any(case.keys > 1 or case.buffers != "hot" for case in plan.cases):
        said["Footprint"] = (
            "With several keys each has a context of its own, and messages use them in an order "
            "that no prefetcher follows. Streamed messages and answers pass through more "
            "memory than the caches hold, those of l2 through half of the second-level cache; "
            "before a cold call all caches were filled with other data; a repeated message is "
            "one chunk again and again. A step is the extra cost over one key and hot buffers: "
            "the differences at all sizes, fitted by a line like the cost card."
        )
    return said


def _samples(context: Context) -> str:
    sampling, clocks = context.plan.sampling, context.engine_hello.environment.clocks
    rounds = figures.counted(sampling.rounds_per_process, "round")
    replaced = (
        f"after every {rounds}"
        if sampling.min_processes
        else (f"after {rounds}, then each time after twice as many")
    )
    settling = (
        "Cases with hot buffers are called for up to "
        f"{sampling.settling_ms:g} ms before each group, until their cost has settled. "
        if sampling.settling_ms
        else ""
    )
    return (
        f"Cases are measured in rounds of shuffled order, {sampling.slices_per_group} slices of at "
        f"least {sampling.slice_us:g} µs each in a group. Worker processes are replaced "
        f"{replaced}. {settling}The costs of an empty slice "
        f"({figures.significant(clocks.slice_cost_ns)} ns) and of the loop are subtracted. Slices "
        "that lost the CPU, changed it, shared the core with other work, or ran at a sagging "
        "clock are marked and do not count."
    )


def cycles(clocks: contract.Clocks) -> str:
    """Describes the source of cycles."""
    residual = figures.percent(clocks.cycle_residual)
    return CYCLES[clocks.cycle_source].format(residual=residual)
