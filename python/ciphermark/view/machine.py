"""The machine and the run: in a few words, for headings and captions, and fact by fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Outline


CYCLE_SOURCES: dict[contract.CycleSource, str] = {
    "pmu": "counted by the PMU",
    "calibrated": "no PMU: calibrated",
    "nominal": "no PMU: nominal clock",
}
"""Sources of cycles, in the words of a heading."""


def machine_line(hello: contract.Hello) -> str:
    """Formats processor, CPUs and clock: `AMD EPYC 9B45 (kvm guest), 2 of 2 CPUs · core clock
    …`."""
    clocks = hello.environment.clocks
    return (
        f"{place_line(hello)} · core clock {figures.clock(clocks.core_hz)} at the start "
        f"({CYCLE_SOURCES[clocks.cycle_source]})"
    )


def place_line(hello: contract.Hello) -> str:
    """Formats processor and CPUs: enough where no figure is of this machine."""
    machine, state = hello.environment.machine, hello.environment.state
    cpus = f"{len(state.cpus_allowed)} of {figures.counted(machine.cpus_online, 'CPU')}"
    return f"{processor(machine)}, {cpus}"


def imported_line(context: Context) -> str:
    """Formats the known facts of an imported run's machine, which are not verified."""
    cpu = f" ({context.cpu_name})" if context.cpu_name else ""
    clock = "" if context.core_hz is None else f" · clock {figures.clock(context.core_hz)}, as told"
    return f"{context.machine_name}{cpu}{clock}"


def run_line(context: Context) -> str:
    """Formats identifier, time and size of a run: `20261121-091500-7f3a · … · 349 cases in 42
    s`."""
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
    """Formats the processor, and the hypervisor if there is one: `AMD EPYC 9B45 (kvm guest)`."""
    if machine.virtualisation == "none":
        return machine.cpu_name
    return f"{machine.cpu_name} ({machine.virtualisation} guest)"


def origin(context: Context) -> list[str]:
    """Returns machine, run, date and command, for the head of a page."""
    return [
        f"machine {context.machine_name}",
        f"run {context.run}",
        figures.date(context.started_unix_ns),
        f"{context.command}, version {context.ciphermark_version}",
    ]


def caption(context: Context | Outline) -> str:
    """Returns the line of origin below a picture: processor, machine, run and source of cycles."""
    origin = f"machine {context.machine_name} · run {context.run}"
    if context.hello is None:
        return f"Figures of another program, not verified · {origin}"
    here = processor(context.hello.environment.machine)
    if workload_of(context.workload).simulated:
        return f"Simulated on {here} · {origin}"
    return f"{here} · {origin} · cycles {context.cycle_source}"


def machine_facts(machine: contract.Machine) -> dict[str, str]:
    """Returns the facts of the machine: processor, caches, memory, kernel."""
    identity = {"family": machine.cpu_family, "model": machine.cpu_model}
    identity |= {"stepping": machine.cpu_stepping}
    known = [f"{name} {value}" for name, value in identity.items() if value is not None]
    caches = {"L1d": machine.l1d_cache_bytes, "L2": machine.l2_cache_bytes}
    caches |= {"L3": machine.l3_cache_bytes}
    sizes_known = [f"{name} {figures.message_size(size)}" for name, size in caches.items() if size]
    memory = machine.memory_bytes
    return _known(
        {
            "Processor": machine.cpu_name,
            "Vendor": machine.cpu_vendor,
            "Identity": ", ".join(known),
            "Microcode": machine.microcode,
            "Architecture": machine.architecture,
            "CPUs online": machine.cpus_online,
            "Physical cores": machine.cores_physical,
            "Caches": ", ".join(sizes_known),
            "Memory": memory and f"{figures.significant(memory / 2**30)} GiB",
            "Virtualisation": machine.virtualisation,
            "Operating system": machine.operating_system,
            "Kernel": machine.kernel,
            "Machine": f"{machine.machine_name} ({machine.machine_id})",
        }
    )


def state_facts(context: Context) -> dict[str, str]:
    """Returns the state of the machine at the start, and the steal during the run."""
    state = context.engine_hello.environment.state
    steal, during = state.steal_share_since_boot, context.bye.steal_share if context.bye else None
    turbo: dict[bool | None, str] = {True: "on", False: "off"}
    return _known(
        {
            "CPU at the start": state.cpu,
            "CPUs allowed": ", ".join(map(str, state.cpus_allowed)),
            "SMT siblings": ", ".join(map(str, state.smt_siblings)) or "none",
            "Governor": state.governor or "not shown by the kernel",
            "Turbo": turbo.get(state.turbo, "not shown by the kernel"),
            "Load at the start": state.load_1min,
            "Steal since boot": None if steal is None else figures.percent(steal),
            "Steal during the run": None if during is None else figures.percent(during),
            "Cycle counter (PMU)": "usable" if state.pmu.usable else state.pmu.reason,
            "perf_event_paranoid": state.perf_event_paranoid,
            "Clock source": state.clocksource,
        }
    )


def clock_facts(clocks: contract.Clocks) -> dict[str, str]:
    """Returns the sources of times and cycles."""
    core, spread = figures.clock(clocks.core_hz), figures.percent(clocks.core_hz_spread)
    ticks, width = figures.significant(clocks.wall_ticks_per_ns), clocks.width_ratio
    return _known(
        {
            "Core cycles": clocks.cycle_source,
            "Residual": figures.percent(clocks.cycle_residual),
            "Core clock": f"{core}, spread {spread}",
            "Four additions over one": width and figures.significant(width),
            "Wall clock": f"{clocks.wall_source}, {ticks} ticks/ns",
            "Empty slice": f"{figures.significant(clocks.slice_cost_ns)} ns, subtracted",
            "Reading the wall clock": f"{figures.significant(clocks.wall_read_ns)} ns",
            "Reading the CPU clock": f"{figures.significant(clocks.thread_cpu_read_ns)} ns",
            "Calibration": f"{figures.grouped(clocks.chain_additions)} dependent additions",
        }
    )


def engine_facts(engine: contract.EngineBuild) -> dict[str, str]:
    """Returns the facts of the engine's build."""
    return {
        "ciphermark-engine": engine.version,
        "Target": engine.target,
        "Compiler": engine.rustc,
        "Profile": engine.profile,
        "Flags": engine.rustflags or "none beside the profile's",
    }


def _known(facts: dict[str, Any]) -> dict[str, str]:
    """Returns the facts that are known, as text."""
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}
