"""Links, pipes and files of others where ciphermark writes: they stay as they are, and nothing
waits for a pipe."""

from __future__ import annotations

import os
from pathlib import Path

from attack import stored
from attack.attempt import Attempt
from attack.setting import FEW

PLANTED = ("link", "link", "folder link", "dangling", "pipe", "hard link", "folder", "file")

READING = (("list", "runs"), ("machines", "matrix"), ("show", "last"), ("list", "machines"),
           ("list", "algorithms"), ("capacity",))  # fmt: skip

OF_SITES = ("site.json", "download/thesis.pdf", "data/run/notes.js", "index.html", ".files",
            ".lock", "assets/mine.css")  # fmt: skip


def attempt(it: Attempt) -> None:
    it.replay()
    theirs = it.folder / "theirs"
    for name in ("secret", "papers/thesis.pdf", "papers/index.json", "papers/lock"):
        path = theirs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("theirs")
    it.lots.choice((_lock, _store, _store, _cache, _temporary, _site, _site, _export))(it, theirs)


def _plant(it: Attempt, path: Path, theirs: Path) -> None:
    """Puts something of others in the place of a file or folder."""
    kind = it.lots.choice(PLANTED)
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        path.rename(path.with_name(f"{path.name}.before"))
    match kind:
        case "link":
            path.symlink_to(theirs / "secret")
        case "folder link":
            path.symlink_to(theirs / "papers")
        case "dangling":
            path.symlink_to(theirs / "new")
        case "pipe":
            os.mkfifo(path)
        case "hard link":
            os.link(theirs / "secret", path)
        case "folder":
            path.mkdir()
        case _:
            path.write_text("theirs")
    it.say(f"a {kind} is planted as {path.relative_to(it.folder)}")


def _look(it: Attempt, theirs: Path, *commands: tuple[object, ...]) -> None:
    """Runs commands, after each of which the files of others are as they were."""
    before = stored.contents(theirs)
    for words in commands:
        ended = it.run(*words)
        stored.expect_unchanged(before, theirs, ended.command)


def _lock(it: Attempt, theirs: Path) -> None:
    """The lock of a machine, in a folder where everybody may write."""
    folder = it.folder / "tmp"
    _plant(it, folder / "ciphermark-measuring-boot", theirs)
    before = stored.contents(it.folder / "theirs")

    def hold() -> None:
        from ciphermark.errors import WorkError
        from ciphermark.farm.machine_lock import held

        try:
            with held("boot", "fleet mine", folder):
                pass
        except WorkError as error:
            print(error)

    it.call(hold)
    stored.expect_unchanged(before, theirs, "the lock of a machine")


def _store(it: Attempt, theirs: Path) -> None:
    runs = it.store("run-1.8", "run-1.8-sessions")
    it.run("machines", "matrix")
    writer = "1.1.0123456789abcdef-01234567"
    places = ("index.json", "machines.json", ".figures", ".figures/lock", ".figures/newest-5",
              f".new-index.json-{writer}", f".new-x-{os.getpid()}", "20260101-101112-7f3a",
              f"{runs[0].name}/rows.parquet", f"{runs[0].name}/context.parquet")  # fmt: skip
    _plant(it, it.runs / it.lots.choice(places), theirs)
    measuring = [("survey", *FEW)] if it.lots.random() < 0.3 else []
    _look(it, theirs, *it.lots.sample(READING, 2), *measuring)


def _cache(it: Attempt, theirs: Path) -> None:
    it.store("run-1.8")
    files = sorted((it.folder / "cache").rglob("*.json"))
    folder = it.folder / "cache" / "ciphermark"
    _plant(it, it.lots.choice([*files, folder]), theirs)
    _look(it, theirs, ("list", "algorithms"), it.lots.choice(READING))


def _temporary(it: Attempt, theirs: Path) -> None:
    """Folders for runs that could not be stored, in a folder where everybody may write."""
    it.store("run-1.8")
    names = ("ciphermark-unsent-0123456789abcdef-x", "ciphermark-figures-x", "ciphermark-columns-x")
    for name in names:
        _plant(it, it.folder / "tmp" / name, theirs)
    (it.runs / ".figures").write_text("in the way, so that a folder for temporary files is used")
    _look(it, theirs, ("machines", "matrix"), ("survey", *FEW))


def _site(it: Attempt, theirs: Path) -> None:
    """A folder that has files of a user, or is a site in which something is planted."""
    it.store("run-1.8")
    out = theirs / "site"
    if it.lots.random() < 0.5:
        it.run("site", out)
        made = [path for path in sorted(out.rglob("*")) if path.is_file() and path.name[0] != "."]
        if made:
            _plant(it, it.lots.choice(made), theirs)
        mine = {it: text for it, text in stored.contents(theirs).items() if it[:5] != "site/"}
    else:
        for name in it.lots.sample(OF_SITES, 3):
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine")
        mine = stored.contents(theirs)
        it.say(f"a folder of a user: {sorted(mine)}")
    for _ in range(2):
        ended = it.run("site", out, seconds=10)
        stored.expect_unchanged(mine, theirs, ended.command)


def _export(it: Attempt, theirs: Path) -> None:
    """A folder for an export that has files of a user with the names of ours."""
    [run, *_] = it.store("run-1.8", "run-1.8-sessions")
    out = theirs / "out"
    names = ("rows.csv", "rows.parquet", f"{run.name}/context.parquet", "index.json", "a.txt")
    for name in it.lots.sample(names, 2):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    commands: list[tuple[object, ...]] = [
        ("export", "--anonymous", "--all", "--output", out),
        ("export", "last", "--output", out),
        ("export", "last", "--output", out / "rows.csv"),
        ("report", "last", "--output", out / "rows.csv"),
        ("machines", "page", "epyc-9b45-kvm", "--output", out / "a.txt"),
    ]
    _look(it, theirs, it.lots.choice(commands))
