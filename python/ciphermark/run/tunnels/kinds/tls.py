"""TLS 1.3 over TCP by OpenSSL, through stunnel: a program that takes a TCP connection on one
gateway and hands it on from the other. It carries no packets, and so TCP alone."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from ciphermark.run.tunnels.bed import GATEWAY_1, Bed, BedError
from ciphermark.run.tunnels.kinds.kind import (
    UP_S,
    Kind,
    Laid,
    Missing,
    each_gateway,
    kernel_version,
    wait_until,
)
from ciphermark.run.tunnels.kinds.openvpn import _certificate as certificate

PORT = 5201
"""iperf3's own, on which both gateways listen."""

_SUITES = {
    "aes-128-gcm": "TLS_AES_128_GCM_SHA256",
    "aes-256-gcm": "TLS_AES_256_GCM_SHA384",
    "chacha20-poly1305": "TLS_CHACHA20_POLY1305_SHA256",
}


class Tls(Kind):
    name = "tls"
    title = "TLS 1.3 by OpenSSL"
    in_kernel = False
    protocol = "tls13"
    suites = tuple(_SUITES)
    usual = ("aes-128-gcm", "chacha20-poly1305")
    provider: ClassVar[str | None] = "openssl"
    carries = ("tcp",)
    most_bytes_added = 0
    """TCP cuts its stream to the MTU, whatever is added."""
    programs = (("stunnel4", "stunnel4"), ("openssl", "openssl"))
    options = ""

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        said = bed.run(["stunnel4", "-version"])
        first = next((it for it in (said.log + said.output).splitlines() if "stunnel" in it), "")
        laid = Laid(
            " ".join(first.replace("[ ]", "").split()[:2]),
            setting="a TCP connection on each side",
            tcp_target=bed.links[0].addresses[1],
        )
        for gateway, own, other in each_gateway(bed):
            certificate(bed, gateway)
            is_first = gateway == GATEWAY_1
            inner = bed.links[0 if is_first else 2].addresses[1]
            accept, connect = (
                (f"{inner}:{PORT}", f"{other}:8443")
                if is_first
                else (f"{own}:8443", f"{inner}:{PORT}")
            )
            configuration = bed.private_file(
                f"stunnel-{gateway}.conf",
                f"foreground = yes\npid =\n[path]\nclient = {'yes' if is_first else 'no'}\n"
                f"accept = {accept}\nconnect = {connect}\nsslVersion = TLSv1.3\n"
                f"ciphersuites = {_SUITES[suite]}\ncert = /run/ciphermark/{gateway}.crt\n"
                f"key = /run/ciphermark/{gateway}.key\n{self.options}",
            )
            name = f"stunnel {gateway}"
            bed.start(name, ["stunnel4", configuration], gateway)
            laid.programs.setdefault(gateway, []).append(name)
        for gateway, names in laid.programs.items():
            port = PORT if gateway == GATEWAY_1 else 8443

            def listens(gateway: str = gateway, port: int = port) -> bool:
                return f":{port:04X} " in bed.must(["cat", "/proc/net/tcp"], gateway)

            if not wait_until(listens):
                raise BedError(f"stunnel did not come up in {UP_S:g} s: {bed.stop(names[0]).said}")
        return laid


class KernelTls(Tls):
    """The same with records in the kernel."""

    name = "ktls"
    title = "TLS 1.3 in the kernel"
    in_kernel = True
    provider = None
    options = "options = ENABLE_KTLS\n"

    def check(self) -> None:
        available = Path("/proc/sys/net/ipv4/tcp_available_ulp")
        if not available.exists() or "tls" not in available.read_text().split():
            raise Missing(
                f"this kernel ({kernel_version()}) has no TLS (its option CONFIG_TLS): load it "
                "with `modprobe tls`, or boot a kernel that has it, such as "
                "Debian's linux-image-amd64"
            )
        super().check()


TLS = Tls()
KTLS = KernelTls()
