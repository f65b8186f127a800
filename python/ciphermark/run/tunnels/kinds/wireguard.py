"""WireGuard: the kernel's, and the Go program of its authors."""

from __future__ import annotations

from typing import ClassVar

from ciphermark.run.tunnels.bed import GATEWAY_1, INNER_MTU_BYTES, Bed, BedError, network_of
from ciphermark.run.tunnels.kinds.kind import (
    UP_S,
    Kind,
    Laid,
    each_gateway,
    kernel_version,
    lacks_module,
    wait_until,
)

_TOOLS = ("wg", "wireguard-tools")


class WireGuard(Kind):
    """In the kernel."""

    name = "wireguard"
    title = "WireGuard in the kernel"
    in_kernel = True
    protocol = "wireguard"
    suites = ("chacha20-poly1305",)
    usual = suites
    most_bytes_added = 20 + 8 + 16 + 15 + 16
    programs: ClassVar[tuple[tuple[str, str], ...]] = (_TOOLS,)

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        laid = Laid(kernel_version())
        for number, (from_, to) in enumerate(tunnels):
            keys = {}
            for gateway, _, _ in each_gateway(bed):
                private = bed.must(["wg", "genkey"]).strip()
                file = bed.private_file(f"wg-{gateway}-{number}", private)
                keys[gateway] = (file, bed.must(["wg", "pubkey"], given=private).strip())
            for gateway, _, other in each_gateway(bed):
                device = _device(gateway, number)
                self._interface(bed, gateway, device, laid)
                peer = next(public for name, (_, public) in keys.items() if name != gateway)
                port = str(51820 + number)
                bed.must(
                    [
                        *("wg", "set", device, "private-key", keys[gateway][0]),
                        *("listen-port", port, "peer", peer, "endpoint", f"{other}:{port}"),
                        *("allowed-ips", f"{network_of(from_)},{network_of(to)}"),
                    ],
                    gateway,
                )
                bed.ip(gateway, "link", "set", device, "mtu", str(INNER_MTU_BYTES), "up")
                bed.route(gateway, network_of(to if gateway == GATEWAY_1 else from_), "dev", device)
        return laid

    def _interface(self, bed: Bed, gateway: str, device: str, laid: Laid) -> None:
        added = bed.run(["ip", "-n", gateway, "link", "add", device, "type", "wireguard"])
        if added.code:
            raise lacks_module(bed, "WireGuard", "wireguard", added.said)


class WireGuardGo(WireGuard):
    """As a program that makes TUN interfaces."""

    name = "wireguard-go"
    title = "wireguard-go"
    in_kernel = False
    programs = (("wireguard-go", "wireguard-go"), _TOOLS)
    makes_tun = True

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        laid = super().lay(bed, suite, tunnels)
        said = bed.run(["wireguard-go", "--version"])
        laid.version = (said.output or said.log).splitlines()[0]
        laid.setting = "as many threads as CPUs, Go's own cryptography"
        return laid

    def _interface(self, bed: Bed, gateway: str, device: str, laid: Laid) -> None:
        name = f"wireguard-go {device}"
        bed.start(name, ["wireguard-go", "-f", device], gateway)
        laid.programs.setdefault(gateway, []).append(name)

        def is_there() -> bool:
            return bed.run(["wg", "show", device], gateway).code == 0

        if not wait_until(lambda: is_there() or not bed.is_running(name)) or not is_there():
            raise BedError(f"wireguard-go did not come up in {UP_S:g} s: {bed.stop(name).said}")


def _device(gateway: str, number: int) -> str:
    """wireguard-go's control sockets of both gateways lie in one folder: their names differ."""
    return f"wg{'a' if gateway == GATEWAY_1 else 'b'}{number}"


WIREGUARD = WireGuard()
WIREGUARD_GO = WireGuardGo()
