"""Rounds of tunnels: each lays its beds anew, and the figures show how far set-ups differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from ciphermark.contract.tunnel import RoleTime, Tunnel, TunnelCase, TunnelTrial
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.tunnels import searching
from ciphermark.run.tunnels.bed import ROW, BedError, Link
from ciphermark.run.tunnels.kinds import KINDS, Laid
from ciphermark.workload import rows
from ciphermark.workloads.tunnel import measuring
from ciphermark.workloads.tunnel.plan import GROUPS, Load, plan
from tunnel_example import tunnel_run

SENDER_MOST = 1e6


class FakeBed:
    """A bed whose path carries so many packets a second, which differ from one to the next."""

    laid: int = 0
    manner, mtu, offloads = "root", 1700, False

    def __init__(self, mtu: int, offloads: bool = False, *, own_threads: bool = True) -> None:
        self.number = FakeBed.laid
        FakeBed.laid += 1
        self.notes: list[str] = []
        self.threads = {it: [1] for it in ROW} if own_threads else {}
        self.links = [Link(("a", "b"), ("c", "d"), "198.18.1")] * 3

    def __enter__(self) -> FakeBed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends nothing."""

    def __getattr__(self, name: str) -> Callable[..., bool]:
        return lambda *_, **__: True


def fake_udp(capacity: Callable[[int], float]) -> Callable[..., TunnelTrial]:
    """Traffic through such a bed; a sender that floods takes the CPU from the gateways."""

    def udp(bed: FakeBed, laid: Laid, case: TunnelCase, *_: Any, **how: Any) -> TunnelTrial:
        asked, seconds = how["per_second"], how["seconds"]
        offered = min(SENDER_MOST, SENDER_MOST if asked is None else asked)
        most = capacity(bed.number) * (0.4 if asked is None else 1.0)
        received = round(min(offered, most) * seconds)
        return TunnelTrial(
            purpose=how["purpose"],
            asked_per_second=asked,
            wall_ns=round(seconds * 1e9),
            sent_packets=round(offered * seconds),
            received_packets=received,
            received_bytes=round(received * case.mean_bytes),
            cpu={role: RoleTime(kernel=1000 * received) for role in ROW},
        )

    return udp


def measured(monkeypatch: pytest.MonkeyPatch, capacity: Callable[[int], float]) -> list[Tunnel]:
    """The tunnels of plain forwarding with packets of one size."""
    FakeBed.laid = 0
    monkeypatch.setattr(measuring, "Bed", FakeBed)
    monkeypatch.setattr(measuring.traffic, "udp", fake_udp(capacity))
    monkeypatch.setattr(measuring.profiler, "refusal", lambda: "not here")
    monkeypatch.setattr(KINDS["plain"], "check", lambda: None)
    monkeypatch.setattr(KINDS["plain"], "lay", lambda *_: Laid("1"))
    planned = plan(Load(), kinds="plain", sizes="1000", traffic="udp")
    engine = Path("engine")
    with Interrupts() as interrupts:
        return measuring.measure(planned, engine, interrupts, lambda *_: None, lambda _: None)


@pytest.fixture
def two_speeds() -> Callable[[int], float]:
    """Set-ups of which some carry more than twice as much as others."""
    return lambda number: 65e3 if number % 2 else 27e3


def test_every_round_lays_a_bed_and_the_interval_covers_all_set_ups(
    monkeypatch: pytest.MonkeyPatch, two_speeds: Callable[[int], float]
) -> None:
    found = measured(monkeypatch, two_speeds)
    assert FakeBed.laid == GROUPS
    row = next(it for it in rows(tunnel_run(found)) if it.profile == "1000 B")
    assert row.trials == GROUPS and row.payload_bits_per_second is not None
    low, high = row.payload_bits_per_second.interval or (0.0, 0.0)
    assert low < 1.05 * 8000 * 27e3 and high > 0.9 * 8000 * 65e3


@pytest.mark.parametrize("capacity", [3e3, 27e3, 250e3, 2e6])
def test_what_arrives_is_a_rate_with_at_most_the_stated_loss(
    monkeypatch: pytest.MonkeyPatch, capacity: float
) -> None:
    """However little arrives when a sender floods; the sender ends at a million."""
    for row in rows(tunnel_run(measured(monkeypatch, lambda _: capacity))):
        assert row.loss is not None and row.loss <= searching.MEASURED_LOSS
        assert row.packets_per_second is not None
        truth = min(capacity, SENDER_MOST)
        assert 0.9 * truth < row.packets_per_second.value <= truth


def test_a_round_that_fails_leaves_the_figures_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def capacity(number: int) -> float:
        if number == 3:
            raise BedError("the program has ended")
        return 50e3

    found = measured(monkeypatch, capacity)
    assert all(it.error is None for it in found)
    assert {row.trials for row in rows(tunnel_run(found))} == {GROUPS - 1}


def test_a_first_round_that_fails_is_told_and_there_is_no_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def capacity(number: int) -> float:
        raise BedError("the program has ended")

    found = measured(monkeypatch, capacity)
    assert all(it.error is not None and "has ended" in it.error.message for it in found)
