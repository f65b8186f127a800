"""The kinds of attack: a function that makes one try, and how often its turn comes."""

from __future__ import annotations

from collections.abc import Callable

from attack.attempt import Attempt
from attack.kinds import (
    alignments,
    bombs,
    command_lines,
    containers,
    corrupt,
    disk,
    kernels,
    kill,
    namespaces,
    others,
    plans,
    reads,
    replaced,
    signals,
    stored_texts,
    streams,
    text,
)

KINDS: dict[str, tuple[Callable[[Attempt], None], int]] = {
    "text": (text.attempt, 120),
    "command_lines": (command_lines.attempt, 80),
    "others": (others.attempt, 30),
    "reads": (reads.attempt, 40),
    "bombs": (bombs.attempt, 8),
    "stored_texts": (stored_texts.attempt, 24),
    "corrupt": (corrupt.attempt, 48),
    "plans": (plans.attempt, 24),
    "streams": (streams.attempt, 4),
    "disk": (disk.attempt, 2),
    "signals": (signals.attempt, 2),
    "kill": (kill.attempt, 1),
    "kernels": (kernels.attempt, 1),
    "namespaces": (namespaces.attempt, 4),
    "alignments": (alignments.attempt, 2),
    "replaced": (replaced.attempt, 1),
    "containers": (containers.attempt, 1),
}
