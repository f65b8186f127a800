"""The paper's statements about functions, cores and sessions, and its challenges."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from ciphermark.run.word_size import NARROW, WIDE
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import estimate_median
from ciphermark.studies.evidence import (
    all_of,
    any_of,
    at_all_ends,
    is_above,
    is_below,
    is_within,
    opposite,
    percent,
    quotient,
)
from ciphermark.studies.mac_sessions.evidence import (
    BUILDS,
    FULL,
    NS,
    PLAIN,
    SIMD,
    Asked,
    Build,
    Leader,
    Measured,
    absolute,
    apparent,
    by_program,
    leaders,
    own_benchmarks,
    per_second,
)
from ciphermark.studies.mac_sessions.machines import (
    FEWEST,
    across_machines,
    correlations,
    rank_correlation,
)
from ciphermark.studies.mac_sessions.others import CRYPTEST
from ciphermark.studies.mac_sessions.paper import (
    BY_ALGORITHM,
    FUNCTIONS,
    LARGEST,
    MD5,
    PACKET,
    RIJNDAEL,
    SERPENT,
    SHA1,
    SHA256,
    SHA512,
    VMAC_64,
    VMACS,
    Function,
)
from ciphermark.studies.mac_sessions.phone import why_none
from ciphermark.view import figures
from ciphermark.view.findings import Decision, NotTestable, Verdict
from ciphermark.workloads.loaded import ONE_EXECUTION, of_one_execution

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

LEAST_CORRELATION = 0.9
LEAST_GAIN = 1.1
MOST_DISAGREEMENT = 0.1
APART = 0.03
"""Share by which figures differ that the paper would distinguish."""
MOST_OVERHEAD = 0.03
NOISE = 0.005
"""Share by which thread CPU time may be more than the window: clocks of threads are read one after
the other."""
LEAST_SPREAD = 0.05
MOST_ESTIMATE_ERROR = 0.05
LEFT_OUT = 0.10
"""Share of the apparent figure on one CPU that an absolute figure must leave out to mislead: three
times what overhead alone makes of it there."""


def alike_across_machines(measured: Measured) -> Verdict:
    """By the rank correlation of the functions' costs between each two machines, at each size that
    both have; and of each with the paper's phone, of which instructions are simulated."""
    found = [*across_machines(measured)]
    if not found:
        raise NotTestable(_why_alone(measured))
    verdicts = [
        is_above(it, LEAST_CORRELATION) for orders in found for it in orders.by_size.values()
    ]
    told = (f"{it.one} and {it.other} {correlations(it.by_size)}" for it in found)
    return all_of(verdicts), f"rank correlation: {'; '.join(told)}"


def _why_alone(measured: Measured) -> str:
    if measured.elsewhere:
        return "no two machines have a size at which both measured five functions"
    reason = why_none(measured.simulations)
    return (
        f"this run is of one machine ({measured.context.cpu_name}), and no phone is simulated "
        f"beside it ({reason}): put runs of other machines beside it with --from RUN "
        "--beside RUN,RUN"
    )


def alike_across_cores(measured: Measured) -> Verdict:
    """By the rank correlation of the functions' costs at each size that both have."""
    by_size = {}
    for size in measured.sizes:
        pairs = [
            (absolute(alone), absolute(loaded))
            for function in FUNCTIONS
            if (alone := measured.alone(function, size))
            and (loaded := measured.row(function, size))
        ]
        if len(pairs) >= FEWEST:
            by_size[size] = rank_correlation(pairs)
    if not by_size:
        raise NotTestable("no size was measured both alone and with 100 sessions")
    return all_of(is_above(it, LEAST_CORRELATION) for it in by_size.values()), (
        f"rank correlation: {correlations(by_size)}"
    )


def changes_with_size(measured: Measured) -> Verdict:
    """By the leaders at the smallest and the largest size, where they are apart."""
    said, changes = [], []
    for build in BUILDS:
        led = list(leaders(measured, build))
        if len(led) < 2:
            continue
        first, last = led[0], led[-1]
        apart = all_of(
            _is_ahead(measured, leader, other.fastest, build)
            for leader, other in ((first, last), (last, first))
        )
        changes.append(opposite(apart) if first.fastest == last.fastest else apart)
        said.append(
            f"{build.title}: {first.fastest.name} at {figures.message_size(first.message_bytes)}, "
            f"{last.fastest.name} at {figures.message_size(last.message_bytes)}"
        )
    if not said:
        raise NotTestable("fewer than two sizes have figures")
    return any_of(changes), "; ".join(said)


def _is_ahead(measured: Measured, leader: Leader, other: Function, build: Build) -> Decision:
    """Whether the fastest at a size is, of that and another function; of that and the next where
    the other is the same or has no figure there."""
    own = Asked(leader.fastest, leader.message_bytes, build)
    behind = own._replace(function=other)
    if other == leader.fastest or measured.figure(behind) is None:
        behind = own._replace(function=leader.second)
    return is_above(measured.ratio(behind, own), 1.0)


def vmac_fastest(measured: Measured) -> Verdict:
    return _extreme(measured, VMACS, FULL, fastest=True)


def serpent_slowest(measured: Measured) -> Verdict:
    return _extreme(measured, (SERPENT,), FULL, fastest=False)


def md5_fastest(measured: Measured) -> Verdict:
    return _with_simd(measured, (MD5,), fastest=True)


def sha512_slowest(measured: Measured) -> Verdict:
    return _with_simd(measured, (SHA512,), fastest=False)


def boosted(measured: Measured) -> Verdict:
    """By the gains of everything over plain C/C++."""
    gains = {
        function: measured.ratio(Asked(function, LARGEST, PLAIN), Asked(function, LARGEST))
        for function in (RIJNDAEL, SHA1, SHA256, SHA512)
    }
    shown = ", ".join(f"{of.name} {figures.times(gain.value)}" for of, gain in gains.items())
    # No processor of the paper's had instructions for SHA-512, and few have today.
    judged = [gain for function, gain in gains.items() if function is not SHA512]
    return all_of(is_above(gain, LEAST_GAIN) for gain in judged), (
        f"{shown} of plain C/C++ at 64 KiB"
    )


def word_size(measured: Measured) -> Verdict:
    """By the place of HMAC-SHA512 in both builds."""
    is_slowest, said = {}, []
    for program in (NARROW, WIDE):
        costs = by_program(measured.beside, program)
        if SHA512.algorithm not in costs or len(costs) < FEWEST:
            raise NotTestable(_why_none_beside(measured, program))
        own = costs[SHA512.algorithm]
        last = BY_ALGORITHM[max(costs, key=costs.__getitem__)]
        others = [of_one_execution(it) for name, it in costs.items() if name != SHA512.algorithm]
        ratio = quotient(of_one_execution(own), at_all_ends(max, others))
        is_slowest[program] = is_above(ratio, 1.0)
        said.append(
            f"{program}: HMAC-SHA512 {figures.significant(own)} {NS}, slowest "
            f"{last.name} {figures.significant(costs[last.algorithm])}"
        )
    return all_of((is_slowest[NARROW], opposite(is_slowest[WIDE]))), "; ".join(said)


def own_benchmark(measured: Measured) -> Verdict:
    """By the figures of Crypto++'s own tool; those of others stand in the table."""
    ratios = {
        it.function.name: it.ratio
        for it in own_benchmarks(measured)
        if it.figure.program == CRYPTEST and it.ratio
    }
    if not ratios:
        raise NotTestable(_why_none_beside(measured, CRYPTEST))
    shown = ", ".join(f"{name} {percent(ratio.value - 1)}" for name, ratio in ratios.items())
    return all_of(is_within(ratio, MOST_DISAGREEMENT) for ratio in ratios.values()), (
        f"here against {CRYPTEST}: {shown}"
    )


def mirrors(measured: Measured) -> Verdict:
    """By the ratio of both on one core, where others left it to the sessions."""
    row = _by_cores(measured).get(1)
    if row is None or not row.apparent_cycles_per_byte or not row.estimated_cycles_per_byte:
        raise NotTestable("the workload on one core has no figure")
    if not row.valid:
        raise NotTestable(_why_invalid({1: row}))
    # Of one execution: its bytes and its clock are in both.
    more = row.apparent_cycles_per_byte / absolute(row).value - 1
    # The kernel's accounts have no overhead of measuring in them, only who had the core.
    of_others = row.apparent_cycles_per_byte / row.estimated_cycles_per_byte - 1
    shown = (
        f"{_cycles(row)}: apparent {percent(more)}, of which other work on the core explains "
        f"{percent(of_others)}"
    )
    if more > MOST_OVERHEAD and abs(more - of_others) <= MOST_OVERHEAD:
        raise NotTestable(shown)
    if more < -NOISE:
        return False, shown
    return is_below(Estimate.around(more, NOISE), MOST_OVERHEAD), shown


def falls(measured: Measured) -> Verdict:
    """By the apparent figure with each more CPUs."""
    rows = _several(measured)
    gains = [quotient(apparent(one), apparent(more)) for one, more in pairwise(rows.values())]
    shown = ", ".join(
        f"{figures.counted(cores, 'CPU')} {figures.significant(apparent(row).value, 4)}"
        for cores, row in rows.items()
    )
    return all_of(is_above(gain, 1 / (1 - APART)) for gain in gains), (
        f"apparent cycles/byte: {shown}"
    )


def rises(measured: Measured) -> Verdict:
    """By the absolute figure on one and on all CPUs."""
    rows = _several(measured)
    first, *_, last = rows.values()
    ratio = quotient(absolute(last), absolute(first))
    shown = "; ".join(
        f"{figures.counted(cores, 'CPU')} {figures.significant(absolute(row).value, 4)} "
        f"({_rate(row.preemptions, row)} preemptions and {_rate(row.migrations, row)} migrations "
        "per second)"
        for cores, row in rows.items()
    )
    return is_above(ratio, 1 + APART), (
        f"absolute cycles/byte: {shown}: {percent(ratio.value - 1)}"
    )


def least_higher(measured: Measured) -> Verdict:
    """By the sessions with the least and the most CPU time of each workload."""
    said, verdicts = [], []
    for cores, row in _valid(measured).items():
        least, most = row.least_scheduled, row.most_scheduled
        if least is None or most is None or not most.apparent_cycles_per_byte:
            continue
        shown = least.apparent_cycles_per_byte
        high = most.apparent_cycles_per_byte
        higher = shown and quotient(of_one_execution(shown), of_one_execution(high))
        verdicts.append(is_above(higher, 1.0) if higher else True)
        said.append(
            f"{figures.counted(cores, 'CPU')}: "
            f"{figures.significant(shown) if shown else 'no message'} with "
            f"{least.cpu_ns / 1e6:.1f} ms of CPU time, "
            f"{figures.significant(high)} with {most.cpu_ns / 1e6:.1f} ms"
        )
    if not said:
        raise NotTestable("no workload has figures of its sessions")
    return all_of(verdicts), "apparent cycles/byte: " + "; ".join(said)


def uneven(measured: Measured) -> Verdict:
    """By the spread of CPU time over the sessions."""
    rows = {cores: row for cores, row in _valid(measured).items() if row.cpu_spread is not None}
    if not rows:
        raise NotTestable("no workload has figures of its sessions")
    shown = "; ".join(
        f"{figures.counted(cores, 'CPU')}: spread {figures.percent(row.cpu_spread or 0)}, "
        f"Jain's index of CPU time {row.cpu_fairness:.4f}, sessions that never ran {row.never_ran}"
        for cores, row in rows.items()
    )
    # A spread is a difference of two percentiles over the median, each of one execution.
    spreads = (Estimate.around(row.cpu_spread or 0, ONE_EXECUTION) for row in rows.values())
    return any_of(is_above(spread, LEAST_SPREAD) for spread in spreads), shown


def siblings(measured: Measured) -> Verdict:
    """By what the kernel tells of the cores."""
    environment = measured.context.engine_hello.environment
    cores = environment.state.core_cpus
    if not cores:
        raise NotTestable("the kernel does not report which logical CPUs share a core")
    threads = max(map(len, cores))
    shown = (
        f"{figures.counted(sum(map(len, cores)), 'logical CPU')} on "
        f"{figures.counted(len(cores), 'core')}, at most {threads} on one; "
        "--cpus physical and --cpus smt choose by it"
    )
    if threads == 1 and environment.machine.virtualisation != "none":
        shown += " (a hypervisor may keep siblings from its guest)"
    return False, shown


def offload(measured: Measured) -> Verdict:
    """By what the absolute figure leaves out where sessions on one CPU have their longest messages
    computed by a device."""
    alone = [row for _, row in measured.offloaded() if row.cores == 1]
    if not alone:
        raise NotTestable(
            "no session had its work done by a device: it takes a second CPU, an OpenCL device or "
            "AF_ALG"
        )
    longest = max(row.message_bytes or 0 for row in alone)
    rows = [row for row in alone if row.message_bytes == longest]
    shown = "; ".join(
        f"{BY_ALGORITHM[row.algorithm].name} by {row.device}: "
        f"{_cycles(row, 'absolute', 'apparent')}"
        for row in rows
    )
    ratios = (quotient(absolute(row), apparent(row)) for row in rows)
    return all_of(is_below(ratio, 1 - LEFT_OUT) for ratio in ratios), shown


def clocks(measured: Measured) -> Verdict:
    """Judged only where the clocks disagree."""
    rows = [row for row in measured.rows if row.absolute_cycles_per_byte is not None]
    if not rows:
        raise NotTestable("no workload has figures")
    estimated = sum(row.absolute_is_estimated for row in rows)
    if 2 * estimated > len(rows):
        return True, (
            f"in {estimated} of {len(rows)} cases clocks disagreed; their absolute figures are "
            "estimates by the apparent ones and the parallelism factor"
        )
    raise NotTestable(
        f"wall clocks and core clocks of all CPUs agreed in {len(rows) - estimated} of {len(rows)} "
        "cases, whose absolute figures are measured"
    )


def estimate(measured: Measured) -> Verdict:
    """By the error of the estimate where the absolute figure is measured."""
    errors = [
        row.estimate_error
        for row in measured.rows
        if row.valid and row.sessions > 1 and row.estimate_error is not None
    ]
    if not errors:
        raise NotTestable("no valid workload has both figures")
    shown = (
        f"error {percent(median(errors))} in the median of {figures.counted(len(errors), 'case')}, "
        f"{percent(max(errors, key=abs))} at most"
    )
    middle = estimate_median(np.abs(errors))
    assert middle is not None
    return is_below(middle, MOST_ESTIMATE_ERROR), shown


JUDGES: dict[str, Callable[[Measured], Verdict]] = {
    "trends-alike-across-architectures": alike_across_machines,
    "trends-alike-across-cores": alike_across_cores,
    "trend-changes-with-size": changes_with_size,
    "vmac-fastest-with-hardware": vmac_fastest,
    "omac-serpent-slowest-with-hardware": serpent_slowest,
    "hmac-md5-fastest-in-software": md5_fastest,
    "hmac-sha512-slowest-in-software": sha512_slowest,
    "aes-and-sha-boosted": boosted,
    "word-size-explains-hmac-sha512": word_size,
    "apparent-mirrors-absolute-on-one-core": mirrors,
    "apparent-falls-with-cores": falls,
    "absolute-rises-with-cores": rises,
    "least-scheduled-have-higher-apparent": least_higher,
    "threads-of-a-core-not-told-apart": siblings,
    "offload-needs-apparent": offload,
    "no-absolute-without-common-clock": clocks,
    "absolute-from-parallelism": estimate,
    "sessions-scheduled-unevenly": uneven,
    "own-benchmark-validates": own_benchmark,
}


def _extreme(
    measured: Measured, functions: tuple[Function, ...], build: Build, *, fastest: bool
) -> Verdict:
    """Whether the fastest or the slowest function at 64 KiB is one of these, and by how much."""
    costs = {it: measured.firm(Asked(it, LARGEST, build)) for it in FUNCTIONS}
    order = sorted(costs, key=lambda it: costs[it].value, reverse=not fastest)
    first, other = order[0], next(it for it in order if it not in functions)
    own = next(it for it in order if it in functions)
    word = "fastest" if fastest else "slowest"
    shown = (
        f"{build.title} at 64 KiB: {word} {first.name} with "
        f"{figures.significant(costs[first].value)} cycles/byte; "
    )
    if first in functions:
        shown += f"next {other.name} with {figures.significant(costs[other].value)}"
    else:
        shown += f"{own.name} has {figures.significant(costs[own].value)}"
    is_ahead = is_above if fastest else is_below
    rivals = [it for it in order if it not in functions]
    return any_of(
        all_of(is_ahead(quotient(costs[rival], costs[it]), 1.0) for rival in rivals)
        for it in functions
    ), shown


def _with_simd(measured: Measured, functions: tuple[Function, ...], *, fastest: bool) -> Verdict:
    """Judged in plain C/C++; what vectors change is said beside."""
    holds, shown = _extreme(measured, functions, PLAIN, fastest=fastest)
    try:
        return holds, f"{shown}. {_extreme(measured, functions, SIMD, fastest=fastest)[1]}"
    except NotTestable:
        return holds, shown


def _why_none_beside(measured: Measured, program: str) -> str:
    reasons = [it.reason for it in measured.beside if it.program == program and it.reason]
    if reasons:
        return reasons[0]
    return f"{program} was not asked, or there is nothing here to compare it with"


def _by_cores(measured: Measured) -> dict[int, SessionRow]:
    """The workload by number of CPUs."""
    rows = measured.on_cores(VMAC_64, PACKET)
    if not rows:
        raise NotTestable("the workload of figures 8–11 has no figure")
    return rows


def _valid(measured: Measured) -> dict[int, SessionRow]:
    """As far as others have not spoilt it."""
    rows = _by_cores(measured)
    valid = {cores: row for cores, row in rows.items() if row.valid}
    if not valid:
        raise NotTestable(_why_invalid(rows))
    return valid


def _several(measured: Measured) -> dict[int, SessionRow]:
    """Returns the rows on one CPU, on more and on all."""
    rows = _by_cores(measured)
    if len(rows) < 2:
        raise NotTestable("the workload has figures with one number of CPUs only")
    return rows


def _why_invalid(rows: dict[int, SessionRow]) -> str:
    return "; ".join(
        f"no attempt on {figures.counted(cores, 'CPU')} was valid: "
        + ", ".join(it.message for it in row.objections)
        for cores, row in rows.items()
        if not row.valid
    )


def _cycles(row: SessionRow, *order: str) -> str:
    values = {"apparent": apparent(row).value, "absolute": absolute(row).value}
    shown = (f"{it} {figures.significant(values[it], 4)}" for it in order or values)
    return f"{', '.join(shown)} cycles/byte"


def _rate(count: int | None, row: SessionRow) -> str:
    rate = per_second(count, row)
    return "unknown" if rate is None else figures.significant(rate)
