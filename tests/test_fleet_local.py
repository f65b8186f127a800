"""Worker processes on this machine."""

from __future__ import annotations

import os
import signal

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")


def group_and_blocked() -> tuple[int, set[int]]:
    """Whose Ctrl-C a worker gets, and which signals what it starts does not get."""
    return os.getpgid(0), {int(it) for it in signal.pthread_sigmask(signal.SIG_BLOCK, ())}


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_is_not_for_workers_and_stops_their_engines() -> None:
    from ciphermark.farm.cluster import Reach, reached

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with reached(Reach(local=1), lambda sentence: None) as farm:
        farm.client.wait_for_workers(1, timeout=60)
        (group, blocked) = farm.client.submit(group_and_blocked).result(timeout=60)
        assert group != os.getpgid(0)
        assert signal.SIGINT not in blocked
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
