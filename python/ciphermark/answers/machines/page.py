"""All that is said of one machine, and how its figures moved from its first run to its newest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.machines.figures import (
    IMPLEMENTATION,
    MACHINE,
    SENDING,
    USUAL,
    VALUES,
    Implementation,
    Point,
    stored_sizes,
    usual,
)
from ciphermark.answers.machines.machine import (
    Key,
    MachineSummary,
    find,
    key_of,
    of_summaries,
    unsaid,
)
from ciphermark.statistics.ratio import is_above, unpaired_ratio
from ciphermark.workload import workload_of
from ciphermark.workloads.single.ratio import cycles_per_byte

if TYPE_CHECKING:
    from ciphermark.record.query import Figures
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store


MATTERS = 1.02
"""Ratio of a move that matters for planning; less is no move."""


class History(msgspec.Struct, kw_only=True):
    """One implementation on one machine over its runs."""

    algorithm: str
    operation: str
    provider: str
    backend_asked: str
    message_bytes: int
    load: str | None = None
    """Load at the same time; None of one thread."""
    points: list[Point]
    """The oldest first."""
    ratio: float
    """Ratio of the newest figure to the first."""
    moved: bool
    """True if they differ beyond the ratio's interval, and by over 2 %."""
    path_changed: bool
    """True if the newest took another code path than the first."""


def histories(
    figures: Figures, machine: Key, size: int, operations: Sequence[str]
) -> list[History]:
    """Returns a machine's implementations with figures of one size, by name."""
    wanted = ", ".join(f"f.{it}" for it in ("run", *IMPLEMENTATION, *VALUES))
    of_machine = " AND ".join(f"r.{it} = ?" for it in MACHINE)
    table = figures.ask(
        f"SELECT {wanted}, r.started_unix_ns FROM figures f JOIN runs r USING (run) "
        f"WHERE {of_machine} AND f.message_bytes = ? AND f.operation IN (SELECT unnest(?)) "
        f"AND {USUAL} AND f.cycles_per_byte > 0 ORDER BY r.started_unix_ns",
        [*machine, size, list(operations)],
    )
    points_of: dict[Implementation, list[Point]] = {}
    for row in table.to_pylist():
        what = Implementation(*(row.pop(field) for field in IMPLEMENTATION))
        points_of.setdefault(what, []).append(Point(**row))
    return [_history(what, points) for what, points in sorted(points_of.items())]


def loaded_histories(
    store: Store,
    summaries: Sequence[Summary],
    machine: Key,
    workload: str,
    size: int | None,
    say: Callable[[str], None],
) -> list[History]:
    """Returns the histories of a workload with a load, of one size.

    It is the usual size unless another is named.
    """
    from ciphermark.answers.machines import loads

    of_machine = [it for it in summaries if key_of(it) == machine]
    every = loads.loaded(store, of_machine, workload, say=say).get(machine, [])
    sizes = usual(sorted({it.what.message_bytes for it in every})) if size is None else [size]
    points_of: dict[tuple[str, Implementation], list[Point]] = {}
    for it in every:
        if it.what.message_bytes in sizes:
            points_of.setdefault((it.load, it.what), []).append(it.point)
    return [_history(what, points, load) for (load, what), points in sorted(points_of.items())]


def _history(what: Implementation, points: list[Point], load: str | None = None) -> History:
    first, last = points[0], points[-1]
    relation = unpaired_ratio(cycles_per_byte(last), None, cycles_per_byte(first), None)
    return History(
        **what._asdict(),
        load=load,
        points=points,
        ratio=relation.value,
        moved=max(relation.value, 1 / relation.value) > MATTERS
        and is_above(relation, 1.0) is not None,
        path_changed=first.backend != last.backend,
    )


class MachinePage(msgspec.Struct, kw_only=True):
    """A machine, its runs and its figures over time."""

    machine: MachineSummary
    runs: list[Summary]
    """Newest first."""
    message_bytes: int | None
    """The size that the histories are of; None where there is no figure."""
    histories: list[History]
    figure: str = "cycles per byte"
    """Quantity of the histories."""


def machine_page(
    store: Store,
    name: str,
    size: int | None = None,
    operations: Sequence[str] = SENDING,
    say: Callable[[str], None] = unsaid,
    workload: str | None = None,
) -> MachinePage:
    """Returns the page of the machine that a name means. Raises `UsageError`.

    It has the figures of one thread, or of a workload with a load.
    """
    with store.figures(say) as figures:
        machine = find(name, of_summaries(store, figures.summaries))
        page = page_of(figures, machine, size, operations)
    if workload is not None:
        key = (machine.machine_id, machine.machine_kind, machine.machine_name)
        page.histories = loaded_histories(store, page.runs, key, workload, size, say)
        page.message_bytes = page.histories[0].message_bytes if page.histories else None
        page.figure = f"{workload_of(workload).compared}, over its bytes"
    return page


def page_of(
    figures: Figures,
    machine: MachineSummary,
    size: int | None = None,
    operations: Sequence[str] = SENDING,
) -> MachinePage:
    """Returns the page of a machine."""
    key = (machine.machine_id, machine.machine_kind, machine.machine_name)
    chosen = [size] if size is not None else usual(stored_sizes(figures))
    of_machine = [it for one in chosen for it in histories(figures, key, one, operations)]
    return MachinePage(
        machine=machine,
        runs=[it for it in figures.summaries if key_of(it) == key],
        message_bytes=chosen[0] if of_machine else None,
        histories=of_machine,
    )
