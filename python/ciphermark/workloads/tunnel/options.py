"""The options of `ciphermark tunnel` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass
class TunnelOptions:
    """Which tunnels there are, and what goes through them."""

    kinds: Annotated[
        str | None,
        typer.Option(
            "--kinds",
            metavar="LIST",
            help="Kinds: plain, openvpn, wireguard-go, tls, esp, wireguard, macsec, ktls; all that "
            "this machine has.",
        ),
    ] = None
    suites: Annotated[
        str | None,
        typer.Option(
            "--suites",
            metavar="LIST",
            help="Suites by name or pattern: aes-128-gcm, 'openvpn:*'; each kind's usual ones.",
        ),
    ] = None
    traffic: Annotated[
        str | None,
        typer.Option("--traffic", metavar="LIST", help="udp (packets), tcp (iperf3); both."),
    ] = None
    tunnels: Annotated[
        str | None,
        typer.Option(
            "--tunnels", metavar="N", help="Tunnels side by side, each with a key of its own; 1."
        ),
    ] = None
    streams: Annotated[
        str | None,
        typer.Option("--streams", metavar="N", help="TCP connections through each tunnel; 1."),
    ] = None
    both_ways: Annotated[
        bool, typer.Option("--both-ways", help="Traffic in both directions at once.")
    ] = False
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
