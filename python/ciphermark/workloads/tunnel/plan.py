"""Plan of packets through tunnels: from the user's options to cases."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ciphermark.contract.tunnel import Traffic, TunnelCase
from ciphermark.errors import UsageError
from ciphermark.plan import names, profiles, quantities
from ciphermark.plan.profile import Part, Profile
from ciphermark.run.tunnels.bed import INNER_MTU_BYTES
from ciphermark.run.tunnels.kinds import KINDS
from ciphermark.run.tunnels.kinds.kind import NULL, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark import contract

SHORTEST_BYTES = 40
"""Smallest packet, bytes: IPv4, UDP and the content that the sender writes."""

CALIBRATION_BYTES = (64, 1400)
"""Packets from which those of other sizes are predicted: a short one and a long one."""

USUAL_PROFILES = "imix"

MOST_TUNNELS = 64
MOST_STREAMS = 64
HIGHEST_PACKETS_PER_SECOND = 20e6
"""Highest rate that the engine's sender takes."""

SMALLEST_MTU_BYTES, LARGEST_MTU_BYTES = 576, 9000
USUAL_MTU_BYTES = 1700
"""MTU of the link between the gateways: packets of 1,500 bytes fit with all that a tunnel adds, and
nothing is fragmented.
"""

SEED = 1
"""Seed of the order of packets of a mix."""

STREAM = "stream"
"""Name in place of the mix of packets of TCP, which cuts its stream itself."""

Group = tuple[Kind, str]
"""A kind with a suite: one bed serves all of its cases."""


@dataclass(frozen=True)
class Load:
    """Traffic through each tunnel, and its duration."""

    tunnels: int = 1
    streams: int = 1
    both_ways: bool = False
    rate: float | None = None
    """Payload in bits per second of all tunnels; None: as much as goes through."""
    seconds: float = 0.5
    """Length of one trial."""
    search_seconds: float = 0.3
    """Length of a trial that only tests whether a rate goes through."""
    mtu: int = USUAL_MTU_BYTES
    offloads: bool = False
    polite: bool = False
    lossless: bool = True
    """True if the rate without loss is searched for."""


@dataclass(frozen=True)
class Planned:
    """The cases of each kind and suite, in the order in which they are run."""

    load: Load
    groups: dict[Group, list[TunnelCase]]
    messages: list[Profile]
    notes: list[str] = field(default_factory=list)

    @property
    def cases(self) -> list[TunnelCase]:
        return [case for cases in self.groups.values() for case in cases]

    @property
    def suites(self) -> list[str]:
        """Returns the suites with a cipher, by ciphermark's names."""
        return list(dict.fromkeys(it.algorithm for it in self.cases if it.suite != NULL))

    @property
    def expected_s(self) -> float:
        """Returns the expected duration, seconds."""
        # A second one for streams.
        beds = len(self.groups) + sum(cases[-1].traffic == "tcp" for cases in self.groups.values())
        return GROUPS * (_LAYING_S * beds + sum(map(self._seconds_of, self.cases)))

    def _seconds_of(self, case: TunnelCase) -> float:
        """Seconds of a round."""
        if case.traffic == "tcp":
            return 2 * (max(1.0, self.load.seconds) + _BETWEEN_S)
        trial = self.load.seconds + _BETWEEN_S
        if case.rate is not None:
            return trial
        searched = 4 if self.load.lossless and not case.is_calibration else 3
        return 2 * trial + searched * (self.load.search_seconds + _BETWEEN_S)


GROUPS = 7
"""Rounds: with fewer than six no median has an interval, and of seven one may be far off."""

_LAYING_S = 1.5
"""Seconds for a bed with its tunnels."""

_BETWEEN_S = 0.3
"""Time from one trial to the next: starting, and waiting for packets under way."""


def load(
    *,
    tunnels: str | None = None,
    streams: str | None = None,
    both_ways: bool = False,
    rate: str | None = None,
    all_rate: str | None = None,
    duration: str | None = None,
    mtu: str | None = None,
    offloads: bool = False,
    polite: bool = False,
    quick: bool = False,
) -> Load:
    """Reads the options of the load. Raises `UsageError`."""
    from ciphermark.run.tunnels.traffic import LONGEST_S

    count = 1 if tunnels is None else quantities.whole(tunnels, "--tunnels", 1, MOST_TUNNELS)
    if rate is not None and all_rate is not None:
        raise UsageError("--rate is of each tunnel and --all-rate of all: give one of them")
    bits = None
    if rate is not None:
        bits = count * quantities.bits_per_second(rate, "--rate")
    elif all_rate is not None:
        bits = quantities.bits_per_second(all_rate, "--all-rate")
    seconds = (
        (0.25 if quick else 0.5) if duration is None else quantities.seconds(duration, "--duration")
    )
    if seconds > LONGEST_S:
        raise UsageError(
            f"--duration {duration} is that of a trial in each of {GROUPS} rounds, and at most "
            f"{LONGEST_S:g} s: write --duration {LONGEST_S:g}s"
        )
    return Load(
        tunnels=count,
        streams=1 if streams is None else quantities.whole(streams, "--streams", 1, MOST_STREAMS),
        both_ways=both_ways,
        rate=bits,
        seconds=seconds,
        search_seconds=min(seconds, 0.15 if quick else 0.3),
        mtu=USUAL_MTU_BYTES
        if mtu is None
        else quantities.whole(mtu, "--mtu", SMALLEST_MTU_BYTES, LARGEST_MTU_BYTES),
        offloads=offloads,
        polite=polite,
        lossless=not quick,
    )


def plan(
    load: Load,
    *,
    kinds: str | None = None,
    suites: str | None = None,
    sizes: str | None = None,
    profile: str | None = None,
    traffic: str | None = None,
    quick: bool = False,
) -> Planned:
    """Returns the cases. Raises `UsageError`."""
    wanted = _traffic(traffic)
    messages = _messages(sizes, profile)
    _check(load, messages)
    chosen = _kinds(kinds)
    groups: dict[Group, list[TunnelCase]] = {}
    for kind in chosen:
        for suite in _suites(kind, suites, quick):
            cases = list(_cases(kind, suite, messages, wanted, load))
            if cases:
                groups[kind, suite] = cases
    if suites is not None and not any(suite != NULL for _, suite in groups) and suites != NULL:
        raise UsageError(
            f"--suites {suites!r}: none of these kinds has such a suite: see ciphermark tunnel "
            "--dry-run"
        )
    if not groups:
        raise UsageError(
            f"{', '.join(it.name for it in chosen)} carry no {' or '.join(wanted)}: leave "
            "--traffic out"
        )
    return Planned(load, groups, messages)


def _kinds(typed: str | None) -> list[Kind]:
    if typed is None or typed.strip() == "all":
        return list(KINDS.values())
    known = {name: name for name in KINDS}
    listing = ", ".join(KINDS)
    names_found = (
        names.each(typed, lambda it: names.find(it, known, "kind of tunnel", listing)) or ()
    )
    return [KINDS[name] for name in names_found]


def _suites(kind: Kind, typed: str | None, quick: bool) -> list[str]:
    """Returns the wanted suites, with the null cipher where there is one.

    The others are predicted from the null cipher.
    """
    if typed is None:
        chosen = [it for it in kind.usual if it != NULL]
        chosen = chosen[:1] if quick else chosen
    else:
        patterns = [it.lower() for it in names.split(typed)]
        _refuse_unknown(patterns)
        chosen = [
            suite
            for suite in kind.suites
            if suite != NULL
            and any(
                fnmatch.fnmatchcase(name, pattern)
                for name in (suite, kind.algorithm(suite))
                for pattern in patterns
            )
        ]
        if not chosen and kind.name != "plain" and NULL not in patterns:
            return []
    return [NULL, *chosen] if NULL in kind.suites else chosen


def _refuse_unknown(patterns: list[str]) -> None:
    known = {
        name: name
        for kind in KINDS.values()
        for suite in kind.suites
        for name in (suite, kind.algorithm(suite))
    }
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name, pattern) for name in known):
            raise UsageError(
                names.unknown(pattern, known, "suite of a tunnel", "ciphermark tunnel --dry-run")
            )


def _traffic(typed: str | None) -> tuple[Traffic, ...]:
    read = names.name_of(Traffic, "traffic", "ciphermark tunnel --help")
    return names.each(typed, read) or ("udp", "tcp")


def _messages(sizes: str | None, profile: str | None) -> list[Profile]:
    if sizes is not None and profile is not None:
        raise UsageError("--sizes and --profile exclude each other: give one of them")
    if sizes is None:
        return profiles.from_option(profile or USUAL_PROFILES)
    typed = names.each(sizes, quantities.size) or ()
    return [of_size(it) for it in typed]


def of_size(bytes_: int) -> Profile:
    """Packets that are all of one size."""
    return Profile(f"{bytes_} B", f"packets of {bytes_} bytes", (Part(bytes=bytes_, weight=1),))


def _check(load: Load, messages: list[Profile]) -> None:
    """Raises `UsageError` for packets that cannot be sent, and for more than can be."""
    for message in messages:
        smallest = min(part.ends[0] for part in message.parts)
        if smallest < SHORTEST_BYTES:
            raise UsageError(
                f"{message.name} has packets of {smallest} bytes: with IP, UDP and their numbers "
                f"they have {SHORTEST_BYTES} at least; give another --profile"
            )
        if message.largest_bytes > INNER_MTU_BYTES:
            raise UsageError(
                f"{message.name} has packets of {message.largest_bytes} bytes, and the sender's "
                f"link takes {INNER_MTU_BYTES}: give another --profile"
            )
        if load.rate is None:
            continue
        each = load.rate / (8 * message.mean_bytes)
        if each > HIGHEST_PACKETS_PER_SECOND:
            raise UsageError(
                f"{load.rate / 1e9:g} Gbit/s of {message.name}, "
                f"{message.mean_bytes:.0f} bytes on average, are {each / 1e6:.0f} million "
                "packets a second, and the sender reaches at most "
                f"{HIGHEST_PACKETS_PER_SECOND / 1e6:g}: write --all-rate "
                f"{HIGHEST_PACKETS_PER_SECOND * 8 * message.mean_bytes / 1e9:.2g}G or "
                "less"
            )


def _cases(
    kind: Kind, suite: str, messages: list[Profile], wanted: tuple[Traffic, ...], load: Load
) -> Iterator[TunnelCase]:
    calibrates = suite == NULL or NULL not in kind.suites
    if "udp" in wanted and "udp" in kind.carries:
        own = {it.name: it for it in map(of_size, CALIBRATION_BYTES)} if calibrates else {}
        asked = {it.name: it for it in messages}
        for name, message in (own | asked).items():
            yield TunnelCase(
                kind=kind.name,
                suite=suite,
                algorithm=kind.algorithm(suite),
                profile=name,
                mean_bytes=message.mean_bytes,
                lengths=tuple(message.lengths(1, SEED)),
                traffic="udp",
                tunnels=load.tunnels,
                both_ways=load.both_ways,
                rate=load.rate,
                is_calibration=name in own,
            )
    if "tcp" in wanted and "tcp" in kind.carries:
        yield TunnelCase(
            kind=kind.name,
            suite=suite,
            algorithm=kind.algorithm(suite),
            profile=STREAM,
            mean_bytes=float(INNER_MTU_BYTES),
            traffic="tcp",
            tunnels=load.tunnels,
            streams=load.streams,
            both_ways=load.both_ways,
        )


def known_suites(planned: Planned, facts: contract.Description) -> dict[str, list[str]]:
    """Returns the suites that the engine measures, by their programs' library."""
    known = {it.name for it in facts.algorithms}
    suites: dict[str, list[str]] = {}
    for kind, suite in planned.groups:
        name = kind.algorithm(suite)
        if kind.provider is not None and suite != NULL and name in known:
            suites.setdefault(kind.provider, []).append(name)
    return suites
