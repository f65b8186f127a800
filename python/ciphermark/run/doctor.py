"""What makes a machine unfit for measuring, by how much, and how to mend it.

`examine` judges an environment, one finding for each thing that can disturb a measurement;
`overall` sums the findings up in one line. A limit below says from which share on something is
worth a word; its comment says why there.
"""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Literal

import msgspec

from ciphermark import contract
from ciphermark.run import meters

Verdict = Literal["good", "fair", "bad", "unknown"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    value: str
    verdict: Verdict
    effect: str = ""
    """What it does to the numbers; empty when good."""
    cure: str = ""
    """The command that mends it; empty where none does."""
    brief: str
    """The finding in a few words, for `overall`."""


class Diagnosis(msgspec.Struct, frozen=True):
    """All findings in one."""

    verdict: Verdict
    line: str
    """`fair: steal 0.1 %, clock drifts 3.0 % (cycles are unaffected)`."""


PRECISION = 0.01
"""The precision that is wanted unless told otherwise. What is well below it cannot be seen in a
figure, so most limits are multiples of it."""

STEAL_FAIR, STEAL_BAD = PRECISION / 10, PRECISION
"""Share of CPU time. Slices that steal hits are marked, and others must be measured in their place;
from the precision on, what passes unmarked could show in wall times."""

CROWDED_FAIR, CROWDED_BAD = 0.05, 0.5
"""Share of moments in which another thread used the physical core. Slices beside it are marked.
From one half on a case converges only as far as waiting finds quiet moments."""

SHARING = "core sharing"

WHERE_SHARED = (
    "Figures of cases that converge are valid all the same: samples taken while the core was "
    "shared are marked and left out, and a case converges only with enough quiet samples. A "
    "disturbed machine costs time, and fewer cases converge. Absolute cycles of sessions count "
    "only the milliseconds without a neighbour; their rates and latencies, and all figures of "
    "packets, include its effect."
)
"""What sharing the core does to figures, and when they hold (docs/measuring.md)."""

LOAD_FAIR = 0.1
"""Load for each CPU. Below a tenth, the background work of an idle system."""
LOAD_BAD_FREE_CPUS = 0.5
"""CPUs that are idle on average. With less than half of one, measuring waits for other work."""

CLOCK_FAIR, CLOCK_BAD = PRECISION, 0.1
"""Relative drift of the core clock. Below the precision, times are as sure as cycles; from a tenth
on, MB/s has not two sure digits."""

RESIDUAL_FAIR, RESIDUAL_BAD = PRECISION / 2, 2 * PRECISION
"""Disagreement of two ways to count cycles. It is an error of every figure in cycles, which no
repetition shrinks, so it is to be well inside the precision."""

TIMER_FAIR, TIMER_BAD = PRECISION, 5 * PRECISION
"""Cost of reading a clock, as a share of the time that the reading belongs to. It is subtracted;
what stays is its variation, which is smaller than the cost."""

CYCLES_CANCEL = "cycles are unaffected"
FOLLOWS_CLOCK = "ns and MB/s change with the clock, cycles do not"

PARAVIRTUAL_CLOCKS = {"kvm-clock", "hyperv_clocksource_tsc_page", "xen"}
"""Kept right by the hypervisor on top of the TSC, and read without a system call."""
COUNTER_CLOCKS = {"tsc", "tsc-early", "arch_sys_counter"}
"""The counters that the engine reads itself."""

SHORTEN = 3
"""Findings that `overall` names before it counts the rest."""


def examine(
    environment: contract.Environment, later: contract.Environment | None = None
) -> list[Finding]:
    """Judges a machine, the most telling finding first.

    `later` is a second reading, which shows how the core clock drifts between the two.
    """
    machine, state, clocks = environment.machine, environment.state, environment.clocks
    later = later or environment
    return [
        _steal(state),
        _load(machine, state),
        _sharing([environment, later]),
        _clock(environment, later),
        _cycle_count(clocks),
        _governor(state),
        _turbo(machine, state),
        _smt(machine, state),
        _cpus(machine, state),
        _pmu(state, clocks),
        _energy(environment.meters),
        _timers(clocks),
        _clocksource(machine, state, clocks),
        _virtualisation(machine),
    ]


def overall(findings: list[Finding]) -> Diagnosis:
    """The worst verdict, and the findings that have it. What is not known worsens nothing."""
    worse: tuple[Verdict, ...] = ("bad", "fair")
    for verdict in worse:
        worst = [finding.brief for finding in findings if finding.verdict == verdict]
        if worst:
            return Diagnosis(verdict, f"{verdict}: {_shortened(worst)}")
    if any(finding.verdict == "good" for finding in findings):
        return Diagnosis("good", "good: nothing found that disturbs measuring")
    return Diagnosis("unknown", "unknown: this machine does not report its state")


def when_figures_hold(findings: list[Finding]) -> str:
    """What is to be said of figures that are taken here all the same; nothing where the core is not
    shared."""
    shared = [it for it in findings if it.name == SHARING and it.verdict in ("fair", "bad")]
    return WHERE_SHARED if shared else ""


def _shortened(briefs: list[str]) -> str:
    rest = len(briefs) - SHORTEN
    return ", ".join(briefs[:SHORTEN]) + (f" and {rest} more" if rest > 0 else "")


def _steal(state: contract.State) -> Finding:
    share = state.steal_share_since_boot
    if share is None:
        return _unknown("steal", "if there is any, it shows as disturbed slices")
    verdict = _grade(share, STEAL_FAIR, STEAL_BAD)
    return Finding(
        name="steal",
        value=f"{_percent(share)} since boot",
        verdict=verdict,
        effect=_unless_good(verdict, "slices that it hits are marked and left out"),
        brief=f"steal {_percent(share)}",
    )


def _load(machine: contract.Machine, state: contract.State) -> Finding:
    load = state.load_1min
    if load is None:
        return _unknown("load", "other work, if any, shows as disturbed slices")
    cpus = max(machine.cpus_online, 1)
    verdict = _grade(load, LOAD_FAIR * cpus, cpus - LOAD_BAD_FREE_CPUS)
    return Finding(
        name="load",
        value=f"{load:.2f} on {_count(cpus, 'CPU')}",
        verdict=verdict,
        effect=_unless_good(verdict, "other work shares CPU and caches: slices are disturbed"),
        cure=_unless_good(verdict, "top -b -n 1 | head -n 15"),
        brief=f"load {load:.2f} on {_count(cpus, 'CPU')}",
    )


def _sharing(readings: list[contract.Environment]) -> Finding:
    seen = [
        (it.clocks.crowded_share, it.state)
        for it in readings
        if it.clocks.crowded_share is not None
    ]
    if not seen:
        return _unknown(SHARING, "others may share the core unseen, and slow it")
    share, state = max(seen, key=itemgetter(0))
    verdict = _grade(share, CROWDED_FAIR, CROWDED_BAD)
    return Finding(
        name=SHARING,
        value=f"{_percent(share)} of the time on CPU {state.cpu}"
        + (", the quietest of those looked at" if len(state.cpus_allowed) > 1 else ""),
        verdict=verdict,
        effect=_unless_good(
            verdict, "another thread on the same core slows it: such slices are marked and left out"
        ),
        brief=f"core shared {_percent(share)} of the time"
        + _unless_good(verdict, " (such samples are left out)"),
    )


def _clock(environment: contract.Environment, later: contract.Environment) -> Finding:
    clocks = environment.clocks
    if not clocks.core_hz > 0:
        return _unknown("core clock", "without it cycles cannot be computed")
    between = abs(later.clocks.core_hz - clocks.core_hz) / clocks.core_hz
    of_one_cpu = environment.state.cpu == later.state.cpu
    drift = max(clocks.core_hz_spread, later.clocks.core_hz_spread, between if of_one_cpu else 0.0)
    nominal = clocks.cycle_source == "nominal"
    effect = "cycles assume a fixed clock, and are wrong by this much" if nominal else FOLLOWS_CLOCK
    verdict = _grade(drift, CLOCK_FAIR, CLOCK_BAD)
    return Finding(
        name="core clock",
        value=f"{clocks.core_hz / 1e9:.2f} GHz, drifts {_percent(drift)}",
        verdict=verdict,
        effect=_unless_good(verdict, effect),
        brief=f"clock drifts {_percent(drift)}" + ("" if nominal else f" ({CYCLES_CANCEL})"),
    )


def _cycle_count(clocks: contract.Clocks) -> Finding:
    if clocks.cycle_source == "nominal":
        return Finding(
            name="cycle count",
            value="nominal",
            verdict="bad",
            effect="cycles are time × a fixed clock: turbo makes them wrong",
            brief="cycles are not measured",
        )
    residual = abs(clocks.cycle_residual)
    verdict = _grade(residual, RESIDUAL_FAIR, RESIDUAL_BAD)
    return Finding(
        name="cycle count",
        value=f"{clocks.cycle_source}, residual {_percent(residual)}",
        verdict=verdict,
        effect=_unless_good(verdict, "all cycles may be off by this much; ratios are not"),
        brief=f"cycles are uncertain by {_percent(residual)}",
    )


def _governor(state: contract.State) -> Finding:
    governor = state.governor
    if governor is None:
        return _unknown("governor", FOLLOWS_CLOCK)
    verdict: Verdict = "good" if governor == "performance" else "fair"
    return Finding(
        name="governor",
        value=governor,
        verdict=verdict,
        effect=_unless_good(verdict, FOLLOWS_CLOCK),
        cure=_unless_good(
            verdict, "sudo cpupower frequency-set -g performance  # package linux-cpupower"
        ),
        brief=f"governor {governor}",
    )


def _turbo(machine: contract.Machine, state: contract.State) -> Finding:
    turbo = state.turbo
    if turbo is None:
        return _unknown("turbo", FOLLOWS_CLOCK)
    if not turbo:
        return Finding(name="turbo", value="off", verdict="good", brief="turbo off")
    # Intel's own driver has a switch that says no; all others share the general one.
    intel = machine.cpu_vendor == "GenuineIntel"
    switch = "intel_pstate/no_turbo" if intel else "cpufreq/boost"
    return Finding(
        name="turbo",
        value="on",
        verdict="fair",
        effect=FOLLOWS_CLOCK,
        cure=f"echo {int(intel)} | sudo tee /sys/devices/system/cpu/{switch}",
        brief="turbo on",
    )


def _smt(machine: contract.Machine, state: contract.State) -> Finding:
    siblings = ", ".join(str(cpu) for cpu in state.smt_siblings)
    if siblings:
        return Finding(
            name="SMT siblings",
            value=f"CPU {siblings}",
            verdict="fair",
            effect=f"work there slows CPU {state.cpu}, up to twofold",
            cure="echo off | sudo tee /sys/devices/system/cpu/smt/control",
            brief=f"CPU {siblings} shares the core",
        )
    if _is_guest(machine):
        return _unknown("SMT siblings", "others may share the core unseen, and slow it")
    return Finding(name="SMT siblings", value="none", verdict="good", brief="no SMT sibling")


def _cpus(machine: contract.Machine, state: contract.State) -> Finding:
    allowed = len(state.cpus_allowed)
    verdict: Verdict = "good" if allowed > 1 else "fair" if allowed else "unknown"
    widen = allowed == 1 and machine.cpus_online > 1
    return Finding(
        name="allowed CPUs",
        value=f"{allowed} of {machine.cpus_online}",
        verdict=verdict,
        effect=_unless_good(verdict, "all other work runs there too: slices are disturbed"),
        cure=f"taskset -cp 0-{machine.cpus_online - 1} $$" if widen else "",
        brief=f"{_count(allowed, 'CPU')} allowed",
    )


def _pmu(state: contract.State, clocks: contract.Clocks) -> Finding:
    if state.pmu.usable:
        return Finding(name="PMU access", value="usable", verdict="good", brief="PMU usable")
    reason = f": {state.pmu.reason}" if state.pmu.reason else ""
    return Finding(
        name="PMU access",
        value="none",
        verdict="fair",
        effect=f"cycles are {clocks.cycle_source}, not counted{reason}",
        cure=_pmu_cure(state),
        brief=f"no PMU (cycles are {clocks.cycle_source})",
    )


def _pmu_cure(state: contract.State) -> str:
    """From 3 on (Debian's default) the kernel refuses all counters to users; 2 lets them count
    their own code, which is all that the engine counts. Below, the counter itself is missing."""
    paranoid = state.perf_event_paranoid
    refused = paranoid is not None and paranoid > 2
    return "sudo sysctl kernel.perf_event_paranoid=2" if refused else ""


def _energy(shown: list[contract.Meter]) -> Finding:
    """What cannot be read disturbs nothing: figures of energy are absent, all others are as
    good."""
    effect = meters.effect(shown)
    return Finding(
        name="energy",
        value=meters.value(shown),
        verdict="unknown" if effect else "good",
        effect=effect,
        cure=meters.cure(shown),
        brief="energy can be read" if meters.readable(shown) else "energy cannot be read",
    )


def _timers(clocks: contract.Clocks) -> Finding:
    sampling = contract.Sampling()
    slice_ns = 1e3 * sampling.slice_us
    share = max(
        clocks.wall_read_ns / slice_ns,
        clocks.slice_cost_ns / slice_ns,
        clocks.thread_cpu_read_ns / (slice_ns * sampling.slices_per_group),
    )
    verdict = _grade(share, TIMER_FAIR, TIMER_BAD)
    return Finding(
        name="timer cost",
        value=f"wall {clocks.wall_read_ns:.0f} ns, slice {clocks.slice_cost_ns:.0f} ns, "
        f"thread CPU {clocks.thread_cpu_read_ns:.0f} ns",
        verdict=verdict,
        effect=_unless_good(verdict, f"{_percent(share)} of the time; subtracted, but unsteady"),
        brief=f"timers cost {_percent(share)}",
    )


def _clocksource(
    machine: contract.Machine, state: contract.State, clocks: contract.Clocks
) -> Finding:
    source = state.clocksource
    if source is None:
        return _unknown("clocksource", f"the engine times with {clocks.wall_source}")
    trusted = source in COUNTER_CLOCKS or source in PARAVIRTUAL_CLOCKS
    x86 = machine.architecture == "x86_64"
    return Finding(
        name="clocksource",
        value=source,
        verdict="good" if trusted else "bad",
        effect="" if trusted else _distrusted(clocks),
        cure="sudo dmesg | grep -i -e tsc -e clocksource" if x86 and not trusted else "",
        brief=f"clocksource {source}",
    )


def _distrusted(clocks: contract.Clocks) -> str:
    if clocks.wall_source == "monotonic":
        return "each reading of the clock is a slow system call"
    return f"the kernel does not trust the {clocks.wall_source}, the clock that times are read from"


def _virtualisation(machine: contract.Machine) -> Finding:
    name = machine.virtualisation
    if not _is_guest(machine):
        return Finding(name="virtualisation", value=name, verdict="good", brief="no hypervisor")
    if name == "tcg":
        return Finding(
            name="virtualisation",
            value="tcg (QEMU's emulator)",
            verdict="bad",
            effect="instructions are translated: times are not those of any processor",
            brief="emulated processor",
        )
    return Finding(
        name="virtualisation",
        value=name,
        verdict="fair",
        effect="neighbours take CPU time and change the clock: every sample is checked for both",
        brief=f"{name} guest",
    )


def _is_guest(machine: contract.Machine) -> bool:
    return machine.virtualisation != "none"


def _unknown(name: str, effect: str) -> Finding:
    return Finding(
        name=name, value="not shown", verdict="unknown", effect=effect, brief=f"{name} not shown"
    )


def _grade(value: float, fair: float, bad: float) -> Verdict:
    if math.isnan(value):
        return "unknown"
    return "bad" if value >= bad else "fair" if value >= fair else "good"


def _unless_good(verdict: Verdict, text: str) -> str:
    return "" if verdict == "good" else text


def _percent(share: float) -> str:
    percent = 100 * share
    if 0 < percent < 0.05:
        return "< 0.1 %"
    return f"{percent:.1f} %" if percent < 10 else f"{percent:.0f} %"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
