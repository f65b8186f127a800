"""The `kasumi` study: packets of 3G's cipher over cores and accelerators.

The thesis sends blocks of packets from one core of an OCTEON to others, measures the transfer alone
and with ciphering, and compares software with the chip's accelerator. Its conclusions are asked of
its own tables and of this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.studies.kasumi import judges, judges_here, octeon
from ciphermark.studies.kasumi.charts import charts
from ciphermark.studies.kasumi.evidence import Evidence, Measured, printed
from ciphermark.studies.kasumi.octeon import simulated
from ciphermark.studies.kasumi.tables import tables
from ciphermark.studies.statements import Questions
from ciphermark.view.findings import Claim, Verdict

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow

__all__ = ["QUESTIONS", "charts", "claims", "simulated", "tables"]

TWICE: dict[str, Callable[[Evidence], Verdict]] = {
    "software-much-slower": judges.slower,
    "software-takes-more-than-7-times": judges.seven_times,
    "cycles-per-bit-same-over-size": judges.per_bit_over_size,
    "cycles-per-bit-same-over-packets": judges.per_bit_over_packets,
    "encryption-like-decryption-of-small-packets": judges.alike_small,
    "accelerator-encrypts-like-it-decrypts-1000-bytes": judges.hardware_alike,
    "decryption-takes-twice-encryption-1000-bytes": judges.twice,
    "more-packets-cost-more-each": judges.more_packets,
    "cycles-fall-with-cores": judges.falls,
    "little-gain-beyond-5-cores": judges.beyond_five,
    "one-or-two-cores-enough-with-accelerator": judges.few_cores,
    "overheads-matter-less-with-size": judges.share_falls,
    "overheads-dominate-small-packets": judges.dominate,
}
"""The same of the thesis's tables and of this machine."""

HERE: dict[str, Callable[[Measured], Verdict]] = {
    "memory-grows-with-packets": judges_here.memory,
    "capacity-0.9-gbit": judges.capacity,
    "key-setup-small": judges_here.key_setup,
    "software-can-be-optimised": judges_here.optimisable,
    "polling-faster-than-interrupts": judges_here.polling,
    "modified-pipeline-scales-better": judges_here.free_pipeline,
    "ordered-flow-scales-over-cores": judges_here.ordered,
    "cores-work-only-for-their-groups": judges_here.groups,
    "urgent-packets-first": judges_here.priorities,
    "simulated-octeon-instructions": octeon.as_published,
    "software-can-be-optimised-on-octeon": octeon.optimisable,
}

QUESTIONS: Questions[Measured, Evidence] = Questions(
    __file__,
    {**TWICE, **HERE},
    {
        **TWICE,
        "memory-grows-with-packets": judges_here.memory_printed,
        "capacity-0.9-gbit": judges.capacity_printed,
    },
    printed,
    {
        name: judges_here.software_cycles
        for name in ("simulated-octeon-instructions", "software-can-be-optimised-on-octeon")
    },
)


def claims(run: Run, rows: list[PacketRow]) -> list[Claim]:
    """All statements: the thesis's tables, then this machine."""
    return QUESTIONS.claims(Measured(rows, run))
