"""OpenVPN over UDP, as a user-space program between TUN interfaces."""

from __future__ import annotations

import re
from typing import ClassVar

from ciphermark.run.tunnels.bed import GATEWAY_1, INNER_MTU_BYTES, Bed, BedError, network_of
from ciphermark.run.tunnels.kinds.kind import (
    NULL,
    UP_S,
    Kind,
    Laid,
    Missing,
    each_gateway,
    kernel_version,
    wait_until,
)

_CIPHERS = {
    "aes-128-gcm": ("AES-128-GCM", None),
    "aes-256-gcm": ("AES-256-GCM", None),
    "chacha20-poly1305": ("CHACHA20-POLY1305", None),
    "aes-128-cbc+hmac-sha1": ("AES-128-CBC", "SHA1"),
    "aes-128-cbc+hmac-sha256": ("AES-128-CBC", "SHA256"),
    "aes-256-cbc+hmac-sha1": ("AES-256-CBC", "SHA1"),
    "aes-256-cbc+hmac-sha256": ("AES-256-CBC", "SHA256"),
    NULL: ("none", "none"),
}
"""Each suite: OpenVPN's cipher, and its MAC where that is chosen apart."""

_IS_UP = "Initialization Sequence Completed"
_NOT_OFFLOADED = "disabling data channel offload"


class OpenVpn(Kind):
    """The data channel is that of a usual set-up with TLS and certificates. The two know each
    other's certificate by its fingerprint, so that no authority is needed."""

    name = "openvpn"
    title = "OpenVPN"
    in_kernel = False
    protocol = "openvpn"
    suites: ClassVar[tuple[str, ...]] = tuple(_CIPHERS)
    usual: ClassVar[tuple[str, ...]] = (NULL, "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
    provider: ClassVar[str | None] = "openssl"
    most_bytes_added = 28 + 4 + 16 + 5 + 16 + 32
    """IP and UDP, header, IV, packet number and padding, HMAC-SHA-256: CBC adds most."""
    programs = (("openvpn", "openvpn"), ("openssl", "openssl"))
    makes_tun = True
    where: ClassVar[str] = "without DCO"
    options: ClassVar[tuple[str, ...]] = ("--disable-dco",)

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        prints = {gateway: _certificate(bed, gateway) for gateway, _, _ in each_gateway(bed)}
        version = bed.run(["openvpn", "--version"]).output.splitlines()[0]
        laid = Laid(
            " ".join(version.split()[:2]),
            setting=f"UDP, one thread, {self.where}: Debian's program with its default buffers",
        )
        for number in range(len(tunnels)):
            for gateway, own, other in each_gateway(bed):
                is_first = gateway == GATEWAY_1
                peer = next(name for name in prints if name != gateway)
                name = f"openvpn {gateway} {number}"
                role = ["--tls-server", "--dh", "none"] if is_first else ["--tls-client"]
                inner = [f"198.18.{128 + number}.{end}" for end in (1, 2)]
                bed.start(
                    name,
                    [
                        *("openvpn", "--dev", f"tun{number}", "--dev-type", "tun"),
                        *("--proto", "udp4", "--topology", "p2p"),
                        *("--local", own, "--lport", str(1194 + number)),
                        *("--remote", other, str(1194 + number)),
                        *("--ifconfig", *(inner if is_first else reversed(inner))),
                        *role,
                        *("--cert", f"/run/ciphermark/{gateway}.crt"),
                        *("--key", f"/run/ciphermark/{gateway}.key"),
                        *("--peer-fingerprint", prints[peer]),
                        *_data_channel(suite),
                        *self.options,
                        *("--tun-mtu", str(INNER_MTU_BYTES), "--mssfix", "0"),
                        *("--txqueuelen", "1000", "--reneg-sec", "0", "--verb", "3"),
                    ],
                    gateway,
                )
                laid.programs.setdefault(gateway, []).append(name)
        for name in laid.all_programs:
            self._wait(bed, name, suite)
        for number, (from_, to) in enumerate(tunnels):
            for gateway, network in zip(prints, (to, from_), strict=True):
                bed.route(gateway, network_of(network), "dev", f"tun{number}")
        return laid

    def _wait(self, bed: Bed, name: str, suite: str) -> None:
        """Until it is up with the cipher that was asked for."""

        def has_said(what: str) -> bool:
            return what in bed.log(name) or not bed.is_running(name)

        if not wait_until(lambda: has_said(_IS_UP)) or not bed.is_running(name):
            raise BedError(f"OpenVPN did not come up in {UP_S:g} s: {_last(bed, name)}")
        agreed = re.search(r"Data Channel: cipher '([^']+)'", bed.log(name))
        asked = _CIPHERS[suite][0]
        null = (
            suite == NULL
            and agreed is not None
            and agreed[1].strip("[]") in ("none", "null-cipher")
        )
        if agreed is not None and agreed[1].lower() != asked.lower() and not null:
            raise BedError(f"OpenVPN has agreed on {agreed[1]} where {asked} was asked for")


class OpenVpnOffloaded(OpenVpn):
    """The data channel is in the kernel, which has AEADs alone."""

    name = "openvpn-dco"
    title = "OpenVPN, data channel in the kernel"
    in_kernel = True
    suites = ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
    usual = suites
    provider = None
    where = "with DCO"
    options = ()

    def _wait(self, bed: Bed, name: str, suite: str) -> None:
        super()._wait(bed, name, suite)
        if _NOT_OFFLOADED in bed.log(name):
            raise Missing(
                f"this kernel ({kernel_version()}) has no data channel offload for OpenVPN; type: "
                "apt-get install openvpn-dco-dkms"
            )


def _last(bed: Bed, name: str) -> str:
    """What it said last, and would have said before it was asked to end."""
    lines = [line for line in bed.log(name).splitlines() if line.strip()]
    return lines[-1] if lines else bed.stop(name).said


def _data_channel(suite: str) -> list[str]:
    cipher, mac = _CIPHERS[suite]
    chosen = ["--data-ciphers", cipher, "--cipher", cipher]
    return [*chosen, "--auth", mac] if mac else chosen


def _certificate(bed: Bed, gateway: str) -> str:
    """Makes a key and a certificate of a gateway, and returns the fingerprint of that."""
    key, certificate = (bed.private_file(f"{gateway}.{end}", "") for end in ("key", "crt"))
    bed.must(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
            *("ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={gateway}"),
            *("-keyout", key, "-out", certificate),
        ]
    )
    shown = bed.must(["openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
    return shown.partition("=")[2].strip()


OPENVPN = OpenVpn()
OPENVPN_OFFLOADED = OpenVpnOffloaded()
