"""`ciphermark survey --ab OLD NEW`: two builds of one library or kernel in one interleaved run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.plan.builds import KERNEL

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.workloads.single.comparison import Comparison


def libraries(old: str, new: str) -> dict[str, str]:
    """Paths by provider, of `PATH` (a kernel) or `PROVIDER=PATH`: `kernel@old`, `kernel@new`."""
    from ciphermark.errors import UsageError

    (old_name, old_path), (new_name, new_path) = _build(old), _build(new)
    if old_name != new_name:
        raise UsageError(
            f"--ab compares builds of one library, and {old_name} is not {new_name}: for two "
            "libraries write --providers and ciphermark compare last:ONE last:OTHER"
        )
    return {f"{old_name}@old": old_path, f"{new_name}@new": new_path}


def _build(text: str) -> tuple[str, str]:
    provider, separator, path = text.partition("=")
    return (provider.lower(), path) if separator else (KERNEL, text)


def compared(kept: Kept, builds: dict[str, str], threshold: float) -> Comparison:
    """The new build held against the old, round by round."""
    from ciphermark.workloads.single.compare import compare
    from ciphermark.workloads.single.pairing import Selection

    old, new = builds
    return compare(kept.run, kept.run, Selection(new), Selection(old), threshold)


def is_bad(comparison: Comparison) -> bool:
    """Whether the new build is slower somewhere, or nothing could be said of it."""
    return bool(comparison.regressions) or comparison.unknown == len(comparison.pairs)
