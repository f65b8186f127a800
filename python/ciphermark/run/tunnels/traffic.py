"""Traffic through a bed, and the CPU time of each role while it runs."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from ciphermark import contract
from ciphermark.contract.tunnel import Purpose, RoleTime, TunnelCase, TunnelTrial
from ciphermark.run.tunnels.bed import GATEWAYS, RECEIVER, ROW, SENDER, Bed, BedError
from ciphermark.run.tunnels.kinds import Laid
from ciphermark.run.tunnels.metering import Metering, metering

Report = TypeVar("Report")

PORT = 5001
IPERF_PORT = 5201

LONGEST_S = 60.0
"""Of one trial."""

LOWEST_PRIORITY = 19

TCP_HEADERS_BYTES = 20 + 32
"""IPv4, and TCP with its time stamps (RFC 7323)."""

_ENDING_S = 20.0
"""For what ends by itself in a fraction of a second."""

_CPU_CLOCK_OF_PROCESS = 2
"""As in `agent`."""


@dataclass(frozen=True)
class Loads:
    """What sends and receives."""

    engine: Path
    polite: bool = False
    """Whether it has the lowest priority."""

    @property
    def nice(self) -> int:
        return LOWEST_PRIORITY if self.polite else 0


@dataclass
class _Watched:
    """What is known of the CPUs at the end of a trial."""

    programs: dict[str, int] = field(default_factory=dict)
    kernel: dict[str, int | None] = field(default_factory=dict)
    softirq: list[float] = field(default_factory=list)
    handled: dict[str, int] = field(default_factory=dict)
    passed: dict[str, int] = field(default_factory=dict)


def udp(
    bed: Bed,
    laid: Laid,
    case: TunnelCase,
    flows: Sequence[tuple[str, str]],
    loads: Loads,
    *,
    purpose: Purpose,
    per_second: float | None,
    seconds: float,
) -> TunnelTrial:
    """Packets of a case for so long, at so many of all flows a second (in each direction), or as
    fast as they can be sent. Raises `BedError`."""
    ways = [(SENDER, RECEIVER, list(flows))]
    if case.both_ways:
        ways.append((RECEIVER, SENDER, [(to, from_) for from_, to in flows]))
    # Only of what rows are of: the idle machine before each takes its time too.
    reads = metering(loads.engine) if purpose == "measured" else nullcontext(Metering())
    with reads as meters, _watching(bed, laid) as watched:
        ended = _send(bed, case, ways, loads, per_second, seconds, meters)
        # While they drain nothing is sent: what is used of the CPU then is next to nothing.
    sent = [_decoded(text, contract.Sent) for text, _ in ended]
    received = [_decoded(text, contract.Received) for _, text in ended]
    packets = sum(it.packets for it in received)
    latencies = [it for one in received for it in one.latencies]
    return TunnelTrial(
        purpose=purpose,
        asked_per_second=None if per_second is None else per_second * len(ways),
        wall_ns=max(it.wall_ns for it in sent),
        sent_packets=sum(it.packets for it in sent),
        received_packets=packets,
        received_bytes=sum(it.bytes for it in received),
        reordered=sum(it.reordered for it in received),
        altered=sum(it.altered for it in received),
        latency_p50_ns=quantile(latencies, 0.5),
        latency_p99_ns=quantile(latencies, 0.99),
        cpu=_roles(watched, laid, sum(it.cpu_ns for it in sent), sum(it.cpu_ns for it in received)),
        energy=meters.metered,
        softirq_share=watched.softirq,
        handled=watched.handled,
        passed=watched.passed,
    )


def _send(
    bed: Bed,
    case: TunnelCase,
    ways: Sequence[tuple[str, str, list[tuple[str, str]]]],
    loads: Loads,
    per_second: float | None,
    seconds: float,
    meters: Metering,
) -> list[tuple[str, str]]:
    """What senders and receivers say at their end, of each way."""
    engine = str(loads.engine)
    for place, (_, to, flows) in enumerate(ways):
        longest = str(seconds + _ENDING_S)
        count = ["--flows", str(len(flows)), "--duration", longest]
        receive = [engine, "traffic", "receive", "--port", str(PORT), *count]
        bed.start(f"receive {place}", receive, to, loads.nice)
        if bed.line(f"receive {place}", _ENDING_S) != "ready\n":
            raise BedError(f"the receiver did not start: {bed.stop(f'receive {place}').said}")
    lengths = ["--lengths", ",".join(map(str, case.lengths)), "--duration", str(seconds)]
    rate = [] if per_second is None else ["--rate", f"{per_second:.3f}"]
    meters.send(seconds)
    for place, (from_, _, flows) in enumerate(ways):
        pairs = [word for near, far in flows for word in ("--flow", f"{near}={far}:{PORT}")]
        send = [engine, "traffic", "send", *pairs, *lengths, *rate]
        bed.start(f"send {place}", send, from_, loads.nice)
    ended = []
    for place, _ in enumerate(ways):
        sent = bed.end(f"send {place}", seconds + _ENDING_S)
        if sent.code:
            raise BedError(f"the sender failed: {sent.said}")
        ended.append(sent.output)
    for place, _ in enumerate(ways):
        bed.close_input(f"receive {place}")
    received = [bed.end(f"receive {place}", _ENDING_S) for place, _ in enumerate(ways)]
    if failed := [it for it in received if it.code]:
        raise BedError(f"the receiver failed: {failed[0].said}")
    return [
        (text, it.output.removeprefix("ready\n")) for text, it in zip(ended, received, strict=True)
    ]


def tcp(
    bed: Bed,
    laid: Laid,
    case: TunnelCase,
    flows: Sequence[tuple[str, str]],
    loads: Loads,
    *,
    purpose: Purpose = "measured",
    seconds: float,
) -> TunnelTrial:
    """A stream, or several over each tunnel in turn, by iperf3. Raises `BedError`."""
    targets = [(None, laid.tcp_target)] if laid.tcp_target else [*flows]
    reads = metering(loads.engine) if purpose == "measured" else nullcontext(Metering())
    with reads as meters, _watching(bed, laid) as watched:
        for place, _ in enumerate(targets):
            port = str(IPERF_PORT + place)
            serve = ["iperf3", "--server", "--one-off", "--json", "--port", port]
            bed.start(f"serve {place}", serve, RECEIVER, loads.nice)
            _listening(bed, place, IPERF_PORT + place)
        meters.send(max(1.0, round(seconds)))
        for place, (from_, to) in enumerate(targets):
            bound = ["--bind", from_] if from_ else []
            client = ["iperf3", "--client", str(to), *bound, "--port", str(IPERF_PORT + place)]
            more = [
                "--time",
                f"{max(1, round(seconds))}",
                "--parallel",
                str(case.streams),
                "--json",
            ]
            if case.both_ways:
                more.append("--bidir")
            bed.start(f"client {place}", [*client, *more], SENDER, loads.nice)
        ended = [
            (bed.end(f"client {place}", seconds + _ENDING_S), bed.end(f"serve {place}", 2.0))
            for place, _ in enumerate(targets)
        ]
    found = [_iperf(client.output, client.said) for client, _ in ended]
    wall_ns = round(max(it.seconds for it in found) * 1e9)
    payload = sum(it.received_bytes for it in found)
    segments = math.ceil(payload / (case.mean_bytes - TCP_HEADERS_BYTES))
    sender, receiver = (sum(getattr(it, name) for it in found) for name in ("near_ns", "far_ns"))
    return TunnelTrial(
        purpose=purpose,
        wall_ns=wall_ns,
        sent_packets=segments,
        received_packets=segments,
        received_bytes=payload,
        cpu=_roles(watched, laid, sender, receiver),
        energy=meters.metered,
        softirq_share=watched.softirq,
    )


def _listening(bed: Bed, place: int, port: int) -> None:
    until = time.monotonic() + _ENDING_S
    while f":{port:04X} " not in "".join(
        bed.run(["cat", f"/proc/net/{table}"], RECEIVER).output for table in ("tcp", "tcp6")
    ):
        if time.monotonic() > until or not bed.is_running(f"serve {place}"):
            raise BedError(f"iperf3 did not start: {bed.stop(f'serve {place}').said}")


@dataclass(frozen=True)
class _Stream:
    seconds: float
    received_bytes: int
    near_ns: int
    far_ns: int


def _iperf(text: str, said: str) -> _Stream:
    """What iperf3's client prints as JSON. Raises `BedError`."""
    try:
        document = json.loads(text)
        if "error" in document:
            raise BedError(f"iperf3: {document['error']}")
        end = document["end"]
        received = [end[it] for it in ("sum_received", "sum_received_bidir_reverse") if it in end]
        seconds = float(received[0]["seconds"])
        shares = end["cpu_utilization_percent"]
        return _Stream(
            seconds,
            sum(int(it["bytes"]) for it in received),
            round(shares["host_total"] / 100 * seconds * 1e9),
            round(shares["remote_total"] / 100 * seconds * 1e9),
        )
    except (ValueError, KeyError, TypeError):
        raise BedError(f"what iperf3 printed cannot be read: {said}") from None


@contextmanager
def _watching(bed: Bed, laid: Laid) -> Iterator[_Watched]:
    """Fills in what was used of the CPUs within the block."""
    watched = _Watched()
    before = bed.taken_in()
    programs, kernel, softirq = bed.cpu_ns(laid.all_programs), _kernel(bed), _softirq()
    yield watched
    taken_in = {device: count - before[device] for device, count in bed.taken_in().items()}
    for gateway in GATEWAYS:
        watched.handled[gateway] = bed.handled(taken_in, gateway)
        watched.passed[gateway] = bed.passed(taken_in, gateway)
    after = bed.cpu_ns(laid.all_programs)
    for name, then in programs.items():
        now = after[name]
        if then is None or now is None:
            raise BedError(f"{name.split()[0]} has ended while packets were sent through it")
        watched.programs[name] = now - then
    for role, ended in _kernel(bed).items():
        begun = kernel[role]
        watched.kernel[role] = None if begun is None or ended is None else ended - begun
    for (busy, total), (busy_then, total_then) in zip(_softirq(), softirq, strict=True):
        passed = total - total_then
        watched.softirq.append((busy - busy_then) / passed if passed else 0.0)


def _roles(watched: _Watched, laid: Laid, sender_ns: int, receiver_ns: int) -> dict[str, RoleTime]:
    programs: dict[str, int | None] = {SENDER: sender_ns, RECEIVER: receiver_ns}
    for gateway, names in laid.programs.items():
        programs[gateway] = sum(watched.programs[name] for name in names)
    return {
        role: RoleTime(program=programs.get(role), kernel=watched.kernel.get(role)) for role in ROW
    }


def _kernel(bed: Bed) -> dict[str, int | None]:
    """CPU time of the kernel's threads of each namespace."""
    return {role: _times(threads) for role, threads in bed.threads.items()}


def _times(threads: Sequence[int]) -> int | None:
    try:
        return sum(time.clock_gettime_ns((~it << 3) | _CPU_CLOCK_OF_PROCESS) for it in threads)
    except OSError:
        return None


def _softirq() -> list[tuple[int, int]]:
    """Ticks of each CPU in softirq, and all of them."""
    lines = Path("/proc/stat").read_text().splitlines()
    cpus = [line.split()[1:] for line in lines if line.startswith("cpu") and line[3].isdigit()]
    return [(int(ticks[6]), sum(map(int, ticks))) for ticks in cpus]


def _decoded(text: str, kind: type[Report]) -> Report:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError:
        raise BedError(f"what the engine printed is no report of traffic: {text[:80]!r}") from None


def quantile(latencies: Sequence[contract.LatencyCount], share: float) -> int | None:
    """The time within which this share of them came; None where none came."""
    ordered = sorted(latencies, key=lambda it: it.ns)
    wanted = share * sum(it.count for it in ordered)
    reached = 0
    for latency in ordered:
        reached += latency.count
        if reached >= wanted:
            return latency.ns
    return None
