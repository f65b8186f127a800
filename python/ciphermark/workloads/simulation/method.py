"""How kernels on simulated processors were counted, in sentences."""

from __future__ import annotations

from ciphermark.workloads.simulation.remarks import MEANINGS, METRICS, metrics
from ciphermark.workloads.simulation.row import SimulationRow
from ciphermark.workloads.single.method import timed


def simulation_method(rows: list[SimulationRow]) -> dict[str, str]:
    """Heading and paragraph of each rule."""
    kinds = "; ".join(f"{METRICS[it]}: {MEANINGS[it]}" for it in metrics(rows))
    operations = "; ".join(f"{name}: {what}" for name, what in timed(rows).items())
    return {
        "What is counted": (
            "The kernel alone, called once. Each call is made twice, first of a kernel that does "
            "nothing, and the difference is what is shown, so that the cost of calling is not in "
            f"it. {operations}."
        ),
        "What a figure is": (
            f"{kinds}. Figures of different kinds are never compared. Code and data are taken to "
            "lie in the nearest memory: caches, write buffers and waiting for flash are left out."
        ),
        "Answers": (
            "The test vectors of each function pass on the target before it is counted. Keys, "
            "nonces and messages are made of a seed on the target itself, and a digest of what "
            "each call wrote is compared with that of this machine, as a wrong program has "
            "plausible counts too. A case that fails has no figure."
        ),
        "Memory": (
            "Code is instructions and constant tables of the algorithm and what it needs, without "
            "the compiler's library; context is the memory of a key; stack is how far below its "
            "caller a call writes."
        ),
        "Repetition": "The same input gives the same numbers; there is no noise and no interval.",
    }
