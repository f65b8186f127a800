"""The list of all runs, in parts: the first page needs the newest alone, and a new run changes the
last part alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.answers.machines.machine import Key, key_of
from ciphermark.site.folder import Folder
from ciphermark.site.state import State, place_of
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.record.run import Summary

OF_A_PART = 500
"""Runs of a part, which is then some 25 KB."""

MINUTE_NS = 60 * 10**9


class _Words:
    """Texts by their numbers, in the order in which they were met."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.all.setdefault(text, len(self.all))


def machine_key(key: Key) -> str:
    """Returns the name of a machine's page, which reveals nothing of the machine."""
    return place_of("\n".join(key))


def write_list(
    folder: Folder,
    summaries: Sequence[Summary],
    names: dict[Key, str],
    state: State,
    unreadable: Sequence[str],
) -> None:
    """Writes the list of these runs, which are given newest first."""
    oldest_first = list(reversed(summaries))
    plans, workloads, machines = _Words(), _Words(), _Words()
    known: dict[str, list[str]] = {}
    sets: dict[int, int] = {}
    parts = []
    for start in range(0, len(oldest_first), OF_A_PART):
        some = oldest_first[start : start + OF_A_PART]
        lines: list[list[Any]] = []
        for summary in some:
            key = key_of(summary)
            place = machines.number(machine_key(key))
            known.setdefault(
                machine_key(key), [names.get(key, summary.machine_name), summary.cpu_name]
            )
            facts = state.runs[summary.run]
            lines.append(
                [
                    summary.run,
                    summary.started_unix_ns // MINUTE_NS,
                    place,
                    plans.number(summary.plan_name),
                    workloads.number(workload_of(summary.workload).subject),
                    sets.setdefault(facts.known, len(sets)),
                    summary.cases,
                    summary.converged if workload_of(summary.workload).settles else -1,
                    summary.errors,
                    int(summary.interrupted),
                ]
            )
        parts.append(lines)
    for number, lines in enumerate(parts):
        folder.write_data(f"list/{number}", lines)
    algorithms, providers = _Words(), _Words()
    of_sets = [
        [
            [algorithms.number(name) for name in state.known[place].algorithms],
            [providers.number(name) for name in state.known[place].providers],
        ]
        for place in sets
    ]
    document = {
        "runs": len(summaries),
        "parts": len(parts),
        "machines": [[key, *known[key]] for key in machines.all],
        "plans": list(plans.all),
        "workloads": list(workloads.all),
        "algorithms": list(algorithms.all),
        "providers": list(providers.all),
        "sets": of_sets,
        "unreadable": list(unreadable),
    }
    folder.write_data("list", document)
    folder.keep_only("data/list", {f"{number}.js" for number in range(len(parts))})
    folder.write("download/runs.json", msgspec.json.encode(list(summaries)))
