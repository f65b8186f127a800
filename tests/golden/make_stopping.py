"""Makes stopping.json: cases of the stopping rule with answers worked out by other means.

Ranks come from SciPy's binomial distribution and medians from Python's `statistics`, so that the
file tests both programs that use the rule: `engine/harness/src/stopping.rs` and
`python/ciphermark/statistics/stopping.py`. Run it after changing the rule:
`python tests/golden/make_stopping.py`.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import median
from typing import Any

from scipy.stats import binom

FILE = Path(__file__).with_name("stopping.json")
ABOUT = (
    "Cases of the stopping rule. samples: slices in the order of time, process = the worker process"
    " that has taken it, round = its group, at_ns = start, x = cycles per message, disturbed ="
    " whether the slice does not count. A group's value is the median of its undisturbed x; a group"
    " without one does not count. A process's value is the median of its groups. expect: estimate ="
    " median of the processes, low and high = its interval (null with fewer than six processes),"
    " converged, and reason_kind = the first thing that is missing, asked in the order processes,"
    " groups, states, interval, halves, span; disturbed where processes or groups are and more than"
    " half of the samples do not count; none when nothing is. Interval and halves"
    " may differ by the precision or by a quarter of a cycle, whichever is more. looks: the counts"
    " of processes, up to 400, at which a case is looked at. Made by make_stopping.py."
)
MS = 1_000_000
RESOLUTION_CYCLES = 0.25
TAIL = 0.0175

Sample = dict[str, Any]


def group(
    number: int, at_ns: int, values: list[float], disturbed: str = "", process: int | None = None
) -> list[Sample]:
    """Slices of one group, 20 µs apart; `disturbed` has an x for each slice that is. Each group has
    a process of its own unless one is given."""
    return [
        {
            "process": number if process is None else process,
            "round": number,
            "at_ns": at_ns + 20_000 * i,
            "x": x,
            "disturbed": mark == "x",
        }
        for i, (x, mark) in enumerate(zip(values, disturbed.ljust(len(values)), strict=True))
    ]


def steady(values: list[float], step_ns: int = MS, disturbed: str = "") -> list[Sample]:
    """A group of three slices around each value, one every `step_ns`."""
    return [
        sample
        for i, x in enumerate(values)
        for sample in group(i, i * step_ns, [x + 0.25, x, x - 0.5], disturbed)
    ]


def together(values: list[list[float]]) -> list[Sample]:
    """For each process a group of equal slices for each of its values, a millisecond apart."""
    numbered = enumerate((process, x) for process, given in enumerate(values) for x in given)
    return [
        sample
        for number, (process, x) in numbered
        for sample in group(number, number * MS, [x, x, x], process=process)
    ]


def noisy(count: int, spread: float, seed: int) -> list[Sample]:
    """Groups of five slices with normal noise around 200, rounded so that the file is short."""
    source = random.Random(seed)
    return [
        sample
        for i in range(count)
        for sample in group(i, i * MS, [round(source.gauss(200, spread), 3) for _ in range(5)])
    ]


def cases() -> dict[str, dict[str, Any]]:
    """Samples by the name of what they show, with the settings that are not the usual ones."""
    even = [100.0, 100.5, 99.75, 100.25, 100.0, 100.125]
    drift = [99.25 + 0.0625 * (i % 3) for i in range(10)]
    drift += [100.75 + 0.0625 * (i % 3) for i in range(10)]
    half_lost = [
        sample
        for i, x in enumerate(even)
        for sample in group(i, i * MS, [x, x + 40, x + 50, x], " xx ")
    ]
    lost_groups = steady(even) + [
        sample for i in (6, 7) for sample in group(i, i * MS, [300.0, 300.0, 300.0], "xxx")
    ]
    late_start = group(0, 0, [250.0, 100.0, 100.0], "x  ")
    late_start[1]["at_ns"] = late_start[2]["at_ns"] = 2 * MS
    late_start += [s for i in range(1, 6) for s in group(i, i * MS, [100.0, 100.5, 99.5])]
    return {
        "no samples": {"samples": []},
        "many groups of five processes have no interval": {"samples": together([even] * 5)},
        "a process is the median of its groups": {
            "samples": together([[x, x + 0.5, x + 30] for x in even])
        },
        "what differs between processes counts, what differs within does not": {
            "samples": together([[98.0, 100 + x / 4, 102.0] for x in range(6)])
        },
        "six processes where eight are wanted": {"samples": together([even] * 6), "processes": 8},
        "twelve groups where twenty are wanted": {
            "samples": together([even[:2]] * 6),
            "min_groups": 20,
        },
        "two states that alternate within processes": {
            "samples": together([[100.0, 130.0, 100.5]] * 6)
        },
        "two states between processes": {
            "samples": together(
                [[x, x + 0.125] for x in [100, 100.25, 130, 100.5, 130.5, 100, 130.25]]
            )
        },
        "a state that is rarer than a quarter is an outlier": {
            "samples": together([[100.0, 100.25]] * 10 + [[130.0, 130.25]] * 3)
        },
        "a quarter of the groups is a state": {
            "samples": together([[100.0, 100.25]] * 9 + [[130.0, 130.25]] * 3)
        },
        "states that are no further apart than three times the precision": {
            "samples": together([[100.0, 100.0], [103.0, 103.0]] * 6)
        },
        "a wide cluster is no state": {
            "samples": together(
                [[100.0 + 2 * x, 101.0 + 2 * x] for x in range(6)] + [[125.0, 125.25]] * 6
            )
        },
        "too few groups for states": {"samples": together([[100.0]] * 4 + [[130.0]] * 4)},
        "one group": {"samples": steady([100.0])},
        "five groups have no interval": {"samples": steady(even[:5], 2 * MS)},
        "six steady groups converge": {"samples": steady(even)},
        "six groups where eight are wanted": {"samples": steady(even), "processes": 8},
        "fewer than six are never enough": {"samples": steady(even[:5], 2 * MS), "processes": 3},
        "seven groups: the middle one is the estimate": {"samples": steady([*even, 100.75])},
        "eight groups: one outlier is in the interval": {"samples": steady([*even, 100.0, 120.0])},
        "nine groups: one outlier is outside the interval": {
            "samples": steady([*even, 100.0, 120.0, 100.25])
        },
        "twelve groups: two outliers are outside": {
            "samples": steady([*even, 80.0, 100.0, 120.0, 100.25, 99.875, 100.5])
        },
        "slices with an even number undisturbed": {"samples": steady(even, disturbed="x")},
        "noise of 0.5 % over six groups": {"samples": noisy(6, 1.0, seed=1)},
        "noise of 1 % over eleven groups": {"samples": noisy(11, 2.0, seed=2)},
        "noise of 3 % over sixteen groups": {"samples": noisy(16, 6.0, seed=3)},
        "noise of 2 % over twenty groups": {"samples": noisy(20, 4.0, seed=4)},
        "the same within 3 %": {"samples": noisy(20, 4.0, seed=4), "precision": 0.03},
        "half of the samples disturbed": {"samples": half_lost},
        "more than half disturbed, and enough that count": {
            "samples": steady(even, disturbed="x x")
        },
        "more than half disturbed, and too few processes": {
            "samples": steady(even[:2], disturbed="xx ")
        },
        "more than half disturbed, and too few groups": {
            "samples": steady(even, disturbed="xx "),
            "min_groups": 20,
        },
        "all groups disturbed": {"samples": steady(even, disturbed="xxx")},
        "disturbed groups do not count": {"samples": lost_groups},
        "disturbed groups are not among those wanted": {"samples": lost_groups, "processes": 7},
        "the halves differ though the interval is narrow": {"samples": steady(drift)},
        "an odd number of groups: the middle one is in neither half": {
            "samples": steady([100.0, 100.0, 100.0, 104.0, 100.0, 102.25, 104.0]),
            "precision": 0.025,
        },
        "span too short": {"samples": steady(even, step_ns=MS // 2)},
        "span one nanosecond too short": {
            "samples": steady(even[:5]) + group(5, 5 * MS - 1, [100.0, 100.25, 100.5])
        },
        "span just long enough": {"samples": steady(even)},
        "a group starts with its first slice, even a disturbed one": {"samples": late_start},
        "no span wanted": {"samples": steady(even, step_ns=100_000), "min_span_ms": 0.0},
        "what moves from run to run is in the interval of what does not scatter": {
            "samples": steady([100.0] * 6),
            "reproducibility": 0.004,
        },
        "and widens one that would be narrow enough without it": {
            "samples": noisy(18, 2.4, seed=6),
            "reproducibility": 0.008,
        },
        "a negative estimate that moves": {
            "samples": steady([-x for x in even]),
            "reproducibility": 0.004,
        },
        "a negative estimate": {"samples": steady([-x for x in even])},
        "a negative estimate that scatters": {
            "samples": steady([-3.0, -2.0, -1.0, -4.0, -2.5, -3.5])
        },
        "zero that scatters": {"samples": steady([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])},
        "zero without scatter": {"samples": steady([0.0] * 6)},
        "a few cycles within the resolution": {
            "samples": steady([2.0, 2.25, 2.375, 2.125, 2.25, 2.0])
        },
        "a few cycles just beyond it": {"samples": steady([2.0, 2.25, 2.625, 2.125, 2.25, 2.0])},
        "halves of a few cycles beyond the resolution": {
            "samples": steady([2.0] * 5 + [2.5] * 5 + [2.25])
        },
    }


def rank(count: int) -> int:
    """The largest r with P(Binomial(count, 1/2) <= r - 1) <= TAIL; 0 where there is none."""
    return int((binom.cdf(range(count), count, 0.5) <= TAIL).sum())


def has_states(groups: list[float], tolerance: float) -> bool:
    """Whether a gap leaves a quarter of the groups on either side and is wide enough; only the
    widest such gap is asked, the first of several."""
    ordered = sorted(groups)
    if len(ordered) < 12:
        return False
    splits = [i for i in range(1, len(ordered)) if min(i, len(ordered) - i) >= len(ordered) / 4]
    widest = max(splits, key=lambda i: (ordered[i] - ordered[i - 1], -i))

    def wide(part: list[float]) -> float:
        outside = (len(part) - 1) // 4
        return part[len(part) - 1 - outside] - part[outside]

    gap = ordered[widest] - ordered[widest - 1]
    return gap > 3 * tolerance and gap > 4 * max(wide(ordered[:widest]), wide(ordered[widest:]))


def expected(
    samples: list[Sample],
    processes: int,
    min_groups: int,
    precision: float,
    min_span_ms: float,
    reproducibility: float,
) -> dict[str, Any]:
    """What the rule says, straight from its definition."""
    rounds = sorted({sample["round"] for sample in samples})
    groups = [[s for s in samples if s["round"] == number] for number in rounds]
    counting = [g for g in groups if not all(s["disturbed"] for s in g)]
    medians = [median(s["x"] for s in g if not s["disturbed"]) for g in counting]
    of_process: dict[int, list[float]] = {}
    for taken, x in zip(counting, medians, strict=True):
        of_process.setdefault(taken[0]["process"], []).append(x)
    values = [median(it) for it in of_process.values()]
    estimate = median(values) if values else None
    r, ordered = rank(len(values)), sorted(values)
    low, high = (ordered[r - 1], ordered[-r]) if r else (None, None)
    if r and reproducibility:
        moved = reproducibility * estimate
        low = estimate - ((estimate - low) ** 2 + moved**2) ** 0.5
        high = estimate + ((high - estimate) ** 2 + moved**2) ** 0.5

    def kind() -> str:
        few_processes = r == 0 or len(values) < processes
        if few_processes or len(medians) < min_groups:
            if 2 * sum(s["disturbed"] for s in samples) > len(samples):
                return "disturbed"
            return "processes" if few_processes else "groups"
        tolerance = max(precision * abs(estimate), RESOLUTION_CYCLES)
        if has_states(medians, tolerance):
            return "states"
        half = len(values) // 2
        if (high - low) / 2 > tolerance:
            return "interval"
        if abs(median(values[:half]) - median(values[-half:])) > tolerance:
            return "halves"
        span_ns = counting[-1][0]["at_ns"] - counting[0][0]["at_ns"]
        return "span" if span_ns < min_span_ms * 1e6 else "none"

    return {
        "estimate": estimate,
        "low": low,
        "high": high,
        "converged": kind() == "none",
        "reason_kind": kind(),
    }


def looks() -> list[int]:
    """Numbers of processes after which a case is looked at, up to 400: of those with which the
    interval leaves out one more at either end, each nearest to 1.38 times the one before."""
    narrower = [count for count in range(6, 600) if rank(count) > rank(count - 1)]
    found = [6]
    while (wanted := 1.38 * found[-1]) < 400:
        later = [count for count in narrower if count > found[-1]]
        found.append(min(later, key=lambda count: abs(count - wanted)))
    return found


def document() -> dict[str, Any]:
    """The whole file."""
    usual = {
        "processes": 6,
        "min_groups": 6,
        "precision": 0.01,
        "min_span_ms": 5.0,
        "reproducibility": 0.0,
    }
    entries = []
    for name, given in cases().items():
        entry = usual | given
        entries.append({"name": name, **entry, "expect": expected(**entry)})
    return {"about": ABOUT, "looks": looks(), "cases": entries}


def text() -> str:
    """The file, with one line for each sample so that a difference can be read."""
    return (
        json.dumps({"about": ABOUT, "looks": looks(), "cases": []}, ensure_ascii=False).replace(
            "[]", "[\n" + ",\n".join(map(_entry_text, document()["cases"])) + "\n]"
        )
        + "\n"
    )


def _entry_text(entry: dict[str, Any]) -> str:
    samples = ",\n  ".join(map(json.dumps, entry["samples"]))
    return json.dumps(entry | {"samples": []}).replace("[]", f"[\n  {samples}\n ]")


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
