"""The pages of machines: all of them beside each other, and each over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.answers.machines import show
from ciphermark.answers.machines.figures import (
    MachineMatrix,
    matrices_of,
    stored_sizes,
    usual,
)
from ciphermark.answers.machines.machine import Key, MachineSummary, key_of, names_of
from ciphermark.answers.machines.page import page_of
from ciphermark.site.folder import Folder
from ciphermark.site.listing import machine_key
from ciphermark.site.pages import write_page
from ciphermark.site.state import State, digest, place_of
from ciphermark.view import figures as written
from ciphermark.view.page import part
from ciphermark.view.problems import UNSETTLED
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark.record.query import Figures


def write_machines(
    folder: Folder,
    figures: Figures,
    newest: Figures,
    known: Sequence[MachineSummary],
    state: State,
) -> None:
    """Writes the page of all machines, and that of each whose runs have changed; `newest` has the
    newest of these figures."""
    names = names_of(known)
    keys = {name: machine_key(key) for key, name in names.items()}
    matrices = matrices_of(newest, names)
    write_page(
        folder,
        "machines.html",
        machines=[
            {
                "key": keys[machine.name],
                "name": machine.name,
                "processor": machine.processor,
                "cores": show.cores(machine),
                "system": show.system(machine),
                "runs": written.grouped(machine.runs, separator=written.NARROW_SPACE),
                "newest": machine.newest,
            }
            for machine in known
        ],
        matrix=_matrix(matrices[0], keys, state) if matrices else None,
    )
    of_machine: dict[Key, list[str]] = {}
    for summary in figures.summaries:
        of_machine.setdefault(key_of(summary), []).append(summary.run)
    from ciphermark.answers.machines.report import document

    shown = next(iter(usual(stored_sizes(newest))), None)
    for machine in known:
        key = (machine.machine_id, machine.machine_kind, machine.machine_name)
        name = f"machine/{machine_key(key)}"
        made_of = digest([machine.name, *of_machine.get(key, ())])
        if state.made_of.get(name) == made_of and folder.has_data(name):
            continue
        page = document(page_of(figures, machine, shown), state.versions)
        folder.write_data(name, part(page)._asdict())
        state.made_of[name] = made_of
    folder.keep_only("data/machine", {f"{key}.js" for key in keys.values()})


def _matrix(matrix: MachineMatrix, keys: dict[str, str], state: State) -> dict[str, Any]:
    cells = {(figure.machine, figure.algorithm): figure for figure in matrix.cells}

    def cell(machine: str, algorithm: str) -> dict[str, str] | None:
        figure = cells.get((machine, algorithm))
        if figure is None:
            return None
        mark = "" if figure.converged else UNSETTLED
        shown = written.significant(figure.cycles_per_byte, separator=written.NARROW_SPACE)
        return {
            "run": figure.run,
            "text": f"{mark}{shown}",
            "by": f"{figure.provider} {figure.backend}",
        }

    def warning(algorithm: str) -> str:
        facts = state.algorithms.get(algorithm)
        return facts.status if facts and facts.status not in SOUND else ""

    return {
        "size": written.message_size(matrix.message_bytes),
        "algorithms": [
            {"name": algorithm, "key": place_of(algorithm), "warning": warning(algorithm)}
            for algorithm in matrix.algorithms
        ],
        "lines": [
            {
                "name": machine,
                "key": keys[machine],
                "cells": [cell(machine, algorithm) for algorithm in matrix.algorithms],
            }
            for machine in matrix.machines
        ],
    }
