"""How each kind of tunnel is laid: what is called, and what is said where something is missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.run.tunnels.bed import Bed, BedError, Ended, flows
from ciphermark.run.tunnels.kinds import KINDS, Missing
from ciphermark.run.tunnels.kinds import kind as kinds


class FakeBed(Bed):
    """Notes what is called, and says that all is well, or that the kernel lacks something."""

    def __init__(self, lacks: str = "", logs: str = "Initialization Sequence Completed") -> None:
        super().__init__(1700)
        self.called: list[tuple[str | None, list[str]]] = []
        self.files: dict[str, str] = {}
        self._lacks, self._logs = lacks, logs

    def run(
        self, argv: Sequence[str], within: str | None = None, given: str = "", seconds: float = 10.0
    ) -> Ended:
        self.called.append((within, list(argv)))
        if self._lacks and self._lacks in argv:
            return Ended(2, False, "", "RTNETLINK answers: Protocol not supported\n")
        output = {"genkey": "cHJpdmF0ZQ==", "pubkey": "cHVibGlj"}.get(argv[-1], "name=AA:BB 1.0")
        if argv[0] == "cat" and argv[1] == "/proc/net/tcp":
            output = ":1451 :20FB "
        return Ended(0, False, output, "")

    def start(self, name: str, argv: Sequence[str], within: str, nice: int = 0) -> None:
        self.called.append((within, list(argv)))

    def stop(self, name: str) -> Ended:
        return Ended(0, False, "", "ended")

    def log(self, name: str) -> str:
        return self._logs

    def is_running(self, name: str) -> bool:
        return True

    def private_file(self, name: str, text: str) -> str:
        self.files[name] = text
        return f"/run/ciphermark/{name}"

    def calls(self, *words: str) -> list[list[str]]:
        """Of what was called, that which has these words."""
        return [argv for _, argv in self.called if set(words) <= set(argv)]


TUNNELS = list(flows(2))


@pytest.mark.parametrize("name", [*KINDS])
def test_each_kind_says_what_it_is(name: str) -> None:
    kind = KINDS[name]
    assert kind.title and {*kind.usual} <= {*kind.suites}
    assert {*kind.carries} <= {"udp", "tcp"}


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.programs])
def test_a_program_that_is_not_installed_is_named_with_its_package(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "is_installed", lambda program: False)
    with pytest.raises(Missing) as missing:
        kinds.Kind.check(KINDS[name])
    program, package = KINDS[name].programs[0]
    assert program in str(missing.value)
    assert f"type: apt-get install {package}" in str(missing.value)


@pytest.mark.parametrize(
    ("name", "suite", "lacks"),
    [
        ("esp", "aes-128-gcm", "xfrm"),
        ("esp-transport", "aes-128-gcm", "ipip"),
        ("wireguard", "chacha20-poly1305", "wireguard"),
        ("macsec", "aes-128-gcm", "macsec"),
    ],
)
def test_a_kernel_that_lacks_a_kind_is_named_with_what_to_load(
    name: str, suite: str, lacks: str
) -> None:
    with pytest.raises(Missing, match="modprobe") as missing:
        KINDS[name].lay(FakeBed(lacks), suite, TUNNELS[:1])
    assert "Linux " in str(missing.value)


@pytest.mark.parametrize("name", ["wireguard-go", "openvpn"])
def test_a_program_that_may_make_no_device_is_named_with_what_to_type(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "is_installed", lambda program: True)
    monkeypatch.setattr(kinds, "TUN", tmp_path / "tun")
    with pytest.raises(Missing, match="modprobe tun"):
        KINDS[name].check()
    (tmp_path / "tun").touch()
    KINDS[name].check()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(Missing, match="chmod a[+]rw"):
        KINDS[name].check()


@pytest.mark.parametrize(
    ("kind", "suite"),
    [
        (name, suite)
        for name, kind in KINDS.items()
        if kind.protocol == "esp"
        for suite in kind.suites
    ],
)
def test_esp_has_a_key_for_each_direction_of_each_tunnel_known_to_both_gateways(
    kind: str, suite: str
) -> None:
    bed = FakeBed()
    KINDS[kind].lay(bed, suite, TUNNELS)
    states = bed.calls("xfrm", "state", "add")
    assert len(states) == 8
    by_spi: dict[str, list[list[str]]] = {}
    for argv in states:
        by_spi.setdefault(argv[argv.index("spi") + 1], []).append(argv[argv.index("reqid") :])
    assert len(by_spi) == 4
    assert all(len(own) == 2 and own[0] == own[1] for own in by_spi.values())
    if suite != "none":
        assert len({str(own[0]) for own in by_spi.values()}) == 4
    directions = [argv[argv.index("dir") + 1] for argv in bed.calls("xfrm", "policy", "add")]
    assert sorted(set(directions)) == ["fwd", "in", "out"] and directions.count("out") == 4


def test_esp_in_transport_mode_protects_what_each_tunnels_own_interface_sends() -> None:
    bed = FakeBed()
    KINDS["esp-transport"].lay(bed, "aes-128-gcm", TUNNELS)
    ends = [argv[argv.index("local") + 1 :: 2][:2] for argv in bed.calls("link", "add", "ipip")]
    assert ends == [
        ["198.18.2.10", "198.18.2.11"],
        ["198.18.2.11", "198.18.2.10"],
        ["198.18.2.12", "198.18.2.13"],
        ["198.18.2.13", "198.18.2.12"],
    ]
    for argv in bed.calls("xfrm", "state", "add"):
        assert [argv[argv.index("src") + 1], argv[argv.index("dst") + 1]] in ends
        assert argv[argv.index("mode") + 1] == "transport" and "esn" not in argv


def test_extended_sequence_numbers_are_asked_of_every_state() -> None:
    bed = FakeBed()
    KINDS["esp-esn"].lay(bed, "aes-128-gcm", TUNNELS)
    assert all("esn" in argv for argv in bed.calls("xfrm", "state", "add"))


def test_openvpn_gets_the_suite_and_the_other_sides_certificate() -> None:
    bed = FakeBed(logs="Initialization Sequence Completed\nData Channel: cipher 'AES-128-GCM'")
    laid = KINDS["openvpn"].lay(bed, "aes-128-gcm", TUNNELS)
    started = bed.calls("openvpn", "--peer-fingerprint")
    assert len(started) == 4 and len(laid.all_programs) == 4
    assert all(argv[argv.index("--data-ciphers") + 1] == "AES-128-GCM" for argv in started)
    assert sum("--tls-server" in argv for argv in started) == 2
    assert {argv[argv.index("--lport") + 1] for argv in started} == {"1194", "1195"}


def test_openvpns_data_channel_is_in_the_kernel_only_where_that_is_asked_for() -> None:
    up = "Initialization Sequence Completed\nData Channel: cipher 'AES-128-GCM'"
    outside, within = FakeBed(logs=up), FakeBed(logs=up)
    KINDS["openvpn"].lay(outside, "aes-128-gcm", TUNNELS)
    assert len(outside.calls("openvpn", "--disable-dco")) == 4
    KINDS["openvpn-dco"].lay(within, "aes-128-gcm", TUNNELS)
    assert len(within.calls("openvpn", "--cert")) == 4
    assert not within.calls("openvpn", "--disable-dco")
    assert "none" not in KINDS["openvpn-dco"].suites
    lacking = f"Note: Kernel support for ovpn-dco missing, disabling data channel offload.\n{up}"
    with pytest.raises(Missing, match="apt-get install openvpn-dco-dkms"):
        KINDS["openvpn-dco"].lay(FakeBed(logs=lacking), "aes-128-gcm", TUNNELS)


def test_openvpn_that_agrees_on_another_cipher_is_not_measured() -> None:
    bed = FakeBed(logs="Initialization Sequence Completed\nData Channel: cipher 'AES-256-GCM'")
    with pytest.raises(BedError, match="agreed on AES-256-GCM"):
        KINDS["openvpn"].lay(bed, "aes-128-gcm", TUNNELS)


def test_openvpn_that_does_not_come_up_is_said_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bed = FakeBed(logs="TLS Error: handshake failed\n")
    monkeypatch.setattr(kinds, "UP_S", 0.1)
    monkeypatch.setattr(kinds.wait_until, "__defaults__", (0.1,))
    with pytest.raises(BedError, match="handshake failed"):
        KINDS["openvpn"].lay(bed, "none", TUNNELS)


@pytest.mark.parametrize("name", ["wireguard", "wireguard-go"])
def test_wireguard_has_an_interface_for_each_tunnel_and_lets_its_networks_through(
    name: str,
) -> None:
    bed = FakeBed()
    laid = KINDS[name].lay(bed, "chacha20-poly1305", TUNNELS)
    allowed = [argv[argv.index("allowed-ips") + 1] for argv in bed.calls("wg", "set")]
    assert allowed == ["198.18.64.0/24,198.19.64.0/24"] * 2 + ["198.18.65.0/24,198.19.65.0/24"] * 2
    assert len({argv[2] for argv in bed.calls("wg", "set")}) == 4
    assert len(laid.all_programs) == (4 if name == "wireguard-go" else 0)
    assert set(bed.files) == {f"wg-gateway-{it}-{n}" for it in (1, 2) for n in (0, 1)}


def test_macsec_has_keys_of_its_own_each_way_and_one_tunnel() -> None:
    bed = FakeBed()
    KINDS["macsec"].lay(bed, "aes-256-gcm", TUNNELS[:1])
    keys = [argv[-1] for argv in bed.calls("macsec", "key")]
    assert len(keys) == 4 and len(set(keys)) == 2 and {len(key) for key in keys} == {64}
    with pytest.raises(UsageError, match="--tunnels 1"):
        KINDS["macsec"].lay(bed, "aes-256-gcm", TUNNELS)


def test_tls_takes_a_stream_from_the_first_gateway() -> None:
    bed = FakeBed()
    laid = KINDS["tls"].lay(bed, "chacha20-poly1305", TUNNELS[:1])
    assert laid.tcp_target == bed.links[0].addresses[1]
    near, far = (bed.files[f"stunnel-gateway-{it}.conf"] for it in (1, 2))
    assert "client = yes" in near and "client = no" in far
    assert "ciphersuites = TLS_CHACHA20_POLY1305_SHA256" in near
