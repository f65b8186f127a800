"""The machine and the run in a few words, for headings and captions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context

CYCLE_SOURCES: dict[contract.CycleSource, str] = {
    "pmu": "counted by the PMU",
    "calibrated": "no PMU: calibrated",
    "nominal": "no PMU: nominal clock",
}
"""Where cycles come from, in the words of a heading."""


def machine_line(hello: contract.Hello) -> str:
    """Processor, CPUs and clock: `AMD EPYC 9B45 (kvm guest), 2 of 2 CPUs · core clock …`."""
    clocks = hello.environment.clocks
    return (
        f"{place_line(hello)} · core clock {figures.clock(clocks.core_hz)} "
        f"±{figures.percent(clocks.cycle_residual, 1)} ({CYCLE_SOURCES[clocks.cycle_source]})"
    )


def place_line(hello: contract.Hello) -> str:
    """Processor and CPUs: all that matters where no figure is of this machine."""
    machine, state = hello.environment.machine, hello.environment.state
    cpus = f"{len(state.cpus_allowed)} of {figures.counted(machine.cpus_online, 'CPU')}"
    return f"{processor(machine)}, {cpus}"


def imported_line(context: Context) -> str:
    """What is known of the machine of an imported run, which nobody has looked at."""
    cpu = f" ({context.cpu_name})" if context.cpu_name else ""
    clock = "" if context.core_hz is None else f" · clock {figures.clock(context.core_hz)}, as told"
    return f"{context.machine_name}{cpu}{clock}"


def run_line(context: Context) -> str:
    """Which run, when, and how much: `20261121-091500-7f3a · … · 349 cases in 42 s`."""
    cases = figures.counted(context.cases, "case")
    measured_here = workload_of(context.workload).measured_here
    parts = [
        context.run,
        figures.date(context.started_unix_ns),
        context.command,
        f"{cases} in {context.elapsed_s:.0f} s" if measured_here else cases,
    ]
    return " · ".join(parts) + (", interrupted" if context.interrupted else "")


def processor(machine: contract.Machine) -> str:
    """The processor, and the hypervisor where there is one: `AMD EPYC 9B45 (kvm guest)`."""
    if machine.virtualisation == "none":
        return machine.cpu_name
    return f"{machine.cpu_name} ({machine.virtualisation} guest)"


def caption(context: Context) -> str:
    """What every picture says of its origin: processor, machine, run and source of cycles."""
    origin = f"machine {context.machine_name} · run {context.run}"
    if context.hello is None:
        return f"Figures of another program, not verified · {origin}"
    here = processor(context.hello.environment.machine)
    if workload_of(context.workload).simulated:
        return f"Simulated on {here} · {origin}"
    return f"{here} · {origin} · cycles {context.cycle_source}"
