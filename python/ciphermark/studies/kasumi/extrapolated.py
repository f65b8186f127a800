"""More cores than a machine has: Amdahl's law through what it has shown."""

from __future__ import annotations

from ciphermark.statistics.scaling_law import Law, Point, Undetermined, fitted
from ciphermark.studies.kasumi.evidence import Load
from ciphermark.studies.kasumi.paper import CORES


def law(load: Load, by_cores: dict[int, float]) -> Law:
    """The law of packets per cycle; raises `Undetermined`."""
    return fitted("amdahl", [Point(cores, load.packets / it) for cores, it in by_cores.items()])


def beyond(load: Load, by_cores: dict[int, float]) -> dict[int, float]:
    """Cycles on the numbers of cores that only the thesis had; none where there is no law."""
    try:
        found = law(load, by_cores)
    except Undetermined:
        return {}
    more = range(max(by_cores) + 1, CORES + 1)
    return {cores: load.packets / found.throughput(cores).value for cores in more}
