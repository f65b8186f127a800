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
            help="Kinds: plain, openvpn, wireguard-go, tls, esp, esp-esn, esp-transport, "
            "wireguard, macsec, ktls; all that this machine has.",
        ),
    ] = None
    traffic: Annotated[
        str | None,
        typer.Option("--traffic", metavar="LIST", help="udp (packets), tcp (iperf3); both."),
    ] = None
    streams: Annotated[
        str | None,
        typer.Option("--streams", metavar="N", help="TCP connections through each tunnel; 1."),
    ] = None
    mtu: Annotated[
        str | None,
        typer.Option(
            "--mtu",
            metavar="BYTES",
            help="Of the link between the gateways; 1700, so that packets of 1500 bytes fit with "
            "what a tunnel adds.",
        ),
    ] = None
    offloads: Annotated[
        bool,
        typer.Option(
            "--offloads",
            help="Let interfaces hand on large segments and no checksums, as between virtual "
            "machines of one host.",
        ),
    ] = False
    polite: Annotated[
        bool,
        typer.Option("--polite", help="Sender and receiver have the lowest priority."),
    ] = False
