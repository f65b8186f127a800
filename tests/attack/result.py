"""What came of tries, and the table of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean

from attack.failure import KINDS as FAILURES

MOST_EXAMPLES = 3
"""Tries that are printed of each failure; the others are counted."""

_PARTICULARS = re.compile(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"|/\S+|\(.*?\)")


@dataclass
class Result:
    """How a try ended."""

    kind: str
    number: int
    seconds: float
    failure: str = ""
    """One of the columns; empty where nothing failed."""
    sentence: str = ""
    said: list[str] = field(default_factory=list)
    lies: list[list[int]] = field(default_factory=list)
    skipped: str = ""


@dataclass
class Results:
    """Those of all tries with a seed."""

    seed: int
    all: list[Result] = field(default_factory=list)
    _alike: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, result: Result) -> list[str]:
        """Keeps one, and says what is to be printed of it at once."""
        self.all.append(result)
        if not result.failure:
            return []
        alike = (result.kind, result.failure, _PARTICULARS.sub("", result.sentence)[:120])
        self._alike[alike] += 1
        if self._alike[alike] > MOST_EXAMPLES:
            return []
        again = f"python -m attack --seed {self.seed} --only {result.kind} --try {result.number}"
        return [f"{result.kind} {result.number}: {result.failure}: {result.sentence}",
                *(f"    {line}" for line in result.said), f"    again: {again}"]  # fmt: skip

    @property
    def failed(self) -> int:
        return sum(bool(it.failure) for it in self.all)

    def table(self) -> str:
        """Tries and failures by kind of attack, and what lying libraries came to."""
        kinds = list(dict.fromkeys(it.kind for it in self.all))
        lines = [_line("attack", "tries", *FAILURES, "slowest")]
        for kind in kinds:
            lines.append(_row(kind, [it for it in self.all if it.kind == kind]))
        lines.append(_row("all", self.all))
        return "\n".join([*lines, *self._skipped(), *_lies(self.all), *self._failures()])

    def _skipped(self) -> Iterable[str]:
        counts = Counter((it.kind, it.skipped) for it in self.all if it.skipped)
        for (kind, reason), count in counts.items():
            yield f"{count} tries of {kind} were skipped: {reason}"

    def _failures(self) -> Iterable[str]:
        if self._alike:
            yield "\nfailures that are alike:"
        for (kind, failure, sentence), count in self._alike.most_common():
            yield f"{count:6} {kind}, {failure}: {sentence}"


def _row(name: str, results: list[Result]) -> str:
    counts = Counter(it.failure for it in results)
    slowest = max((it.seconds for it in results), default=0.0)
    return _line(name, len(results), *(counts[it] for it in FAILURES), f"{slowest:.1f} s")


def _line(name: str, *cells: object) -> str:
    return f"{name:14}" + "".join(f"{cell!s:>13}" for cell in cells)


def _lies(results: list[Result]) -> Iterable[str]:
    """For each rate: in how many functions it showed, beside the share that follows from the number
    of calls, each wrong by itself."""
    by_rate: dict[int, list[list[int]]] = defaultdict(list)
    for lie in (lie for it in results for lie in it.lies):
        by_rate[lie[0]].append(lie)
    if by_rate:
        yield "\none call in     functions   wrong: expected      was    found out"
    for rate, lies in sorted(by_rate.items()):
        expected = fmean(1 - (1 - 1 / rate) ** calls for _, calls, _, _ in lies)
        was = fmean(wrong > 0 for _, _, wrong, _ in lies)
        found = fmean(bool(found) for _, _, wrong, found in lies if wrong) if was else 1.0
        yield f"{rate:11,}{len(lies):14}{expected:18.0%}{was:9.0%}{found:13.0%}"
