"""ESP in the kernel, set up by hand with `ip xfrm`."""

from __future__ import annotations

import secrets
from typing import ClassVar

from ciphermark.run.tunnels.bed import GATEWAY_1, INNER_MTU_BYTES, Bed, network_of
from ciphermark.run.tunnels.kinds.kind import (
    NULL,
    Kind,
    Laid,
    each_gateway,
    kernel_version,
    lacks_module,
)

_AEADS = {
    "aes-128-gcm": ("rfc4106(gcm(aes))", 16 + 4),
    "aes-256-gcm": ("rfc4106(gcm(aes))", 32 + 4),
    "chacha20-poly1305": ("rfc7539esp(chacha20,poly1305)", 32 + 4),
}
"""The kernel's name of each, and the bytes of key and salt."""

_PAIRS = {
    "aes-128-cbc+hmac-sha256-128": (("cbc(aes)", 16), ("hmac(sha256)", 32, 128)),
    "aes-256-cbc+hmac-sha256-128": (("cbc(aes)", 32), ("hmac(sha256)", 32, 128)),
    NULL: (("ecb(cipher_null)", 0), ("digest_null", 0, 0)),
}
"""Cipher with the bytes of its key, MAC with those of its key and the bits of its tag."""


class Esp(Kind):
    """Tunnel mode, sequence numbers of 32 bits, window of 64 packets."""

    name = "esp"
    title = "ESP in the kernel"
    in_kernel = True
    protocol = "esp"
    suites = (*_AEADS, *_PAIRS)
    usual: ClassVar[tuple[str, ...]] = (NULL, "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
    most_bytes_added = 20 + 8 + 16 + 15 + 2 + 16
    """Outer header, ESP header, IV, padding, trailer, tag: CBC adds most."""
    mode: ClassVar[str] = "tunnel"
    state_flags: ClassVar[tuple[str, ...]] = ()

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        for number, (from_, to) in enumerate(tunnels):
            gateways = self._gateways(bed, number)
            for place, flow in enumerate(((from_, to), (to, from_))):
                # Each direction has a key of its own, which both gateways know.
                spi = f"0x{0x1000 + 2 * number + place:x}"
                keys = _keys(suite)
                for gateway, own, other in gateways:
                    sends = (gateway == GATEWAY_1) == (place == 0)
                    ends = (own, other) if sends else (other, own)
                    self._state(bed, gateway, ends, spi, 1 + number, keys)
                    for direction in ("out",) if sends else ("in", "fwd"):
                        self._policy(bed, gateway, direction, flow, ends, 1 + number)
            for (gateway, own, other), address in zip(gateways, (to, from_), strict=True):
                way = self._way(bed, gateway, (own, other), number)
                bed.route(gateway, network_of(address), *way)
        return Laid(kernel_version())

    def _gateways(self, bed: Bed, number: int) -> list[tuple[str, str, str]]:
        """Name, own address and the other's address of both ends of a tunnel."""
        del number
        return each_gateway(bed)

    def _selector(self, flow: tuple[str, str], ends: tuple[str, str]) -> tuple[str, str]:
        """Source and destination of the packets that a policy is for."""
        del ends
        source, target = map(network_of, flow)
        return source, target

    def _way(self, bed: Bed, gateway: str, ends: tuple[str, str], number: int) -> tuple[str, str]:
        """Where a gateway sends the packets of a tunnel; `ends` are its own address and the
        other's."""
        del bed, gateway, number
        return "via", ends[1]

    def _state(
        self, bed: Bed, gateway: str, ends: tuple[str, str], spi: str, req: int, keys: list[str]
    ) -> None:
        added = bed.run(
            [
                *("ip", "-n", gateway, "xfrm", "state", "add", "src", ends[0], "dst", ends[1]),
                *("proto", "esp", "spi", spi, "reqid", str(req), "mode", self.mode),
                *("replay-window", "64", *self.state_flags, *keys),
            ]
        )
        if added.code:
            raise lacks_module(bed, "ESP for this suite", "esp4", added.said)

    def _policy(
        self,
        bed: Bed,
        gateway: str,
        direction: str,
        flow: tuple[str, str],
        ends: tuple[str, str],
        req: int,
    ) -> None:
        source, target = self._selector(flow, ends)
        bed.must(
            [
                *("ip", "-n", gateway, "xfrm", "policy", "add", "src", source, "dst", target),
                *("dir", direction, "tmpl", "src", ends[0], "dst", ends[1], "proto", "esp"),
                *("reqid", str(req), "mode", self.mode),
            ]
        )


class EspExtended(Esp):
    """Tunnel mode, extended sequence numbers of 64 bits (RFC 4303, section 2.2.1): their upper half
    is authenticated and not sent."""

    name = "esp-esn"
    title = "ESP in the kernel with extended sequence numbers"
    suites = tuple(suite for suite in Esp.suites if suite != NULL)
    usual = ("aes-128-gcm",)
    state_flags = ("flag", "esn")


class EspTransport(Esp):
    """Transport mode around packets that an interface of IP in IP (RFC 2003) makes, as where a
    routing protocol runs between gateways. Each tunnel has addresses of its own on the link."""

    name = "esp-transport"
    title = "ESP in the kernel, transport mode around IP in IP"
    usual = (NULL, "aes-128-gcm")
    mode = "transport"

    def _gateways(self, bed: Bed, number: int) -> list[tuple[str, str, str]]:
        link = bed.links[1]
        near, far = (f"{link.network}.{10 + 2 * number + side}" for side in (0, 1))
        for gateway, device, own in zip(link.ends, link.devices, (near, far), strict=True):
            bed.ip(gateway, "addr", "add", f"{own}/24", "dev", device)
        return [(link.ends[0], near, far), (link.ends[1], far, near)]

    def _selector(self, flow: tuple[str, str], ends: tuple[str, str]) -> tuple[str, str]:
        del flow
        source, target = (f"{address}/32" for address in ends)
        return source, target

    def _way(self, bed: Bed, gateway: str, ends: tuple[str, str], number: int) -> tuple[str, str]:
        device = f"ipip{number}"
        added = bed.run(
            [
                *("ip", "-n", gateway, "link", "add", device, "type", "ipip"),
                *("local", ends[0], "remote", ends[1]),
            ]
        )
        if added.code:
            raise lacks_module(bed, "IP in IP", "ipip", added.said)
        bed.ip(gateway, "link", "set", device, "mtu", str(INNER_MTU_BYTES), "up")
        return "dev", device


def _keys(suite: str) -> list[str]:
    """Fresh keys, as `ip xfrm state` takes them."""
    if suite in _AEADS:
        name, count = _AEADS[suite]
        return ["aead", name, _key(count), "128"]
    (cipher, cipher_bytes), (mac, mac_bytes, bits) = _PAIRS[suite]
    integrity = (
        ["auth-trunc", mac, _key(mac_bytes), str(bits)] if bits else ["auth", mac, _key(mac_bytes)]
    )
    return ["enc", cipher, _key(cipher_bytes), *integrity]


def _key(count: int) -> str:
    return f"0x{secrets.token_hex(count)}" if count else ""


ESP = Esp()
ESP_EXTENDED = EspExtended()
ESP_TRANSPORT = EspTransport()
