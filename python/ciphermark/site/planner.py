"""Table of packet costs per suite, from which the planner's page answers as `capacity` does.

Every figure is of `answer`. The page takes the line between two sizes, with the wider interval of
both, and multiplies with cores and packet size; `tests/test_site_planner.py` holds it equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.answers.machines.machine import Key, key_of
from ciphermark.errors import UsageError, WorkError
from ciphermark.site.folder import Folder
from ciphermark.site.state import State, digest
from ciphermark.workload import workload_of
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark.answers.capacity.answer import Answer, Known, Question
    from ciphermark.plan.profile import Profile
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store

Document = dict[str, Any]

MIXES = ("imix", "tls-web")
"""Profiles that the page offers beside packets of one size, the first of them at first."""

CORES = (1, 2, 4, 8, 16, 32, 64, 128)
"""Numbers of cores that the page offers, of those that a machine has, and all."""


def write_planner(
    folder: Folder,
    store: Store,
    summaries: Sequence[Summary],
    names: Mapping[Key, str],
    state: State,
) -> None:
    """Writes the costs by the newest run of suites of each machine."""
    kinds = {name: facts.kind for name, facts in state.algorithms.items()}
    newest: dict[Key, Summary] = {}
    for summary in summaries:  # newest first
        known = state.known[state.runs[summary.run].known]
        has_suites = any(kinds.get(name) == "suite" for name in known.algorithms)
        if has_suites and workload_of(summary.workload).of_messages and key_of(summary) in names:
            newest.setdefault(key_of(summary), summary)
    # The cost of a packet's way and the rate of several cores together come from other runs.
    others = [summary.run for summary in summaries if _is_of_use(summary)]
    made_of = digest([*(summary.run for summary in newest.values()), *others])
    if state.made_of.get("planner") == made_of and folder.has_data("planner"):
        return
    folder.write_data("planner", document(store, [it.run for it in newest.values()]))
    state.made_of["planner"] = made_of


def _is_of_use(summary: Summary) -> bool:
    workload = workload_of(summary.workload)
    return workload.of_paths or workload.of_several_cores


def document(store: Store, runs: Iterable[str]) -> Document:
    """Returns the data of the page: costs of each run that has some, and the words of verdicts."""
    from ciphermark.answers.capacity import sources
    from ciphermark.answers.capacity.show import VERDICTS
    from ciphermark.plan import profiles

    mixes = profiles.from_option(",".join(MIXES))
    tables = []
    for run in runs:
        try:
            known = sources.of_stored(store, run, {})
        except (UsageError, WorkError):  # it has no figures
            continue
        if (table := _table(run, known, mixes))["rows"]:
            tables.append(table)
    return {
        "runs": tables,
        "mixes": [[it.name, it.title, it.mean_bytes] for it in mixes],
        "verdicts": [VERDICTS[it] for it in (False, None, True)],
    }


class _Costs:
    """Costs of packets by one run, with the words that belong to them."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.words: list[dict[str, str]] = []
        """Basis of costs, each kind once."""
        self._parts_errors: dict[tuple[str, bool], float] = {}

    def answer(self, name: str, own: Known, question: Question) -> Answer | None:
        """Returns the answer by figures of the suite and its parts, `own`; None without any."""
        from ciphermark.answers.capacity.answer import Answer, answer

        result = answer(name, question, own)
        if isinstance(result, Answer) and result.basis == "parts":
            error = self._parts_error(question)
            result = answer(name, question, msgspec.structs.replace(own, parts_error=error))
        return result if isinstance(result, Answer) else None

    def _parts_error(self, question: Question) -> float:
        from ciphermark.answers.capacity import sources

        key = (question.profile.name, question.both_ways)
        if key not in self._parts_errors:
            self._parts_errors[key] = sources.parts_error(self.known.sources, question)
        return self._parts_errors[key]

    def cost(self, name: str, own: Known, question: Question) -> list[float] | None:
        """Returns ns per packet, both ends of the interval, and the index of its words."""
        from ciphermark.answers.capacity.show import BASES, reach

        answer = self.answer(name, own, question)
        if answer is None:
            return None
        said = {
            "by": f"{answer.provider} · {answer.backend}",
            "known": BASES[answer.basis],
            "reach": reach(answer),
            "unsettled": _unsettled(answer, own),
        }
        if said not in self.words:
            self.words.append(said)
        ns = answer.ns_per_packet
        bounds = ns.interval or (ns.value, ns.value)
        return [*(float(f"{it:.6g}") for it in (ns.value, *bounds)), self.words.index(said)]


def _table(run: str, known: Known, mixes: Sequence[Profile]) -> Document:
    from ciphermark.answers.capacity import sources
    from ciphermark.answers.capacity.answer import Question
    from ciphermark.answers.capacity.show import together
    from ciphermark.answers.capacity.suite_costs import one_size

    names = sources.usual(known.sources)
    cpus = known.machine.cpus
    sizes = _sizes(known, names)
    cores = [it for it in CORES if cpus is None or it < cpus] + ([cpus] if cpus else [])
    traffics = [*map(one_size, sizes), *mixes]
    costs = _Costs(known)
    rows: list[Document] = []
    noted: list[Answer] = []
    for name in names:
        own = _of_suite(known, name)
        questions = (Question(profile=mixes[0], cores=it) for it in cores)
        on_cores = [it for one in questions if (it := costs.answer(name, own, one))]
        algorithm = known.all_facts.get(name)
        libraries = {row.provider for it in own.sources for row in it.rows}
        row = {
            "suite": name,
            "warning": "" if algorithm is None or algorithm.status in SOUND else algorithm.status,
            "factors": [[*it.speed_up.factor] for it in on_cores],
        }
        for library in ("", *sorted(libraries)):
            providers = [library] if library else []
            by_direction = [
                [
                    costs.cost(name, own, Question(
                        profile=it, cores=1, providers=providers, both_ways=both_ways))
                    for it in traffics
                ]
                for both_ways in (False, True)
            ]  # fmt: skip
            if on_cores and any(map(any, by_direction)):
                rows.append(row | {"library": library, "costs": by_direction})
        noted += map(_without_keys, on_cores[-1:])
    return {
        "run": run,
        "machine": known.machine.label,
        "sizes": sizes,
        "cores": cores,
        "words": costs.words,
        "rows": rows,
        "notes": list(together(noted)),
    }


def _sizes(known: Known, names: Sequence[str]) -> list[int]:
    """Returns the measured sizes of suites, and the middle between neighbours."""
    from ciphermark.answers.capacity.packet_cost import is_usual

    rows = (row for it in known.sources for row in it.rows if row.algorithm in names)
    measured = sorted({row.message_bytes for row in rows if row.message_bytes and is_usual(row)})
    return sorted({*measured, *((one + other) // 2 for one, other in pairwise(measured))})


def _of_suite(known: Known, name: str) -> Known:
    """Returns figures of a suite and its parts alone, which are answered from sooner."""
    from ciphermark.answers.capacity.answer import suite_of

    suite = suite_of(name, known)
    wanted = {name} if suite is None else {name, suite.cipher, suite.integrity}
    sources = [
        msgspec.structs.replace(it, rows=[row for row in it.rows if row.algorithm in wanted])
        for it in known.sources
    ]
    return msgspec.structs.replace(known, sources=sources)


def _unsettled(found: Answer, known: Known) -> str:
    """Returns why a row that the answer may rest on did not settle; empty if all did."""
    libraries = found.provider.split(" + ")
    rows = (row for it in known.sources if it.name == found.source for row in it.rows)
    reasons = (
        row.not_converged_reason
        for row in rows
        if row.provider in libraries and row.operation != "setup"
    )
    return next(filter(None, reasons), "")


def _without_keys(found: Answer) -> Answer:
    """Returns the answer without its note on key life, which goes with the rate."""
    is_noted = found.key is not None and found.key.hurried
    return msgspec.structs.replace(found, notes=found.notes[is_noted:])
