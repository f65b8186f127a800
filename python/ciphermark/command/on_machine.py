"""The engine that a command measures with: the one here, or on the machine of `--on`.

What an earlier call has left there is collected first. Where that was the same command, its run is
the answer, and nothing is measured again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ciphermark.command.output import at_end, say, show_command
from ciphermark.errors import UsageError
from ciphermark.plan import extensions

if TYPE_CHECKING:
    from ciphermark.run.engine import Engine
    from ciphermark.run.remote.engine import RemoteEngine

_open: dict[str, RemoteEngine] = {}
"""Engines by machine; commands that call others share a connection."""


def engine_of(
    engine: Path | None, on: str | None, runs: str | None = None, json: bool = False
) -> Engine:
    """Returns the engine at a path, or the installed one; with `on` it measures there.

    Raises UsageError, and `typer.Exit` once a run of the same command was collected and shown.
    """
    from ciphermark.run.engine import Engine

    if on is None:
        return Engine(engine)
    if extensions.part("algorithms") or extensions.part("kernels"):
        raise UsageError(
            f"--on measures on {on}, but the algorithms and kernels of --extensions are of this "
            "machine: leave one of them out"
        )
    if on not in _open:
        from ciphermark.run.remote.engine import RemoteEngine

        own = Engine(engine).path if engine is not None else None
        _open[on] = RemoteEngine(on, own, say)
        at_end.callback(_close, on)
        _collect(_open[on], runs, json)
    return _open[on]


def refuse_files(on: str | None, **options: object) -> None:
    """Raises UsageError for options that name files, if the command measures elsewhere."""
    given = [name for name, value in options.items() if value]
    if on is not None and given:
        raise UsageError(
            f"--on measures on {on}, but --{given[0]} is of this machine: leave one of them out"
        )


def _close(on: str) -> None:
    _open.pop(on).close()


def _collect(engine: RemoteEngine, runs: str | None, json: bool) -> None:
    from ciphermark.command.additions import additions
    from ciphermark.command.measuring import (
        collect_and_keep,
        command_line,
        exit_code,
        known_to_be_kept,
        say_how_it_ended,
    )
    from ciphermark.record.store import Store

    store = Store.default(runs)
    for pending in engine.waiting:
        say(f"collecting the results of `{pending.command}` on {engine.name}")
        kept = collect_and_keep(engine, store, pending)
        say_how_it_ended(kept)
        if pending.command == command_line():
            with known_to_be_kept(kept):
                any(show(kept, json, runs) for show in additions.show_kept)
            raise typer.Exit(exit_code(kept))
        say(f"it is run {kept.id}: {show_command(kept.id)}")
