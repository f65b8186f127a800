"""The engine that a command measures with: the one here, or on the machine of `--on`.

What an earlier call has left there is collected first. Where that was the same command, its run is
the answer, and nothing is measured anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ciphermark.command.ending import at_end
from ciphermark.command.output import say, show_command
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.measure.engine import Engine
    from ciphermark.measure.remote.engine import RemoteEngine
    from ciphermark.record.store import Store

_open: dict[str, RemoteEngine] = {}
"""By machine; commands that call others share a connection."""


def engine_of(
    engine: Path | None, on: str | None, runs: str | None = None, json: bool = False
) -> Engine:
    """The engine at a path, or the installed one; with `on` it measures there.

    Raises UsageError, and `typer.Exit` once a run of the same command was collected and shown.
    """
    from ciphermark.measure.engine import Engine

    if on is None:
        return Engine(engine)
    if on not in _open:
        from ciphermark.measure.remote.engine import RemoteEngine

        own = Engine(engine).path if engine is not None else None
        _open[on] = RemoteEngine(on, own, say)
        at_end.callback(_close, on)
        _collect(_open[on], runs, json)
    return _open[on]


def refuse_files(on: str | None, **options: object) -> None:
    """Raises UsageError for options that name files, which are here and not there."""
    given = [name for name, value in options.items() if value]
    if on is not None and given:
        raise UsageError(
            f"--on measures on {on}, and --{given[0]} is of this machine: leave one of them out"
        )


def _close(on: str) -> None:
    _open.pop(on).close()


def _collect(engine: RemoteEngine, runs: str | None, json: bool) -> None:
    from ciphermark.command.measuring import (
        collect_and_keep,
        command_line,
        exit_code,
        say_how_it_ended,
    )
    from ciphermark.record.store import Store

    store = Store.default(runs)
    for pending in engine.waiting:
        say(f"collecting what `{pending.command}` has measured on {engine.name}")
        kept = collect_and_keep(engine, store, pending)
        say_how_it_ended(kept)
        if pending.command == command_line():
            _show(kept, store, runs, json)
            raise typer.Exit(exit_code(kept))
        say(f"it is run {kept.id}: {show_command(kept.id)}")


def _show(kept: Kept, store: Store, runs: str | None, json: bool) -> None:
    """As the command would have, had its connection lived."""
    from ciphermark.cli import show
    from ciphermark.command import measuring
    from ciphermark.command.options import WishOptions
    from ciphermark.studies import command as study
    from ciphermark.studies import registry

    with measuring.known_to_be_kept(kept):
        if registry.of_plan(kept.run.context.plan_name) is not None:
            study.study(kept.run.context.plan_name, stored=kept.id, json=json, runs=runs)
            return
        show.show(kept.id, wishes=WishOptions(), json=json, runs=runs)
        report = measuring.report_path(store, kept, None)
        if not json:
            from ciphermark.show.frame import print_footer
            from ciphermark.show.terminal import output_console

            print_footer(output_console(), kept.id, report, [])
