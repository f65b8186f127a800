"""State that functions leave in the processor, and its cost to later code.

A function that computed with wide vector registers and did not execute VZEROUPPER leaves their
upper halves in use. Legacy SSE code after it, its caller's for example, is slow until an
instruction clears them, or each change between the two kinds of code is. The engine looks after a
call of each case (`processor_state.rs`), and measures both with probes.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.view import figures


class LeftBehind(msgspec.Struct, kw_only=True):
    """An implementation that was seen to leave vector registers dirty."""

    provider: str
    algorithm: str
    path: str | None
    """The code path, where others of the same library do not."""
    sizes: list[int]
    """Bytes of the messages after which it does, where it does not after others."""
    times_after: float | None
    """Slow-down of the probe of legacy SSE code after it, as a factor; None where unknown."""
    change_cycles: float | None
    """Core cycles of a change from its code to legacy SSE code and back; None where unknown."""


Looked = tuple[contract.Implementation, int | None]
"""An implementation that was looked at after a message of so many bytes, where that is known."""


def left_behind(run: Run) -> list[LeftBehind]:
    """Returns those of a run, each algorithm of a library once, in order."""
    looked = [
        (record.implementation, record.case.message_bytes)
        for record in run.cases
        if record.implementation is not None
    ]
    hello = run.context.hello
    return _left_by(looked, None if hello is None else hello.environment.clocks)


def left_by(
    implementations: Iterable[contract.Implementation], clocks: contract.Clocks
) -> list[LeftBehind]:
    """Returns those of examined implementations, with the costs by this machine's probes."""
    return _left_by([(it, None) for it in implementations], clocks)


def _left_by(every: Iterable[Looked], clocks: contract.Clocks | None) -> list[LeftBehind]:
    alike: dict[tuple[str, str], list[Looked]] = {}
    for it, size in every:
        alike.setdefault((it.provider, it.algorithm), []).append((it, size))
    left = []
    for (provider, algorithm), looked in alike.items():
        dirty = [(it, size) for it, size in looked if it.leaves_vectors_dirty]
        if not dirty:
            continue
        paths = {_path(it) for it, _ in dirty}
        others = {_path(it) for it, _ in looked} - paths
        on_these = [(it, size) for it, size in looked if _path(it) in paths]
        sizes = {size for _, size in dirty if size is not None}
        clean = {size for it, size in on_these if it.leaves_vectors_dirty is False} - {None}
        left.append(
            LeftBehind(
                provider=provider,
                algorithm=algorithm,
                path=", ".join(sorted(paths)) if others else None,
                sizes=sorted(sizes) if clean - sizes else [],
                times_after=None if clocks is None else clocks.dirty_vectors_ratio,
                change_cycles=None if clocks is None else clocks.dirty_change_cycles,
            )
        )
    return left


def _path(it: contract.Implementation) -> str:
    return it.path or it.backend


COSTS_NOTHING = 1.05
"""Factor of the probe's own variation: up to this there is no cost."""

LEAST_CHANGE = 10
"""Fewest cycles of a change that are mentioned: the probe varies by as much."""


def sentence(it: LeftBehind) -> str:
    """Returns one sentence: the function, the state that it leaves, and the cost here."""
    what = f"{it.provider} {it.algorithm}"
    if it.path is not None:
        what += f" ({it.path})"
    what += " leaves vector registers dirty"
    if it.sizes:
        *first, last = map(figures.message_size, it.sizes)
        what += f" after messages of {', '.join(first)} and {last}" if first else f" after {last}"
    return what + _cost(it)


def _cost(it: LeftBehind) -> str:
    if it.times_after is None:
        return ", which can slow legacy SSE code after it"
    costs = []
    if it.times_after > COSTS_NOTHING:
        times = figures.significant(it.times_after, 2)
        costs.append(f"legacy SSE code after it takes {times} times as long")
    if it.change_cycles is not None and it.change_cycles >= LEAST_CHANGE:
        cycles = figures.significant(it.change_cycles, 2)
        costs.append(f"each change to legacy SSE code and back costs {cycles} cycles")
    if not costs:
        return ", which costs legacy SSE code nothing here"
    return f": {' and '.join(costs)}"
