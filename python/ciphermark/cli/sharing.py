"""`ciphermark export --anonymous`: whole runs without what tells whose they are."""

from __future__ import annotations

from pathlib import Path

from ciphermark.command.output import say
from ciphermark.errors import UsageError, WorkError


def share(run: str, every: bool, output: Path | None, runs: str | None, *, anonymous: bool) -> None:
    """Writes one run or all into a new folder of runs. Raises `UsageError`, `WorkError`."""
    if not anonymous:
        raise UsageError("--all exports whole runs: add --anonymous and --output DIR")
    if output is None:
        raise UsageError("--anonymous writes a folder of runs: name one with --output DIR")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is there already: name a new folder with --output DIR")
    from ciphermark.record.anonymous.run import anonymous as anonymised
    from ciphermark.record.anonymous.words import Names
    from ciphermark.record.run_folder import add_run
    from ciphermark.record.store import Store
    from ciphermark.workload import rows, rows_table

    store, names = Store.default(runs), Names()
    chosen = store.run_ids() if every else [store.resolve(run)]
    written = 0
    # Oldest first, so that the order of the runs of a day is kept.
    for name in reversed(chosen):
        try:
            kept = anonymised(store.load(name), names)
        except WorkError as error:
            if not every:
                raise
            say(f"left out: {error}")
            continue

        # Computed anew: rows hold texts too.
        also = [rows_table(rows(it), it.context.workload) for it in kept.also]
        try:
            add_run(output, kept, rows_table(rows(kept), kept.context.workload), also)
        except OSError as error:
            raise WorkError(
                f"run {name} could not be written to {output} ({error.strerror}); make room there, "
                "or name another folder with --output DIR"
            ) from error
        written += 1
        if not every:
            print(output.absolute() / kept.context.run)
    if every:
        print(output)
    say(
        f"{written} runs exported with new identifiers and dates without a time; texts were left "
        f"out: look at them with --runs {output} before you share them"
        if every
        else "exported with a new identifier and a date without a time; texts were left out: look "
        f"at it with ciphermark show --runs {output} before you share it"
    )
