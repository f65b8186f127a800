"""ESP in the kernel, set up by hand with `ip xfrm`."""

from __future__ import annotations

import secrets

from ciphermark.measure.tunnels.bed import GATEWAY_1, Bed, network_of
from ciphermark.measure.tunnels.kinds.kind import (
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
    usual = (NULL, "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
    most_bytes_added = 20 + 8 + 16 + 15 + 2 + 16
    """Outer header, ESP header, IV, padding, trailer, tag: CBC adds most."""

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        for number, (from_, to) in enumerate(tunnels):
            for place, (source, target) in enumerate(((from_, to), (to, from_))):
                # Each direction has a key of its own, which both gateways know.
                spi = f"0x{0x1000 + 2 * number + place:x}"
                keys = _keys(suite)
                for gateway, own, other in each_gateway(bed):
                    sends = (gateway == GATEWAY_1) == (place == 0)
                    ends = (own, other) if sends else (other, own)
                    self._state(bed, gateway, ends, spi, 1 + number, keys)
                    if sends:
                        _policy(bed, gateway, "out", (source, target), ends, 1 + number)
                    else:
                        for direction in ("in", "fwd"):
                            _policy(bed, gateway, direction, (source, target), ends, 1 + number)
            near, far = bed.links[1].addresses
            bed.route(GATEWAY_1, network_of(to), "via", far)
            bed.route("gateway-2", network_of(from_), "via", near)
        return Laid(kernel_version())

    def _state(
        self, bed: Bed, gateway: str, ends: tuple[str, str], spi: str, req: int, keys: list[str]
    ) -> None:
        added = bed.run(
            [
                *("ip", "-n", gateway, "xfrm", "state", "add", "src", ends[0], "dst", ends[1]),
                *("proto", "esp", "spi", spi, "reqid", str(req), "mode", "tunnel"),
                *("replay-window", "64", *keys),
            ]
        )
        if added.code:
            raise lacks_module(bed, "ESP for this suite", "esp4", added.said)


def _policy(
    bed: Bed,
    gateway: str,
    direction: str,
    flow: tuple[str, str],
    ends: tuple[str, str],
    req: int,
) -> None:
    source, target = map(network_of, flow)
    bed.must(
        [
            *("ip", "-n", gateway, "xfrm", "policy", "add", "src", source, "dst", target),
            *("dir", direction, "tmpl", "src", ends[0], "dst", ends[1], "proto", "esp"),
            *("reqid", str(req), "mode", "tunnel"),
        ]
    )


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
