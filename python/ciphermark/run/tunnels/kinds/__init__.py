"""Kinds of tunnels, one file each: how it is laid between the gateways, and what it lacks here."""

from __future__ import annotations

from ciphermark.run.tunnels.kinds.esp import ESP, ESP_EXTENDED, ESP_TRANSPORT
from ciphermark.run.tunnels.kinds.kind import Kind, Laid, Missing
from ciphermark.run.tunnels.kinds.macsec import MACSEC
from ciphermark.run.tunnels.kinds.openvpn import OPENVPN, OPENVPN_OFFLOADED
from ciphermark.run.tunnels.kinds.plain import PLAIN
from ciphermark.run.tunnels.kinds.tls import KTLS, TLS
from ciphermark.run.tunnels.kinds.wireguard import WIREGUARD, WIREGUARD_GO

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        PLAIN,
        OPENVPN,
        WIREGUARD_GO,
        TLS,
        ESP,
        ESP_EXTENDED,
        ESP_TRANSPORT,
        WIREGUARD,
        OPENVPN_OFFLOADED,
        MACSEC,
        KTLS,
    )
}
"""In the order in which they are run and shown."""

__all__ = ["KINDS", "Kind", "Laid", "Missing"]
