"""Processes of other namespaces: a container's live tunnel and half-written run stay, and users
without a name, a home or files of their own get sentences."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import time
from collections.abc import Callable
from pathlib import Path

from attack import stored
from attack.attempt import Attempt
from attack.failure import HANG_S, Failure
from attack.processes import Running, Streams, executed, forked
from attack.setting import FEW
from namespaces import can_unshare

_NEWNS, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)

COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("list", "runs"), ("show", "last"), ("machines", "matrix"), ("list", "algorithms")),
    *(("survey", *FEW), ("survey", *FEW), ("export",), ("site", "site"), ("doctor", "--help")),
    ("capacity",),
)


def attempt(it: Attempt) -> None:
    if not can_unshare():
        it.skip("no namespaces can be made here")
        return
    it.replay()
    it.lots.choice((_bed, _argument, _writer, _stranger, _stranger, _stranger))(it)


def _in_container(it: Attempt, call: Callable[[], object]) -> Running:
    """Calls a function as the first process of a namespace, with a /proc of its own."""

    def enter() -> None:
        if _libc.unshare(_NEWPID | _NEWNS | _NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        if (pid := os.fork()) == 0:
            _libc.prctl(1, signal.SIGKILL, 0, 0, 0)
            _libc.mount(b"proc", b"/proc", b"proc", 0, None)
            call()
            os._exit(0)
        os.waitpid(pid, 0)

    files = [it.folder / f"container-{name}" for name in ("output", "messages")]
    with files[0].open("wb") as output, files[1].open("wb") as messages:
        pid = forked(enter, it.environment, Streams(None, output.fileno(), messages.fileno()))
    return Running("a container", pid, *files)


def _appears(path: Path) -> None:
    deadline = time.monotonic() + 4 * HANG_S
    while not path.exists():
        if time.monotonic() > deadline:
            raise Failure("other", f"the attack: {path.name} never came")
        time.sleep(0.01)


def _expect_alive(running: Running, whose: str) -> None:
    dead = running.poll(0.1)
    running.signal(signal.SIGKILL, group=True)
    running.poll(60)
    if dead:
        raise Failure("changed", f"{whose} was ended")


def _leftovers_removed(it: Attempt) -> None:
    def remove() -> None:
        from ciphermark.run.tunnels import leftovers

        for sentence in leftovers.remove():
            print(sentence)

    it.call(remove)


def _bed(it: Attempt) -> None:
    """A live tunnel in a container, whose workbench has a number that is nobody's here."""
    mark = it.folder / "ready"

    def hold() -> None:
        from ciphermark.run.tunnels import leftovers

        with leftovers.mark():
            mark.touch()
            time.sleep(60)

    it.say("a tunnel in a container")
    running = _in_container(it, hold)
    _appears(mark)
    _leftovers_removed(it)
    _expect_alive(running, "the tunnel of a container")


def _argument(it: Attempt) -> None:
    """A process of anybody with an argument, or an open file, of the form of a mark."""
    from ciphermark.files.atomic import current_writer

    form = it.lots.choice(("x", "1", "", "999999.1.0123456789abcdef", str(current_writer())))
    path = it.folder / f"ciphermark-bed-of:{form.replace(str(os.getpid()), '999999')}"
    path.touch()
    it.say(f"a process that has {path.name}")
    line = ["/bin/sh", "-c", 'exec 9<"$1"; sleep 60; :', "sh", str(path)]
    pid = executed(line, it.environment, Streams(None, None, None), it.folder)
    running = Running("a process", pid, it.folder / "none", it.folder / "none")
    time.sleep(0.1)
    _leftovers_removed(it)
    _expect_alive(running, f"a process with the argument {path.name}")


def _writer(it: Attempt) -> None:
    """A run that a process in a container is writing, whose number is nobody's here."""
    it.store("run-1.8")
    mark = it.folder / "ready"

    def write() -> None:
        from ciphermark.files.atomic import new_folder

        with new_folder(it.runs / "20260101-101112-7f3a") as partial:
            (partial / "context.parquet").write_text("half")
            mark.touch()
            time.sleep(60)

    running = _in_container(it, write)
    _appears(mark)
    [partial] = it.runs.glob(".new-*")
    for words in (("list", "runs"), ("survey", *FEW)):
        it.run(*words)
        if not (partial / "context.parquet").exists():
            raise Failure("changed", f"{words[0]} removed what a container is writing")
    _expect_alive(running, "a container that writes")


def _stranger(it: Attempt) -> None:
    """A user of a namespace without a map: of no name, owner of nothing."""
    it.store("run-1.8", "run-1.8-sessions")
    open_to_all = it.lots.random() < 0.5
    if open_to_all:
        for folder, _, names in os.walk(it.folder):
            os.chmod(folder, 0o777)
            for name in names:
                os.chmod(Path(folder, name), 0o666)
    if it.lots.random() < 0.5:
        for name in it.lots.sample(("HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"), 2):
            it.environment.pop(name, None)
    before = {folder: stored.contents(folder) for folder in stored.run_folders(it.runs)}
    words = it.lots.choice(COMMANDS)
    kinds = _NEWUSER | it.lots.choice((0, _NEWNS, _NEWNET, _NEWNS | _NEWNET))
    it.say(f"{' '.join(words)}, files for all: {open_to_all}, {sorted(it.environment)}"[:300])
    place = it.folder / f"place-{secrets.token_hex(2)}"

    def become() -> None:
        if _libc.unshare(kinds) != 0:
            place.touch()  # not allowed in this process

    ended = it.start(*words, before=become).end(15)
    ended.check()
    for folder, files in before.items():
        stored.expect_unchanged(files, folder, ended.command)
    if words[0] == "survey" and ended.code == 0:
        stored.expect_kept(it, ended, 3)
