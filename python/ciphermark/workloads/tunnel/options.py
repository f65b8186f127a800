"""The options of `ciphermark tunnel` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass
class TunnelOptions:
    """Which kinds of tunnels there are, between which interfaces, and what kind of traffic."""

    kinds: Annotated[
        str | None,
        typer.Option(
            "--kinds",
            metavar="LIST",
            help="Kinds of tunnel: plain, openvpn, wireguard-go, tls, esp, esp-esn, "
            "esp-transport, wireguard, openvpn-dco, macsec, ktls. Default: all that this machine "
            "has.",
        ),
    ] = None
    traffic: Annotated[
        str | None,
        typer.Option(
            "--traffic", metavar="LIST", help="udp (packets), tcp (iperf3). Default: both."
        ),
    ] = None
    streams: Annotated[
        str | None,
        typer.Option(
            "--streams", metavar="N", help="TCP connections through each tunnel. Default: 1."
        ),
    ] = None
    mtu: Annotated[
        str | None,
        typer.Option(
            "--mtu",
            metavar="BYTES",
            help="MTU of the link between the gateways. Default: 1700, so that packets of 1500 "
            "bytes fit with the overhead of a tunnel.",
        ),
    ] = None
    offloads: Annotated[
        bool,
        typer.Option(
            "--offloads",
            help="Keep the offloads of the interfaces (large segments, no checksums), as "
            "between virtual machines of one host.",
        ),
    ] = False
    polite: Annotated[
        bool,
        typer.Option("--polite", help="Give sender and receiver the lowest priority."),
    ] = False
