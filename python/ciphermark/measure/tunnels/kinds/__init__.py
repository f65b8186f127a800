"""Kinds of tunnels, one file each: how it is laid between the gateways, and what it lacks here."""

from __future__ import annotations

from ciphermark.measure.tunnels.kinds.esp import ESP, ESP_EXTENDED, ESP_TRANSPORT
from ciphermark.measure.tunnels.kinds.kind import Kind, Laid, Missing
from ciphermark.measure.tunnels.kinds.macsec import MACSEC
from ciphermark.measure.tunnels.kinds.openvpn import OPENVPN, OPENVPN_OFFLOADED
from ciphermark.measure.tunnels.kinds.plain import PLAIN
from ciphermark.measure.tunnels.kinds.tls import KTLS, TLS
from ciphermark.measure.tunnels.kinds.wireguard import WIREGUARD, WIREGUARD_GO

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
