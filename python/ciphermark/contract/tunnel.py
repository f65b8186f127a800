"""What was found of tunnels between network namespaces, and of the traffic through them."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark import contract

Traffic = Literal["udp", "tcp"]
Purpose = Literal["probe", "search", "measured", "loaded", "profiled"]
"""Why packets were sent: to find about how many go through, to find the rate without loss, to
measure at the rate that the row is of, or with more than goes through, for the cost of a
packet to gateways that are always busy, or to see what the gateways execute."""

CpuPart = Literal["cryptography", "copies", "wake-ups", "stack", "program"]
"""What code of a gateway does: cryptography, copies and checksums, waiting and waking, the rest of
the kernel, and the rest of the tunnel's program."""


class TunnelCase(msgspec.Struct, kw_only=True, frozen=True):
    """One kind of tunnel with one suite, and what goes through it."""

    kind: str
    """`plain`, `openvpn`, `wireguard-go`, `esp`, …"""
    suite: str
    """Its name in the protocol; `none` without a cipher."""
    algorithm: str
    """Protocol and suite, as `ciphermark list suites` names them where it knows them."""
    profile: str
    """The mix of packets, or the bytes of all of them; of TCP `stream`."""
    mean_bytes: float
    """Of a packet within the tunnel, its IP header included; of TCP, of a full segment."""
    lengths: tuple[int, ...] = ()
    """Of packets, in turn."""
    traffic: Traffic
    tunnels: int = 1
    streams: int = 1
    """TCP connections."""
    both_ways: bool = False
    rate: float | None = None
    """Payload in bits per second of all tunnels, as asked for; None: as much as goes through."""
    is_calibration: bool = False
    """Whether it is there so that others can be predicted from it."""


class RoleTime(msgspec.Struct, kw_only=True, frozen=True):
    """CPU time of one role, in nanoseconds."""

    program: int | None = None
    """Of its processes: what sends, receives, or is the tunnel. None where there is none."""
    kernel: int | None = None
    """Of the kernel's threads that receive for it, and forward what they received. None where the
    kernel has none."""

    @property
    def total(self) -> int | None:
        """None where a part is not known."""
        parts = [self.program or 0, self.kernel]
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None


class Metered(msgspec.Struct, kw_only=True):
    """What the machine's meters showed during a trial."""

    readings: contract.Readings
    """With times of the monotonic clock."""
    from_ns: int
    to_ns: int
    """Between these, traffic went through steadily."""


class TunnelTrial(msgspec.Struct, kw_only=True):
    """Packets, or a stream, for a while."""

    purpose: Purpose
    asked_per_second: float | None = None
    """Packets of all tunnels."""
    wall_ns: int
    sent_packets: int
    """Of TCP, full segments in the bytes that arrived."""
    received_packets: int
    received_bytes: int
    """Of IP packets within the tunnel; of TCP, of what it carries."""
    reordered: int = 0
    altered: int = 0
    latency_p50_ns: int | None = None
    latency_p99_ns: int | None = None
    cpu: dict[str, RoleTime] = {}
    """By role."""
    handled: dict[str, int] = {}
    """Packets that the interfaces of each gateway took in, those among them that it lost later."""
    passed: dict[str, int] = {}
    """Packets that the neighbours of each gateway took in from it: those that it worked through."""
    energy: Metered | None = None
    """None where no meter can be read."""
    softirq_share: list[float] = []
    """Of each CPU's time, of whomever; in threads of its own the kernel spends none here."""

    @property
    def loss(self) -> float:
        """Share of the packets sent that did not arrive."""
        return max(0.0, 1 - self.received_packets / self.sent_packets) if self.sent_packets else 0.0

    @property
    def lost_by_gateways(self) -> float:
        """Share of the packets sent that were lost before a gateway or in its queue."""
        passed = min(self.passed.values(), default=self.received_packets)
        return max(0.0, 1 - passed / self.sent_packets) if self.sent_packets else 0.0

    @property
    def sent_per_second(self) -> float:
        return self.sent_packets / (self.wall_ns / 1e9)

    @property
    def payload_bits_per_second(self) -> float:
        return 8 * self.received_bytes / (self.wall_ns / 1e9)


class Tunnel(msgspec.Struct, kw_only=True):
    """What became of a case."""

    case: TunnelCase
    version: str = ""
    """Of the program, or of the kernel."""
    setting: str = ""
    """How it was called, where that decides about speed."""
    manner: str = ""
    """How the namespaces were come by."""
    mtu: int = 0
    """Of the link between the gateways."""
    offloads: bool = False
    trials: list[TunnelTrial] = []
    executed: dict[CpuPart, int] = {}
    """Samples of `perf` in both gateways, by what they were in; empty where nothing was sampled."""
    error: contract.Failure | None = None
