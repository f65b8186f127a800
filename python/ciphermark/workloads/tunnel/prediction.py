"""Cost of a packet to a gateway, from a line over packet size and the cost of the suite.

The suite's cost is that in the library that the tunnel's program calls.

    cost of a packet = path(bytes) + suite(packets)

Where a kind has a null cipher, the path is the line through its two sizes of calibration, and every
other suite and mix is predicted. Where it has none, or nothing measures its program's library, the
line is through both sizes of the same suite, and mixes are predicted alone. Costs of the packets in
a mix add up, as the line is straight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ciphermark.contract.tunnel import Tunnel, TunnelCase, TunnelTrial
from ciphermark.run.tunnels.bed import GATEWAY_1, GATEWAY_2, GATEWAYS
from ciphermark.run.tunnels.kinds import KINDS
from ciphermark.run.tunnels.kinds.kind import NULL
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import FEWEST_GROUPS, estimate_median
from ciphermark.workload import rows as rows_of

if TYPE_CHECKING:
    from ciphermark.record.run import Run

Costs = dict[str, Estimate]
"""Nanoseconds of a packet by gateway."""

Cryptography = dict[tuple[str, str, str], Estimate]
"""Nanoseconds of a packet by suite, profile and gateway."""

OPERATIONS = {GATEWAY_1: "seal", GATEWAY_2: "open"}
"""Operations of the gateways on a packet from sender to receiver."""

MODEL_SHARE = 0.25
"""Error of the model beside that of its parts: caches and wake-ups that a suite by itself does not
have. So chosen that nine of ten intervals of `benchmarks/tunnel.py` hold the measured value.
"""

FULL_LOSS = 0.2
"""Share of packets lost by gateways from which on they are full. Pauses of a shared machine seldom
lose as many."""


def measured(tunnel: Tunnel) -> list[TunnelTrial]:
    """Returns the trials of the row: those in which something arrived."""
    return [it for it in tunnel.trials if it.purpose == "measured" and it.received_packets]


def is_full(trial: TunnelTrial) -> bool:
    """Returns whether the gateways had more than they could do.

    Then a program never waits for a packet, which would cost it a wake-up.
    """
    return trial.received_packets > 0 and trial.lost_by_gateways >= FULL_LOSS


def has_program(trial: TunnelTrial) -> bool:
    """Returns whether the gateways run a program."""
    return any(trial.cpu[it].program is not None for it in GATEWAYS if it in trial.cpu)


def loaded(tunnel: Tunnel) -> list[TunnelTrial]:
    """Returns the trials for the cost of a packet: those with overloaded gateways.

    Without a program, or where these are too few, also those of the row count.
    """
    full = [it for it in tunnel.trials if it.purpose == "loaded" and is_full(it)]
    if len(full) >= FEWEST_GROUPS and has_program(full[0]):
        return full
    purposes = ("measured", "loaded")
    trials = [it for it in tunnel.trials if it.purpose in purposes and it.received_packets]
    # Streams are also sent without threads of the kernel, whose time is then not separated.
    separated = [it for it in trials if it.cpu and all(role.total for role in it.cpu.values())]
    return separated or trials


def per_packet(trials: Sequence[TunnelTrial], role: str) -> list[float] | None:
    """Returns CPU nanoseconds per packet of a role in each trial; None if unknown.

    The kernel's time is over the packets that the role's interfaces took in, the program's over
    those that it handed on: the program has not seen those that were lost at its queue.
    """
    times = []
    for trial in trials:
        time = trial.cpu.get(role)
        if time is None or time.kernel is None:
            return None
        program = (time.program or 0) / (trial.passed.get(role) or trial.received_packets)
        times.append(time.kernel / (trial.handled.get(role) or trial.received_packets) + program)
    return times or None


def gateway_costs(tunnel: Tunnel) -> Costs:
    """Returns the cost of a packet in each gateway; empty where that is not known."""
    costs: Costs = {}
    for gateway in GATEWAYS:
        values = per_packet(loaded(tunnel), gateway)
        cost = None if values is None else estimate_median(np.array(values, float))
        if cost is None:
            return {}
        costs[gateway] = cost
    return costs


def shared_costs(tunnel: Tunnel) -> Costs:
    """Returns nanoseconds of a packet at the rate that arrives; empty where they are not known.

    `wall` is the time from one to the next, `cpu` that of all roles together.
    """
    trials = [it for it in measured(tunnel) if it.cpu]
    totals = [[role.total for role in it.cpu.values()] for it in trials]
    if not trials or any(time is None for own in totals for time in own):
        return {}
    each = {
        "wall": [it.wall_ns / it.received_packets for it in trials],
        "cpu": [
            sum(time for time in own if time is not None) / it.received_packets
            for it, own in zip(trials, totals, strict=True)
        ],
    }
    medians = {name: estimate_median(np.array(values)) for name, values in each.items()}
    known = {name: cost for name, cost in medians.items() if cost is not None}
    return known if len(known) == len(medians) else {}


def cryptography(run: Run) -> Cryptography:
    """Returns the measured costs of suites beside a run, by packet profile."""
    costs: Cryptography = {}
    for other in run.also:
        for row in rows_of(other):
            gateway = next((it for it, name in OPERATIONS.items() if name == row.operation), None)
            if gateway is None or row.ns_per_message is None or row.profile is None:
                continue
            cost = Estimate(row.ns_per_message)
            if row.cycles_per_message and row.cycles_per_message_low is not None:
                ratio = row.ns_per_message / row.cycles_per_message
                bounds = (row.cycles_per_message_low, row.cycles_per_message_high)
                low, high = (None if end is None else end * ratio for end in bounds)
                cost = Estimate(row.ns_per_message, low, high)
            costs[row.algorithm, row.profile, gateway] = cost
    return costs


@dataclass(frozen=True)
class Line:
    """Cost of a packet by its bytes, as the line through two points."""

    short: tuple[float, Estimate]
    long: tuple[float, Estimate]

    def at(self, bytes_: float) -> Estimate:
        """Returns the cost between both ends, or beyond: their errors are independent."""
        (near, low), (far, high) = self.short, self.long
        share = (bytes_ - near) / (far - near)
        value = (1 - share) * low.value + share * high.value
        if low.half is None or high.half is None:
            return Estimate(max(0.0, value))
        half = float(np.hypot((1 - share) * low.half, share * high.half))
        return Estimate.of_cost(max(0.0, value), half)


class Predictor:
    """Predicts what cases cost, from the calibration among the tunnels of one run."""

    def __init__(
        self,
        lines: Mapping[tuple[str, str, int], Mapping[str, Line]],
        suites: Cryptography,
        nulls: Mapping[tuple[str, str, str], Costs],
    ) -> None:
        """`lines` are of both gateways, and of `shared_costs` where those are known."""
        self._lines, self._suites, self._nulls = lines, suites, nulls

    def cryptography_of(self, case: TunnelCase) -> Costs:
        """Returns the suite's cost in each gateway for these packets; empty if unmeasured."""
        kind = KINDS.get(case.kind)
        if case.suite == NULL or kind is None or kind.provider is None:
            return {}
        costs = {
            gateway: self._suites.get((case.algorithm, case.profile, gateway))
            for gateway in GATEWAYS
        }
        known = {gateway: cost for gateway, cost in costs.items() if cost is not None}
        if len(known) < len(costs):
            return {}
        if not case.both_ways:
            return known
        # Packets go both ways, and each gateway seals half of them and opens the others.
        half = known[GATEWAY_1].plus(known[GATEWAY_2]).times(0.5)
        return dict.fromkeys(GATEWAYS, half)

    def path(self, case: TunnelCase, suite: str) -> Mapping[str, Line] | None:
        """Returns the lines of both gateways for a kind with a suite."""
        return self._lines.get((case.kind, suite, case.tunnels))

    def predict(self, case: TunnelCase) -> tuple[Estimate | None, str]:
        """Returns nanoseconds of a packet in the busier gateway, and their source.

        Without a prediction returns None and the reason.
        """
        if case.traffic == "tcp":
            return None, "a stream's packets and acknowledgements have no size of their own"
        if case.is_calibration:
            return None, "others are predicted from it"
        null = self.path(case, NULL)
        if case.suite != NULL and null is not None:
            added = self.cryptography_of(case)
            if added:
                costs = [null[it].at(case.mean_bytes).plus(added[it]) for it in GATEWAYS]
                return _busiest(costs), (
                    f"{case.kind} without a cipher at two sizes of packets, and {case.algorithm} "
                    "measured by itself"
                )
        own = self.path(case, case.suite)
        if own is None:
            return None, "it was not run at two sizes of packets, or its CPU time is not known"
        sizes = f"{case.kind} {case.suite} at two sizes of packets"
        return _busiest([own[it].at(case.mean_bytes) for it in GATEWAYS]), sizes

    def shared(self, case: TunnelCase) -> Estimate | None:
        """Returns nanoseconds from packet to packet while all roles share the cores.

        The suite lengthens them as it lengthens the CPU time of all roles together.
        """
        predicted, _ = self.predict(case)
        null = self.path(case, NULL)
        added = self.cryptography_of(case) if case.suite != NULL and null is not None else {}
        path = null if added else self.path(case, case.suite)
        if predicted is None or path is None or "wall" not in path:
            return None
        cpu = path["cpu"].at(case.mean_bytes)
        wall = path["wall"].at(case.mean_bytes)
        longer = 1 + sum(it.value for it in added.values()) / cpu.value if cpu.value else 1.0
        return wall.times(longer).wider(MODEL_SHARE)

    def share(self, tunnel: Tunnel) -> tuple[float | None, str]:
        """Returns the share of cryptography in both gateways' CPU time, and its source."""
        costs, case = gateway_costs(tunnel), tunnel.case
        whole = sum(cost.value for cost in costs.values())
        if not whole or case.suite == NULL:
            return (0.0, "null") if whole else (None, "")
        if added := self.cryptography_of(case):
            return min(1.0, sum(cost.value for cost in added.values()) / whole), "suite"
        null = self._nulls.get((case.kind, case.profile, case.traffic))
        if null is None:
            return None, ""
        rest = sum(cost.value for cost in null.values())
        return max(0.0, 1 - rest / whole), "null"


def _busiest(costs: Sequence[Estimate]) -> Estimate:
    return max(costs, key=lambda it: it.value).wider(MODEL_SHARE)


def predictor(tunnels: Sequence[Tunnel], suites: Cryptography) -> Predictor:
    """Returns the predictor of other tunnels from these."""
    points: dict[tuple[str, str, int], dict[float, Costs]] = {}
    nulls: dict[tuple[str, str, str], Costs] = {}
    for tunnel in tunnels:
        case, costs = tunnel.case, gateway_costs(tunnel)
        if tunnel.error is not None or not costs:
            continue
        if case.suite == NULL:
            nulls[case.kind, case.profile, case.traffic] = costs
        if case.is_calibration:
            group = (case.kind, case.suite, case.tunnels)
            points.setdefault(group, {})[case.mean_bytes] = costs | shared_costs(tunnel)
    lines = {}
    for group, own in points.items():
        if len(own) < 2:
            continue
        near, *_, far = sorted(own)
        both = own[near].keys() & own[far].keys()
        lines[group] = {it: Line((near, own[near][it]), (far, own[far][it])) for it in both}
    return Predictor(lines, suites, nulls)
