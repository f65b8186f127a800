"""The machine and the run in a few words, for headings and captions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.record import contract
from ciphermark.show import figures

if TYPE_CHECKING:
    from ciphermark.record.run import Context

CYCLE_SOURCES: dict[contract.CycleSource, str] = {
    "pmu": "counted by the PMU",
    "calibrated": "no PMU: calibrated",
    "nominal": "no PMU: nominal clock",
}
"""Where cycles come from, in the words of a heading."""


def machine_line(hello: contract.Hello) -> str:
    """Processor, CPUs and clock: `AMD EPYC 9B45, 2 of 2 CPUs, kvm guest · core clock 3.82 GHz …`."""
    state, clocks = hello.environment.state, hello.environment.clocks
    machine = hello.environment.machine
    cpus = f"{len(state.cpus_allowed)} of {figures.counted(machine.cpus_online, 'CPU')}"
    return (
        f"{processor(machine)}, {cpus} · core clock {figures.clock(clocks.core_hz)} "
        f"±{figures.percent(clocks.cycle_residual, 1)} ({CYCLE_SOURCES[clocks.cycle_source]})"
    )


def processor(machine: contract.Machine) -> str:
    """The processor, and the hypervisor where there is one: `AMD EPYC 9B45 (kvm guest)`."""
    if machine.virtualisation == "none":
        return machine.cpu_name
    return f"{machine.cpu_name} ({machine.virtualisation} guest)"


def caption(context: Context) -> str:
    """What every picture says of its origin: processor, machine, run and source of cycles."""
    return " · ".join(
        [
            processor(context.hello.environment.machine),
            f"machine {context.machine_name}",
            f"run {context.run}",
            f"cycles {context.cycle_source}",
        ]
    )
