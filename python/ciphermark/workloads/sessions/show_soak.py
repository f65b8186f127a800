"""What became of rate, clock and heat in a long execution, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ciphermark.show import figures
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.soak import Change, Soak


def sentence(soak: Soak, row: SessionRow) -> str:
    """`aes-128-gcm 1 KiB, …: over 300 s messages/s from 5.31 million to … (−3.8 %), …`."""
    changes = ", ".join(_changes(soak)) or "nothing was seen of rate, clock and heat"
    return f"{session_words.case(row)}: over {soak.seconds:.0f} s {changes}"


def _changes(soak: Soak) -> Iterator[str]:
    yield from _change("messages/s", soak.per_second, figures.significant)
    yield from _change("core clock", soak.core_hz, figures.clock)
    yield from _change("temperature", soak.temperature_c, lambda it: f"{it:.0f} °C", relative=False)
    if soak.throttles is not None:
        yield f"throttled {figures.counted(soak.throttles, 'time')}"


def _change(
    name: str, change: Change | None, text: Callable[[float], str], *, relative: bool = True
) -> Iterator[str]:
    """From the beginning to the end, and between which values."""
    if change is None:
        return
    sign = "−" if change.share < 0 else "+"
    by = f", {sign}{figures.percent(abs(change.share))}" if relative else ""
    yield (
        f"{name} from {text(change.first)} to {text(change.last)} (between "
        f"{text(change.lowest)} and {text(change.highest)}{by})"
    )
