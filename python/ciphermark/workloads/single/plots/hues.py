"""Which hue an algorithm has."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ciphermark import contract
from ciphermark.show.plots import theme
from ciphermark.workloads.single.sections import Line, Section, lines


def hues_of(shown: list[Section]) -> dict[str, str]:
    """The hue of each algorithm: the same wherever it is drawn, the next for the next of a kind."""
    algorithms: dict[contract.Kind, list[str]] = {}
    for line in lines(shown):
        of_kind = algorithms.setdefault(line.algorithm.kind, [])
        if line.algorithm.title not in of_kind:
            of_kind.append(line.algorithm.title)
    return {
        title: theme.HUES[place % len(theme.HUES)]
        for of_kind in algorithms.values()
        for place, title in enumerate(of_kind)
    }


def parts(section: Section) -> Iterator[tuple[str, list[Line]]]:
    """A section in parts of at most as many algorithms as there are hues, of about equal size."""
    titles = list(dict.fromkeys(line.algorithm.title for line in section.lines))
    count = math.ceil(len(titles) / len(theme.HUES))
    for number in range(count):
        part = titles[number * len(titles) // count : (number + 1) * len(titles) // count]
        suffix = f" ({number + 1} of {count})" if count > 1 else ""
        yield section.title + suffix, [it for it in section.lines if it.algorithm.title in part]
