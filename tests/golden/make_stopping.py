"""Makes stopping.json: cases of the stopping rule with answers worked out by other means.

Ranks come from SciPy's binomial distribution and medians from Python's `statistics`, so that the
file tests both programs that use the rule: `engine/harness/src/stopping.rs` and
`python/ciphermark/analyse/statistics.py`. Run it after changing the rule:
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
    "Cases of the stopping rule. samples: slices in the order of time, round = their group, at_ns ="
    " start, x = cycles per message, disturbed = whether the slice does not count. A group's value"
    " is the median of its undisturbed x; a group without one does not count. expect: estimate ="
    " median of the groups, low and high = its 95 % interval (null with fewer than six groups),"
    " converged, and reason_kind = the first thing that is missing, asked in the order disturbed,"
    " groups, interval, halves, span; none when nothing is. Interval and halves may differ by the"
    " precision or by a quarter of a cycle, whichever is more. Made by make_stopping.py."
)
MS = 1_000_000
RESOLUTION_CYCLES = 0.25

Sample = dict[str, Any]


def group(number: int, at_ns: int, values: list[float], disturbed: str = "") -> list[Sample]:
    """Slices of one group, 20 µs apart; `disturbed` has an x for each slice that is."""
    return [
        {"round": number, "at_ns": at_ns + 20_000 * i, "x": x, "disturbed": mark == "x"}
        for i, (x, mark) in enumerate(zip(values, disturbed.ljust(len(values)), strict=True))
    ]


def steady(values: list[float], step_ns: int = MS, disturbed: str = "") -> list[Sample]:
    """A group of three slices around each value, one every `step_ns`."""
    return [
        sample
        for i, x in enumerate(values)
        for sample in group(i, i * step_ns, [x + 0.25, x, x - 0.5], disturbed)
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
        "one group": {"samples": steady([100.0])},
        "five groups have no interval": {"samples": steady(even[:5], 2 * MS)},
        "six steady groups converge": {"samples": steady(even)},
        "six groups where eight are wanted": {"samples": steady(even), "min_groups": 8},
        "fewer than six are never enough": {"samples": steady(even[:5], 2 * MS), "min_groups": 3},
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
        "half of the samples disturbed still counts": {"samples": half_lost},
        "more than half disturbed": {"samples": steady(even, disturbed="x x")},
        "disturbed is asked before groups": {"samples": steady(even[:2], disturbed="xx ")},
        "all groups disturbed": {"samples": steady(even, disturbed="xxx")},
        "disturbed groups do not count": {"samples": lost_groups},
        "disturbed groups are not among those wanted": {"samples": lost_groups, "min_groups": 7},
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
    """The largest r with P(Binomial(count, 1/2) <= r - 1) <= 0.025; 0 where there is none."""
    return max((r for r in range(1, count + 1) if binom.cdf(r - 1, count, 0.5) <= 0.025), default=0)


def expected(
    samples: list[Sample], min_groups: int, precision: float, min_span_ms: float
) -> dict[str, Any]:
    """What the rule says, straight from its definition."""
    rounds = sorted({sample["round"] for sample in samples})
    groups = [[s for s in samples if s["round"] == number] for number in rounds]
    counting = [g for g in groups if not all(s["disturbed"] for s in g)]
    values = [median(s["x"] for s in g if not s["disturbed"]) for g in counting]
    estimate = median(values) if values else None
    r, ordered = rank(len(values)), sorted(values)
    low, high = (ordered[r - 1], ordered[-r]) if r else (None, None)

    def kind() -> str:
        if 2 * sum(s["disturbed"] for s in samples) > len(samples):
            return "disturbed"
        if r == 0 or len(values) < min_groups:
            return "groups"
        tolerance = max(precision * abs(estimate), RESOLUTION_CYCLES)
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


def document() -> dict[str, Any]:
    """The whole file."""
    usual = {"min_groups": 6, "precision": 0.01, "min_span_ms": 5.0}
    entries = []
    for name, given in cases().items():
        entry = usual | given
        entries.append({"name": name, **entry, "expect": expected(**entry)})
    return {"about": ABOUT, "cases": entries}


def text() -> str:
    """The file, with one line for each sample so that a difference can be read."""
    return (
        json.dumps({"about": ABOUT, "cases": []}, ensure_ascii=False).replace(
            "[]", "[\n" + ",\n".join(map(_entry_text, document()["cases"])) + "\n]"
        )
        + "\n"
    )


def _entry_text(entry: dict[str, Any]) -> str:
    samples = ",\n  ".join(map(json.dumps, entry["samples"]))
    return json.dumps(entry | {"samples": []}).replace("[]", f"[\n  {samples}\n ]")


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
