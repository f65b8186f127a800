"""The cases of a plan, one bed for each kind and suite, and what came of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ciphermark import contract
from ciphermark.contract.tunnel import Purpose, Tunnel, TunnelCase, TunnelTrial
from ciphermark.errors import UsageError, WorkError
from ciphermark.measure.interrupts import Interrupts
from ciphermark.measure.tunnels import searching, traffic
from ciphermark.measure.tunnels.bed import (
    GATEWAY_1,
    GATEWAY_2,
    RECEIVER,
    SENDER,
    Bed,
    BedError,
    flows,
)
from ciphermark.measure.tunnels.kinds import Laid, Missing
from ciphermark.measure.tunnels.kinds.kind import UP_S, wait_until
from ciphermark.workloads.tunnel.plan import GROUPS, Group, Load, Planned

OnCase = Callable[[TunnelCase], None]

_PROBE_S = 0.1
_PROBE_PER_SECOND = 200.0
_LOADED = 1.25
"""So much of the rate that goes through is offered for the cost of a packet: gateways that are
never idle take whole batches, and the cost does not depend on how often they are woken."""

_OVER = 1.3
"""The search begins so far above what arrived when as much as could be was sent: a sender that
takes the CPU from the gateways makes that less than goes through."""


def measure(
    planned: Planned,
    engine: Path,
    interrupts: Interrupts,
    begins: OnCase,
    say: Callable[[str], None],
) -> list[Tunnel]:
    """What became of each case, in the order of the plan; those that were not begun when the user
    asked to stop are left out."""
    loads = traffic.Loads(engine, planned.load.polite)
    found: list[Tunnel] = []
    said: set[str] = set()
    for group, cases in planned.groups.items():
        if interrupts.requested:
            break
        of_group = _Group(group, planned.load, loads, interrupts, begins)
        found += of_group.measured(cases)
        for note in of_group.notes:
            if note not in said:
                said.add(note)
                say(note)
    return found


class _Group:
    """One bed, and all that goes through its tunnels."""

    def __init__(
        self,
        group: Group,
        load: Load,
        loads: traffic.Loads,
        interrupts: Interrupts,
        begins: OnCase,
    ) -> None:
        self._kind, self._suite = group
        self._load, self._loads = load, loads
        self._interrupts, self._begins = interrupts, begins
        self.notes: list[str] = []
        self._flows = list(flows(load.tunnels))

    def measured(self, cases: list[TunnelCase]) -> list[Tunnel]:
        done: list[Tunnel] = []
        try:
            self._kind.check()
            fitting = [it for it in cases if self._fits(it)]
            done += [self._too_small(it) for it in cases if it not in fitting]
            bed = Bed(self._load.mtu, self._load.offloads)
            with self._interrupts.answered_by(bed.abandon), bed:
                self.notes += bed.notes
                self._address(bed)
                laid = self._kind.lay(bed, self._suite, self._flows)
                self._wait(bed, laid)
                for case in fitting:
                    self._begins(case)
                    done.append(self._case(bed, laid, case))
        except (Missing, UsageError) as error:
            done += [_failed(it, "unsupported", error) for it in _left(cases, done)]
        except BedError as error:
            if not self._interrupts.requested:
                done += [_failed(it, "failed", error) for it in _left(cases, done)]
        return sorted(done, key=lambda it: cases.index(it.case))

    def _fits(self, case: TunnelCase) -> bool:
        return not case.lengths or self._needed(case) <= self._load.mtu

    def _needed(self, case: TunnelCase) -> int:
        return max(case.lengths) + self._kind.most_bytes_added

    def _too_small(self, case: TunnelCase) -> Tunnel:
        return _failed(
            case,
            "unsupported",
            WorkError(
                f"{case.profile} has packets of {max(case.lengths)} bytes, {self._kind.title} adds "
                f"up to {self._kind.most_bytes_added}, and the link between the gateways takes "
                f"{self._load.mtu}: write --mtu {self._needed(case)}"
            ),
        )

    def _address(self, bed: Bed) -> None:
        """Sender and receiver have an address for each tunnel."""
        (near, _), (_, far) = bed.links[0].devices, bed.links[2].devices
        for from_, to in self._flows:
            bed.ip(SENDER, "addr", "add", f"{from_}/32", "dev", near)
            bed.ip(RECEIVER, "addr", "add", f"{to}/32", "dev", far)
        bed.route(GATEWAY_1, "198.18.64.0/18", "via", bed.links[0].addresses[0])
        bed.route(GATEWAY_2, "198.19.64.0/18", "via", bed.links[2].addresses[1])

    def _wait(self, bed: Bed, laid: Laid) -> None:
        """Until packets go through each tunnel."""
        if "udp" not in self._kind.carries:
            return
        case = TunnelCase(
            kind=self._kind.name,
            suite=self._suite,
            algorithm=self._kind.algorithm(self._suite),
            profile="probe",
            mean_bytes=64,
            lengths=[64],
            traffic="udp",
        )

        def is_up(flow: tuple[str, str]) -> bool:
            tried = traffic.udp(
                bed,
                laid,
                case,
                [flow],
                self._loads,
                purpose="probe",
                per_second=_PROBE_PER_SECOND,
                seconds=_PROBE_S,
            )
            if tried.altered:
                raise BedError("packets arrive that are not as they were sent")
            return tried.received_packets > 0

        for flow in self._flows:
            if not wait_until(lambda flow=flow: is_up(flow)):  # type: ignore[misc]
                raise BedError(
                    f"nothing arrives through {self._kind.title} with {self._suite} after "
                    f"{UP_S:g} s: {_said(bed, laid)}"
                )

    def _case(self, bed: Bed, laid: Laid, case: TunnelCase) -> Tunnel:
        tunnel = Tunnel(
            case=case,
            version=laid.version,
            setting=laid.setting,
            manner=bed.manner,
            mtu=bed.mtu,
            offloads=bed.offloads,
        )
        try:
            if case.traffic == "tcp":
                self._streams(bed, laid, tunnel)
            else:
                self._packets(bed, laid, tunnel)
        except BedError as error:
            if self._interrupts.requested:
                return tunnel
            tunnel.error = contract.Failure(kind="failed", message=str(error))
            if not all(map(bed.is_running, laid.all_programs)):
                raise  # nor would the cases that follow get through
        return tunnel

    def _streams(self, bed: Bed, laid: Laid, tunnel: Tunnel) -> None:
        for _ in range(GROUPS):
            if self._interrupts.requested:
                return
            trial = traffic.tcp(
                bed, laid, tunnel.case, self._flows, self._loads, seconds=self._load.seconds
            )
            tunnel.trials.append(trial)

    def _packets(self, bed: Bed, laid: Laid, tunnel: Tunnel) -> None:
        case = tunnel.case

        def run(per_second: float | None) -> TunnelTrial:
            return self._trial(bed, laid, case, "search", per_second, self._load.search_seconds)

        if case.rate is not None:
            per_second: float | None = case.rate / (8 * case.mean_bytes)
        else:
            most = self._trial(bed, laid, case, "probe", None, self._load.search_seconds)
            tunnel.trials.append(most)
            arrived = most.received_packets / (most.wall_ns / 1e9) / (1 + case.both_ways)
            if not arrived:
                raise BedError("nothing arrives when as much is sent as can be")
            top = _OVER * arrived
            per_second = searching.search(run, top, searching.MEASURED_LOSS, tunnel.trials)
            if per_second is None:  # on so busy a machine something is always lost
                per_second = top / searching.RANGE
            elif self._load.lossless and not case.is_calibration:
                for tolerance in searching.TOLERANCES:
                    searching.search(run, per_second, tolerance, tunnel.trials)
        for _ in range(GROUPS):
            if self._interrupts.requested:
                return
            trial = self._trial(bed, laid, case, "measured", per_second, self._load.seconds)
            tunnel.trials.append(trial)
            if case.rate is None and per_second is not None:
                over = _LOADED * per_second
                loaded = self._trial(bed, laid, case, "loaded", over, self._load.search_seconds)
                tunnel.trials.append(loaded)

    def _trial(
        self,
        bed: Bed,
        laid: Laid,
        case: TunnelCase,
        purpose: Purpose,
        per_second: float | None,
        seconds: float,
    ) -> TunnelTrial:
        return traffic.udp(
            bed,
            laid,
            case,
            self._flows,
            self._loads,
            purpose=purpose,
            per_second=per_second,
            seconds=seconds,
        )


def _left(cases: list[TunnelCase], done: list[Tunnel]) -> list[TunnelCase]:
    """Those of which nothing is known yet."""
    known = [it.case for it in done]
    return [case for case in cases if case not in known]


def _failed(case: TunnelCase, kind: contract.FailureKind, error: Exception) -> Tunnel:
    return Tunnel(case=case, error=contract.Failure(kind=kind, message=str(error)))


def _said(bed: Bed, laid: Laid) -> str:
    for name in laid.all_programs:
        lines = [line for line in bed.log(name).splitlines() if line.strip()]
        if lines:
            return lines[-1]
    return "its program has said nothing"
