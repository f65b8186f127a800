"""Stands where `ssh` is: runs the commands for a box here, and loses connections when told."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PROGRAM = """#!/bin/sh
for last; do :; done
if [ -e {folder}/down ]; then
    cat {folder}/down >&2
    exit 255
fi
echo $$ >>{folder}/connections
through=cat
case $last in *" put "*) [ -e {folder}/alters ] && through='tr a b' ;; esac
$through | {{ setsid -w {box} "$last"; echo $? >{folder}/code.$$; }} | cat
exit "$(cat {folder}/code.$$)"
"""
"""When its group of processes is killed, the shell of the box lives on with its pipes closed, as it
does behind a lost connection."""


class FakeBox:
    """A box whose login shell is one here, with a folder for everything it may write."""

    def __init__(self, folder: Path, shell: list[str], path: str) -> None:
        self.temporary = folder / "temporary"
        self.programs = folder / "bin"
        self._folder = folder
        for it in (self.temporary, self.programs):
            it.mkdir(parents=True)
        settings = f"TMPDIR={self.temporary} HOME={folder} PATH={path}"
        box = f"echo Welcome; exec env {settings} {' '.join(shell)} -c"
        (self.programs / "box").write_text(f'#!/bin/sh\n{box} "$1"\n')
        program = PROGRAM.format(folder=folder, box=self.programs / "box")
        (self.programs / "ssh").write_text(program)
        for it in self.programs.iterdir():
            it.chmod(0o755)

    def lose(self, why: str = "ssh: connect to host box port 22: Connection refused") -> None:
        """Every connection is lost, and none comes about any more, for a reason that ssh says."""
        (self._folder / "down").write_text(f"{why}\n")
        for process in (self._folder / "connections").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(process), signal.SIGKILL)
        (self._folder / "connections").write_text("")

    def mend(self) -> None:
        (self._folder / "down").unlink()

    def alter_what_is_copied(self) -> None:
        (self._folder / "alters").touch()

    def processes(self) -> list[int]:
        """What runs in the folders that the box was asked for."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(OSError):
                if path.readlink().is_relative_to(self.temporary):
                    found.append(int(path.parent.name))
        return found

    def end(self) -> None:
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


MakeBox = Callable[..., FakeBox]


@pytest.fixture
def fake_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    """Makes a box of a shell and the programs that it has; all that are here, unless told."""
    made: list[FakeBox] = []

    def make(*shell: str, path: str = os.environ["PATH"]) -> FakeBox:
        box = FakeBox(tmp_path / f"box{len(made)}", list(shell or ("sh",)), path)
        monkeypatch.setenv("PATH", f"{box.programs}:{os.environ['PATH']}")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        made.append(box)
        return box

    yield make
    for box in made:
        box.end()
    left = list(Path("/tmp").glob(f"ciphermark-ssh-{os.getpid()}-*"))
    for it in left:
        shutil.rmtree(it)
    assert left == [], "a connection was not closed where the tests run"


def busybox(folder: Path, without: tuple[str, ...] = ()) -> str:
    """A folder with busybox under all of its names, to be a PATH.

    Its own shell runs its own programs, wherever PATH leads: with some of them missing, `sh` is the
    one that is here.
    """
    program = shutil.which("busybox")
    if program is None:
        pytest.skip("there is no busybox here (Debian: apt install busybox)")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    folder.mkdir()
    for name in listed.stdout.split():
        if name not in without and not (without and name in ("ash", "busybox", "sh")):
            (folder / name).symlink_to(program)
    if without:
        (folder / "sh").symlink_to("/bin/sh")
    return str(folder)
