"""How packets were measured, in sentences, with the figures of that run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.statistics.median import FEWEST_GROUPS
from ciphermark.workloads.packets.pairs import MOST_AWAY, MOST_CLOCK_MOVE
from ciphermark.workloads.single.method import ANSWERS, cycles

if TYPE_CHECKING:
    from ciphermark.record.run import Context


def packet_method(context: Context) -> dict[str, str]:
    """Heading and paragraph of each rule."""
    return {
        "Packets": (
            "All packets and the room for their answers are in memory before the clock starts. One "
            "CPU submits them in batches through a bounded queue, and others take them out and do "
            "what is to be done to each. A pass lasts from the first submission to the last "
            "delivery. Packet n is of flow n modulo their number, and each flow has a key."
        ),
        "Transfer, processing, actual": (
            "Passes are made in pairs, one with the cryptographic work left out, which is the "
            "transfer, and one with it, which is the processing; which of them comes first "
            "alternates. Actual is the median of the differences of both. On several cores it is "
            "the time that the work adds, and not what each core does."
        ),
        "Alone": (
            "Beside it one thread does the same work without a queue: hot on a few packets that "
            "stay in the nearest cache, cold on all of them one after the other from memory."
        ),
        "Cycles": (
            f"{cycles(context.hello.environment.clocks)} Cycles of a pass are core clock times "
            "wall time; CPU cycles are the CPU time of all its threads. Cycles per bit are the "
            "actual cycles over the bits that cross the function, once for each operation."
        ),
        "Latency": (
            "From the submission of a packet to its delivery, of the first and the last packet of "
            "each batch. Without an offered rate the queue is full, and what is seen is mostly the "
            "time that packets wait in it."
        ),
        "Interval": (
            "A figure is the median of the undisturbed pairs; its 95 % interval comes from order "
            "statistics. A case has settled with at least "
            f"{FEWEST_GROUPS} such pairs and half of the interval of the processing within "
            f"{figures.percent(context.precision, 1)}. A pair is disturbed when a thread that "
            "processes and never sleeps was away from its CPU for over "
            f"{figures.percent(MOST_AWAY, 1)} of a pass, another was preempted more often than the "
            "kernel's own threads explain, or the clock was over "
            f"{figures.percent(MOST_CLOCK_MOVE, 1)} from its usual rate."
        ),
        "Answers": (
            f"{ANSWERS} After each pass it is counted whether every packet arrived once and in "
            "order; after each processing its answer is compared."
        ),
    }
