"""The row of a case: what users see of the traffic through one kind of tunnel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ciphermark import contract
from ciphermark.contract.tunnel import CpuPart, Traffic, Tunnel, TunnelTrial
from ciphermark.run.tunnels import searching
from ciphermark.run.tunnels.bed import ROW
from ciphermark.statistics.estimate import Estimate, complete
from ciphermark.statistics.power import NoFigure, Span, power
from ciphermark.statistics.quantiles import estimate_median
from ciphermark.workloads.energy import Energy, energy
from ciphermark.workloads.tunnel import prediction

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.tunnel.prediction import Predictor


FEWEST_SAMPLES = 100
"""Fewest samples of `perf` for shares: a half is then known to a tenth."""


class Latency(msgspec.Struct, kw_only=True, frozen=True):
    """From just before a packet was sent until it was received."""

    p50: int
    p99: int


class TunnelRow(msgspec.Struct, kw_only=True):
    """Rate of a tunnel. Every key is always present, null where it is not known.

    A packet is that within the tunnel, its IP header included, and the payload is its bytes; of TCP
    the payload is the content of the stream. Intervals are 95 % intervals of the median of several
    trials, each with a set-up of its own. `payload_bits_per_second` is of all roles on these cores
    together, and `predicted_payload_bits_per_second` its prediction. `gateway_bits_per_second` is
    of one core that only does the work of the busier gateway, and `predicted_bits_per_second` its.
    """

    kind: str
    suite: str
    algorithm: str
    operation: str = "tunnel"
    profile: str
    mean_bytes: float
    traffic: Traffic
    tunnels: int
    streams: int
    both_ways: bool
    version: str
    mtu: int
    offloads: bool
    asked_bits_per_second: float | None
    payload_bits_per_second: Estimate | None = None
    """Payload that arrived, all roles on these cores together: with at most 2 % lost, or of the
    rate of `--rate`.
    """
    packets_per_second: Estimate | None = None
    loss: float | None = None
    """Share of packets; the median of the trials."""
    lossless_bits_per_second: float | None = None
    """The highest rate at which nothing was lost in a trial; null where none was found."""
    nearly_lossless_bits_per_second: float | None = None
    """Payload that arrived with a loss of at most 10^-4."""
    reordered: float | None = None
    """Share of packets."""
    altered: int = 0
    latency_ns: Latency | None = None
    cpu_cycles_per_packet: dict[str, float] = {}
    """Cycles by role: `sender`, `gateway-1`, `gateway-2`, `receiver`; programs and kernel threads.
    """
    cpu_cycles_per_byte: dict[str, float] = {}
    program_cycles_per_packet: dict[str, float] = {}
    """Cycles of programs among these; the rest is the kernel's receiving and forwarding."""
    gateway_ns_per_packet: Estimate | None = None
    """Time of the busier gateway."""
    gateway_bits_per_second: Estimate | None = None
    cryptography_cycles_per_packet: dict[str, float] = {}
    """Cycles by gateway: as `esp` measured for the same suite and packets, of the library that the
    program calls.
    """
    cryptography_bits_per_second: float | None = None
    """Rate of one core that does nothing but the suite of the slower side."""
    cryptography_share: float | None = None
    """Share of the CPU time of both gateways."""
    share_from: str = ""
    """Source of the share: `perf` (from samples), `suite` (the measured cost of the suite), `null`
    (the difference to the null cipher); empty if none.
    """
    cpu_shares: dict[CpuPart, float] = {}
    """Shares of both gateways' CPU time by executed part; empty without `perf`."""
    predicted_bits_per_second: Estimate | None = None
    """Rate of a gateway's core."""
    predicted_payload_bits_per_second: Estimate | None = None
    """Rate of all roles on these cores."""
    predicted_why: str = ""
    """Source of the prediction, or the reason why there is none."""
    energy: Energy | None = None
    """Energy of all roles together; null where no meter can be read."""
    no_energy: str | None = None
    """Why not, where one can."""
    trials: int = 0
    is_calibration: bool = False
    error: contract.Failure | None

    @property
    def is_measured(self) -> bool:
        """Returns whether there is a figure."""
        return self.error is None and self.payload_bits_per_second is not None

    @property
    def title(self) -> str:
        """Returns `openvpn aes-128-gcm`; only the kind where it has no choice of cipher."""
        return self.kind if self.kind == "plain" else f"{self.kind} {self.suite}"


def tunnel_rows(run: Run) -> list[TunnelRow]:
    """Returns one row for each case, in the order of the run."""
    predictor = prediction.predictor(run.tunnels, prediction.cryptography(run))
    return [_row(tunnel, predictor, run.context.core_hz) for tunnel in run.tunnels]


def _row(tunnel: Tunnel, predictor: Predictor, clock_hz: float | None) -> TunnelRow:
    case = tunnel.case
    row = TunnelRow(
        kind=case.kind,
        suite=case.suite,
        algorithm=case.algorithm,
        profile=case.profile,
        mean_bytes=case.mean_bytes,
        traffic=case.traffic,
        tunnels=case.tunnels,
        streams=case.streams,
        both_ways=case.both_ways,
        version=tunnel.version,
        mtu=tunnel.mtu,
        offloads=tunnel.offloads,
        asked_bits_per_second=case.rate,
        is_calibration=case.is_calibration,
        error=tunnel.error,
    )
    measured = prediction.measured(tunnel)
    if tunnel.error is not None or not measured:
        return row
    row.trials = len(measured)
    row.payload_bits_per_second = _median([it.payload_bits_per_second for it in measured])
    row.packets_per_second = _median([it.received_packets / (it.wall_ns / 1e9) for it in measured])
    if case.traffic == "udp":
        _add_losses(row, tunnel, measured)
    busy = prediction.loaded(tunnel)
    cycles = {} if clock_hz is None else _cycles(busy, clock_hz)
    row.cpu_cycles_per_packet = cycles
    row.cpu_cycles_per_byte = {role: it / case.mean_bytes for role, it in cycles.items()}
    if clock_hz is not None:
        row.program_cycles_per_packet = _program_cycles(busy, clock_hz)
    _add_gateway(row, tunnel, predictor, clock_hz)
    _add_energy(row, measured)
    return row


def _add_losses(row: TunnelRow, tunnel: Tunnel, measured: list[TunnelTrial]) -> None:
    packets = sum(it.received_packets for it in measured)
    row.loss = _middle([it.loss for it in measured])
    row.reordered = sum(it.reordered for it in measured) / packets if packets else None
    row.altered = sum(it.altered for it in tunnel.trials)
    p50 = [it.latency_p50_ns for it in measured if it.latency_p50_ns is not None]
    p99 = [it.latency_p99_ns for it in measured if it.latency_p99_ns is not None]
    if p50 and p99:
        row.latency_ns = Latency(p50=round(_middle(p50)), p99=round(_middle(p99)))
    searched = [it for it in tunnel.trials if it.purpose == "search"]
    nearly, none = (searching.highest(searched, it) for it in searching.TOLERANCES)
    if tunnel.case.rate is None and not tunnel.case.is_calibration:
        row.nearly_lossless_bits_per_second = _rate(nearly)
        row.lossless_bits_per_second = _rate(none)


def _add_gateway(
    row: TunnelRow, tunnel: Tunnel, predictor: Predictor, clock_hz: float | None
) -> None:
    costs = prediction.gateway_costs(tunnel)
    if costs:
        busiest = max(costs.values(), key=lambda it: it.value)
        row.gateway_ns_per_packet = busiest
        row.gateway_bits_per_second = busiest.under(Estimate.exact(8e9 * row.mean_bytes))
    cryptography = predictor.cryptography_of(tunnel.case)
    if cryptography and clock_hz is not None:
        row.cryptography_cycles_per_packet = {
            gateway: cost.value * clock_hz / 1e9 for gateway, cost in cryptography.items()
        }
    if cryptography:
        slower = max(cost.value for cost in cryptography.values())
        row.cryptography_bits_per_second = 8e9 * row.mean_bytes / slower
    row.cryptography_share, row.share_from = predictor.share(tunnel)
    samples = sum(tunnel.executed.values())
    if samples >= FEWEST_SAMPLES:
        row.cpu_shares = {part: count / samples for part, count in tunnel.executed.items()}
        # A program without names of functions, such as Debian's wireguard-go, hides its own.
        if seen := row.cpu_shares.get("cryptography"):
            row.cryptography_share, row.share_from = seen, "perf"
    predicted, row.predicted_why = predictor.predict(tunnel.case)
    if predicted is not None:
        row.predicted_bits_per_second = predicted.under(Estimate.exact(8e9 * row.mean_bytes))
    shared = predictor.shared(tunnel.case)
    if shared is not None:
        row.predicted_payload_bits_per_second = shared.under(Estimate.exact(8e9 * row.mean_bytes))


def _add_energy(row: TunnelRow, measured: list[TunnelTrial]) -> None:
    """Adds medians over the trials, each with a window and an idle time before it."""
    try:
        powers = [
            (it, power(it.energy.readings, Span(it.energy.from_ns, it.energy.to_ns)))
            for it in measured
            if it.energy is not None
        ]
    except NoFigure as why:
        row.no_energy = str(why)
        return
    if not powers:
        return
    each = [
        energy(used, it.received_packets / (it.wall_ns / 1e9), it.payload_bits_per_second / 8)
        for it, used in powers
    ]
    names = [name for name in Energy.__struct_fields__ if "joules" in name or "watts" in name]
    together = {name: _median_of([getattr(it, name) for it in each]) for name in names}
    row.energy = msgspec.structs.replace(each[0], **together)


def _median_of(values: list[Estimate | None]) -> Estimate | None:
    known = complete(values)
    if known is None:
        return None
    return known[0] if len(known) == 1 else _median([it.value for it in known])


def _cycles(measured: list[TunnelTrial], clock_hz: float) -> dict[str, float]:
    shares = {}
    for role in ROW:
        values = prediction.per_packet(measured, role)
        if values is not None:
            shares[role] = _middle(values) * clock_hz / 1e9
    return shares


def _program_cycles(measured: list[TunnelTrial], clock_hz: float) -> dict[str, float]:
    rates = {}
    for role in ROW:
        values = [
            time.program / (it.passed.get(role) or it.received_packets)
            for it in measured
            if it.received_packets
            and (time := it.cpu.get(role)) is not None
            and time.program is not None
        ]
        if values:
            rates[role] = _middle(values) * clock_hz / 1e9
    return rates


def _rate(trial: TunnelTrial | None) -> float | None:
    return None if trial is None else trial.payload_bits_per_second


def _median(values: list[float]) -> Estimate | None:
    return estimate_median(np.array(values, float))


def _middle(values: list[float] | list[int]) -> float:
    return float(np.median(np.array(values, float)))
