"""`ciphermark export --anonymous`: whole runs without what tells whose they are."""

from __future__ import annotations

from pathlib import Path

from ciphermark.command.output import say
from ciphermark.errors import UsageError


def share(run: str, every: bool, output: Path | None, runs: str | None, *, anonymous: bool) -> None:
    """Writes one run or all into a new folder of runs. Raises `UsageError`, `WorkError`."""
    if not anonymous:
        raise UsageError("--all exports whole runs: add --anonymous and --output DIR")
    if output is None:
        raise UsageError("--anonymous writes a folder of runs: name one with --output DIR")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is there already: name a new folder with --output DIR")
    from ciphermark.record.anonymous.store import write_anonymous
    from ciphermark.record.store import Store

    store = Store.default(runs)
    chosen = store.run_ids() if every else [store.resolve(run)]
    left_out = (lambda error: say(f"left out: {error}")) if every else None
    written = write_anonymous(store, chosen, output, left_out)
    print(output if every else output.absolute() / written[0])
    kept = (
        f"{len(written)} runs exported with new identifiers and dates without a time"
        if every
        else "exported with a new identifier and a date without a time"
    )
    look = f"them with --runs {output}" if every else f"it with ciphermark show --runs {output}"
    say(
        f"{kept}; free texts were left out: look at {look} before you share "
        f"{'them' if every else 'it'}"
    )
