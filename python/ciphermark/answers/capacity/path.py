"""The data path of a packet beside its cryptography: receiving, looking up, copying, handing on.

It is told with `--path-cost`, or learned from a stored run of `ciphermark tunnel`: a line through
two sizes of packets: of the suite's own kind of tunnel without a cipher; else of a kind that always
has one, and then the suite's cost is within; else of plain forwarding, without the tunnel's work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.capacity.size_costs import OTHER_CLOCK_ERROR
from ciphermark.command.stored import stored_rows
from ciphermark.errors import UsageError, WorkError
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Summary
    from ciphermark.record.store import Store
    from ciphermark.workloads.tunnel.row import TunnelRow

MOST_RUNS = 4
"""The newest that are looked at."""

LONGEST_NS = 1e9

ELSEWHERE = (
    "on a guest with 2 CPUs of a Xeon a packet of the simple IMIX also took a gateway 0.6 µs of "
    "plain forwarding, or 6.0 µs of OpenVPN (docs/tunnel.md)"
)

NO_PATH = (
    f"not included. {ELSEWHERE[0].upper()}{ELSEWHERE[1:]}: ciphermark tunnel measures that here, "
    "--path-cost 900ns sets it"
)

WITHOUT = "none"
"""What is typed for cryptography alone."""

TUNNELS = ("esp", "wireguard", "openvpn", "macsec")
"""Protocols whose suites protect packets of tunnels: they come before those of connections."""

PLAIN = "plain"
_NULL = "none"


class PathCost(msgspec.Struct, kw_only=True, frozen=True):
    """What a packet costs a core beside its cryptography, in one direction."""

    ns: Estimate
    fixed_ns: float
    """Of it, what a packet without bytes costs."""
    kind: str
    """`told`, or the kind of tunnel."""
    source: str
    """`--path-cost`, or the run."""
    is_whole: bool
    """Whether the work of the tunnel itself is in it; not with plain forwarding."""
    has_cryptography: bool = False
    """True if it was measured with the suite, by the program of the tunnel."""

    def with_suite(self, suite_ns: Estimate, ways: int) -> Estimate:
        """Returns the cost of packets in all directions, with that of the suite."""
        path_ns = self.ns.times(ways)
        return path_ns if self.has_cryptography else suite_ns.plus(path_ns)

    def fixed_share(self, suite_fixed_ns: float, whole_ns: float, ways: int) -> float:
        """Returns the share of the cost that a packet without bytes has too."""
        suite_fixed_ns = 0.0 if self.has_cryptography else suite_fixed_ns
        return (suite_fixed_ns + ways * self.fixed_ns) / whole_ns


class Path(msgspec.Struct, kw_only=True, frozen=True):
    """Nanoseconds over the bytes of a packet."""

    kind: str
    source: str
    points: tuple[tuple[float, Estimate], ...]
    """Two or more by mean bytes of packets, with lines between neighbours and beyond the ends."""
    hz: float | None = None
    """Core clock of its run."""
    is_scaled: bool = False
    """Whether it was measured at another clock."""
    has_cryptography: bool = False
    """True if the suite is in it."""

    @property
    def is_whole(self) -> bool:
        """Whether the work of the tunnel itself is in it."""
        return self.kind != PLAIN

    def at(self, bytes_: float) -> PathCost:
        """Of a packet of so many bytes."""
        from ciphermark.workloads.tunnel.prediction import MODEL_SHARE, Line

        place = sum(near < bytes_ for near, _ in self.points[1:-1])
        line = Line(self.points[place], self.points[place + 1])
        ns = line.at(bytes_).wider(MODEL_SHARE)
        if self.is_scaled:
            ns = ns.wider(OTHER_CLOCK_ERROR)
        return PathCost(
            ns=ns,
            fixed_ns=min(Line(*self.points[:2]).at(0.0).value, ns.value),
            kind=self.kind,
            source=self.source,
            is_whole=self.is_whole,
            has_cryptography=self.has_cryptography,
        )

    def at_clock(self, hz: float) -> Path | None:
        """The same cycles at another clock; None where its own is unknown."""
        if self.hz is None:
            return None
        slower = self.hz / hz
        points = tuple((bytes_, ns.times(slower)) for bytes_, ns in self.points)
        return msgspec.structs.replace(self, points=points, hz=hz, is_scaled=True)


class Paths(msgspec.Struct, kw_only=True, frozen=True):
    """All that is known of data paths."""

    told_ns: float | None = None
    learned: dict[str, Path] = {}
    """Paths by kind of tunnel, or by suite for kinds that always have a cipher."""

    def of(self, suite: str, mean_bytes: float) -> PathCost | None:
        """Of packets of so many bytes on average under a suite; None where nothing is known."""
        if self.told_ns is not None:
            return PathCost(
                ns=Estimate.exact(self.told_ns),
                fixed_ns=self.told_ns,
                kind="told",
                source="--path-cost",
                is_whole=True,
            )
        path = self.learned_of(suite)
        return None if path is None else path.at(mean_bytes)

    def learned_of(self, suite: str) -> Path | None:
        """The path of the suite's own kind of tunnel, else of plain forwarding."""
        names = (_kind_of(suite), suite, PLAIN)
        return next((self.learned[it] for it in names if it in self.learned), None)

    def at_clock(self, hz: float) -> Paths:
        """The same at another clock; what is told stays."""
        scaled = {kind: path.at_clock(hz) for kind, path in self.learned.items()}
        known = {kind: path for kind, path in scaled.items() if path is not None}
        return msgspec.structs.replace(self, learned=known)


def path_words(path: PathCost | None, cryptography_share: float) -> str:
    """The data path that figures include, or that they include none."""
    if path is None:
        return NO_PATH
    share = f"cryptography is {figures.percent(cryptography_share)} of a packet's cost"
    if path.has_cryptography:
        share = "cryptography included"
    time = figures.in_units(path.ns.value, (("ms", 1e6), ("µs", 1e3), ("ns", 1.0)))
    if path.kind == "told":
        return f"{time} per packet, from --path-cost; {share}"
    what = path.kind if path.is_whole else "plain forwarding, without the tunnel's own work"
    return f"{time} per packet, from {path.source} ({what}); {share}"


def _kind_of(suite: str) -> str:
    """Returns the kind without a cipher that a suite's protocol has; else the protocol."""
    from ciphermark.run.tunnels.kinds import KINDS

    protocol = suite.partition(":")[0]
    kinds = (it for it in KINDS.values() if it.protocol == protocol and _NULL in it.suites)
    return next((it.name for it in kinds), protocol)


def told(text: str) -> Paths:
    """`--path-cost 900ns`, or `none`. Raises `UsageError`."""
    if text.strip() == WITHOUT:
        return Paths()
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ns|us|µs|ms)", text.strip())
    ns = float(match[1]) * {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6}[match[2]] if match else 0.0
    if not 0 < ns <= LONGEST_NS:
        raise UsageError(
            f"--path-cost {text!r} is not a time up to a second: write for example 900ns or "
            f"1.2us, or {WITHOUT} for cryptography alone"
        )
    return Paths(told_ns=ns)


def learned(store: Store, machine: str) -> Paths:
    """From the newest run of tunnels on the machine of this name, else on one of the same kind."""
    summaries = store.summaries()
    kinds = {it.machine_kind for it in summaries if it.machine_name == machine}
    of_paths = [it for it in summaries if workload_of(it.workload).of_paths]
    here = [it for it in of_paths if it.machine_name == machine]
    alike = [it for it in of_paths if it.machine_kind in kinds]
    return Paths(learned=_lines(store, (here or alike)[:MOST_RUNS]))


def _lines(store: Store, summaries: Iterable[Summary]) -> dict[str, Path]:
    """The newest line of each kind."""
    found: dict[str, Path] = {}
    for summary in summaries:
        try:
            rows = stored_rows(store, summary.run, summary.workload)
        except WorkError:
            continue  # damaged, and an older one may do
        for kind, path in _of_run(store.context(summary.run), rows).items():
            found.setdefault(kind, path)
    return found


def _of_run(context: Context, rows: Iterable[TunnelRow]) -> dict[str, Path]:
    """Returns the lines by kind, or by suite where that is in them.

    Of several kinds with a suite that of the protocol's own name counts, which is the kernel's.
    """
    points: dict[tuple[str, str], dict[float, Estimate]] = {}
    for row in rows:
        cost = row.gateway_ns_per_packet
        if row.traffic == "udp" and not row.both_ways and cost is not None:
            suite = "" if row.suite == _NULL else row.algorithm
            points.setdefault((row.kind, suite), {})[row.mean_bytes] = cost
    lines: dict[str, Path] = {}
    for (kind, suite), own in points.items():
        if len(own) < 2:
            continue
        line = Path(
            kind=kind,
            source=f"run {context.run}",
            points=tuple(sorted(own.items())),
            hz=context.core_hz,
            has_cryptography=bool(suite),
        )
        if kind == suite.partition(":")[0]:
            lines[suite] = line
        lines.setdefault(suite or kind, line)
    return lines
