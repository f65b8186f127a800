"""The engine's sender and receiver, over the loopback interface."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from ciphermark import contract
from ciphermark.run.engine import Engine
from ciphermark.run.tunnels.traffic import quantile

pytestmark = pytest.mark.engine

PORT = 45001
ADDRESS = "127.0.0.1"


def ask(engine: Engine, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(engine.path), "traffic", *arguments], capture_output=True, text=True, timeout=30
    )


def receiver(engine: Engine, port: int, flows: int = 1) -> subprocess.Popen[str]:
    words = ["receive", "--port", str(port), "--flows", str(flows), "--duration", "20"]
    started = subprocess.Popen(
        [str(engine.path), "traffic", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def received(process: subprocess.Popen[str]) -> contract.Received:
    """What a receiver tells once nothing more comes."""
    told, _ = process.communicate(timeout=20)
    return msgspec.json.decode(told, type=contract.Received)


def test_every_packet_that_was_sent_slowly_arrives_as_it_was(engine: Engine) -> None:
    there = receiver(engine, PORT, flows=2)
    pairs = [f"--flow={ADDRESS}={ADDRESS}:{PORT}"] * 2
    told = ask(
        engine, "send", *pairs, "--lengths", "40,576,1500", "--rate", "600", "--duration", "0.5"
    )
    sent = msgspec.json.decode(told.stdout, type=contract.Sent)
    arrived = received(there)
    assert sent.packets == sum(sent.flows) > 0 and sent.asked_per_second == 600
    assert (arrived.packets, arrived.bytes, arrived.flows) == (sent.packets, sent.bytes, sent.flows)
    assert (arrived.reordered, arrived.altered, arrived.foreign) == (0, 0, 0)
    assert arrived.examined > 0
    assert sum(it.count for it in arrived.latencies) == arrived.packets
    p50, p99 = quantile(arrived.latencies, 0.5), quantile(arrived.latencies, 0.99)
    assert p50 is not None and p99 is not None and 0 < p50 <= p99


def test_what_is_not_of_the_sender_is_told_apart(engine: Engine) -> None:
    import socket

    there = receiver(engine, PORT + 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(b"hello", (ADDRESS, PORT + 1))
        stranger.sendto(bytes([0, 0, 0, 0, 0, 9]) + bytes(20), (ADDRESS, PORT + 1))
    arrived = received(there)
    assert (arrived.packets, arrived.foreign) == (0, 2)


def test_a_receiver_that_nobody_sends_to_says_so(engine: Engine) -> None:
    arrived = received(receiver(engine, PORT + 2))
    assert (arrived.packets, arrived.wall_ns, arrived.latencies) == (0, 0, [])
    assert quantile(arrived.latencies, 0.5) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--lengths", "39"], "40 to 65535"),
        (["--lengths", "64", "--rate", "0"], "--rate is 0"),
        (["--lengths", "64", "--rate", "1e9"], "at most"),
        (["--lengths", "64", "--duration", "601"], "at most 600"),
    ],
)
def test_what_cannot_be_sent_is_refused(engine: Engine, arguments: list[str], says: str) -> None:
    usual = [] if "--duration" in arguments else ["--duration", "0.1"]
    told = ask(engine, "send", f"--flow={ADDRESS}={ADDRESS}:{PORT}", *arguments, *usual)
    assert told.returncode == 2 and says in told.stderr


def test_without_a_receiver_the_sender_goes_on(engine: Engine, tmp_path: Path) -> None:
    flow = f"--flow={ADDRESS}={ADDRESS}:{PORT + 3}"
    told = ask(engine, "send", flow, "--lengths", "64", "--rate", "200", "--duration", "0.2")
    sent = msgspec.json.decode(told.stdout, type=contract.Sent)
    assert sent.packets > 1
