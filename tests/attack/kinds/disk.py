"""Runs folders that fill, turn read-only, vanish or become a file, before and while somebody
measures: the run is kept somewhere, and comes home with the next one that is saved."""

from __future__ import annotations

import json
import resource
import shutil
from pathlib import Path

from attack import disks, stored
from attack.attempt import Attempt
from attack.failure import Failure
from attack.setting import FEW

ROOM = 64 * 1024
"""KiB that are enough for everything."""

READING = (
    ("list", "runs"), ("show", "last"), ("machines", "matrix"), ("export",),
    ("report", "last"), ("capacity",), ("list", "machines"), ("show", "last", "--json"),
    ("export", "--anonymous", "--all", "--output", "disk/shared"), ("list", "providers"),
    ("export", "--output", "disk/figures"),
)  # fmt: skip


def attempt(it: Attempt) -> None:
    it.replay()
    if it.lots.random() < 0.4:
        _reading(it)
    elif it.lots.random() < 0.2:
        _small_files(it)
    else:
        _measuring(it)


def _disk(it: Attempt, kibibytes: int) -> disks.Disk:
    """A disk that has the runs folder."""
    disk = disks.Disk(it.folder / "disk", kibibytes)
    it.environment["CIPHERMARK_RUNS"] = str(it.folder / "disk" / "runs")
    return disk


def _reading(it: Attempt) -> None:
    """Commands that only read, or write a little, where nothing can be written."""
    disk = _disk(it, ROOM)
    try:
        it.store("run-1.8", "run-1.8-sessions", "run-1.4")
        shutil.copytree(it.runs, disk.folder / "runs")
        if it.lots.random() < 0.5:
            cache = disk.folder / "cache"
            cache.mkdir()
            it.environment |= {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(cache)}
        if it.lots.random() < 0.6:
            fill(disk.folder, spared=it.lots.choice((0, 0, 4096, 20_000)))
            it.say("full")
        else:
            disk.make_read_only()
            it.say("read-only")
        for words in it.lots.sample(READING, 2):
            it.say(" ".join(words))
            it.run(*words)
        if it.lots.random() < 0.3:
            _import(it)
    finally:
        disk.close()


def _import(it: Attempt) -> None:
    files = sorted((it.setting.tests / "imported").glob("openssl-3.0*"))
    it.run("import", it.lots.choice(files))


def _small_files(it: Attempt) -> None:
    """No file may grow beyond some bytes, as a quota has it."""
    most = it.lots.choice((0, 512, 4096, 16_384, 40_000))
    it.say(f"files of at most {most} bytes")
    begun = it.start(
        "survey", *FEW,
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip
    ended = begun.end(15)
    ended.check()


def _measuring(it: Attempt) -> None:
    """What goes wrong with the folder, just before the engine answers."""
    disk = _disk(it, ROOM)
    root = disk.folder
    (root / "runs").mkdir()
    also = it.lots.choice(((), (), ("data",), ("data", "tmp"), ("data", "tmp", "home")))
    names = {"data": "XDG_DATA_HOME", "tmp": "TMPDIR", "home": "HOME"}
    for name in also:
        (root / name).mkdir()
        it.environment[names[name]] = str(root / name)
    fault = it.lots.choice(_FAULTS)
    it.say(f"{fault} while measuring; on that disk also {also}")
    hook = it.folder / "hook"
    hook.write_text(_hook(fault, root, it.lots.choice((0, 2000, 9000, 30_000))))
    it.environment["ATTACK_HOOK"] = str(hook)
    try:
        ended = it.start("survey", *FEW, *it.lots.choice(((), ("--json",)))).end(15)
        ended.check()
        named = stored.named(ended)
        kept = stored.run_folders(root, it.data, it.folder / "tmp", it.folder / "home", *named)
        if not kept and not stored.is_printed(ended.output):
            raise Failure(
                "lost", f"{fault}, also {also}: what was measured is nowhere: {ended.last}"
            )
        _heal(disk, root, fault)
        del it.environment["ATTACK_HOOK"]
        it.run("survey", *FEW, seconds=15)
        listed = json.loads(it.run("list", "runs", "--json").output)
        runs = listed["runs"] if isinstance(listed, dict) else listed
        if kept and len(runs) < 2:
            raise Failure(
                "lost", f"{fault}, also {also}: the run did not come home: it is in {kept}"
            )
        for folder in named:
            shutil.rmtree(folder, ignore_errors=True)  # it may be outside of our folder
    finally:
        disk.close()


_FAULTS = ("full", "full", "read-only", "vanished", "a file", "a dead link")


def _hook(fault: str, root: Path, spared: int) -> str:
    """A script of the shell that spoils the folder."""
    runs = root / "runs"
    return {
        "full": f"dd if=/dev/zero of={root}/fill bs=4096 2>/dev/null; "
        f"truncate -s -{spared} {root}/fill",
        "read-only": f"mount -o remount,ro {root}",
        "vanished": f"rm -r {runs}",
        "a file": f"rm -r {runs}; echo file > {runs}",
        "a dead link": f"rm -r {runs}; ln -s nowhere/at/all {runs}",
    }[fault] + "\n"


def _heal(disk: disks.Disk, root: Path, fault: str) -> None:
    disk.make_writable(ROOM)
    (root / "fill").unlink(missing_ok=True)
    if (root / "runs").is_symlink() or (root / "runs").is_file():
        (root / "runs").unlink()
    (root / "runs").mkdir(exist_ok=True)


def fill(folder: Path, spared: int = 0) -> None:
    """Writes to a disk until it is full, and gives some bytes back."""
    path = folder / "fill"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(65536))
        except OSError:
            pass
        try:
            while True:
                file.write(bytes(512))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - spared))
