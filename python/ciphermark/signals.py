"""The signals that ask a command to end: Ctrl-C, `kill`, and a terminal that has gone."""

from __future__ import annotations

import signal

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heeded() -> list[signal.Signals]:
    """Those that are not ignored: what our parent ignores (nohup, a shell's background job) stays
    ignored."""
    return [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
