"""What is said of simulated targets: how they were run, what they are taken for, and from where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ciphermark.contract.simulation import SimulatedTarget
from ciphermark.measure.targets.pipelines.cores import CORES
from ciphermark.measure.targets.target import UNVERIFIED
from ciphermark.record.described import description
from ciphermark.show import figures
from ciphermark.workloads.simulation.remarks import MEANINGS, METRICS


@dataclass(frozen=True)
class Parameter:
    """A fact of a target's file with its source."""

    name: str
    value: str
    source: str

    @property
    def is_verified(self) -> bool:
        return UNVERIFIED not in self.source


@dataclass(frozen=True)
class TargetView:
    """A target as the report tells of it."""

    name: str
    title: str
    reason: str
    """Why nothing was simulated; else empty."""
    summary: str
    """Clock, width, and what its figures are."""
    facts: dict[str, str]
    limits: str
    """What the model of its pipeline leaves out; empty where there is none."""
    parameters: list[Parameter]

    @property
    def unverified(self) -> int:
        """How many parameters nobody has looked up."""
        return sum(not it.is_verified for it in self.parameters)


def view(target: SimulatedTarget) -> TargetView:
    """By the target's file as it was when it was simulated."""
    processor = description(target)["processor"]
    metric = processor["metric"]
    core = CORES.get(processor.get("pipeline"))
    return TargetView(
        name=target.target,
        title=target.title,
        reason=target.reason,
        summary=f"{processor['bus_width_bits']} bits, {processor['clock_mhz']:g} MHz, "
        f"{METRICS[metric]}",
        facts=_known(
            {
                "Figures": f"{METRICS[metric]}: {MEANINGS[metric]}",
                "Compiler": target.compiler,
                "Flags": target.flags,
                "Runner": target.runner,
            }
        ),
        limits="" if core is None else core.limits,
        parameters=[
            Parameter(name, _written(_value(processor, name)), source)
            for name, source in processor["sources"].items()
        ],
    )


def _value(processor: dict[str, Any], name: str) -> Any:
    """Of `clock_mhz`, or of `cycles.load`, which stands in a table of its own."""
    table, _, field = name.rpartition(".")
    return (processor[table] if table else processor)[field]


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else figures.grouped(value, separator=" ")


def _known(facts: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in facts.items() if value}
