"""The paper's statements with their judges: asked of its own table, then of what runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.show.findings import Claim, Statement, Verdict
from ciphermark.studies.asked_twice import Pair, Said, questions, same
from ciphermark.studies.sensor import caches, fitted, printed
from ciphermark.studies.sensor import judged_functions as functions
from ciphermark.studies.sensor import judged_platforms as platforms
from ciphermark.studies.sensor import judged_run as run_only
from ciphermark.studies.sensor import statements as said
from ciphermark.studies.sensor.measured import Measured

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

Judge = Callable[[Measured], Verdict]


ASKED_TWICE: dict[Said, Pair] = {
    said.THREE_CLASSES: same(platforms.three_classes),
    said.RC4_AHEAD: same(functions.rc4_ahead),
    said.RC5_ON_STRONGARM: same(functions.rc5_on_strongarm),
    said.MD5_AHEAD: same(functions.md5_ahead),
    said.RC5_AND_IDEA: same(functions.rc5_and_idea),
    said.RC5_AHEAD: same(functions.rc5_ahead),
    said.MULTIPLIER: same(functions.multiplier),
    said.SEVERAL_TIMES: same(functions.several_times),
    said.TENFOLD: same(functions.tenfold),
    said.INITIALISATION: same(functions.initialisation),
    said.CACHES: Pair(platforms.clocks, caches.negligible),
    said.CLOSE: same(platforms.close),
    said.AVR_LOWEST: same(platforms.avr_lowest),
    said.M16C_AND_SHA1: same(platforms.m16c_and_sha1),
    said.ARMS_ALIKE: same(platforms.arms_alike),
    said.TWICE: same(platforms.twice),
    said.SPARC_AHEAD: same(platforms.sparc_ahead),
    said.XSCALE_AND_SPARC: same(platforms.xscale_and_sparc),
    said.SLOWEST: same(platforms.slowest),
    said.SAME_LENGTHS: Pair(functions.same_lengths, run_only.same_lengths),
    said.MODEL: Pair(fitted.within_20_percent_printed, fitted.within_20_percent),
}

ASKED_HERE: dict[Statement, Judge] = {
    said.VARIANCE: run_only.variance_rare,
    said.MD5_LARGEST: run_only.md5_largest,
    said.RC4_SMALLEST: run_only.rc4_smallest,
    said.AVR_CODE: run_only.avr_more,
    said.STRONGARM_CODE: run_only.strongarm_more,
}

QUESTIONS = questions(ASKED_TWICE, ASKED_HERE, printed.evidence(), "paper")
STATEMENTS = QUESTIONS.statements


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """All statements: the paper's table, then what was simulated and measured."""
    return QUESTIONS.claims(Measured(run, rows))
