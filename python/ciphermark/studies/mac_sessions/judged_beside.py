"""Statements that figures of other programs decide."""

from __future__ import annotations

from ciphermark.measure.word_size import NARROW, WIDE
from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.studies.mac_sessions.beside import NS, by_program, own_benchmarks
from ciphermark.studies.mac_sessions.found import Found, percent
from ciphermark.studies.mac_sessions.others import CRYPTEST
from ciphermark.studies.mac_sessions.paper import BY_ALGORITHM, SHA512

FEWEST = 5
"""Functions of which one is called the slowest."""

MOST_DISAGREEMENT = 0.1


def word_size(found: Found) -> Verdict:
    """By the place of HMAC-SHA512 in both builds."""
    slowest, said = {}, []
    for program in (NARROW, WIDE):
        costs = by_program(found.beside, program)
        if SHA512.algorithm not in costs or len(costs) < FEWEST:
            raise NotTestable(_why_none(found, program))
        slowest[program] = max(costs, key=costs.__getitem__)
        last = BY_ALGORITHM[slowest[program]]
        said.append(
            f"{program}: HMAC-SHA512 {figures.significant(costs[SHA512.algorithm])} {NS}, slowest "
            f"{last.name} {figures.significant(costs[last.algorithm])}"
        )
    explains = slowest[NARROW] == SHA512.algorithm != slowest[WIDE]
    return explains, "; ".join(said)


def own_benchmark(found: Found) -> Verdict:
    """By the figures of Crypto++'s own tool; those of others stand in the table."""
    pairs = own_benchmarks(found.measured, found.beside)
    ratios = {
        it.function.name: it.ratio
        for it in pairs
        if it.figure.program == CRYPTEST and it.ratio is not None
    }
    if not ratios:
        raise NotTestable(_why_none(found, CRYPTEST))
    shown = ", ".join(f"{name} {percent(it - 1)}" for name, it in ratios.items())
    agrees = all(abs(it - 1) <= MOST_DISAGREEMENT for it in ratios.values())
    return agrees, f"here against {CRYPTEST}: {shown}"


def _why_none(found: Found, program: str) -> str:
    reasons = [it.reason for it in found.beside if it.program == program and it.reason]
    if reasons:
        return reasons[0]
    return f"{program} was not asked, or there is nothing here to compare it with"
