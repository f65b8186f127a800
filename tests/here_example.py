"""Machines that plans are built for: CPUs, cores and limits."""

from __future__ import annotations

from ciphermark.plan.cpu_sets import Cpus, Here, Limits

TWO = Cpus(allowed=[0, 1], cores=[[0], [1]])
PLENTY = Limits(threads=30_000, threads_by="kernel.pid_max", memory_bytes=8 << 30)


def cores(count: int) -> Cpus:
    """So many cores of one CPU each."""
    return Cpus(allowed=[*range(count)], cores=[[cpu] for cpu in range(count)])


def here(cpus: Cpus = TWO, memory_bytes: int = PLENTY.memory_bytes, *, bound: bool = True) -> Here:
    """A machine of these CPUs, where sessions may be given a quota of CPU time."""
    limits = Limits(threads=PLENTY.threads, threads_by=PLENTY.threads_by, memory_bytes=memory_bytes)
    return Here(cpus=cpus, limits=limits, may_bound_cpu=bound)
