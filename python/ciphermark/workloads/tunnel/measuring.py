"""Traffic through the tunnels of a plan, in rounds.

In each round every kind and suite is set up anew, and the rate of each of its cases is searched.
So the spread between rounds is that of set-ups too, and other work of the machine falls on all
cases alike: predictions compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.contract.tunnel import Purpose, Tunnel, TunnelCase, TunnelTrial
from ciphermark.errors import UsageError, WorkError
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.tunnels import profiler, searching, traffic
from ciphermark.run.tunnels.bed import (
    GATEWAY_1,
    GATEWAY_2,
    RECEIVER,
    SENDER,
    Bed,
    BedError,
    flows,
)
from ciphermark.run.tunnels.kinds import Laid, Missing
from ciphermark.run.tunnels.kinds.kind import UP_S, wait_until
from ciphermark.view.progress import Bars
from ciphermark.workloads.tunnel.plan import GROUPS, Group, Load, Planned
from ciphermark.workloads.tunnel.prediction import has_program, is_full

if TYPE_CHECKING:
    from rich.console import Console


Work = Callable[[Bed, TunnelCase], None]

OnStep = Callable[[str, int], None]
"""Receiver of the next step's name and of the number of steps of `steps` that are done."""

_PROBE_S = 0.1
_PROBE_PER_SECOND = 200.0

_LOADED = 1.25
"""Factor of the rate that goes through, offered for the cost of a packet in gateways that are
rarely idle. A much higher one fills the queue of the sender's interface, and then threads of the
gateways send for it: their CPU time is then not theirs.
"""

_MORE = 1.5
"""A gateway's program is offered so many times more, until it is full: one that waits for packets
pays a wake-up for each, and how often it waits differs from suite to suite."""

_MOST_RAISES = 6

_PROFILED_S = 1.0

_MOST_LOWERED = 4
"""Times that a rate is lowered which passed a short trial and fails a long one."""


def steps(planned: Planned) -> int:
    """Returns the most works of all rounds: a stream is sent twice, packets are profiled last."""
    return sum(2 * GROUPS if it.traffic == "tcp" else GROUPS + 1 for it in planned.cases)


def measure(
    planned: Planned,
    engine: Path,
    interrupts: Interrupts,
    on_step: OnStep,
    say: Callable[[str], None],
) -> list[Tunnel]:
    """Returns the results of each case, in the order of the plan.

    When the user asks to stop, cases keep their trials, and those without any are left out.
    """
    loads = traffic.Loads(engine, planned.load.polite)
    groups = [
        _Group(group, cases, planned.load, loads, interrupts)
        for group, cases in planned.groups.items()
    ]
    done = 0
    with interrupts.answered_by(lambda: _abandon(groups)):
        for number in range(GROUPS):
            for group in groups:
                for own_threads in (True, False):
                    works = list(group.works(own_threads, is_last=number == GROUPS - 1))
                    if not works:
                        continue
                    on_step(f"laying {group.title}", done)
                    with group.laid(own_threads):
                        for case, work in works:
                            on_step(f"round {number + 1} of {GROUPS}, {_title(case)}", done)
                            group.try_(case, work)
                            done += 1
    for note in dict.fromkeys(note for group in groups for note in group.notes):
        say(note)
    tunnels = [group.tunnels[case] for group in groups for case in group.cases]
    return [it for it in tunnels if it.error is not None or it.trials]


def _abandon(groups: list[_Group]) -> None:
    for group in groups:
        if group.bed is not None:
            group.bed.abandon()


def _title(case: TunnelCase) -> str:
    return f"{case.kind} {case.suite}, {case.profile} ({case.traffic})"


class _Group:
    """A kind with a suite, and all that goes through its tunnels."""

    def __init__(
        self,
        group: Group,
        cases: list[TunnelCase],
        load: Load,
        loads: traffic.Loads,
        interrupts: Interrupts,
    ) -> None:
        self._kind, self._suite = group
        self.cases = cases
        self.tunnels = {case: Tunnel(case=case) for case in cases}
        self._load, self._loads = load, loads
        self._interrupts = interrupts
        self._flows = list(flows(load.tunnels))
        self._rates: dict[TunnelCase, float] = {}
        """Packets per second that went through last, each way."""
        self._loaded: dict[TunnelCase, float] = {}
        """Packets per second that keep gateways busy."""
        self.bed: Bed | None = None
        self._laid = Laid("")
        self.notes: list[str] = []

    @property
    def title(self) -> str:
        return f"{self._kind.name} {self._suite}"

    @contextmanager
    def laid(self, own_threads: bool) -> Iterator[None]:
        """Keeps a bed within, unless something is missing, which the cases then say."""
        for case in self.cases:
            if not self._fits(case):
                self._fail(case, "unsupported", self._too_small(case))
        with ExitStack() as within:
            try:
                self._kind.check()
                bed = Bed(self._load.mtu, self._load.offloads, own_threads=own_threads)
                self.bed = within.enter_context(bed)
                self.notes += bed.notes
                self._address(bed)
                self._laid = self._kind.lay(bed, self._suite, self._flows)
                self._describe(bed)
                self._wait(bed)
            except (Missing, UsageError) as error:
                self._fail_all("unsupported", error)
            except BedError as error:
                self._fail_all("failed", error)
            yield
        self.bed = None

    def open_cases(self) -> Iterator[TunnelCase]:
        """Yields the cases that have not failed so far."""
        for case in self.cases:
            if self.tunnels[case].error is None and not self._interrupts.requested:
                yield case

    def works(self, own_threads: bool, *, is_last: bool) -> Iterator[tuple[TunnelCase, Work]]:
        """Yields the work of a round, in a bed with or without interface threads.

        Threads separate the CPU time of busy gateways from that of others. They slow a stream down,
        as its acknowledgements wake them for a few packets each.
        """
        streams = [case for case in self.open_cases() if case.traffic == "tcp"]
        if not own_threads:
            yield from ((case, self._stream) for case in streams)
            return
        packets = [case for case in self.open_cases() if case.traffic == "udp"]
        yield from ((case, self._packets) for case in packets)
        yield from ((case, self._loaded_stream) for case in streams)
        if is_last and not profiler.refusal():
            yield from ((case, self._profile) for case in packets if not case.is_calibration)

    def try_(self, case: TunnelCase, work: Work) -> None:
        """Tries a part of a case, and notes the reason if it fails."""
        bed = self.bed
        if bed is None or self.tunnels[case].error is not None or self._interrupts.requested:
            return
        try:
            work(bed, case)
        except BedError as error:
            if self._interrupts.requested:
                return
            self._fail(case, "failed", error)
            if not self._is_alive(bed):
                self._fail_all("failed", error)  # nor would the other cases get through

    def _is_alive(self, bed: Bed) -> bool:
        try:
            return all(map(bed.is_running, self._laid.all_programs))
        except BedError:
            return False

    def _fail(self, case: TunnelCase, kind: contract.FailureKind, error: Exception) -> None:
        """Notes why a case has no figure, or one of fewer rounds than others."""
        if any(it.purpose == "measured" for it in self.tunnels[case].trials):
            self.notes.append(f"{_title(case)}, a round without a figure: {error}")
        else:
            self.tunnels[case].error = contract.Failure(kind=kind, message=str(error))

    def _fail_all(self, kind: contract.FailureKind, error: Exception) -> None:
        if self._interrupts.requested:
            return
        for case in self.cases:
            if self.tunnels[case].error is None:
                self._fail(case, kind, error)

    def _fits(self, case: TunnelCase) -> bool:
        return not case.lengths or self._needed(case) <= self._load.mtu

    def _needed(self, case: TunnelCase) -> int:
        return max(case.lengths) + self._kind.most_bytes_added

    def _too_small(self, case: TunnelCase) -> WorkError:
        return WorkError(
            f"{case.profile} has packets of {max(case.lengths)} bytes, {self._kind.title} adds up "
            f"to {self._kind.most_bytes_added}, and the link between the gateways takes "
            f"{self._load.mtu}: write --mtu {self._needed(case)}"
        )

    def _address(self, bed: Bed) -> None:
        """Adds an address for each tunnel to sender and receiver."""
        (near, _), (_, far) = bed.links[0].devices, bed.links[2].devices
        for from_, to in self._flows:
            bed.ip(SENDER, "addr", "add", f"{from_}/32", "dev", near)
            bed.ip(RECEIVER, "addr", "add", f"{to}/32", "dev", far)
        bed.route(GATEWAY_1, "198.18.64.0/18", "via", bed.links[0].addresses[0])
        bed.route(GATEWAY_2, "198.19.64.0/18", "via", bed.links[2].addresses[1])

    def _describe(self, bed: Bed) -> None:
        for tunnel in self.tunnels.values():
            tunnel.version, tunnel.setting = self._laid.version, self._laid.setting
            tunnel.manner, tunnel.mtu, tunnel.offloads = bed.manner, bed.mtu, bed.offloads

    def _wait(self, bed: Bed) -> None:
        """Waits until packets go through each tunnel."""
        if "udp" not in self._kind.carries:
            return
        case = TunnelCase(
            kind=self._kind.name,
            suite=self._suite,
            algorithm=self._kind.algorithm(self._suite),
            profile="probe",
            mean_bytes=64,
            lengths=(64,),
            traffic="udp",
        )
        for flow in self._flows:
            if not wait_until(lambda flow=flow: self._goes_through(bed, case, flow)):  # type: ignore[misc]
                raise BedError(
                    f"nothing arrives through {self._kind.title} with {self._suite} after "
                    f"{UP_S:g} s: {self._said(bed)}"
                )

    def _goes_through(self, bed: Bed, case: TunnelCase, flow: tuple[str, str]) -> bool:
        tried = traffic.udp(
            bed,
            self._laid,
            case,
            [flow],
            self._loads,
            purpose="probe",
            per_second=_PROBE_PER_SECOND,
            seconds=_PROBE_S,
        )
        if tried.altered:
            raise BedError("packets arrive changed")
        return tried.received_packets > 0

    def _said(self, bed: Bed) -> str:
        """Returns the last line that its programs printed."""
        for name in self._laid.all_programs:
            lines = [line for line in bed.log(name).splitlines() if line.strip()]
            if lines:
                return lines[-1]
        return "its program printed nothing"

    def _search(self, bed: Bed, case: TunnelCase) -> None:
        """Measures a case at the highest rate with a tolerable loss."""
        trials, ways = self.tunnels[case].trials, 1 + case.both_ways

        def run(per_second: float | None) -> TunnelTrial:
            return self._trial(bed, case, "search", per_second, self._load.search_seconds)

        is_first = case not in self._rates
        if is_first:
            most = self._trial(bed, case, "probe", None, self._load.search_seconds)
            trials.append(most)
            if not most.received_packets:
                raise BedError("nothing arrives at the highest rate of the sender")
            self._rates[case] = most.received_packets / (most.wall_ns / 1e9) / ways
        tried: list[TunnelTrial] = []
        tolerance = searching.MEASURED_LOSS
        rate = searching.search(run, self._rates[case], tolerance, tried, ways)
        if rate is not None:
            self._rates[case] = rate
        if rate is not None and is_first and self._load.lossless and not case.is_calibration:
            for share in searching.TOLERANCES:
                searching.search(run, rate, share, tried, ways)
        trials += tried
        for _ in range(_MOST_LOWERED if rate is not None else 0):
            trial = self._trial(bed, case, "measured", self._rates[case], self._load.seconds)
            if searching.passes(trial, tolerance):
                trials.append(trial)
                break
            trials.append(msgspec.structs.replace(trial, purpose="search"))
            self._rates[case] /= searching.RESOLUTION
        if is_first:
            self._loaded[case] = _LOADED * self._rates[case]
            for _ in range(_MOST_RAISES):
                if not self._raise(case, run(self._loaded[case])):
                    break

    def _raise(self, case: TunnelCase, trial: TunnelTrial) -> bool:
        """Raises the offered load if the gateways' program had to wait; returns whether it did."""
        waits = has_program(trial) and not is_full(trial)
        # The sender has no more.
        falls_short = trial.sent_per_second < searching.SENT_SHARE * (trial.asked_per_second or 0.0)
        if waits and not falls_short:
            self._loaded[case] *= _MORE
        return waits and not falls_short

    def _stream(self, bed: Bed, case: TunnelCase) -> None:
        self._send_stream(bed, case, "measured")

    def _loaded_stream(self, bed: Bed, case: TunnelCase) -> None:
        """Sends a stream for the CPU time of each role."""
        if bed.threads:
            self._send_stream(bed, case, "loaded")

    def _send_stream(self, bed: Bed, case: TunnelCase, purpose: Purpose) -> None:
        seconds = self._load.seconds
        trial = traffic.tcp(
            bed, self._laid, case, self._flows, self._loads, purpose=purpose, seconds=seconds
        )
        self.tunnels[case].trials.append(trial)

    def _packets(self, bed: Bed, case: TunnelCase) -> None:
        trials, seconds = self.tunnels[case].trials, self._load.seconds
        if case.rate is not None:
            self._rates[case] = case.rate / (8 * case.mean_bytes)
            trials.append(self._trial(bed, case, "measured", self._rates[case], seconds))
            return
        self._search(bed, case)
        more = self._trial(bed, case, "loaded", self._loaded[case], seconds)
        trials.append(more)
        self._raise(case, more)

    def _profile(self, bed: Bed, case: TunnelCase) -> None:
        tunnel = self.tunnels[case]
        rate = self._rates[case] if case.rate is not None else self._loaded[case]
        with profiler.profiling(bed, self._laid) as profile:
            tunnel.trials.append(self._trial(bed, case, "profiled", rate, _PROFILED_S))
        tunnel.executed = profile.parts

    def _trial(
        self, bed: Bed, case: TunnelCase, purpose: Purpose, per_second: float | None, seconds: float
    ) -> TunnelTrial:
        return traffic.udp(
            bed,
            self._laid,
            case,
            self._flows,
            self._loads,
            purpose=purpose,
            per_second=per_second,
            seconds=seconds,
        )


class TunnelProgress(Bars):
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, console: Console, cases: int, steps: int) -> None:
        super().__init__(console)
        self._cases = cases
        self._task = self._bars.add_task("Sending", total=steps, state="laying the first tunnel")

    def step(self, what: str, done: int) -> None:
        """Shows the number of finished steps and the next one."""
        self._bars.update(self._task, completed=done, state=what)

    def _end(self) -> None:
        if self._is_drawn:
            self._bars.update(self._task, state=f"{self._cases} cases")
