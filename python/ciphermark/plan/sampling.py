"""How often cases are measured, and how long that takes."""

from __future__ import annotations

from functools import partial

from ciphermark import contract
from ciphermark.workload import workload_of

FEWEST_PROCESSES = 6
"""With fewer observations the 95 % interval of a median does not exist."""

PAIRED_PROCESSES = 12
"""Of a case that is compared with another process by process. A disturbance of either takes the
groups from both, and on a busy machine of the usual six processes hardly any would be left."""


REPRODUCIBILITY = 0.005
"""What figures move by from run to run though the processes of each agree, as a share: half-width
of the 95 % interval. With it some 95 % of the intervals hold the median over surveys, where a
neighbour uses the cores most of the time and keeps to one state for longer than a survey takes
(`benchmarks/coverage.py` prints the share for this and other values)."""

SETTLING_MS = 4.0
"""For how long a case is called at most before a group where its cost settles late. After it costs
hardly move any more (`benchmarks/states.py`)."""


def sampling(processes: int = FEWEST_PROCESSES) -> contract.Sampling:
    """As the engine samples, in so many worker processes at least."""
    return contract.Sampling(
        min_processes=processes, reproducibility=REPRODUCIBILITY, settling_ms=SETTLING_MS
    )


SAMPLES_TO_ONE_PERCENT = 480
"""Samples that a case needed on average for ±1 %: a survey of 360 cases took 175,000 of them, on a
shared machine of two cores (AMD EPYC, KVM guest) with other work going on."""

SECONDS_PER_SAMPLE = 95e-6
"""What one of them took there, with the calibration beside it, verification and start-up."""

SECONDS_TO_EVICT = 15e-3
"""What it took there to empty the caches, of which the last one holds 32 MiB, before a sample."""

SECONDS_PER_BYTE = 1e-9
"""Middling speed of a cipher, which decides once a message takes longer than a slice."""


def expected_seconds(plan: contract.Plan) -> float:
    """Wall time to expect; within the budget, and right to a factor of three at best.

    Of many sessions it is that of first attempts, which is well known.
    """
    loading = workload_of(plan.workload).loading()
    seconds = partial(_sampled_seconds, plan) if loading is None else loading.seconds
    return min(plan.budget_s, sum(map(seconds, plan.cases)))


def _sampled_seconds(plan: contract.Plan, case: contract.Case) -> float:
    """The width of an interval falls with the root of the number of samples."""
    sampling = plan.sampling
    groups = max(sampling.min_groups, sampling.min_processes * sampling.rounds_per_process)
    fewest = groups * sampling.slices_per_group
    samples = max(fewest, SAMPLES_TO_ONE_PERCENT * (0.01 / plan.precision) ** 2)
    fewest_bytes = sum(case.lengths) or case.lanes * (case.message_bytes or 0)
    each = SECONDS_TO_EVICT if case.buffers == "cold" else SECONDS_PER_SAMPLE
    settling = sampling.settling_ms / 1e3 if case.buffers in ("hot", "repeated") else 0.0
    return settling + samples * (each + SECONDS_PER_BYTE * fewest_bytes)
