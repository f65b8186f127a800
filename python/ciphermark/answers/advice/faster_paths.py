"""Switches that make a library take a faster code path than the one that it chooses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ciphermark.answers.advice.ranking import Load, Ranked, is_over, same
from ciphermark.answers.capacity.suite_costs import masked
from ciphermark.statistics.ratio import is_above, unpaired_ratio
from ciphermark.workloads.single.code_paths import Choice, choices
from ciphermark.workloads.single.ratio import cycles_per_byte
from ciphermark.workloads.single.row import Row


class FasterPath(msgspec.Struct, kw_only=True):
    """A switch that makes a library faster in what is advised."""

    algorithm: str
    operation: str | None
    message_bytes: int | None
    """Size that was judged; None, as the operation, for the traffic of the question."""
    provider: str
    default: str
    fastest: str
    gain: float
    """Cost of the default by that of the fastest."""
    switches: dict[str, str]
    """Environment variables."""


def faster_for(traffic: Load, chosen: Ranked, rows: Sequence[Row]) -> list[FasterPath]:
    """The switches with which the library of a suite carries this very traffic cheaper, beyond the
    ratio's interval and by over 2 %, and is no slower in either direction; the best first."""
    default = chosen.cost
    parts = [it.name for it in chosen.facts.parts]
    found = []
    for cost in masked(rows, chosen.facts.name, parts):
        if cost.provider != default.provider or not traffic.knows(cost):
            continue
        before, after = traffic.packet_ns(default), traffic.packet_ns(cost)
        two_way = traffic._replace(both_ways=True)
        both_ways = two_way.packet_ns(cost), two_way.packet_ns(default)
        harmless = not is_over(*both_ways)
        if not same(before, after) and after.value < before.value and harmless:
            found.append(
                FasterPath(
                    algorithm=chosen.facts.name,
                    operation=None,
                    message_bytes=None,
                    provider=cost.provider,
                    default=default.backend,
                    fastest=cost.backend,
                    gain=before.value / after.value,
                    switches=cost.switches,
                )
            )
    return sorted(found, key=lambda it: -it.gain)[:1]


def faster_paths(rows: Sequence[Row], algorithms: Iterable[str], provider: str) -> list[FasterPath]:
    """One for each set of switches that is faster in every operation and size in which it was
    measured for these algorithms: a switch is for the whole process."""
    wanted = set(algorithms)
    found = [it for it in choices([row for row in rows if row.algorithm in wanted])]
    own = [it for it in found if it.provider == provider]
    best: dict[str, FasterPath] = {}
    for it in own:
        if it.flagged and (faster := _faster(it)) is not None:
            key = repr(sorted(faster.switches.items()))
            if _never_slower(own, faster.switches) and key not in best:
                best[key] = faster
    return sorted(best.values(), key=lambda it: -it.gain)


def _faster(it: Choice) -> FasterPath | None:
    path = it.paths[0]
    if not path.switches or it.gain is None:
        return None
    return FasterPath(
        algorithm=it.algorithm,
        operation=it.operation,
        message_bytes=it.message_bytes,
        provider=it.provider,
        default=it.default,
        fastest=path.path,
        gain=it.gain,
        switches=path.switches,
    )


def _never_slower(own: Iterable[Choice], switches: dict[str, str]) -> bool:
    for choice in own:
        default = next((it for it in choice.paths if it.default), None)
        masked = next((it for it in choice.paths if it.switches == switches), None)
        if default is None or masked is None:
            continue
        if None not in (masked.cycles_per_byte, default.cycles_per_byte):
            ratio = unpaired_ratio(cycles_per_byte(masked), None, cycles_per_byte(default), None)
            if is_above(ratio, 1.0):
                return False
    return True
