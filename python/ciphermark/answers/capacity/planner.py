"""The planner: a part of pages that answers as `ciphermark capacity` does, while one drags.

Here is what its scripts compute from: of each run the costs at the measured sizes, framing, limits
of keys, factors of cores and data paths, all that no choice of the reader changes; and the
constants of the arithmetic, which are written down in Python alone. `capacity.js` has the
arithmetic, `planner.js` the page; `tests/test_planner.py` holds both equal to `answer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from ciphermark.answers.capacity import (
    bursts,
    framing,
    keys,
    packet_cost,
    path,
    size_costs,
    sources,
)
from ciphermark.answers.capacity.answer import MOSTLY, Known, Question, machine_of, source_of
from ciphermark.answers.capacity.packet_cost import BOTH_WAYS, SENDING, Candidate
from ciphermark.answers.capacity.show import BASES, LONGER
from ciphermark.answers.capacity.size_costs import SizeCosts
from ciphermark.answers.capacity.suite_costs import usual_library
from ciphermark.command.output import json_in_page
from ciphermark.errors import UsageError
from ciphermark.plan import profiles
from ciphermark.plan.profile import ETHERNET_BYTES
from ciphermark.workload import workload_of
from ciphermark.workloads import core_rate
from ciphermark.workloads.tunnel.prediction import MODEL_SHARE

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.answers.capacity.path import Path
    from ciphermark.answers.capacity.sources import Facts
    from ciphermark.plan.profile import Bursts, Profile
    from ciphermark.record.run import Context
    from ciphermark.record.store import Store
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.workloads.single.row import Row

Document = dict[str, Any]

USUAL_PROFILE = "imix"


class Planned(msgspec.Struct, frozen=True):
    """One run that plans can be made from."""

    run: str
    """Its identifier, as `--run` takes it."""
    known: Known


def stored(store: Store, run: str, facts: Facts) -> Planned:
    """Returns a stored run of packets or messages, with the cores and data paths of its machine.

    Raises `UsageError` where it has no figures.
    """
    [profile] = profiles.from_option(USUAL_PROFILE)
    question = Question(profile=profile, cores=1)
    known = sources.known(store, sources.Wanted(run=run), [question], facts, None)
    known.paths = path.learned(store, known.machine.name)
    return Planned(run, known)


def of_run(context: Context, rows: Sequence[Row], store: Store | None, facts: Facts) -> Planned:
    """Returns a run as it is stored, or by itself where no store has it or it has no figures."""
    if store is not None:
        try:
            return stored(store, context.run, facts)
        except UsageError:
            pass
    known = Known(
        machine=machine_of(context),
        sources=[source_of(context, rows)],
        facts=facts,
        parts_error=packet_cost.USUAL_ERROR,
    )
    return Planned(context.run, known)


def of_report(context: Context, planned: Planned, start: str) -> Markup | None:
    """Returns the data of the planner in a run's report, as JSON within the page.

    `start` is its first plan as an address; None of a run without suites or figures.
    """
    if not (workload_of(context.workload).of_messages and _has_suites(context)):
        return None
    made = document([planned]) | {"start": start}
    return embedded(made) if all(map(can_plan, made["runs"])) else None


def _has_suites(context: Context) -> bool:
    return any(it.kind == "suite" for it in context.algorithms)


def document(planned: Iterable[Planned]) -> Document:
    """What the scripts compute from; of several runs the reader chooses one for each plan."""
    runs = [_run(it) for it in planned]
    protocols = {suite["protocol"] for run in runs for suite in run["suites"].values()}
    return {
        "runs": runs,
        "profiles": [_profile(it) for it in profiles.PROFILES.all()],
        "uses": [it for it in _uses() if it["protocol"] in protocols],
        "constants": _constants(),
    }


def embedded(document: Document) -> Markup:
    """Returns the document as JSON within a page."""
    return Markup(json_in_page(document))


def can_plan(run: Document) -> bool:
    """Whether a run of a document has something to plan with."""
    return bool(run["names"])


def _run(planned: Planned) -> Document:
    known = planned.known
    [source, *_] = known.sources
    names = sources.usual(known.sources)
    suites = {
        name: _suite(name, facts, known)
        for name, facts in source.algorithms.items()
        if facts.suite is not None
    }
    plain = {name: _plain(name, known) for name in names if name not in suites}
    every = dict.fromkeys(row.algorithm for row in source.rows)
    implementations = {name: _implementations(source.rows, name) for name in every}
    return {
        "run": planned.run,
        "machine": known.machine.name,
        "cpus": known.machine.cpus,
        "physical_cores": known.machine.physical_cores,
        "kind": source.kind,
        "error": source.error,
        "clock_hz": _clock(source.rows),
        "names": names,
        "suites": suites,
        "plain": plain,
        "implementations": {name: it for name, it in implementations.items() if it},
        "lengths": {
            name: [sum(lengths) / len(lengths), max(lengths)]
            for name, lengths in source.lengths.items()
            if lengths
        },
        "paths": {name: _path(it) for name, it in known.paths.learned.items()},
    }


def _clock(rows: Sequence[Row]) -> float | None:
    """The clock that all costs are divided by; None where some are known in time alone, so that
    they cannot be told for another clock."""
    usual = [row for row in rows if packet_cost.is_usual(row)]
    if any(row.cycles_per_message is None for row in usual):
        return None
    return packet_cost.median_hz(usual)


def _suite(name: str, facts: contract.Algorithm, known: Known) -> Document:
    suite = facts.suite
    assert suite is not None
    parts = [it for it in (suite.cipher, suite.integrity) if it]
    return _of_any(name, suite, parts, known) | {
        "protocol": suite.protocol,
        "cipher": suite.cipher,
        "integrity": suite.integrity,
        "library": usual_library(name),
        "framing": suite.framing,
        "carried": _carried(suite),
    }


def _plain(name: str, known: Known) -> Document:
    return _of_any(name, None, [], known)


def _of_any(
    name: str, suite: contract.Suite | None, parts: Sequence[str], known: Known
) -> Document:
    learned, paths = known.paths.learned_of(name), known.paths.learned
    factors = core_rate.measured_factors(known.rates, [name, *parts])
    return {
        "limits": keys.limits(name, suite),
        "factors": {str(cores): list(it) for cores, it in factors.items()},
        "path": next((it for it, path in paths.items() if path is learned), None),
    }


def _carried(suite: contract.Suite) -> str:
    """What carries the packets of a suite, as `framing.on_wire` has it."""
    if suite.framing.outer_bytes:
        return "datagrams"
    if suite.protocol in framing.STREAMS:
        return "stream"
    return "frames" if suite.protocol in framing.FRAMES else "radio"


def _implementations(rows: Sequence[Row], name: str) -> list[list[Document]]:
    found = packet_cost.implementations(rows, name)
    return [[_candidate(it) for it in by_keys] for by_keys in found]


def _candidate(it: Candidate) -> Document:
    setup = it.setup()
    return {
        "provider": it.provider,
        "backend": it.backend,
        "keys": it.keys,
        "setup_ns": None if setup is None else _rounded(setup.value),
        "operations": {name: _operation(it, name) for name in _in_order(it)},
    }


def _in_order(it: Candidate) -> Iterator[str]:
    """The operations on messages, in the order of the rows."""
    return iter(dict.fromkeys(row.operation for row in it.rows if row.operation in it.operations))


def _operation(it: Candidate, name: str) -> Document:
    own = {row.profile: it.ns(row) for row in it.rows if row.operation == name and row.profile}
    return {
        "hot": _sizes(it.costs(name)),
        "stream": _sizes(it.costs(name, "stream")),
        "profiles": {profile: _halved(ns) for profile, ns in own.items()},
    }


def _sizes(costs: SizeCosts | None) -> Document | None:
    if costs is None:
        return None
    fixed = costs.fixed()
    return {
        "bytes": [it.message_bytes for it in costs.measured],
        "ns": [_rounded(it.ns.value) for it in costs.measured],
        "half": [_halved(it.ns)[1] for it in costs.measured],
        "bend": _rounded(costs.bend),
        "fixed_ns": None if fixed is None else _rounded(fixed),
    }


def _path(it: Path) -> Document:
    return {
        "kind": it.kind,
        "source": it.source,
        "is_whole": it.is_whole,
        "has_cryptography": it.has_cryptography,
        "hz": it.hz,
        "ends": [[bytes_, *_halved(ns)] for bytes_, ns in it.points],
    }


def _halved(it: Estimate) -> list[float | None]:
    """A figure with half of its interval."""
    return [_rounded(it.value), None if it.half is None else _rounded(it.half)]


def _rounded(value: float) -> float:
    """To a ten-millionth, far below any interval: most of a page is such figures."""
    return float(f"{value:.7g}")


def _profile(it: Profile) -> Document:
    parts = [[*part.ends, part.weight] for part in it.parts]
    return {"name": it.name, "title": it.title, "parts": parts, "bursts": _bursts(it.bursts)}


def _bursts(it: Bursts | None) -> Document | None:
    if it is None:
        return None
    return {
        "kind": it.kind,
        "peak_bits_per_second": it.peak_bits_per_second,
        "mean_on_s": it.mean_on_s,
        "off_s": it.off_s,
    }


def _uses() -> Iterator[Document]:
    """What `--for` takes, of uses with suites."""
    from ciphermark.answers.advice.uses import USES

    for use in USES.all():
        if use.protocol is not None:
            yield {"name": use.name, "title": use.title, "protocol": use.protocol}


def _constants() -> Document:
    return {
        "sending": SENDING,
        "both_ways": BOTH_WAYS,
        "cipher_operations": packet_cost.CIPHER,
        "mac_operations": packet_cost.MAC,
        "normal": size_costs.NORMAL,
        "block_bytes": size_costs.BLOCK_BYTES,
        "cycles_per_bit": size_costs.CYCLES_PER_BIT,
        "half_cycles": size_costs.HALF_CYCLES,
        "most_bits": size_costs.MOST_BITS,
        "mixed_share": size_costs.MIXED_SHARE,
        "unknown_clock_share": size_costs.UNKNOWN_CLOCK_SHARE,
        "other_clock_error": size_costs.OTHER_CLOCK_ERROR,
        "usual_error": packet_cost.USUAL_ERROR,
        "same_profile_share": packet_cost.SAME_PROFILE_SHARE,
        "model_share": MODEL_SHARE,
        "further_core_least": core_rate.FURTHER_CORE_LEAST,
        "sibling": core_rate.SIBLING,
        "mostly": MOSTLY,
        "many_more": keys.MANY_MORE,
        "hurried_s": keys.HURRIED_S,
        "late_share": bursts.LATE_SHARE,
        "lost_share": bursts.LOST_SHARE,
        "nearly_one": bursts.NEARLY_ONE,
        "largest_exponent": bursts.LARGEST_EXPONENT,
        "ip_header_bytes": framing.IP_HEADER_BYTES,
        "tcp_header_bytes": framing.TCP_HEADER_BYTES,
        "ethernet_on_wire_bytes": framing.ETHERNET_ON_WIRE_BYTES,
        "shortest_ethernet_bytes": framing.SHORTEST_ETHERNET_BYTES,
        "ethernet_type_bytes": framing.ETHERNET_TYPE_BYTES,
        "fragment_step_bytes": framing.FRAGMENT_STEP_BYTES,
        "default_mtu_bytes": framing.DEFAULT_MTU_BYTES,
        "frame_bytes": profiles.FRAME_BYTES,
        "ethernet_bytes": ETHERNET_BYTES,
        "tunnels": path.TUNNELS,
        "bases": BASES,
        "longer": LONGER,
    }
