"""The `sensor` study: five functions on processors from 8 to 32 bits, simulated.

The paper measured them on six processors, and derived a model of processors that were not measured.
Here the same functions, what it left for later, and what a node would use now run on simulators;
what the paper says is asked of its own table and of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.studies.sensor import judges, judges_here, model
from ciphermark.studies.sensor.cases import simulated
from ciphermark.studies.sensor.charts import charts
from ciphermark.studies.sensor.evidence import Evidence, Measured, printed
from ciphermark.studies.sensor.tables import tables
from ciphermark.studies.statements import Questions
from ciphermark.view.findings import Claim, Verdict

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

__all__ = ["QUESTIONS", "charts", "claims", "simulated", "tables"]

TWICE: dict[str, Callable[[Evidence], Verdict]] = {
    "three-classes-by-word-size": judges.three_classes,
    "rc4-ahead-of-rc5-on-8-and-16-bits": judges.rc4_ahead,
    "rc5-three-times-rc4-on-strongarm": judges.rc5_on_strongarm,
    "md5-ahead-of-sha1": judges.md5_ahead,
    "rc5-1.5-times-idea-on-atmega103": judges.rc5_and_idea,
    "rc5-ahead-of-idea": judges.rc5_ahead,
    "multiplier-halves-idea": judges.multiplier,
    "hashing-several-times-more": judges.several_times,
    "hashing-almost-tenfold": judges.tenfold,
    "initialisation-dominates-short-texts": judges.initialisation,
    "normalised-overheads-close": judges.close,
    "normalised-overhead-lowest-on-avr": judges.avr_lowest,
    "m16c-poor-at-sha1": judges.m16c_and_sha1,
    "strongarm-like-xscale": judges.arms_alike,
    "32-bits-twice-8-and-16": judges.twice,
    "sparc-ahead": judges.sparc_ahead,
    "xscale-ahead-of-sparc-for-sha1-and-idea": judges.xscale_and_sparc,
    "atmega103-slowest": judges.slowest,
}
"""The same of the paper's table and of what was simulated."""


def _here(decide: Callable[[Evidence], Verdict]) -> Callable[[Measured], Verdict]:
    return lambda measured: decide(measured.evidence)


HERE: dict[str, Callable[[Measured], Verdict]] = {
    **{claim: _here(decide) for claim, decide in TWICE.items()},
    "caches-do-not-matter": judges_here.negligible,
    "time-does-not-vary-within-a-block": judges_here.same_lengths,
    "model-within-20-percent": model.within_20_percent,
    "variance-rare": judges_here.variance_rare,
    "md5-largest-code": judges_here.md5_largest,
    "rc4-smallest-code": judges_here.rc4_smallest,
    "avr-needs-more-code": judges_here.avr_more,
    "strongarm-needs-more-code": judges_here.strongarm_more,
}

QUESTIONS: Questions[Measured, Evidence] = Questions(
    __file__,
    HERE,
    TWICE
    | {
        "caches-do-not-matter": judges.clocks,
        "time-does-not-vary-within-a-block": judges.same_lengths,
        "model-within-20-percent": model.within_20_percent_printed,
    },
    printed,
)


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """All statements: the paper's table, then what was simulated and measured."""
    return QUESTIONS.claims(Measured(run, rows))
