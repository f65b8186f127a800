"""What a comparison of two runs finds."""

from __future__ import annotations

import msgspec


class Pair(msgspec.Struct, kw_only=True):
    """One case on both sides; `a` is judged, `b` is what it is held against."""

    algorithm: str
    operation: str
    workload: str
    pattern: str
    chunk_bytes: int | None
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None = None
    switches: dict[str, str]
    message_bytes: int | None
    profile: str | None = None
    provider_a: str
    provider_b: str
    backend_asked_a: str
    backend_asked_b: str
    backend_a: str
    """The code path that ran, where that is known."""
    backend_b: str
    cycles_per_message_a: float | None
    cycles_per_message_b: float | None
    ns_per_message_a: float | None = None
    ns_per_message_b: float | None = None
    converged: bool
    """Whether both sides had converged."""
    ratio: float | None = None
    """Cycles per message of `a` by those of `b`; time by time where a side is imported, and then
    without an interval."""
    ratio_low: float | None = None
    ratio_high: float | None = None
    detectable_ratio: float | None = None
    """Smallest true ratio above 1 that would have been seen with 80 % probability."""
    verdict: str
    """`regression`, `slower`, `faster`, `same`, or `unknown` where there is no ratio or no
    interval. `same` too where so many pairs would show as much by chance."""
    reason: str | None = None
    """Why there is no ratio, or no verdict."""

    @property
    def path_changed(self) -> bool:
        """Whether another code path ran though the same was asked of the same library."""
        asked_a = (self.provider_a, self.backend_asked_a)
        asked_b = (self.provider_b, self.backend_asked_b)
        known = "unknown" not in (self.backend_a, self.backend_b)
        return known and asked_a == asked_b and self.backend_a != self.backend_b


class LibraryChange(msgspec.Struct, kw_only=True):
    """A library that had another version in each run."""

    provider: str
    version_a: str
    version_b: str


class Comparison(msgspec.Struct, kw_only=True):
    """All cases that both sides have, and what they say together."""

    runs: list[str]
    """Identifiers of the runs, the judged one first."""
    selections: list[str | None]
    """What was selected of each: `openssl`, `openssl/aesni`, or null for all."""
    machines: list[str]
    paired: bool
    """Whether both sides were measured in the same rounds."""
    threshold: float
    """A ratio beyond 1 + threshold is a regression, when its interval excludes 1."""
    regressions: int
    slower: int
    faster: int
    same: int
    unknown: int
    geometric_mean: float | None
    """Of all ratios."""
    geometric_mean_low: float | None
    """Its 95 % interval takes the cases as the observations."""
    geometric_mean_high: float | None
    geometric_mean_detectable: float | None
    detectable_ratio: float | None
    """Median of the pairs'."""
    pairs: list[Pair]
    """In the order of the first run's plan."""
    only_a: list[str]
    """Cases that only the first side has."""
    only_b: list[str]
    libraries: list[LibraryChange]
    notes: list[str]
    """What else differs between the runs and bears on the figures."""
