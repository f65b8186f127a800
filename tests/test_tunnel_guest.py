"""Tunnels of the kernel, in a kernel that has them: the calls that lay them are noted, and made in
a guest, where packets then go through.

Correctness is proved there. Speed is not: QEMU emulates the processor.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ciphermark.run.engine import Engine
from ciphermark.run.tunnels.bed import RECEIVER, ROW, SENDER, Bed, Ended, flows
from ciphermark.run.tunnels.kinds import KINDS
from guest import Answer, Guest, Unavailable

pytestmark = pytest.mark.deep

KERNEL = Path(os.environ.get("CIPHERMARK_GUEST", Path(sys.prefix) / "guest"))
SECONDS = 1200
"""Each kind takes some ten seconds of an emulated machine, on a busy one many times that."""

ESP = [name for name, kind in KINDS.items() if kind.protocol == "esp"]
CASES = [
    ("plain", "none"),
    *(("esp", suite) for suite in KINDS["esp"].suites),
    *(
        (kind, suite)
        for kind in ESP[1:]
        for suite in ("aes-128-gcm", "aes-128-cbc+hmac-sha256-128")
    ),
    ("wireguard", "chacha20-poly1305"),
    ("macsec", "aes-128-gcm"),
]
TUNNELS = {"macsec": 1}
"""How many there are of a kind; two of the others."""

LENGTHS = "40,576,1400"

IP = "/bin/ip"
OWN = {"ip": IP, "tc": "/bin/tc"}
"""Where the guest has the programs of which its shell has others of the same name."""


class NotedBed(Bed):
    """Makes keys here, and notes what else would be called."""

    def __init__(self) -> None:
        super().__init__(1700, own_threads=False)  # nothing is timed there
        self.calls: list[list[str]] = []

    def run(
        self, argv: Sequence[str], within: str | None = None, given: str = "", seconds: float = 10.0
    ) -> Ended:
        if argv[0] == "wg" and argv[1] in ("genkey", "pubkey"):
            made = subprocess.run(argv, input=given, capture_output=True, text=True, check=True)
            return Ended(0, False, made.stdout, "")
        entered = [] if within is None else ["ip", "netns", "exec", within]
        if argv[0] == "cat":  # its answer is needed in a later call: see `_word`
            return Ended(0, False, f"@{within}:{argv[1]}@", "")
        if argv[0] not in ("ethtool", "unshare"):
            self.calls.append([*entered, *argv])
        return Ended(0, False, "", "")

    def private_file(self, name: str, text: str) -> str:
        path = f"/run/ciphermark/{name}"
        self.calls.append(["sh", "-c", f"umask 077; echo {shlex.quote(text)} > {path}"])
        return path


def script(kind: str, suite: str) -> list[list[str]]:
    """What lays a tunnel, sends packets through it in both directions, and takes it down."""
    bed = NotedBed()
    bed._lay()
    pairs = list(flows(TUNNELS.get(kind, 2)))
    for from_, to in pairs:
        bed.ip(SENDER, "addr", "add", f"{from_}/32", "dev", bed.links[0].devices[0])
        bed.ip(RECEIVER, "addr", "add", f"{to}/32", "dev", bed.links[2].devices[1])
    bed.route("gateway-1", "198.18.64.0/18", "via", bed.links[0].addresses[0])
    bed.route("gateway-2", "198.19.64.0/18", "via", bed.links[2].addresses[1])
    KINDS[kind].lay(bed, suite, pairs)
    laid = ["sh", "-ec", "; ".join(" ".join(map(_word, call)) for call in bed.calls)]
    there = [_sent(SENDER, RECEIVER, pairs), _sent(RECEIVER, SENDER, [(b, a) for a, b in pairs])]
    seen = [
        [IP, "-n", "gateway-1", "-s", "xfrm", "state"],
        ["sh", "-c", f"{IP} netns exec gateway-1 wg show all transfer; true"],
        [IP, "-n", "gateway-1", "-s", "macsec", "show"],
    ]
    down = ["sh", "-c", f"for it in {' '.join(ROW)}; do {IP} netns del $it; done"]
    return [laid, *there, *seen, down]


def _word(word: str) -> str:
    """A word for the guest's shell, which looks up what was not known here."""
    if not word.startswith("@"):
        return shlex.quote(OWN.get(word, word))
    within, _, path = word.strip("@").partition(":")
    return f"$({IP} netns exec {within} cat {path})"


def _sent(near: str, far: str, pairs: list[tuple[str, str]]) -> list[str]:
    receive = f"engine traffic receive --port 5001 --flows {len(pairs)} --duration 20"
    ways = " ".join(f"--flow {from_}={to}:5001" for from_, to in pairs)
    send = f"engine traffic send {ways} --lengths {LENGTHS} --rate 60 --duration 1"
    return [
        "sh",
        "-c",
        f"(sleep 4 | {IP} netns exec {far} {receive} > /tmp/received) & sleep 1; "
        f"{IP} netns exec {near} {send}; wait; tail -n 1 /tmp/received",
    ]


@pytest.fixture(scope="module")
def answers(
    engine: Engine, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], list[Answer]]:
    """What the guest said, by kind and suite; it is started once."""
    programs = {"engine": engine.path}
    for name, package in (("ip", "iproute2"), ("tc", "iproute2"), ("wg", "wireguard-tools")):
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"{name} is not installed; type: apt-get install {package}")
        programs[name] = Path(found).resolve()
    try:
        guest = Guest.of(KERNEL, tmp_path_factory.mktemp("guest"))
    except Unavailable as why:
        pytest.skip(str(why))
    if not list(guest.modules.glob("kernel/drivers/net/veth.ko*")):
        pytest.skip(
            "the guest's kernel was unpacked without the modules of tunnels; type: make "
            "guest-kernel"
        )
    before = [
        ["sh", "-c", "mkdir -p /run/netns /run/ciphermark; modprobe veth; /bin/ip link set lo up"]
    ]
    scripts = {case: script(*case) for case in CASES}
    said = guest.run([*before, *(it for own in scripts.values() for it in own)], programs, SECONDS)
    found, place = {}, len(before)
    for case, own in scripts.items():
        found[case] = said[place : place + len(own)]
        place += len(own)
    return found


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_packets_come_out_of_the_kernels_tunnel_as_they_went_in(
    answers: dict[tuple[str, str], list[Answer]], case: tuple[str, str]
) -> None:
    laid, there, back, *_ = answers[case]
    assert laid.code == 0, laid.messages
    for way in (there, back):
        assert way.code == 0, way.messages
        sent, received = map(json.loads, way.output.splitlines())
        assert received["packets"] == sent["packets"] > 0
        assert received["flows"] == sent["flows"]
        # In which order two processors of the guest end their work is the kernel's affair.
        assert received["altered"] == 0
        assert received["examined"] > 0


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_they_went_through_the_tunnel_and_not_beside_it(
    answers: dict[tuple[str, str], list[Answer]], case: tuple[str, str]
) -> None:
    *_, states, transfers, macsec, _ = answers[case]
    kind, _ = case
    if kind in ESP:
        packets = [int(count) for count in re.findall(r"(\d+)\(packets\)", states.output)]
        assert len(packets) == 4 and all(packets)
        has_flag = re.search(r"flag [^\n]*\besn\b", states.output) is not None
        assert has_flag == (kind == "esp-esn")
        assert ("mode transport" in states.output) == (kind == "esp-transport")
    elif kind == "wireguard":
        bytes_ = [int(it) for line in transfers.output.splitlines() for it in line.split()[-2:]]
        assert len(bytes_) == 4 and all(bytes_)
    elif kind == "macsec":
        assert "encrypt on" in macsec.output
