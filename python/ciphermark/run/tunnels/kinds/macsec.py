"""MACsec in the kernel, between the interfaces of the gateways."""

from __future__ import annotations

import secrets

from ciphermark.errors import UsageError
from ciphermark.run.tunnels.bed import GATEWAY_1, Bed, network_of
from ciphermark.run.tunnels.kinds.kind import (
    Kind,
    Laid,
    each_gateway,
    kernel_version,
    lacks_module,
)

_NETWORK = "198.18.200"


class MacSec(Kind):
    """One association each way, on the link between the gateways."""

    name = "macsec"
    title = "MACsec in the kernel"
    in_kernel = True
    protocol = "macsec"
    suites = ("aes-128-gcm", "aes-256-gcm")
    usual = ("aes-128-gcm",)
    most_bytes_added = 16 + 16

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        if len(tunnels) > 1:
            raise UsageError("MACsec has one tunnel on a link: --tunnels 1")
        keys = {gateway: secrets.token_hex(16 if "128" in suite else 32) for gateway in _ENDS}
        for gateway, end in _ENDS.items():
            under = bed.links[1].devices[end - 1]
            cipher = ["cipher", "gcm-aes-128" if "128" in suite else "gcm-aes-256"]
            added = bed.run(
                ["ip", "-n", gateway, "link", "add", "link", under, "macsec0", "type", "macsec"]
                + ["port", "1", *cipher, "encrypt", "on"]
            )
            if added.code:
                raise lacks_module(bed, "MACsec", "macsec", added.said)
        for (gateway, end), other in zip(_ENDS.items(), reversed(_ENDS), strict=True):
            peer = bed.must(
                ["cat", f"/sys/class/net/{bed.links[1].devices[2 - end]}/address"], other
            )
            macsec = ["ip", "-n", gateway, "macsec", "add", "macsec0"]
            own_key, other_key = ["key", "01", keys[gateway]], ["key", "02", keys[other]]
            bed.must([*macsec, "tx", "sa", "0", "pn", "1", "on", *own_key])
            address = ["rx", "port", "1", "address", peer.strip()]
            bed.must([*macsec, *address])
            bed.must([*macsec, *address, "sa", "0", "pn", "1", "on", *other_key])
            bed.ip(gateway, "addr", "add", f"{_NETWORK}.{end}/24", "dev", "macsec0")
            bed.ip(gateway, "link", "set", "macsec0", "up")
        for from_, to in tunnels:
            for gateway, _, _ in each_gateway(bed):
                is_first = gateway == GATEWAY_1
                through = f"{_NETWORK}.{2 if is_first else 1}"
                bed.route(gateway, network_of(to if is_first else from_), "via", through)
        return Laid(kernel_version())


_ENDS = {GATEWAY_1: 1, "gateway-2": 2}

MACSEC = MacSec()
