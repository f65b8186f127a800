"""Bursts: how the packets of one source come in time."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

_Rate = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
_Time = Annotated[float, msgspec.Meta(gt=0, le=1e6)]

LIGHTEST_SHAPE = 1.01
"""Of a Pareto distribution: from 1 downwards it has no mean, and no rate could be given."""


class Bursts(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A source that sends at its peak rate, and is silent, in turn. Rates are of payload.

    Times of silence are exponentially distributed, and those of sending too with `on-off`; with
    `pareto` they have heavy tails of this shape.
    """

    kind: Literal["on-off", "pareto"]
    peak_bits_per_second: _Rate
    mean_on_s: _Time
    """Mean time of sending."""
    mean_off_s: _Time | None = None
    """Mean time of silence; or the mean rate is given."""
    mean_bits_per_second: _Rate | None = None
    shape: Annotated[float, msgspec.Meta(ge=LIGHTEST_SHAPE, le=10)] | None = None
    """Of `pareto`: the smaller the heavier the tail; at 2 and below the variance is infinite."""
    source: str

    @property
    def off_s(self) -> float:
        """Mean time of silence, from whichever was given."""
        if self.mean_off_s is not None:
            return self.mean_off_s
        if self.mean_bits_per_second is None:
            raise ValueError("neither a time of silence nor a mean rate is given")
        return self.mean_on_s * (self.peak_bits_per_second / self.mean_bits_per_second - 1)

    @property
    def mean_rate_bits_per_second(self) -> float:
        """Over all time."""
        return self.peak_bits_per_second * self.mean_on_s / (self.mean_on_s + self.off_s)

    def at_peak(self, peak_bits_per_second: float) -> Bursts:
        """The same bursts at another peak rate, with the same times of sending and of silence."""
        return msgspec.structs.replace(
            self,
            peak_bits_per_second=peak_bits_per_second,
            mean_off_s=self.off_s,
            mean_bits_per_second=None,
        )


def fault(bursts: Bursts) -> str | None:
    """What contradicts itself, and what to write."""
    given = [bursts.mean_off_s, bursts.mean_bits_per_second]
    if given.count(None) != 1:
        return "[bursts] needs one of mean_off_s and mean_bits_per_second"
    mean, peak = bursts.mean_bits_per_second, bursts.peak_bits_per_second
    if mean is not None and mean >= peak:
        return (
            f"[bursts] mean_bits_per_second = {mean:g} is not below the peak of {peak:g}: such a "
            "source never pauses, write a lower mean rate"
        )
    if (bursts.shape is None) == (bursts.kind == "pareto"):
        needs = "needs a shape, for example 1.5" if bursts.shape is None else "has no shape"
        return f'[bursts] kind = "{bursts.kind}" {needs}'
    return None
