"""Figures that a statement can be asked of, be they printed in the paper or simulated here.

Both come in the same form, so that each statement has one judge that is asked twice.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

import msgspec

from ciphermark.show.findings import NotTestable
from ciphermark.studies.sensor.paper import PLATFORMS, Cell, name

ByPlatform = dict[str, dict[Cell, float]]
"""Figures of rows of Table 3, by target."""


class Costs(NamedTuple):
    """What rows of Table 3 cost on some platforms, all in the same unit."""

    unit: str
    """`cycles` or `instructions`."""
    of: ByPlatform

    def ratios(self, over: str, under: str) -> dict[Cell, float]:
        """How many times the one platform takes what the other does, by the rows of both."""
        above, below = self.of[over], self.of[under]
        return {cell: above[cell] / below[cell] for cell in above if cell in below}

    def at(self, platform: str, cell: Cell) -> float:
        """One figure, else NotTestable."""
        if cell not in self.of[platform]:
            raise NotTestable(f"{cell} has no figure on {name(platform)}")
        return self.of[platform][cell]


class Evidence(msgspec.Struct, kw_only=True):
    """All figures from one place."""

    cycles: ByPlatform
    """Printed, simulated, or of a model of the pipeline."""
    instructions: ByPlatform = {}
    """Executed, of all platforms that were simulated."""
    clock_mhz: dict[str, float]
    bus_width_bits: dict[str, int]
    further_rc4: dict[str, float] = {}
    """What 16 more bytes of RC4 cost where a text begins with something else, in the unit that a
    platform has."""
    missing: dict[str, str] = {}
    """Why a platform has no figures."""

    def costs(self, platforms: Collection[str]) -> Costs:
        """In cycles where all of these platforms have them, else in instructions: kinds of figures
        are never mixed. NotTestable where one has neither."""
        for platform in platforms:
            if platform not in self.cycles and platform not in self.instructions:
                raise self.lacks(platform)
        for unit, figures in (("cycles", self.cycles), ("instructions", self.instructions)):
            if all(platform in figures for platform in platforms):
                return Costs(unit, {platform: figures[platform] for platform in platforms})
        raise NotTestable(f"{_named(platforms)} have no figures of one kind")

    def in_cycles(self, platforms: Collection[str]) -> Costs:
        """In cycles; NotTestable where there are instructions only, or nothing."""
        found = self.costs(platforms)
        if found.unit != "cycles":
            without = [it for it in platforms if it not in self.cycles]
            raise NotTestable(f"{_named(without)}: instructions only, no cycles")
        return found

    def times(self, platforms: Collection[str]) -> ByPlatform:
        """In microseconds, which only cycles can be turned into."""
        return {
            platform: {cell: cycles / self.clock_mhz[platform] for cell, cycles in by_cell.items()}
            for platform, by_cell in self.in_cycles(platforms).of.items()
        }

    def present(self) -> list[str]:
        """The platforms that have figures; NotTestable where none has."""
        found = [it for it in PLATFORMS if self.has(it)]
        if not found:
            raise self.lacks(PLATFORMS[0])
        return found

    def has(self, platform: str) -> bool:
        """Whether it has any figures."""
        return platform in self.cycles or platform in self.instructions

    def lacks(self, platform: str) -> NotTestable:
        """Why nothing can be said of a platform."""
        return NotTestable(why(platform, self.missing.get(platform, "not simulated in this run")))


def geometric_mean(values: Iterable[float]) -> float:
    """Of ratios; NotTestable where there are none."""
    logarithms = [math.log(it) for it in values]
    if not logarithms:
        raise NotTestable("no figures of both to compare in this run")
    return math.exp(sum(logarithms) / len(logarithms))


def why(platform: str, reason: str) -> str:
    """The reason with the platform's name before it, unless it begins with that."""
    return reason if reason.startswith(name(platform)) else f"{name(platform)}: {reason}"


def _named(platforms: Iterable[str]) -> str:
    return ", ".join(map(name, platforms))
