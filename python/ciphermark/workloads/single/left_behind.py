"""What functions leave behind in the processor, and what that costs the code after them.

A function that computed with wide vector registers and did not execute VZEROUPPER leaves their
upper halves in use. Legacy SSE code after it, its caller's for example, is slow until something
does. The engine looks after a call of each case (`processor_state.rs`), and measures the factor for
a probe.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ciphermark import contract
from ciphermark.record.run import Run


class LeftBehind(msgspec.Struct, kw_only=True):
    """An implementation that was seen to leave vector registers dirty."""

    provider: str
    algorithm: str
    path: str | None
    """The code path, where others of the same library do not."""
    sizes: list[int]
    """Bytes of the messages after which it does, where it does not after others."""
    times_after: float | None
    """How many times as long the probe of legacy SSE code takes after it; None where unknown."""


def left_behind(run: Run) -> list[LeftBehind]:
    """Those of a run, each algorithm of a library once, in the order of its cases."""
    alike: dict[tuple[str, str], list[tuple[contract.Implementation, int | None]]] = {}
    for record in run.cases:
        if (it := record.implementation) is not None:
            looked = (it, record.case.message_bytes)
            alike.setdefault((it.provider, it.algorithm), []).append(looked)
    return _found(alike.values(), times_after(run.context.engine_hello))


def left_by(
    implementations: Iterable[contract.Implementation], ratio: float | None
) -> list[LeftBehind]:
    """Those of implementations that somebody has looked at, with the factor of the machine."""
    alike: dict[tuple[str, str], list[tuple[contract.Implementation, int | None]]] = {}
    for it in implementations:
        alike.setdefault((it.provider, it.algorithm), []).append((it, None))
    return _found(alike.values(), ratio)


def times_after(hello: contract.Hello | None) -> float | None:
    """The factor that the machine was found to have."""
    return None if hello is None else hello.environment.clocks.dirty_vectors_ratio


def _found(
    alike: Iterable[list[tuple[contract.Implementation, int | None]]], ratio: float | None
) -> list[LeftBehind]:
    found = []
    for looked in alike:
        dirty = [(it, size) for it, size in looked if it.leaves_vectors_dirty]
        if not dirty:
            continue
        paths = {_path(it) for it, _ in dirty}
        others = {_path(it) for it, _ in looked} - paths
        on_these = [(it, size) for it, size in looked if _path(it) in paths]
        sizes = {size for _, size in dirty if size is not None}
        clean = {size for it, size in on_these if it.leaves_vectors_dirty is False} - {None}
        found.append(
            LeftBehind(
                provider=dirty[0][0].provider,
                algorithm=dirty[0][0].algorithm,
                path=", ".join(sorted(paths)) if others else None,
                sizes=sorted(sizes) if clean - sizes else [],
                times_after=ratio,
            )
        )
    return found


def _path(it: contract.Implementation) -> str:
    return it.path or it.backend
