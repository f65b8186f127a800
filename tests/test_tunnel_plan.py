"""What is sent through which tunnels, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from ciphermark.contract.tunnel import TunnelTrial
from ciphermark.errors import UsageError
from ciphermark.run.tunnels.searching import MEASURED_LOSS, highest, search
from ciphermark.workloads.tunnel import plan as planning
from ciphermark.workloads.tunnel.plan import Load, load, plan


def test_every_kind_has_what_it_is_predicted_from() -> None:
    for (kind, suite), cases in plan(Load(), traffic="udp").groups.items():
        calibrated = [case.profile for case in cases if case.is_calibration]
        has_null = "none" in kind.suites
        assert calibrated == (["64 B", "1400 B"] if suite == "none" or not has_null else [])
        assert "imix" in [case.profile for case in cases]


def test_suites_are_named_as_everywhere_and_the_null_cipher_comes_along() -> None:
    planned = plan(Load(), kinds="openvpn", suites="openvpn:aes-128-*")
    assert [suite for _, suite in planned.groups] == [
        "none",
        "aes-128-gcm",
        "aes-128-cbc+hmac-sha1",
        "aes-128-cbc+hmac-sha256",
    ]
    assert planned.suites[0] == "openvpn:aes-128-gcm"


def test_what_carries_streams_alone_gets_no_packets() -> None:
    assert {it.traffic for it in plan(Load(), kinds="tls").cases} == {"tcp"}


def test_a_rate_is_of_each_tunnel_or_of_all() -> None:
    assert load(tunnels="4", rate="100M").rate == 400e6
    assert load(tunnels="4", all_rate="100M").rate == 100e6


def test_a_rate_that_no_sender_reaches_is_refused() -> None:
    with pytest.raises(UsageError, match="--all-rate 10G or less"):
        plan(Load(rate=1e12), sizes="64")


def test_the_expected_time_grows_with_what_is_asked() -> None:
    quick = plan(load(quick=True), kinds="plain", quick=True)
    assert quick.expected_s < plan(Load(), kinds="plain").expected_s
    assert planning.GROUPS >= 6


def path_of(capacity: float) -> Callable[[float | None], TunnelTrial]:
    """A path that loses all that is above its capacity."""

    def run(per_second: float | None) -> TunnelTrial:
        offered = 2e6 if per_second is None else per_second
        return TunnelTrial(
            purpose="search",
            asked_per_second=per_second,
            wall_ns=10**9,
            sent_packets=round(offered),
            received_packets=round(min(offered, capacity)),
            received_bytes=0,
        )

    return run


@pytest.mark.parametrize("capacity", [130_000.0, 222_222.0, 900_000.0])
@pytest.mark.parametrize("tolerance", [0.0, 1e-4, MEASURED_LOSS])
def test_the_search_finds_the_rate_that_goes_through(capacity: float, tolerance: float) -> None:
    tried: list[TunnelTrial] = []
    found = search(path_of(capacity), 1e6, tolerance, tried)
    assert found is not None
    assert 0.9 * capacity < found <= capacity / (1 - tolerance)
    best = highest(tried, tolerance)
    assert best is not None and best.asked_per_second == found


def test_a_path_that_always_loses_has_no_rate() -> None:
    assert search(path_of(10.0), 1e6, 0.0, []) is None


def test_what_the_sender_did_not_send_is_not_without_loss() -> None:
    trial = path_of(1e6)(500_000.0)
    trial.sent_packets = trial.received_packets = 300_000
    assert highest([trial], 0.0) is None
    assert highest([trial], MEASURED_LOSS) is trial


@pytest.mark.parametrize("start", [1e3, 1e4, 9e4, 1e5, 1.1e5, 1e6, 3e7])
@pytest.mark.parametrize("ways", [1, 2])
def test_the_search_finds_the_rate_from_wherever_it_starts(start: float, ways: int) -> None:
    """As many packets arrive when a sender floods as it leaves the gateways time for."""
    tried: list[TunnelTrial] = []
    path = path_of(1e5 * ways)
    found = search(lambda it: path((it or 0.0) * ways), start, MEASURED_LOSS, tried, ways)
    assert found is not None and 0.9e5 < found < 1.03e5
    few = 12 if 9e4 <= start <= 1.1e5 else 25
    assert len(tried) <= few
    more = len(tried)
    again = search(lambda it: path((it or 0.0) * ways), found, 0.0, tried, ways)
    assert again is not None and 0.9e5 < again <= 1e5 and len(tried) - more <= 4


def test_the_search_ends_where_the_sender_has_no_more() -> None:
    def run(per_second: float | None) -> TunnelTrial:
        return msgspec.structs.replace(path_of(5e5)(5e5), asked_per_second=per_second)

    tried: list[TunnelTrial] = []
    found = search(run, 4e5, MEASURED_LOSS, tried)
    assert found is not None and found > 4e5 and len(tried) < 5
    assert tried[-1].sent_per_second == 5e5
