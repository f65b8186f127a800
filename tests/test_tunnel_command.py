"""`ciphermark tunnel` as a user types it, through real namespaces."""

from __future__ import annotations

import signal
import time
from typing import Any

import pytest

from ciphermark.run.tunnels import leftovers
from ciphermark.run.tunnels.kinds import KINDS, Missing
from engine_fixture import SECONDS, Command
from namespaces import needs_namespaces

pytestmark = [pytest.mark.engine, needs_namespaces]

SHORT = ("--duration", "0.1s", "--rate", "500k", "--quick")
"""A rate that any machine carries, so that no test waits for a search."""

KEYS = (
    "kind suite profile traffic tunnels payload_bits_per_second packets_per_second loss latency_ns "
    "cpu_cycles_per_packet cryptography_share predicted_bits_per_second predicted_why error"
)


def rows_of(document: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [row for row in document["rows"] if row["kind"] == kind]


def needs(kind: str) -> None:
    try:
        KINDS[kind].check()
    except Missing as missing:
        pytest.skip(str(missing))


def test_plain_forwarding_carries_what_is_asked(command: Command) -> None:
    told = command("tunnel", "--kinds", "plain", "--traffic", "udp", *SHORT, "--json")
    assert told.code == 0, told.messages
    (row,) = (it for it in told.document["rows"] if it["profile"] == "imix")
    assert {*KEYS.split()} <= {*row}
    assert row["error"] is None and row["suite"] == "none"
    assert row["payload_bits_per_second"]["value"] > 0
    assert row["altered"] == 0 and row["latency_ns"]["p50"] > 0
    shown = command("show", told.document["run"])
    assert shown.code == 0 and "plain forwarding" in shown.output
    assert command("export", told.document["run"], "--format", "markdown").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "suite"),
    [("openvpn", "chacha20-poly1305"), ("wireguard-go", "chacha20-poly1305")],
)
def test_packets_come_out_of_a_tunnel_as_they_went_in(
    command: Command, kind: str, suite: str
) -> None:
    needs(kind)
    wanted = ("--kinds", kind, "--suites", suite, "--traffic", "udp", "--sizes", "1400")
    told = command("tunnel", *wanted, "--tunnels", "2", "--both-ways", *SHORT, "--json")
    assert told.code == 0, told.messages
    for row in told.document["rows"]:
        assert row["error"] is None
        assert row["packets_per_second"]["value"] > 0 and row["altered"] == 0
    assert rows_of(told.document, kind)[-1]["suite"] == suite


@pytest.mark.slow
def test_a_stream_goes_through_tls(command: Command) -> None:
    needs("tls")
    told = command("tunnel", "--kinds", "tls", "--suites", "aes-128-gcm", "--quick", "--json")
    assert told.code == 0, told.messages
    (row,) = told.document["rows"]
    assert row["traffic"] == "tcp" and row["payload_bits_per_second"]["value"] > 0


def test_what_cannot_be_is_told_with_its_cure_and_the_others_run(command: Command) -> None:
    """Kinds that the kernel lacks, and packets that the MTU does not let through."""
    wanted = ("--kinds", "plain,macsec,wireguard", "--sizes", "1400,600", "--mtu", "700")
    told = command("tunnel", *wanted, "--traffic", "udp", *SHORT, "--json")
    plain = {row["profile"]: row for row in rows_of(told.document, "plain")}
    assert "--mtu 1400" in plain["1400 B"]["error"]["message"]
    assert plain["600 B"]["error"] is None
    for kind in ("macsec", "wireguard"):
        assert rows_of(told.document, kind)
        for row in rows_of(told.document, kind):
            said = (row["error"] or {"message": "modprobe"})["message"]
            assert "modprobe" in said or "apt-get" in said or "--mtu" in said


def test_what_would_be_run_is_listed_and_nothing_is_laid(command: Command) -> None:
    told = command("tunnel", "--dry-run", "--json")
    assert told.code == 0
    assert {case["kind"] for case in told.document["cases"]} == {*KINDS}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_it_keeps_what_was_measured(command: Command, number: signal.Signals) -> None:
    wanted = ("--kinds", "plain", "--traffic", "udp", "--rate", "500k", "--duration", "30s")
    started = command.start("tunnel", *wanted)
    until = time.monotonic() + SECONDS
    while started.pid not in workbenches():
        assert time.monotonic() < until and started.poll() is None
        time.sleep(0.05)
    started.send_signal(number)
    began = time.monotonic()
    started.communicate(timeout=SECONDS)
    assert started.returncode != 0
    assert time.monotonic() - began < SECONDS / 2
    assert started.pid not in workbenches()


def workbenches() -> set[int]:
    """Processes that have beds."""
    return {owner.pid for owner in leftovers.beds().values()}
