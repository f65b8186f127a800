"""Our kernels that small processors can run, as the engine states them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.errors import UsageError, WorkError

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.answers.models.costs import FunctionCosts
    from ciphermark.answers.models.feasible import Feasibility

_FOLDERS = {"reference": "reference", "table": "portable", "portable": "portable"}
"""The folder of `kernels/` that has the kernels of a backend in plain C."""


def _kernels() -> list[contract.Implementation]:
    """Returns our kernels; empty without an engine."""
    from ciphermark.run import caches
    from ciphermark.run.engine import Engine

    try:
        return caches.kernels(Engine())
    except (OSError, UsageError, WorkError):
        return []


def not_constant_time() -> set[tuple[str, str]]:
    """Returns algorithm and backend of all kernels that are not stated to take constant time.
    Raises `UsageError` without an engine."""
    found = _kernels()
    if not found:
        raise UsageError(
            "--constant-time: no engine states which kernels take constant time: leave it out, or "
            "install ciphermark-engine"
        )
    return {(it.algorithm, it.backend) for it in found if not it.constant_time}


def depending_on_secrets(found: Iterable[Feasibility]) -> Iterator[str]:
    """Yields the sentence about kernels that fit and are not stated to take constant time."""
    leaking = {(it.algorithm, it.backend) for it in _kernels() if not it.constant_time}
    named = {f"{name} ({backend})" for name, backend in leaking & {_kernel(it) for it in found}}
    if named:
        listed = ", ".join(sorted(named))
        yield f"time may depend on secrets, and --constant-time leaves them out: {listed}"


def _kernel(it: Feasibility) -> tuple[str, str]:
    return it.algorithm, it.backend


def left_out(algorithms: Collection[str]) -> Iterator[str]:
    """Yields the sentence about algorithms without a kernel that takes constant time."""
    if algorithms:
        names = ", ".join(sorted(algorithms))
        yield f"left out, since no kernel with figures is stated to take constant time: {names}"


def to_simulate(costs: FunctionCosts, ciphers: Collection[str] = ()) -> Iterator[str]:
    """Yields the command that simulates further kernels of the functions with figures here, or only
    of modes of these ciphers."""
    from ciphermark.run.targets.target import TARGETS

    processor = costs.processor
    if processor.name not in TARGETS.files():
        return
    folders = TARGETS.named(processor.name).kernels
    stored = {
        (it.algorithm, backend)
        for it in costs.costs.functions
        for backend in costs.costs.own_kernels(processor, it)
    }
    algorithms = {algorithm for algorithm, _ in stored}
    missing = [
        (it.algorithm, it.backend)
        for it in _kernels()
        if it.algorithm in algorithms
        and (not ciphers or any(f"-{cipher}-" in f"-{it.algorithm}-" for cipher in ciphers))
        and _FOLDERS.get(it.backend) in folders
        and (it.algorithm, it.backend) not in stored
        and costs.room.allows(it.algorithm, it.backend)
    ]
    if missing:
        names = ",".join(dict.fromkeys(name for name, _ in missing))
        backends = ",".join(dict.fromkeys(backend for _, backend in missing))
        yield (
            "kernels without a figure here, which may be faster: ciphermark simulate "
            f"{processor.name} --algorithms {names} --backends {backends}"
        )
