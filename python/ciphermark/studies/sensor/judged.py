"""The paper's statements with their judges: asked of its own table, then of what runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.studies.asked_twice import Pair, Said, of_machine, of_tables
from ciphermark.studies.sensor import caches, fitted, printed
from ciphermark.studies.sensor import judged_functions as functions
from ciphermark.studies.sensor import judged_platforms as platforms
from ciphermark.studies.sensor import judged_run as run_only
from ciphermark.studies.sensor import statements as said
from ciphermark.studies.sensor.evidence import Evidence
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.study import Claim, Statement, Verdict, judge

if TYPE_CHECKING:
    from ciphermark.analyse.row import Row
    from ciphermark.record.run import Run

Judge = Callable[[Measured], Verdict]


def _both(decide: Callable[[Evidence], Verdict]) -> Pair:
    """The same question of both."""
    return Pair(decide, lambda measured: decide(measured.evidence()))


ASKED_TWICE: dict[Said, Pair] = {
    said.THREE_CLASSES: _both(platforms.three_classes),
    said.RC4_AHEAD: _both(functions.rc4_ahead),
    said.RC5_ON_STRONGARM: _both(functions.rc5_on_strongarm),
    said.MD5_AHEAD: _both(functions.md5_ahead),
    said.RC5_AND_IDEA: _both(functions.rc5_and_idea),
    said.RC5_AHEAD: _both(functions.rc5_ahead),
    said.MULTIPLIER: _both(functions.multiplier),
    said.SEVERAL_TIMES: _both(functions.several_times),
    said.TENFOLD: _both(functions.tenfold),
    said.INITIALISATION: _both(functions.initialisation),
    said.CACHES: Pair(platforms.clocks, caches.negligible),
    said.CLOSE: _both(platforms.close),
    said.AVR_LOWEST: _both(platforms.avr_lowest),
    said.M16C_AND_SHA1: _both(platforms.m16c_and_sha1),
    said.ARMS_ALIKE: _both(platforms.arms_alike),
    said.TWICE: _both(platforms.twice),
    said.SPARC_AHEAD: _both(platforms.sparc_ahead),
    said.XSCALE_AND_SPARC: _both(platforms.xscale_and_sparc),
    said.SLOWEST: _both(platforms.slowest),
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

PRINTED = {
    statement: of_tables(statement, pair.by_tables, printed.evidence(), "paper")
    for statement, pair in ASKED_TWICE.items()
}
"""The claims that no run changes."""

JUDGES: dict[Statement, Judge] = {
    of_machine(statement, PRINTED[statement]): pair.by_run
    for statement, pair in ASKED_TWICE.items()
} | ASKED_HERE

STATEMENTS = (*PRINTED.values(), *JUDGES)
"""Those about the table are judged already."""


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """All statements: the paper's table, then what was simulated and measured."""
    measured = Measured(run, rows)
    return [
        *PRINTED.values(),
        *(judge(statement, decide, measured) for statement, decide in JUDGES.items()),
    ]
