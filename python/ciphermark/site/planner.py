"""The planner over the newest runs of suites of all machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ciphermark.answers.machines.machine import Key, key_of
from ciphermark.errors import UsageError, WorkError
from ciphermark.site.folder import Folder
from ciphermark.site.state import State, digest
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store


def write_planner(
    folder: Folder,
    store: Store,
    summaries: Sequence[Summary],
    names: Mapping[Key, str],
    state: State,
) -> None:
    """Writes what the planner computes from: of each machine the newest run that measured suites,
    with what others tell of its data path."""
    kinds = {name: facts.kind for name, facts in state.algorithms.items()}
    newest: dict[Key, Summary] = {}
    for summary in summaries:  # newest first
        known = state.known[state.runs[summary.run].known]
        has_suites = any(kinds.get(name) == "suite" for name in known.algorithms)
        if has_suites and workload_of(summary.workload).of_messages and key_of(summary) in names:
            newest.setdefault(key_of(summary), summary)
    # The cost of a packet's way and what several cores do together come from other runs.
    others = [summary.run for summary in summaries if _is_of_use(summary)]
    made_of = digest([*(summary.run for summary in newest.values()), *others])
    if state.made_of.get("planner") == made_of and folder.has_data("planner"):
        return
    from ciphermark.answers.advice.decision import address, decision
    from ciphermark.answers.capacity import planner

    planned: list[planner.Planned] = []
    start = ""
    for summary in newest.values():
        try:
            one = planner.stored(store, summary.run, {})
        except (UsageError, WorkError):  # it has no figures
            continue
        if planner.can_plan(planner.document([one])["runs"][0]):
            if not planned and (found := decision(store.context(one.run), one.known)):
                start = address(found[0])  # as the report of that run
            planned.append(one)
    folder.write_data("planner", planner.document(planned) | {"start": start})
    state.made_of["planner"] = made_of


def _is_of_use(summary: Summary) -> bool:
    workload = workload_of(summary.workload)
    return workload.of_paths or workload.of_several_cores
