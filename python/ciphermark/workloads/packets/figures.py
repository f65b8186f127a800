"""The figures of the passes of one case of packets, by the definitions of design.md, "Metrics"; and
which passes others disturbed.

Passes come in pairs: one without the cryptographic work and one with it, one right after the other,
so that both saw the same machine.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from ciphermark import contract
from ciphermark.record.case_row import identity
from ciphermark.statistics.estimate import Estimate, complete
from ciphermark.statistics.power import Span, mean_apart_ns
from ciphermark.statistics.quantiles import FEWEST_GROUPS, estimate_median
from ciphermark.view import figures
from ciphermark.workloads import energy
from ciphermark.workloads.flows import Latencies, percentiles
from ciphermark.workloads.packets.row import (
    CoreShare,
    DeviceShare,
    PacketFailure,
    PacketRow,
    interval,
)
from ciphermark.workloads.single.rows import what_ran

if TYPE_CHECKING:
    from ciphermark.record.run import CaseRecord, Context, Run


MOST_CLOCK_MOVE = 0.03
"""Most deviation of a pass's core clock; a pass that deviates more is not compared. Three times the
movement of a quiet guest's clock.
"""

MOST_AWAY = 0.02
"""Share of a pass that a thread which always looks for work may be away from its CPU: the kernel's
own work takes less, a neighbour or the hypervisor more."""

MOST_CROWDED = 0.1
"""Share of a pass's stretches in which another thread may use the core of one that works on
packets: it slows these packets by up to half, which is as much as the other limits allow."""

READINGS_OF_A_PASS = 3
"""Two at least are then within it."""

USUAL_PREEMPTIONS_PER_S = 100
"""Preemptions per second by the kernel's own threads that are usual."""


class Pair(NamedTuple):
    """Both passes of a pair, whichever of them came first."""

    transfer: contract.Pass
    processing: contract.Pass


def pairs(run: contract.PacketsRun) -> list[Pair]:
    """Returns all whole pairs, in their order."""
    neighbours = zip(run.passes[::2], run.passes[1::2], strict=False)
    return [
        Pair(first, second) if first.kind == "transfer" else Pair(second, first)
        for first, second in neighbours
        if first.kind != second.kind
    ]


def undisturbed(run: contract.PacketsRun, offload_cpus: list[int]) -> list[Pair]:
    """Returns the pairs of passes without a disturbance or a change of the clock."""
    usual_hz = _median([it.core_hz for it in run.passes] or [0.0])
    alone = _alone(run.load, offload_cpus)

    def is_quiet(it: contract.Pass) -> bool:
        return abs(it.core_hz - usual_hz) <= MOST_CLOCK_MOVE * usual_hz and not any(
            _was_kept_away(place, it, run.load.waiting)
            for place, core in enumerate(it.cores)
            if core.cpu in alone
        )

    return [
        pair
        for pair in pairs(run)
        if all(is_quiet(one) and not is_crowded(run, one) for one in pair)
    ]


def crowded(run: contract.PacketsRun) -> int:
    """Pairs in one of whose passes others used the cores."""
    return sum(any(is_crowded(run, one) for one in pair) for pair in pairs(run))


def is_crowded(run: contract.PacketsRun, one: contract.Pass) -> bool:
    """Returns whether others used a core of a pass.

    Sharing among the packets' own threads, or with a device's, is part of their cost.
    """
    own = run.device is not None or any(clock.shares_core for clock in run.core_clocks)
    return not own and any(core.crowded > MOST_CROWDED * core.stretches for core in one.cores)


def _alone(load: contract.PacketLoad, offload_cpus: list[int]) -> set[int]:
    """CPUs that one thread has to itself; on others preemptions are explained by sharing."""
    submits = [] if load.submit_cpu in load.cpus else [load.submit_cpu]
    threads = Counter([*load.cpus, *submits, *offload_cpus])
    return {cpu for cpu, count in threads.items() if count == 1}


def _was_kept_away(place: int, of: contract.Pass, waiting: contract.Waiting) -> bool:
    """Returns whether the thread at this place could not run when it wanted to.

    One that processes and never slept, not for a device either, wants to all the time. The first
    submits and ends before the others, so its CPU time says nothing about this.
    """
    core = of.cores[place]
    if place > 0 and waiting == "poll" and core.waits == 0:
        return of.wall_ns - core.cpu_ns > MOST_AWAY * of.wall_ns
    return core.preemptions > max(1, USUAL_PREEMPTIONS_PER_S * of.wall_ns / 1e9)


OfPass = Callable[[contract.Pass], float]


class Passes:
    """Passes of a case with values that several figures need; there must be a pair of them."""

    def __init__(self, run: contract.PacketsRun, case: contract.Case, precision: float) -> None:
        self._run = run
        self._precision = precision
        self._has_device = case.offload != "none"
        self._packets = run.load.packets
        self._bytes = packet_bytes(case, self._packets)
        self._bits = crossing_bits(case, run.load)
        self._pairs = pairs(run)
        self._quiet = undisturbed(run, case.offload_cpus)
        # Figures of a restless machine are better than none, but have no interval: passes that
        # others disturbed alike agree with each other, and not with a quiet machine.
        self._shown = self._quiet or self._pairs

    def figures(self) -> dict[str, Any]:
        """Returns the fields of a row, by name."""
        return {
            **self._cycles(),
            **self._rates(),
            **self._alone(),
            **self._accounts(),
            **self._energy(),
            "latency_ns": _latencies(it.processing.latencies for it in self._shown),
            **self._by_priority(),
            "transfer_latency_ns": _latencies(it.transfer.latencies for it in self._shown),
            "shares": self._shares(),
            "device_times": self._device_times(),
            "device": self._run.device,
            "buffer_bytes": self._run.buffer_bytes,
            "checked_against": self._run.checked_against,
            "core_hz": self.median(lambda it: it.core_hz),
            "pairs": len(self._pairs),
            "disturbed": len(self._pairs) - len(self._quiet),
            **self._settled(),
        }

    def _cycles(self) -> dict[str, Any]:
        """Returns cycles of transfer, processing and their difference, with intervals."""
        cycles = {
            "transfer": self._estimate(lambda it: wall_cycles(it.transfer)),
            "processing": self._estimate(lambda it: wall_cycles(it.processing)),
            "actual": self._estimate(
                lambda it: wall_cycles(it.processing) - wall_cycles(it.transfer)
            ),
        }
        fields: dict[str, Any] = {}
        for name, estimate in cycles.items():
            fields[f"{name}_cycles"] = estimate.value
            fields[f"{name}_interval"] = interval(estimate)
            fields[f"{name}_cycles_per_packet"] = estimate.value / self._packets
        if self._bytes:
            fields["processing_cycles_per_byte"] = cycles["processing"].value / self._bytes
            fields["cycles_per_bit"] = cycles["actual"].value / self._bits
        cpu_cycles = self.median(cpu_cycles_of)
        burnt = self._estimate(lambda it: _burnt_cycles(it.processing))
        return fields | {
            "transfer_ns_per_packet": self.median(lambda it: it.wall_ns, "transfer")
            / self._packets,
            "cpu_cycles": cpu_cycles,
            "cpu_cycles_per_packet": cpu_cycles / self._packets,
            "burnt_cycles": burnt.value,
            "burnt_interval": interval(burnt),
            "transfer_cpu_cycles": self.median(cpu_cycles_of, "transfer"),
        }

    def _rates(self) -> dict[str, Any]:
        seconds = self.median(lambda it: it.wall_ns) / 1e9
        fields: dict[str, Any] = {"packets_per_second": self._packets / seconds}
        if self._bytes:
            fields["mbytes_per_second"] = self._bytes / seconds / 1e6
            fields["bits_per_second"] = 8 * self._bytes / seconds
        return fields

    def _energy(self) -> dict[str, Any]:
        """Returns the energy of the passes with the cryptographic work."""
        passes = [it.processing for it in self._shown]
        fields = energy.of_spans(
            self._run.energy,
            [Span(it.at_ns, it.at_ns + it.wall_ns) for it in passes],
            self._packets / (self.median(lambda it: it.wall_ns) / 1e9),
            self._bytes / self._packets,
        )
        if "no_energy" in fields and self._run.energy is not None:
            fields["no_energy"] = self._too_short(self._run.energy) or fields["no_energy"]
        return fields

    def _too_short(self, readings: contract.Readings) -> str:
        """Returns a note on passes too short for the meters, with enough packets for one."""
        longest_ns = max(it.processing.wall_ns for it in self._shown)
        apart_ns = mean_apart_ns(readings)
        if longest_ns >= READINGS_OF_A_PASS * apart_ns:
            return ""
        enough = self._packets * READINGS_OF_A_PASS * apart_ns / longest_ns
        step = 10 ** max(len(str(int(enough))) - 2, 0)
        return (
            f"the longest pass of {figures.grouped(self._packets)} packets takes "
            f"{figures.significant(longest_ns / 1e6)} ms, and meters are read every "
            f"{figures.significant(apart_ns / 1e6)} ms: write --packets "
            f"{math.ceil(enough / step) * step}"
        )

    def _alone(self) -> dict[str, Any]:
        """Returns the cycles of the function without the queue."""
        alone = self._run.alone
        if alone is None or not self._bytes:
            return {}
        return {
            "hot_cycles_per_byte": alone.hot_cycles / self._bytes,
            "cold_cycles_per_byte": alone.cold_cycles / self._bytes,
        }

    def _accounts(self) -> dict[str, Any]:
        """Returns the counts of packets and batches by their fate."""
        return deliveries(self._run) | {
            "useful_cycles": self.median(_useful_cycles) if self._has_device else None,
            "queue_full": self.median(lambda it: it.queue_full),
            "flushed": self.median(lambda it: it.flushed),
        }

    def _settled(self) -> dict[str, Any]:
        reason = self._unsettled()
        return {"converged": reason is None, "not_converged_reason": reason}

    def _unsettled(self) -> str | None:
        """Returns why the processing is not known well enough, or None."""
        disturbed = len(self._pairs) - len(self._quiet)
        if 2 * disturbed > len(self._pairs):
            beside = crowded(self._run)
            why = f", {beside} by others on the cores" if beside else ""
            return f"{disturbed} of {len(self._pairs)} pairs disturbed{why}"
        if len(self._quiet) < FEWEST_GROUPS:
            return f"{len(self._quiet)} of {FEWEST_GROUPS} undisturbed pairs"
        estimate = self._estimate(lambda it: wall_cycles(it.processing))
        off = None if estimate.half is None else estimate.half / estimate.value
        return f"interval ±{100 * off:.1f} %" if off and off > self._precision else None

    def _shares(self) -> list[CoreShare]:
        load = self._run.load
        cpus = dict.fromkeys([load.submit_cpu, *load.cpus])
        return [self._share(cpu) for cpu in sorted(cpus)]

    def _share(self, cpu: int) -> CoreShare:
        # The first account is of submitting: its packets are those that others process.
        packets = self.median(lambda it: _total(it.cores[1:], cpu, "packets"))
        useful = self.median(lambda it: _total(it.cores, cpu, "useful_cycles"))
        cpu_cycles = self.median(lambda it: _total(it.cores, cpu, "cpu_ns") * it.core_hz / 1e9)
        return CoreShare(
            cpu=cpu,
            submits=cpu == self._run.load.submit_cpu,
            packets=packets,
            share=packets / self._packets,
            cpu_cycles=cpu_cycles,
            useful_cycles=useful,
        )

    def _device_times(self) -> DeviceShare | None:
        passes = [it.processing for it in self._shown if it.processing.device is not None]
        if not passes:
            return None

        def cycles(name: str) -> float:
            times: list[float] = [getattr(it.device, name) * it.core_hz / 1e9 for it in passes]
            return _median(times)

        def part(name: str) -> float | None:
            return None if any(getattr(it.device, name) is None for it in passes) else cycles(name)

        return DeviceShare(
            submissions=_median(it.device.submissions for it in passes if it.device),
            in_cycles=part("in_ns"),
            compute_cycles=part("compute_ns"),
            out_cycles=part("out_ns"),
            wall_cycles=cycles("wall_ns"),
        )

    def _estimate(self, of_pair: Callable[[Pair], float]) -> Estimate:
        return self._median_of(map(of_pair, self._shown))

    def _median_of(self, values: Iterable[float]) -> Estimate:
        estimate = estimate_median(np.array([*values]))
        assert estimate is not None
        return estimate if self._quiet else Estimate(estimate.value)

    def median(self, of_pass: OfPass, kind: contract.PassKind = "processing") -> float:
        return _median(of_pass(getattr(it, kind)) for it in self._shown)

    def _by_priority(self) -> dict[str, Any]:
        """Latencies of the packets of each priority; none where one of them was never timed."""
        passes = [it.processing.latencies_by_priority for it in self._shown]
        of_each = complete(_latencies(counts) for counts in zip(*passes, strict=True))
        if not of_each:
            return {}
        extremes = ((percentiles(of_pass[0]), percentiles(of_pass[-1])) for of_pass in passes)
        ratios = [
            least.p50 / most.p50
            for most, least in extremes
            if most is not None and least is not None
        ]
        urgency = self._median_of(ratios) if ratios else None
        return {
            "latency_by_priority_ns": of_each,
            "urgency": None if urgency is None else urgency.value,
            "urgency_interval": None if urgency is None else interval(urgency),
        }


def _latencies(of_passes: Iterable[list[contract.LatencyCount]]) -> Latencies | None:
    """Returns the latencies of several passes together; None where nothing was timed."""
    together: Counter[int] = Counter()
    for of_pass in of_passes:
        for counted in of_pass:
            together[counted.ns] += counted.count
    return percentiles([contract.LatencyCount(ns=ns, count=n) for ns, n in together.items()])


def packet_bytes(case: contract.Case, packets: int) -> int:
    """Returns the bytes of all packets; with a profile they have its lengths in turn."""
    if not case.lengths:
        return packets * (case.message_bytes or 0)
    rounds, rest = divmod(packets, len(case.lengths))
    return rounds * sum(case.lengths) + sum(case.lengths[:rest])


def crossing_bits(case: contract.Case, load: contract.PacketLoad) -> float:
    """Bits that cross the function: those of all packets, once for each operation."""
    return 8.0 * packet_bytes(case, load.packets) * (1 if load.then is None else 2)


def wall_cycles(it: contract.Pass) -> float:
    """Returns core clock times wall time."""
    return it.core_hz * it.wall_ns / 1e9


def cpu_cycles_of(it: contract.Pass) -> float:
    """Returns the CPU time of all threads, in core cycles."""
    return it.core_hz * sum(core.cpu_ns for core in it.cores) / 1e9


def deliveries(run: contract.PacketsRun) -> dict[str, int]:
    """Packets that did not arrive once and in order, over all passes."""
    names = ("lost", "duplicated", "out_of_order")
    return {name: sum(getattr(it, name) for it in run.passes) for name in names}


def _useful_cycles(it: contract.Pass) -> float:
    return sum(core.useful_cycles for core in it.cores)


def _burnt_cycles(it: contract.Pass) -> float:
    """Returns the CPU time without useful work, in core cycles."""
    return cpu_cycles_of(it) - _useful_cycles(it)


def _total(cores: Iterable[contract.CoreFigures], cpu: int, name: str) -> float:
    values: list[float] = [getattr(core, name) for core in cores if core.cpu == cpu]
    return sum(values)


def _median(values: Iterable[float]) -> float:
    """Returns the median as a float, also of integers."""
    return float(statistics.median(values))


def packet_rows(run: Run) -> list[PacketRow]:
    """Returns one row for each case of the run, in the order of the plan."""
    by_case = {packet.case: packet for packet in run.packets}
    return [_row(record, by_case.get(record.case.case), run.context) for record in run.cases]


def _row(record: CaseRecord, run: contract.PacketsRun | None, context: Context) -> PacketRow:
    case = record.case
    load = run.load if run else case.packets
    assert load is not None
    error = _not_delivered(run) if run is not None else None
    if record.error is not None:
        error = PacketFailure(**msgspec.structs.asdict(record.error))
    named = identity(case) | what_ran(record) | _conditions(case, load)
    return PacketRow(
        **named | _measured(run, case, context, error),
        workload=context.workload,
        cycle_source=context.cycle_source or "",
        vectors_passed=record.vectors_passed,
        agrees_with=record.agrees_with,
        error=error,
    )


def _conditions(case: contract.Case, load: contract.PacketLoad) -> dict[str, Any]:
    """Returns the conditions of the packets, by field of a row."""
    of_load = msgspec.structs.asdict(load)
    named = {name: of_load[name] for name in PacketRow.__struct_fields__ if name in of_load}
    operations = [case.operation] + ([load.then] if load.then else [])
    return named | {
        "operation": "+".join(operations),
        "packet_bytes": case.message_bytes,
        "bits": crossing_bits(case, load),
        "cores": len(load.cpus),
        "offload_cpus": case.offload_cpus,
    }


def _measured(
    run: contract.PacketsRun | None,
    case: contract.Case,
    context: Context,
    error: PacketFailure | None,
) -> dict[str, Any]:
    """Returns the figures; of a failed case only the counts of its packets."""
    if run is not None and error is not None:
        return deliveries(run)
    if run is None or not pairs(run):
        return {"not_converged_reason": None if error else f"0 of {FEWEST_GROUPS} pairs"}
    return Passes(run, case, context.precision).figures()


def _not_delivered(run: contract.PacketsRun) -> PacketFailure | None:
    """Returns a failure where packets were lost: then no figure is valid."""
    lost = deliveries(run)
    if not any(lost.values()):
        return None
    return PacketFailure(
        kind="not-delivered",
        message=f"of {run.load.packets} packets in each of {len(run.passes)} passes {lost['lost']} "
        f"were lost, {lost['duplicated']} came twice and {lost['out_of_order']} came out of order",
        signal=None,
    )
