"""Where measured runs are, wherever a try's commands have kept them."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from attack.attempt import Attempt
from attack.failure import HANG_S, Ended, Failure

FILES = ("context.parquet", "cases.parquet", "samples.parquet", "rows.parquet")


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        with suppress(OSError):
            if path.is_file():
                found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def run_folders(*roots: Path) -> list[Path]:
    """Folders of runs that are whole: what is written under another name first is none."""
    found = []
    for root in roots:
        for context in root.rglob("context.parquet") if root.is_dir() else ():
            folder = context.parent
            partial = any(it.startswith(".new") for it in folder.relative_to(root).parts)
            if not partial and folder.parent.name != "also":
                found.append(folder)
    return found


def expect_unchanged(before: dict[str, bytes], folder: Path, why: str) -> None:
    """Fails unless all files of a folder are as they were; there may be further ones."""
    now = contents(folder)
    if changed := [name for name, text in before.items() if now.get(name) != text]:
        raise Failure("changed", f"{why}: changed {changed[:3]} of others")


def is_printed(output: bytes) -> bool:
    """Whether a run stands on standard output as JSON, the last place to keep one."""
    try:
        document = json.loads(output)
    except ValueError:
        return False
    return isinstance(document, dict) and bool(document.get("samples") or document.get("rows"))


def named(ended: Ended) -> list[Path]:
    """The folder that a message says a run is kept in, wherever that is."""
    found = re.findall(r"it is kept in (/\S+?)[,;]? ", ended.messages.decode(errors="replace"))
    return [Path(it) for it in found]


def expect_kept(it: Attempt, ended: Ended, least: int = 1) -> None:
    """Fails unless so many runs are kept, in the store or in one of the places for what could not
    be stored: the user's data folder, that of temporary files, standard output."""
    places = (it.runs, it.data, it.folder / "tmp", it.folder / "home", *named(ended))
    folders = run_folders(*places)
    if len(folders) + is_printed(ended.output) < least:
        raise Failure("lost", f"{ended.command}: what was measured is nowhere: {ended.last}")


def expect_loadable(it: Attempt, folders: list[Path]) -> None:
    """Fails unless each of these runs can be loaded as it is stored."""

    def load() -> None:
        from ciphermark.record.store import Store

        for folder in folders:
            try:
                Store(folder.parent).load(folder.name)
            except Exception as error:
                print(f"{folder.name}: {error!r}"[:300])

    if problems := it.call(load, 12 * HANG_S).output:
        raise Failure("lost", f"a stored run cannot be loaded: {problems.decode()}")


def document(ended: Ended) -> Any:
    """What `--json` printed."""
    try:
        return json.loads(ended.output)
    except ValueError as error:
        raise Failure("other", f"{ended.command}: its JSON is none: {error}") from None
